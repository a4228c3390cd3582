/** The XML of single entries, cut out of files. */
import { URLSET_FOOTER } from '../../../core/sitemap/namespaces.ts';
import { GZIP_HEADER_BYTES } from '../../../platform/gzip/gzip-member.ts';
import { DamagedFile, type StoredFile } from '../../entries/entry-kernel.ts';
import { free, inflateFragment } from '../../entries/inflate-file.ts';
import { frameOf } from '../../sites/file-frame.ts';
import type { EntryReader } from './entry-reader.ts';
import type { OrderedFile } from './messages.ts';

/** The end of every entry. It stands nowhere else, because the text of an element has no `<` (core/sitemap/render-entry.ts). */
const ENTRY_END = '</url>\n';

/** Returns the ends of the entries in `xml`. Throws DamagedFile if `xml` is not a run of `entries` whole entries. */
export function endsOf(xml: Uint8Array, entries: number): Uint32Array<ArrayBuffer> {
  const text = Buffer.from(xml.buffer as ArrayBuffer, xml.byteOffset, xml.byteLength);
  const ends = new Uint32Array(entries);
  let at = 0;
  for (let i = 0; i < entries; i++) {
    const end = text.indexOf(ENTRY_END, at, 'latin1');
    if (end < 0) throw new DamagedFile('a part of a file has fewer entries than it should');
    at = ends[i] = end + ENTRY_END.length;
  }
  if (at !== xml.length) throw new DamagedFile('a part of a file has more than its entries');
  return ends;
}

/** Yields the XML of each entry of a whole file. Throws DamagedFile. */
export function* entriesOfFile(
  xml: Uint8Array,
  { n, entries }: Pick<StoredFile, 'n' | 'entries'>,
): Generator<Uint8Array, void, undefined> {
  const body = bodyOfFile(xml, n);
  let from = 0;
  for (const end of endsOf(body, entries)) {
    yield body.subarray(from, end);
    from = end;
  }
}

/** Returns the entries of a file, without its frame. Throws DamagedFile. */
export function bodyOfFile(xml: Uint8Array, n: number): Buffer {
  const text = Buffer.from(xml.buffer as ArrayBuffer, xml.byteOffset, xml.length);
  const from = text.indexOf('<url>', 0, 'latin1');
  if (from < 0) throw new DamagedFile(`file ${n} has no entries`);
  return text.subarray(from, text.length - URLSET_FOOTER.length);
}

/** The XML of the wanted entries of a new upload or a delta. */
export interface EntryTexts {
  /** Returns the XML of wanted entry `i`, from 0. */
  at(i: number): Buffer;
}

/**
 * Cuts entries out of files. `wanted`: their ordinals, ascending. Returns undefined if the entries exceed `maxBytes`. Throws DamagedFile.
 */
export async function readTexts(
  reader: EntryReader,
  files: readonly OrderedFile[],
  wanted: Uint32Array,
  maxBytes: number,
): Promise<EntryTexts | undefined> {
  let bytes = Buffer.allocUnsafeSlow(Math.min(maxBytes, 1024 * 1024));
  const ends = new Uint32Array(wanted.length);
  let [length, next, first] = [0, 0, 0];
  for (const file of files) {
    const isWanted = next < wanted.length && wanted[next]! < first + file.entries;
    const stored = isWanted ? await reader.stored('live', file) : undefined;
    let at = GZIP_HEADER_BYTES + headerBytesOf(file);
    for (const fragment of file.fragments) {
      if (stored !== undefined && wanted[next]! < first + fragment.entries) {
        using xml = inflateFragment(stored, at, fragment, file.n);
        const inside = endsOf(xml.bytes, fragment.entries);
        for (; next < wanted.length && wanted[next]! < first + fragment.entries; next++) {
          const i = wanted[next]! - first;
          const text = xml.bytes.subarray(i === 0 ? 0 : inside[i - 1]!, inside[i]!);
          if (length + text.length > maxBytes) return undefined;
          if (length + text.length > bytes.length) bytes = grown(bytes, length + text.length, maxBytes);
          bytes.set(text, length);
          length += text.length;
          ends[next] = length;
        }
      }
      at += fragment.deflatedBytes;
      first += fragment.entries;
    }
    if (stored !== undefined) free(stored);
  }
  return { at: (i) => bytes.subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]!) };
}

function headerBytesOf({ fragments }: OrderedFile): number {
  return frameOf(fragments.reduce((mask, fragment) => mask | fragment.namespaces, 0)).header.deflated.length;
}

function grown(bytes: Buffer, needed: number, most: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(needed, 2 * bytes.length)));
  larger.set(bytes);
  free(bytes);
  return larger;
}
