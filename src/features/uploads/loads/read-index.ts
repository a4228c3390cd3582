/** Reads which sitemaps an index, or a robots.txt, lists. */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { MAX_URL_LENGTH } from '../../../core/sitemap/limits.ts';
import { fieldsOf } from '../../../core/sitemap/robots-fields.ts';
import { boundAttributes, MAX_ELEMENT_DEPTH } from '../../../platform/bound-xml.ts';
import { tagOf } from '../forms/xml-elements.ts';
import { problemIn } from '../forms/xml-record.ts';
import { MAX_OBJECTS } from './load.ts';
import { refused } from './source-failure.ts';

/** The sitemap protocol limits a file to 50 MB. */
const MAX_INDEX_BYTES = 50 * 1024 * 1024;
/** Crawlers must read at least 500 KiB of a robots.txt (RFC 9309, section 2.5). */
const MAX_ROBOTS_BYTES = 500 * 1024;

/** Returns the addresses of an index in their order, as they stand. Throws SourceFailure. Leaves `lastmod` out: entity tags say more. */
export async function readIndex(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const locs: string[] = [];
  const path: string[] = [];
  let loc = '';
  const parser = new SaxesParser({ xmlns: true, position: false });
  boundAttributes(parser, (problem) => refused(`has ${problem}`));
  const isLoc = () => path.length === 3 && path.join('/') === 'sitemapindex/sitemap/loc';
  parser.on('opentag', ({ uri, local }: SaxesTagNS) => {
    if (path.push(tagOf(uri, local) ?? '') > MAX_ELEMENT_DEPTH)
      throw refused(`nests elements deeper than ${MAX_ELEMENT_DEPTH} levels`);
    if (path[0] !== 'sitemapindex') throw refused('has another namespace than sitemaps have');
    if (isLoc()) loc = '';
  });
  const take = (text: string) => {
    if (isLoc() && loc.length <= MAX_URL_LENGTH) loc += text;
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => {
    if (isLoc()) locs.push(loc.trim());
    path.pop();
    if (locs.length > MAX_OBJECTS)
      throw refused(`lists more than ${MAX_OBJECTS} sitemaps, which is the limit`);
  });
  parser.on('error', (error) => {
    throw refused(`is not well-formed XML: ${problemIn(error)}`);
  });
  for await (const text of decoded(limited(body, MAX_INDEX_BYTES))) parser.write(text);
  parser.close();
  if (locs.length === 0) throw refused('lists no sitemap');
  return locs;
}

/** Returns the values of the `Sitemap` lines of a robots.txt. Bytes that are not UTF-8 are no fault, because comments may have them. */
export async function readSitemapLines(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of limited(body, MAX_ROBOTS_BYTES)) text += decoder.decode(chunk, { stream: true });
  text += decoder.decode();
  const locs: string[] = [];
  for (const [field, value] of fieldsOf(text)) if (field === 'sitemap' && value !== '') locs.push(value);
  if (locs.length === 0)
    throw refused('names no sitemap; give the address of the sitemap itself, often /sitemap.xml');
  return locs;
}

/** Throws SourceFailure if the body is too long. */
async function* limited(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw refused(`is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** Throws SourceFailure if the body is not in UTF-8. Removes the byte order mark. */
async function* decoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw refused('is not in UTF-8');
    }
  };
  for await (const chunk of body) yield decode(chunk);
  yield decode();
}
