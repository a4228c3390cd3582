/**
 * Measures the time of an upload of 100 entries, from the first byte to the answer, in a domain with many files or many sitemaps, and the
 * bytes that the upload writes to the store. Each upload writes site.json and the domain's index again. In a domain with many sitemaps, an
 * upload writes only the section of its own sitemap.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import type { WaypostProcess } from '../../tools/waypost-process.ts';
import { registerHostname, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { median } from '../statistics.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';

const SMALL_URLS = 100;
const ROUNDS = 11;
/** The numbers of files. Each file has 1,000 entries, and a sitemap has at most MAX_FILES_OF_SITEMAP files. */
const FILES = [1, 100, 1000, 10_000, 49_000];
const MAX_FILES_OF_SITEMAP = 24_500;
const SITEMAPS = [1, 10, 100, 1000, 10_000];
const UPLOADS_AT_ONCE = 8;

export async function* publishTime(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost();
  const small = plainEntries(SMALL_URLS);
  const thousand = plainEntries(1000);

  for (const files of FILES.filter((count) => count * scale >= 1 || count === 1)) {
    const domain = `files-${files}.localhost`;
    await registerHostname(waypost, domain);
    for (let left = files, n = 0; left > 0; left -= MAX_FILES_OF_SITEMAP, n++) {
      const count = Math.min(left, MAX_FILES_OF_SITEMAP);
      const members = { domain, sitemapName: `large-${n}`, sizeLimit: 'gsc-optimized' };
      await uploadSeconds(waypost, uploadBody(thousand, { members, repeat: count }), 1000 * count);
    }
    yield* smallUpload(waypost, small, domain, `beside ${files.toLocaleString('en-US')} files`);
  }
  for (const sitemaps of new Set(SITEMAPS.map((count) => Math.ceil(count * scale)))) {
    const domain = `sitemaps-${sitemaps}.localhost`;
    await registerHostname(waypost, domain);
    const add = (n: number) =>
      uploadSeconds(waypost, uploadBody(small, { members: { domain, sitemapName: `s${n}` } }), SMALL_URLS);
    await pMap(Array(sitemaps - 1).keys(), add, { concurrency: UPLOADS_AT_ONCE });
    yield* smallUpload(waypost, small, domain, `beside ${sitemaps.toLocaleString('en-US')} sitemaps`);
  }
}

async function* smallUpload(
  waypost: WaypostProcess,
  entries: Buffer,
  domain: string,
  where: string,
): AsyncGenerator<Figure, void, undefined> {
  const seconds: number[] = [];
  const body = () => uploadBody(entries, { members: { domain, sitemapName: 'small' } });
  const publish = () => uploadSeconds(waypost, body(), SMALL_URLS);
  for (let round = 0; round < ROUNDS; round++) seconds.push(await publish());
  yield { name: `publishing 100 entries ${where}`, value: 1000 * median(seconds), unit: 'ms' };
  const before = Date.now();
  await publish();
  const bytes = await bytesSince(join(waypost.dataDir, 'objects'), before);
  yield { name: `and bytes to the store ${where}`, value: bytes / 1000, unit: 'kB' };
}

async function bytesSince(folder: string, since: number): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => {
      const { mtimeMs, size } = await stat(join(parentPath, name));
      return mtimeMs >= since ? size : 0;
    });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
