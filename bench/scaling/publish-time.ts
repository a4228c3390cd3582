/**
 * The time of an upload of 100 entries, from the first byte to the answer, in a domain with many files or
 * many sitemaps. Each publish writes the domain's index and site.json again.
 */

import type { WaypostProcess } from '../../src/demo/waypost-process.ts';
import { registerHostname, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { median } from '../statistics.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';

const SMALL_URLS = 100;
const ROUNDS = 11;
/** Files of 1,000 entries each, in sitemaps of at most as many files as one upload of the bench makes. */
const FILES = [1, 100, 1000, 10_000, 49_000];
const MAX_FILES_OF_SITEMAP = 24_500;
const SITEMAPS = [1, 10, 100, 1000];

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
    yield await smallUpload(waypost, small, domain, `beside ${files.toLocaleString('en-US')} files`);
  }
  for (const sitemaps of new Set(SITEMAPS.map((count) => Math.ceil(count * scale)))) {
    const domain = `sitemaps-${sitemaps}.localhost`;
    await registerHostname(waypost, domain);
    for (let n = 0; n < sitemaps; n++) {
      const body = uploadBody(small, { members: { domain, sitemapName: `s${n}` } });
      await uploadSeconds(waypost, body, SMALL_URLS);
    }
    yield await smallUpload(waypost, small, domain, `beside ${sitemaps.toLocaleString('en-US')} sitemaps`);
  }
}

async function smallUpload(
  waypost: WaypostProcess,
  entries: Buffer,
  domain: string,
  where: string,
): Promise<Figure> {
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const body = uploadBody(entries, { members: { domain, sitemapName: 'small' } });
    seconds.push(await uploadSeconds(waypost, body, SMALL_URLS));
  }
  return { name: `publishing 100 entries ${where}`, value: 1000 * median(seconds), unit: 'ms' };
}
