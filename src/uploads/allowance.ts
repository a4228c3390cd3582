/** Holds an upload to the bytes and the sitemaps that its account's plan allows. */
import { Refusal } from '../platform/refusal.ts';
import type { CutFile } from './cut-files.ts';
import type { OtherSitemaps } from './upload-store.ts';

/** What a plan allows. */
export interface Allowance {
  readonly urlsPerUpload: number;
  /** Of live files as they are stored, over all domains of an account. */
  readonly storedBytes: number;
  readonly sitemapsPerDomain: number;
}

/** Passes files on until they alone are more than the plan allows in all. `usedBytes`: by all that is live by now. */
export async function* withinStoredBytes(
  files: AsyncIterable<CutFile>,
  { storedBytes }: Allowance,
  usedBytes: () => Promise<number>,
): AsyncGenerator<CutFile, void, undefined> {
  let bytes = 0;
  for await (const file of files) {
    bytes += file.gzipBytes;
    if (bytes > storedBytes) throw tooManyBytes(storedBytes, await usedBytes());
    yield file;
  }
}

/** Throws Refusal when the upload does not fit beside the others; what it replaces is not among them. */
export function refuseOverPlan(allowance: Allowance, others: OtherSitemaps, gzipBytes: number): void {
  const { storedBytes, sitemapsPerDomain } = allowance;
  if (others.sitemaps + 1 > sitemapsPerDomain) {
    throw overPlan(
      'sitemapName',
      `the plan allows ${counted(sitemapsPerDomain)} sitemaps for each domain`,
      others.sitemaps,
      sitemapsPerDomain,
    );
  }
  if (others.gzipBytes + gzipBytes > storedBytes) throw tooManyBytes(storedBytes, others.gzipBytes);
}

function tooManyBytes(allowed: number, used: number): Refusal {
  return overPlan(
    'urls',
    `the plan allows ${counted(allowed)} bytes of compressed files in all, of which ${counted(used)} are used`,
    used,
    allowed,
  );
}

function overPlan(field: string, message: string, used: number, allowed: number): Refusal {
  return new Refusal('VALIDATION_ERROR', `${field}: ${message}`, {
    details: { field, value: null, used, allowed },
  });
}

const counted = (count: number) => count.toLocaleString('en-US');
