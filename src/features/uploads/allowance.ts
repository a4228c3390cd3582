/** Limits an upload to the bytes and sitemaps that the plan allows. */
import { invalidField, type Refusal } from '../../platform/refusal.ts';
import { counted } from '../../platform/words.ts';
import type { PlanLimits } from '../accounts/plans.ts';
import type { CutFile } from '../sites/cut-files.ts';

/** The usage of an account without the sitemap that the upload replaces. */
export interface OtherSitemaps {
  /** The number of other sitemaps in the domain. */
  readonly sitemaps: number;
  /** The number of files of the other sitemaps in the domain. */
  readonly files: number;
  /** The compressed bytes in all domains of the account. */
  readonly gzipBytes: number;
}

export type Allowance = Pick<PlanLimits, 'urlsPerUpload' | 'storedBytes' | 'sitemapsPerDomain'>;

/**
 * Throws Refusal once the files of this upload alone exceed `storedBytes`. `usedBytes` returns the bytes of all live files of the account.
 */
export async function* withinStoredBytes(
  files: AsyncIterable<CutFile>,
  { storedBytes }: Allowance,
  usedBytes: () => Promise<number>,
): AsyncGenerator<CutFile, void, undefined> {
  let bytes = 0;
  for await (const file of files) {
    bytes += file.gzipBytes;
    if (bytes > storedBytes) throw tooManyStoredBytes(storedBytes, await usedBytes());
    yield file;
  }
}

/**
 * Throws Refusal when the upload does not fit. `formerBytes`: the bytes of the live upload of the same sitemap, which `others` does not
 * include. Undefined for a new sitemap. The plan may have become smaller, so a sitemap that does not grow always fits.
 */
export function refuseOverPlan(
  allowance: Allowance,
  others: OtherSitemaps,
  gzipBytes: number,
  formerBytes: number | undefined,
): void {
  const { storedBytes, sitemapsPerDomain } = allowance;
  if (formerBytes === undefined && others.sitemaps + 1 > sitemapsPerDomain) {
    throw overPlan(
      'sitemapName',
      `the plan allows ${counted(sitemapsPerDomain)} sitemaps per domain`,
      others.sitemaps,
      sitemapsPerDomain,
    );
  }
  const grows = gzipBytes > (formerBytes ?? 0);
  if (grows && others.gzipBytes + gzipBytes > storedBytes)
    throw tooManyStoredBytes(storedBytes, others.gzipBytes);
}

export function tooManyStoredBytes(allowed: number, used: number): Refusal {
  return overPlan(
    'urls',
    `the plan allows ${counted(allowed)} bytes of compressed files in total; ${counted(used)} are in use`,
    used,
    allowed,
  );
}

function overPlan(field: string, message: string, used: number, allowed: number): Refusal {
  return invalidField(field, null, message, { used, allowed });
}
