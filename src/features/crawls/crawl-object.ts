/**
 * Hosting processes count their answers to crawlers, and write the counts as small objects of gzipped lines. A job reads the objects. The
 * day in a key is the day of the answers, in UTC. Hosting repeats a put under the same key until the store confirms the put. The job counts
 * each key once.
 *
 * ```
 * crawls/<day>/<random>-<n>.ndjson.gz     {"hostname":"maps.example.com","crawler":"Googlebot","status":200,"requests":7,
 *                                          "bytes":4512,"file":"sitemap.xml","last":1768471200}
 * ```
 *
 * `file` and `last` (seconds since 1970) are absent for answers without a file. Versions of Waypost that do not count files write neither
 * member, and ignore both in our objects (docs/decisions/0066). Versions that do not know `bytes` ignore that member.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { isFileName } from '../../core/sitemap/file-names.ts';
import { isHostname } from '../../platform/dns/dns-name.ts';
import { knownCrawler } from './crawler.ts';

export interface CrawlCount {
  readonly hostname: string;
  readonly crawler: string;
  readonly status: number;
  readonly requests: number;
  /** The bytes of the bodies of all these answers. Absent if the answers have no bodies. */
  readonly bytes?: number | undefined;
  /** The name of the file. Absent if the answers are not counted by file. */
  readonly file?: string | undefined;
  /** The Unix time of the last answer, in seconds. Absent if `file` is absent. */
  readonly last?: number | undefined;
}

export const CRAWLS_PREFIX = 'crawls/';
/** `day` is written as 2026-01-15. `random` identifies the process. `n` differs for each object of the process. */
export const crawlsKey = (day: string, random: string, n: number) =>
  `${CRAWLS_PREFIX}${day}/${random}-${n}.ndjson.gz`;

/**
 * The most lines of an object that is written. Such an object is made in some 5 ms. A line has at most 480 bytes, so the lines are within
 * MAX_BYTES.
 */
export const LINES_OF_OBJECT = 4_000;
/** The most lines of an object that is read. Older versions wrote up to 5,000 lines, which were shorter because they named no files. */
export const MAX_LINES = 5_000;
export const MAX_BYTES = MAX_LINES * 400;

const KEY = /^crawls\/(\d{4}-\d{2}-\d{2})\/[0-9A-Za-z]{1,64}-\d{1,16}\.ndjson\.gz$/;

/** Returns the day of the answers, or undefined if hosting writes no such key. */
export function dayOfKey(key: string): string | undefined {
  const day = KEY.exec(key)?.[1];
  return z.iso.date().safeParse(day).data;
}

/** Returns the bytes of an object. Takes at most LINES_OF_OBJECT counts. */
export function packCounts(counts: readonly CrawlCount[]): Promise<Buffer> {
  return promisify(gzip)(counts.map((count) => `${JSON.stringify(count)}\n`).join(''));
}

/** Returns the counts of an object. Throws if `packCounts` cannot have made the bytes. */
export async function unpackCounts(bytes: Buffer): Promise<CrawlCount[]> {
  const text = await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  const lines = text.toString().split('\n');
  if (lines.pop() !== '' || lines.length > MAX_LINES) throw new Error('not the lines of one object');
  return lines.map((line) => countSchema.parse(JSON.parse(line)));
}

const countSchema = z.object({
  hostname: z.string().refine(isHostname),
  crawler: z.string().transform(knownCrawler),
  status: z.int().min(100).max(599),
  // No process answers more requests between two writes.
  requests: z.int().min(1).max(1_000_000_000),
  // A sum is exact up to 2^53, and no process sends so many bytes between two writes. Objects of older versions have no bytes.
  bytes: z.int().min(0).optional(),
  // A newer version may know other files. Answers for an unknown file count without its name.
  file: z.string().refine(isFileName).optional().catch(undefined),
  last: z.int().min(0).max(253_402_300_799).optional().catch(undefined),
});
