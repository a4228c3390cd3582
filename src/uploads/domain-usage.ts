/** What becomes of the sums of a domain when the live upload of one of its sitemaps changes. */
import { type DomainCounts, findDomainCounts } from '../domains/domain-counts-store.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { OtherSitemaps } from './allowance.ts';
import type { FileTotals } from './staging.ts';

export const NOTHING: DomainCounts = { sitemaps: 0, urls: 0, files: 0, gzipBytes: 0 };

/** Of one domain, whose row is locked. */
export async function findCounts(queryable: Queryable, domainId: string): Promise<DomainCounts> {
  return (await findDomainCounts(queryable, [domainId])).get(domainId) ?? NOTHING;
}

/** `former`: what was live; undefined: there was no such sitemap. `next`: what is live; undefined: it was deleted. */
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

/** `live`: what the upload is to replace. */
export function withoutUpload(
  counts: DomainCounts,
  accountBytes: number,
  live: FileTotals | undefined,
): OtherSitemaps {
  const { sitemaps, files } = withUpload(counts, live, undefined);
  return { sitemaps, files, gzipBytes: accountBytes - (live?.gzipBytes ?? 0) };
}
