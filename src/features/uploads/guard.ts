/**
 * The guard of a domain does not publish an upload that removes too many URLs of a sitemap, because its producer may have died early or
 * lost a part of its source. The guard only counts URLs and does not compare them, so it costs nothing.
 */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { Refusal } from '../../platform/refusal.ts';
import { counted } from '../../platform/words.ts';
import { isOverPercent, percentOf } from './percent.ts';

/** Sitemaps of at most this many URLs may shrink by any number. */
const UNGUARDED_URLS = 1000;

/** The change of size that an upload makes to its sitemap. */
export interface Shrinkage {
  readonly sitemapName: string;
  /** The number of URLs of the live upload. It is 0 if no upload is live. */
  readonly formerUrlCount: number;
  /** The live generation; 0 if there is none. */
  readonly formerGeneration: number;
  readonly urlCount: number;
  readonly maxRemovedPercent: number;
}

export class GuardRefusal extends Refusal {
  readonly shrinkage: Shrinkage;
  /** The id of the upload, if it is held for a later publication. */
  readonly heldUploadId: string | undefined;

  constructor(shrinkage: Shrinkage, heldUploadId?: string) {
    const held = heldUploadId !== undefined && { uploadId: heldUploadId };
    const generation = shrinkage.formerGeneration;
    super('CONFLICT', messageOf(shrinkage, heldUploadId), {
      details: { ...describeRemoval(shrinkage), generation, ...held },
    });
    this.shrinkage = shrinkage;
    this.heldUploadId = heldUploadId;
  }
}

/**
 * The caller must have locked the domain. Throws GuardRefusal. `maxRemovedPercent` is null if the domain has no
 * guard.
 */
export function refuseShrinking(
  change: Omit<Shrinkage, 'maxRemovedPercent'>,
  maxRemovedPercent: number | null,
): void {
  if (maxRemovedPercent === null) return;
  const shrinkage = { ...change, maxRemovedPercent };
  if (shrinksTooMuch(shrinkage)) throw new GuardRefusal(shrinkage);
}

export function shrinksTooMuch({
  formerUrlCount,
  urlCount,
  maxRemovedPercent,
}: Pick<Shrinkage, 'formerUrlCount' | 'urlCount' | 'maxRemovedPercent'>): boolean {
  const removed = formerUrlCount - urlCount;
  return formerUrlCount > UNGUARDED_URLS && isOverPercent(removed, formerUrlCount, maxRemovedPercent);
}

/** `percent` is the percentage of URLs that the upload removes, with two decimal places. */
export function describeRemoval({ formerUrlCount, urlCount }: Shrinkage) {
  const removed = formerUrlCount - urlCount;
  return { removed, former: formerUrlCount, percent: percentOf(removed, formerUrlCount) };
}

function messageOf(shrinkage: Shrinkage, heldUploadId: string | undefined): string {
  const { removed, former, percent } = describeRemoval(shrinkage);
  const name = shownSitemapName(shrinkage.sitemapName);
  const cure =
    heldUploadId === undefined
      ? 'To publish it all the same, send it with "force": true.'
      : `To publish it all the same, POST {"force": true} to /api/uploads/${heldUploadId}/publish within 24 hours.`;
  return (
    `This would remove ${counted(removed)} of the ${counted(former)} URLs of the sitemap ${name}, ` +
    `which is ${percent} %. The domain's guard allows ${shrinkage.maxRemovedPercent} %. ${cure}`
  );
}
