/** Reads a site as a crawler does: the index, then each file in it, and yields every `loc` in order. */
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { open } from '../http-exchange.ts';

export interface Crawler {
  /** Address of the hosting server. */
  readonly hostingUrl: string;
  readonly hostname: string;
}

/** `path`: the path of a sitemap or a sitemap index. `onFile` is called for each urlset. */
export async function* crawlSite(
  crawler: Crawler,
  path: string,
  onFile: () => void,
): AsyncGenerator<string, void, undefined> {
  const document = await fetchXml(crawler, path);
  let root = '';
  const locs: string[] = [];
  for await (const batch of readLocs(document, (name) => {
    root = name;
  })) {
    if (root === 'urlset') yield* batch;
    else locs.push(...batch);
  }
  if (root === 'urlset') onFile();
  for (const loc of locs) yield* crawlSite(crawler, new URL(loc).pathname, onFile);
}

async function fetchXml({ hostingUrl, hostname }: Crawler, path: string): Promise<Readable> {
  const headers = { Host: hostname, 'Accept-Encoding': 'gzip' };
  const answer = await open(new URL(path, hostingUrl).href, { headers });
  if (answer.statusCode !== 200) throw new Error(`${path}: HTTP ${answer.statusCode}`);
  return answer.headers['content-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer;
}

/** Yields the text of all `loc` elements, in batches. Throws on XML that is not well-formed. */
async function* readLocs(
  xml: AsyncIterable<Buffer>,
  onRoot: (name: string) => void,
): AsyncGenerator<string[], void, undefined> {
  const parser = new SaxesParser();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let found: string[] = [];
  let loc: string | undefined;
  let depth = 0;
  parser.on('opentag', ({ name }) => {
    if (depth++ === 0) onRoot(name);
    if (name === 'loc') loc = '';
  });
  parser.on('text', (text) => {
    if (loc !== undefined) loc += text;
  });
  parser.on('closetag', ({ name }) => {
    depth--;
    if (name !== 'loc' || loc === undefined) return;
    found.push(loc);
    loc = undefined;
  });
  for await (const chunk of xml) {
    parser.write(decoder.decode(chunk, { stream: true }));
    yield found;
    found = [];
  }
  parser.write(decoder.decode()).close();
  yield found;
}
