/** Computes the sums of a domain when the live upload of one of its sitemaps changes. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { type DomainCounts, findDomainCounts } from '../domains/domain-counts-store.ts';
import type { OtherSitemaps } from './allowance.ts';
import type { FileTotals } from './staging.ts';

export const NOTHING: DomainCounts = { sitemaps: 0, urls: 0, files: 0, gzipBytes: 0 };

/** Finds the sums of one domain. The caller must have locked the row of the domain. */
export async function findCounts(queryable: Queryable, domainId: string): Promise<DomainCounts> {
  return (await findDomainCounts(queryable, [domainId])).get(domainId) ?? NOTHING;
}

/**
 * `former` is the upload that was live, or undefined if the sitemap is new. `next` is the upload that becomes live, or undefined if the
 * sitemap is deleted.
 */
export function withUpload(
  { sitemaps, urls, files, gzipBytes }: DomainCounts,
  former: FileTotals | undefined,
  next: FileTotals | undefined,
): DomainCounts {
  const change = (of: (totals: FileTotals) => number) => (next ? of(next) : 0) - (former ? of(former) : 0);
  return {
    sitemaps: sitemaps + change(() => 1),
    urls: urls + change(({ urlCount }) => urlCount),
    files: files + change(({ fileCount }) => fileCount),
    gzipBytes: gzipBytes + change((totals) => totals.gzipBytes),
  };
}

/** `live` is the upload that the new upload replaces, or undefined if the sitemap is new. */
export function withoutUpload(
  counts: DomainCounts,
  accountBytes: number,
  live: FileTotals | undefined,
): OtherSitemaps {
  const { sitemaps, files } = withUpload(counts, live, undefined);
  return { sitemaps, files, gzipBytes: accountBytes - (live?.gzipBytes ?? 0) };
}
