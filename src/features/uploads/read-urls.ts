/**
 * Reads the first URLs of a stored file that contain a text. The file streams through, so memory stays flat. Entries are cut at the tags
 * that `core/sitemap/render-entry.ts` writes, and only the returned entries go through an XML parser.
 */
import { SaxesParser } from 'saxes';
import { unescapeText } from '../../core/sitemap/xml-text.ts';
import { textFinder } from '../../platform/text-finder.ts';
import { streamXml } from '../entries/stream-xml.ts';
import { openUploadFile, type UploadFilePlaces } from '../sites/read-upload-file.ts';
import type { StoredUrls } from './live-file-store.ts';

export interface ListedUrl {
  readonly loc: string;
  /** `lastmod`, `changefreq` and `priority` are texts as written in the XML. */
  readonly lastmod: string | null;
  readonly changefreq: string | null;
  readonly priority: string | null;
  readonly images: number;
  readonly alternates: number;
}

export interface UrlSearch {
  /** The text to find, in any letter case. Every URL contains the empty text. */
  readonly text: string;
  readonly limit: number;
  /** Ends the reading early. */
  readonly signal: AbortSignal;
}

const ENTRY_END = '</url>';

/** Throws UnreadableFile if the file is missing or damaged. */
export async function readUrls(
  places: UploadFilePlaces,
  file: StoredUrls,
  { text, limit, signal }: UrlSearch,
): Promise<ListedUrl[]> {
  const finders = textsOf(text).map(textFinder);
  const found: ListedUrl[] = [];
  for await (const entry of entriesOf(textOf(places, file))) {
    if (signal.aborted) break;
    const loc = locOf(entry).toLowerCase();
    if (!finders.some((isIn) => isIn(loc))) continue;
    found.push(listedUrl(entry));
    if (found.length === limit) break;
  }
  return found;
}

/** Returns the spellings to search for. A searched text may have letters of any script, and a file has them percent-encoded. */
function textsOf(text: string): string[] {
  const lower = text.toLowerCase().toWellFormed();
  return [...new Set([lower, encodeURI(lower).replaceAll('%25', '%').toLowerCase()])];
}

async function* textOf(places: UploadFilePlaces, file: StoredUrls): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const gzip = await openUploadFile(places, file.uploadId, file.n);
  yield* streamXml(gzip, file, (xml) => decoder.decode(xml, { stream: true }));
}

/** Yields the `<url>` elements. */
async function* entriesOf(xml: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of xml) {
    // The end tag of an entry may be split between two chunks.
    let from = Math.max(0, rest.length - ENTRY_END.length);
    rest += chunk;
    let start = 0;
    for (let end: number; ; from = start) {
      end = rest.indexOf(ENTRY_END, from);
      if (end === -1) break;
      const stop = end + ENTRY_END.length;
      yield rest.slice(rest.indexOf('<url>', start), stop);
      start = stop;
    }
    rest = rest.slice(start);
  }
}

function locOf(entry: string): string {
  return unescapeText(entry.slice(entry.indexOf('<loc>') + '<loc>'.length, entry.indexOf('</loc>')));
}

function listedUrl(entry: string): ListedUrl {
  const parser = new SaxesParser({ fragment: true, position: false });
  const texts = new Map<string, string>();
  const counts = new Map<string, number>();
  let text = '';
  parser.on('opentag', ({ name }) => {
    text = '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  });
  parser.on('text', (more) => {
    text += more;
  });
  parser.on('closetag', ({ name }) => void texts.set(name, text));
  parser.write(entry).close();
  return {
    loc: texts.get('loc') ?? '',
    lastmod: texts.get('lastmod') ?? null,
    changefreq: texts.get('changefreq') ?? null,
    priority: texts.get('priority') ?? null,
    images: counts.get('image:image') ?? 0,
    alternates: counts.get('xhtml:link') ?? 0,
  };
}
