/** Lists of entries as stored files, and their placement without a store. */
import { gunzipSync } from 'node:zlib';
import { URLSET_FOOTER } from '../../../src/core/sitemap/namespaces.ts';
import { EntryKernel, WHOLE } from '../../../src/features/entries/entry-kernel.ts';
import { type CutFile, cutFiles } from '../../../src/features/sites/cut-files.ts';
import { type Fragment, type FragmentPlace, placeOfFragment } from '../../../src/features/sites/fragment.ts';
import type { PlaceAsk, PlaceEnd } from '../../../src/features/uploads/placement/messages.ts';
import { placeFiles } from '../../../src/features/uploads/placement/place-files.ts';
import { hashesOf } from '../../../src/features/uploads/staged-hashes.ts';
import { deflatePiece } from '../../../src/platform/gzip/gzip-member.ts';

const SEED = 0x1234_5678_9abc_def0n;

export interface MadeFile {
  readonly entries: number;
  readonly bytes: number;
  readonly etag: string;
  readonly content: Uint8Array;
  readonly hashes: Uint8Array | undefined;
  readonly fragments: readonly FragmentPlace[];
}

/** An entry as it is rendered. `lastmod` makes it differ from others with its `loc`. */
export const entryOf = (loc: string, lastmod = '2026-11-26') =>
  `<url><loc>https://www.example.com/${loc}</loc><lastmod>${lastmod}</lastmod></url>\n`;

export const newsEntry = (loc: string) =>
  `<url><loc>https://www.example.com/${loc}</loc><news:news><news:publication><news:name>N</news:name>` +
  '<news:language>en</news:language></news:publication><news:publication_date>2026-11-26</news:publication_date>' +
  `<news:title>${loc}</news:title></news:news></url>\n`;

/** Makes the files of a list, in its order. */
export async function filesOf(
  list: readonly string[],
  entriesPerFile: number,
  perFragment = 1000,
): Promise<MadeFile[]> {
  const kernel = new EntryKernel(0);
  kernel.begin(WHOLE, SEED, false);
  async function* fragments(): AsyncGenerator<Fragment, void, undefined> {
    for (let at = 0; at < list.length; at += perFragment) {
      const texts = list.slice(at, at + perFragment);
      const xml = Buffer.from(texts.join(''));
      const newsEntries = texts.filter((text) => text.includes('<news:news>')).length;
      yield {
        ...deflatePiece(xml),
        entries: texts.length,
        newsEntries,
        namespaces: newsEntries > 0 ? 2 : 0,
        hashes: kernel.entriesOfPart(xml, texts.length).hashes,
        origin: 'https://www.example.com',
      };
    }
  }
  const files: MadeFile[] = [];
  for await (const file of cutFiles(fragments(), () => entriesPerFile)) files.push(made(file));
  return files;
}

function made(file: CutFile): MadeFile {
  const { entries, bytes, etag } = file;
  const hashes = hashesOf(file, SEED);
  return {
    ...{ entries, bytes, etag, content: Buffer.concat(file.parts) },
    hashes: hashes && Buffer.concat(hashes),
    fragments: file.fragments.map(placeOfFragment),
  };
}

export interface Placed {
  readonly end: PlaceEnd;
  /** The files of the new generation, if the upload was placed. */
  readonly files: readonly MadeFile[];
  /** The number of former files among them. */
  readonly kept: number;
  /** The number of reads of files and hashes. */
  readonly reads: number;
}

/** Places `list` into `former`. */
export async function place(
  former: readonly MadeFile[],
  list: readonly string[],
  entriesPerFile: number,
  { perFragment = 1000, mostFiles }: { perFragment?: number; mostFiles?: number } = {},
): Promise<Placed> {
  const sides = { former, live: await filesOf(list, entriesPerFile, perFragment) };
  const sent: MadeFile[] = [];
  let reads = 0;
  const numbered = (files: readonly MadeFile[]) =>
    files.map(({ entries, bytes, etag, fragments }, i) => ({ n: i + 1, entries, bytes, etag, fragments }));
  const answer = async (ask: PlaceAsk) => {
    if (ask.kind === 'file') {
      sent.push({ ...ask.file, fragments: [] });
      return undefined;
    }
    reads++;
    const { content, hashes } = sides[ask.side][ask.n - 1]!;
    if (ask.kind === 'read') return new Uint8Array(content);
    if (hashes !== undefined) ask.into.set(hashes);
    return hashes && ask.into.subarray(0, hashes.length);
  };
  const end = await placeFiles(
    { seed: SEED, entriesPerFile, former: numbered(former), live: numbered(sides.live) },
    answer,
    mostFiles,
  );
  if (end.kind === 'order') return { end, files: sides.live, kept: 0, reads };
  const files = end.positions.map((position) =>
    'former' in position ? former[position.former - 1]! : sent[position.placed - 1]!,
  );
  return { end, files, kept: end.positions.filter((position) => 'former' in position).length, reads };
}

/** Returns the entries of a file. Its gzip must be whole, and its header must declare news exactly if it has some. */
export function entriesIn({ content, bytes, entries }: MadeFile): string[] {
  const xml = gunzipSync(content).toString();
  if (Buffer.byteLength(xml) !== bytes) throw new Error('another length');
  const from = xml.indexOf('<url>');
  if (xml.slice(0, from).includes('xmlns:news') !== xml.includes('<news:news>'))
    throw new Error('another header');
  if (!xml.endsWith(URLSET_FOOTER)) throw new Error('no footer');
  const texts = xml.slice(from, -URLSET_FOOTER.length).split(/(?<=<\/url>\n)/);
  if (texts.length !== entries) throw new Error('another number of entries');
  return texts;
}
