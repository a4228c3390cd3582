/** Acts as a crawler: asks the hosting server by hostname, and follows indexes to every `loc`. */
import { gunzipSync } from 'node:zlib';
import { expect, vi } from 'vitest';
import { produced } from '../../sitemap/produced-documents.ts';
import { readEntry, readXml } from '../../sitemap/read-xml.ts';
import { SOON } from '../../support/soon.ts';
import { type Exchange, type Received, send } from './send.ts';
import type { Addresses } from './waypost.ts';

type Hosting = Pick<Addresses, 'hostingUrl'>;

export function fetchFile({ hostingUrl }: Hosting, hostname: string, path: string, exchange: Exchange = {}) {
  return send(hostingUrl + path, { ...exchange, headers: { Host: hostname, ...exchange.headers } });
}

/** Returns the XML at a path, which must exist. A publication shows within 2 s; a busy machine may need longer. */
export async function fetchXml(hosting: Hosting, hostname: string, path: string): Promise<string> {
  const answer = await vi.waitFor(async () => {
    const current = await fetchFile(hosting, hostname, path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(`${path} ${current.status}`).toBe(`${path} 200`);
    return current;
  }, SOON);
  return produced(decoded(answer).toString());
}

function decoded({ headers, body }: Received): Buffer {
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

/** Returns the entries of the urlset at a path, in the form of an upload. */
export async function fetchEntries(hosting: Hosting, hostname: string, path: string) {
  const root = readXml(await fetchXml(hosting, hostname, path));
  expect(root.name).toBe('http://www.sitemaps.org/schemas/sitemap/0.9 urlset');
  return root.children.map(readEntry);
}

export async function fetchLocs(hosting: Hosting, hostname: string, path: string): Promise<unknown[]> {
  return (await fetchEntries(hosting, hostname, path)).map((entry) => entry.loc);
}

export interface IndexEntry {
  readonly loc: string;
  readonly lastmod: string;
  /** The path of `loc`, as in /sitemap.1.xml. */
  readonly path: string;
}

export async function fetchIndex(hosting: Hosting, hostname: string, path: string): Promise<IndexEntry[]> {
  const root = readXml(await fetchXml(hosting, hostname, path));
  expect(root.name).toBe('http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex');
  return root.children.map(({ children }) => {
    const [loc = '', lastmod = ''] = children.map((child) => child.text);
    return { loc, lastmod, path: new URL(loc).pathname };
  });
}

export interface CrawledFile {
  readonly path: string;
  readonly xml: string;
}

/** Fetches every file of the domain-wide index in turn. */
export async function* crawl(hosting: Hosting, hostname: string): AsyncGenerator<CrawledFile> {
  for (const { path } of await fetchIndex(hosting, hostname, '/sitemap-index.xml')) {
    yield { path, xml: await fetchXml(hosting, hostname, path) };
  }
}

/** Waits until the path is no longer served. */
export async function isGone(hosting: Hosting, hostname: string, path: string): Promise<void> {
  await vi.waitFor(async () => {
    expect(await fetchFile(hosting, hostname, path)).toMatchObject({ status: 404 });
  }, SOON);
}
