/**
 * Does the work of an upload with npm `sitemap`: a JSON body in, gzip files and their index out. `sitemap-package.ts
 * <whole-files|index-stream> <body> <folder>` prints its time, without Node's start, and its peak memory.
 */
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import {
  SitemapAndIndexStream,
  SitemapIndexStream,
  type SitemapItemLoose,
  SitemapStream,
  streamToPromise,
} from 'sitemap';
import type { GeneratedEntry } from '../../tools/generated-upload.ts';

export interface PackageRun {
  readonly seconds: number;
  readonly peakBytes: number;
}

const URLS_PER_FILE = 50_000;
const ORIGIN = 'https://www.example.com';

const WAYS: Readonly<Record<string, (entries: SitemapItemLoose[], folder: string) => Promise<void>>> = {
  'whole-files': writeWholeFiles,
  'index-stream': writeThroughIndexStream,
};

const [way, body, folder] = process.argv.slice(2) as [string, string, string];
const startedAt = performance.now();
const { urls } = JSON.parse((await readFile(body)).toString()) as { urls: GeneratedEntry[] };
const entries = urls.map(({ loc, ...rest }) => ({ url: loc, ...rest }) as SitemapItemLoose);
await WAYS[way]!(entries, folder);
const run: PackageRun = {
  seconds: (performance.now() - startedAt) / 1000,
  peakBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(JSON.stringify(run));

/** The package's fastest way: collects each file from its stream and compresses it at once, and so avoids small writes. */
async function writeWholeFiles(entries: SitemapItemLoose[], folder: string): Promise<void> {
  const locs: string[] = [];
  for (let from = 0; from < entries.length; from += URLS_PER_FILE) {
    const part = Readable.from(entries.slice(from, from + URLS_PER_FILE));
    const xml = await streamToPromise(part.pipe(new SitemapStream({ hostname: ORIGIN })));
    const name = `sitemap-${locs.length}.xml.gz`;
    await writeFile(join(folder, name), await promisify(gzip)(xml));
    locs.push(`${ORIGIN}/${name}`);
  }
  const index = await streamToPromise(Readable.from(locs).pipe(new SitemapIndexStream()));
  await writeFile(join(folder, 'sitemap-index.xml.gz'), await promisify(gzip)(index));
}

/** The way of the package's README, "Create sitemap and index files from one large list". */
async function writeThroughIndexStream(entries: SitemapItemLoose[], folder: string): Promise<void> {
  const index = new SitemapAndIndexStream({
    limit: URLS_PER_FILE,
    getSitemapStream: (i) => {
      const sitemap = new SitemapStream({ hostname: ORIGIN });
      const name = `sitemap-${i}.xml.gz`;
      const file = sitemap.pipe(createGzip()).pipe(createWriteStream(join(folder, name)));
      return [`${ORIGIN}/${name}`, sitemap, file];
    },
  });
  const file = createWriteStream(join(folder, 'sitemap-index.xml.gz'));
  await pipeline(Readable.from(entries), index, createGzip(), file);
}
