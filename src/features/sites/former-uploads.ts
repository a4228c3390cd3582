/** Finds former uploads with more parts than the live one. For a while, crawlers that still hold the former index can fetch those parts. */
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { FormerSite } from './former-site.ts';
import type { SiteSitemap } from './site.ts';
import type { FormerUpload, LiveSitemap } from './site-store.ts';

/** Whether the site may have to name former uploads. Sitemaps that always had one file never need this, and most sitemaps are such. */
export function mayNeedFormer(former: FormerSite | undefined, live: readonly LiveSitemap[]): boolean {
  if (former === undefined) return false;
  if (former.site === undefined) return true;
  const named = new Map(former.site.sitemaps.map((sitemap) => [sitemap.name, sitemap]));
  return live.some(({ name, files }) => {
    const before = named.get(name);
    return before !== undefined && [before, ...before.former].some((one) => one.files > files.length);
  });
}

/**
 * Groups by sitemap the former uploads that a site has named. Uploads that no site has named have no listing, and no crawler knows them. If
 * we do not trust the store, all uploads count as named.
 */
export function servedUploads(
  former: FormerSite | undefined,
  replaced: readonly FormerUpload[],
): Map<string, FormerUpload[]> {
  const sitemaps = former?.site?.sitemaps ?? [];
  const named = new Set(
    sitemaps.flatMap(({ uploadId, former }) => [uploadId, ...former.map((one) => one.uploadId)]),
  );
  const isUnknown = former !== undefined && former.site === undefined;
  const served = replaced.filter(({ uploadId }) => isUnknown || named.has(uploadId));
  return Map.groupBy(served, ({ sitemapName }) => sitemapName);
}

/** Keeps uploads with parts that neither the live upload nor a newer former one has. `served` has the newest first. */
export function neededFormer(
  sitemap: LiveSitemap,
  served: readonly FormerUpload[],
  keepMs: number,
): SiteSitemap['former'] {
  const needed: SiteSitemap['former'] = [];
  let most = sitemap.files.length;
  for (const { uploadId, fileCount, replacedAt } of served) {
    if (fileCount <= most) continue;
    most = fileCount;
    needed.push({ uploadId, files: fileCount, until: isoSeconds(new Date(replacedAt.getTime() + keepMs)) });
  }
  return needed;
}
