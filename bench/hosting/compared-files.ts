/** The three files that all servers serve, as sitemaps of BENCH_HOSTNAME, and what is to be reached with each. */
import { plainEntries, richEntries } from '../upload-body.ts';

export interface ComparedFile {
  readonly name: string;
  readonly sitemapName: string;
  readonly gzipBytes: number;
  /** How many of `entriesOf` compress to `gzipBytes`, as measured. */
  readonly count: number;
  readonly entriesOf: (count: number) => Buffer;
  /** The least part of nginx' throughput. */
  readonly ofNginx: number;
}

/** A small customer's, a part as `gsc-optimized` has it (1,000 entries), and about as large as they get. */
export const COMPARED_FILES: readonly ComparedFile[] = [
  { name: '1 kB', sitemapName: '1k', gzipBytes: 1_000, count: 55, entriesOf: plainEntries, ofNginx: 0.65 },
  {
    name: '11 kB',
    sitemapName: '11k',
    gzipBytes: 11_000,
    count: 1_000,
    entriesOf: plainEntries,
    ofNginx: 0.7,
  },
  {
    name: '580 kB',
    sitemapName: '580k',
    gzipBytes: 580_000,
    count: 13_750,
    entriesOf: richEntries,
    ofNginx: 1,
  },
];

export const SMALL_FILE_PATH = pathOf(COMPARED_FILES[0]!);
export const LARGE_FILE_PATH = pathOf(COMPARED_FILES[2]!);
export const MEDIUM_FILE_PATH = pathOf(COMPARED_FILES[1]!);

export function pathOf({ sitemapName }: ComparedFile): string {
  return `/sitemap-${sitemapName}.xml`;
}

/** `gzip`: what was published. A name that lies would make its figure worthless. */
export function checkSize({ name, gzipBytes }: ComparedFile, gzip: Buffer): void {
  const ratio = gzip.length / gzipBytes;
  if (ratio < 0.95 || ratio > 1.05) throw new Error(`the file of ${name} has ${gzip.length} bytes`);
}
