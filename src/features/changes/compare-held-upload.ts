/** Compares a held upload with the live upload of its sitemap, to show the changes that its publication makes. */
import { Refusal } from '../../platform/refusal.ts';
import { type ComparedNow, type CompareNowOptions, compareNow } from './compare-now.ts';
import { findUploadFiles, withoutChanges } from './comparison-store.ts';
import { findHeldFiles, findHeldSides } from './held-files-store.ts';

export interface HeldToCompare {
  readonly accountId: string;
  readonly uploadId: string;
  /** Whether the list of changes is wanted, and not only counts and samples. */
  readonly isListed: boolean;
}

export interface ComparedHeld extends ComparedNow {
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
}

/**
 * Throws Refusal NOT_FOUND if the account has no such held upload, CONFLICT if the upload is no longer held or files are damaged, and the
 * reason of `signal`.
 */
export async function compareHeldUpload(
  options: CompareNowOptions,
  { accountId, uploadId, isListed }: HeldToCompare,
  signal: AbortSignal,
): Promise<ComparedHeld> {
  const { database } = options;
  const found = await findHeldSides(database, accountId, uploadId);
  if (found === undefined) throw new Refusal('NOT_FOUND', 'There is no such held upload.');
  const { hostname, sitemapName, isHeld, liveUploadId, haveOtherXml, askedAt } = found;
  if (!isHeld) throw noLongerHeld();
  if (liveUploadId === null) {
    const ended = { ...withoutChanges('first'), endedAt: askedAt };
    return { hostname, sitemapName, uploadId, formerUploadId: null, listId: uploadId, details: [], ended };
  }
  const files = async () => {
    const former = await findUploadFiles(database, liveUploadId);
    const live = await findHeldFiles(database, uploadId);
    // Since the first query, the live upload was replaced, or the held upload was published or discarded.
    if (former === undefined || live.length === 0) throw noLongerHeld();
    return { former, live };
  };
  const sides = { accountId, uploadId, formerUploadId: liveUploadId, haveOtherXml, askedAt, files };
  return { hostname, sitemapName, ...(await compareNow(options, sides, isListed, signal)) };
}

function noLongerHeld(): Refusal {
  return new Refusal('CONFLICT', 'The upload is no longer held, so there is nothing to compare.');
}
