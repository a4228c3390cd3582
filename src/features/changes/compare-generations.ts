/** Compares two kept generations of a sitemap on request. */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type ComparedNow, type CompareNowOptions, compareNow } from './compare-now.ts';
import {
  findComparedGenerations,
  findUploadFiles,
  haveOtherXml,
  type UploadFile,
} from './comparison-store.ts';

export interface ToCompare {
  readonly accountId: string;
  readonly domainId: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  /** The numbers (`seq`) of both generations. `to`: undefined for the live generation. */
  readonly from: number;
  readonly to: number | undefined;
  /** Whether the list of changes is wanted, and not only counts and samples. */
  readonly isListed: boolean;
}

/**
 * Throws Refusal NOT_FOUND if there is no such sitemap or generation, CONFLICT if a generation is no longer kept or its files are damaged,
 * and the reason of `signal`.
 */
export async function compareGenerations(
  options: CompareNowOptions,
  toCompare: ToCompare,
  signal: AbortSignal,
): Promise<ComparedNow> {
  const { database } = options;
  const { accountId, domainId, sitemapName, from, to } = toCompare;
  const generations = await findComparedGenerations(database, domainId, sitemapName, [from, to ?? from]);
  const find = (seq: number | undefined) => {
    const found = generations.find((one) => (seq === undefined ? one.isLive : one.seq === seq));
    if (found === undefined) throw notFound(toCompare, seq);
    if (!found.isLive && !found.isKept) throw notKept(found.seq);
    return found;
  };
  const [former, live] = [find(from), find(to)];
  const sides = {
    accountId,
    uploadId: live.id,
    formerUploadId: former.id,
    haveOtherXml: await haveOtherXml(database, live.id, former.id),
    askedAt: live.askedAt,
    files: async () => ({ former: await filesOf(database, former), live: await filesOf(database, live) }),
  };
  return compareNow(options, sides, toCompare.isListed, signal);
}

async function filesOf(
  database: Database,
  { id, seq }: { readonly id: string; readonly seq: number },
): Promise<readonly UploadFile[]> {
  const files = await findUploadFiles(database, id);
  // The collector has deleted files of the upload meanwhile.
  if (files === undefined) throw notKept(seq);
  return files;
}

function notFound({ sitemapName }: ToCompare, seq: number | undefined): Refusal {
  const name = shownSitemapName(sitemapName);
  const message =
    seq === undefined ? `There is no sitemap ${name}.` : `The sitemap ${name} has no generation ${seq}.`;
  return new Refusal('NOT_FOUND', message);
}

function notKept(generation: number): Refusal {
  return new Refusal('CONFLICT', `Generation ${generation} is no longer kept.`, { details: { generation } });
}
