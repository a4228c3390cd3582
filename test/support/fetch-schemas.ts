/**
 * `npm run test:schemas` fetches the public schemas of sitemaps, their indexes and Google's extensions into
 * test/.schemas, where tests look for them. The sitemap schema comes with the npm package `sitemap`. Our own schemas in
 * test/sitemap/schemas combine them.
 */
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FETCHED_SCHEMAS } from './schema-folders.ts';

const TIMEOUT_MS = 30_000;
const ADDRESSES = {
  'siteindex.xsd': 'https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd',
  'sitemap-image-1.1.xsd': 'https://www.google.com/schemas/sitemap-image/1.1/sitemap-image.xsd',
  'sitemap-news-0.9.xsd': 'https://www.google.com/schemas/sitemap-news/0.9/sitemap-news.xsd',
  'sitemap-video-1.1.xsd': 'https://www.google.com/schemas/sitemap-video/1.1/sitemap-video.xsd',
};
const PROJECT = resolve(import.meta.dirname, '../..');

/** A folder with only some of the schemas would look complete. */
const unfinished = `${FETCHED_SCHEMAS}-unfinished`;
await rm(unfinished, { recursive: true, force: true });
await mkdir(unfinished, { recursive: true });
try {
  await Promise.all(
    Object.entries(ADDRESSES).map(async ([name, address]) =>
      writeFile(join(unfinished, name), await fetchSchema(address)),
    ),
  );
  await cp(join(PROJECT, 'test/sitemap/schemas'), unfinished, { recursive: true });
  await cp(join(PROJECT, 'node_modules/sitemap/schema/sitemap.xsd'), join(unfinished, 'sitemap.xsd'));
  await rm(FETCHED_SCHEMAS, { recursive: true, force: true });
  await rename(unfinished, FETCHED_SCHEMAS);
  console.log('The schemas are in test/.schemas.');
} catch (error) {
  await rm(unfinished, { recursive: true, force: true });
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function fetchSchema(address: string): Promise<string> {
  const text = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    async (answer) => (answer.ok ? answer.text() : `status ${answer.status}`),
    (error: Error) => String(error.cause ?? error),
  );
  if (text.includes('http://www.w3.org/2001/XMLSchema')) return text;
  throw new Error(`${address} gives no schema: ${text.slice(0, 200)}`);
}
