/** The three files that all servers serve, as sitemaps of BENCH_HOSTNAME, and the goal for each. */
import { plainEntries, richEntries } from '../upload-body.ts';

export interface ComparedFile {
  readonly name: string;
  readonly sitemapName: string;
  readonly gzipBytes: number;
  /** The number of entries of `entriesOf` that compress to `gzipBytes`, as measured. */
  readonly count: number;
  readonly entriesOf: (count: number) => Buffer;
  /** The goal: Waypost's throughput ÷ nginx's, at least. */
  readonly ofNginx: number;
  /** The goal without gzip: requests/s ÷ those with gzip, at least. */
  readonly identityOfGzip: number;
}

/** A small customer's file, a `gsc-optimized` part (1,000 entries), and a file of about the largest size. */
export const COMPARED_FILES: readonly ComparedFile[] = [
  {
    name: '1 kB',
    sitemapName: '1k',
    gzipBytes: 1_000,
    count: 55,
    entriesOf: plainEntries,
    ofNginx: 0.85,
    identityOfGzip: 0.9,
  },
  {
    name: '11 kB',
    sitemapName: '11k',
    gzipBytes: 11_000,
    count: 1_000,
    entriesOf: plainEntries,
    ofNginx: 0.7,
    identityOfGzip: 0.8,
  },
  {
    name: '580 kB',
    sitemapName: '580k',
    gzipBytes: 580_000,
    count: 13_750,
    entriesOf: richEntries,
    ofNginx: 1,
    identityOfGzip: 0.5,
  },
];

export const SMALL_FILE_PATH = pathOf(COMPARED_FILES[0]!);
export const LARGE_FILE_PATH = pathOf(COMPARED_FILES[2]!);
export const MEDIUM_FILE_PATH = pathOf(COMPARED_FILES[1]!);

export function pathOf({ sitemapName }: ComparedFile): string {
  return `/sitemap-${sitemapName}.xml`;
}

/** Throws if `gzip`, the published file, has a wrong size, because its figure would mean nothing. */
export function checkSize({ name, gzipBytes }: ComparedFile, gzip: Buffer): void {
  const ratio = gzip.length / gzipBytes;
  if (ratio < 0.95 || ratio > 1.05) throw new Error(`the file of ${name} has ${gzip.length} bytes`);
}
