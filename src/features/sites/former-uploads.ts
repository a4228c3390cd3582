/** Finds former uploads with more parts than the live upload. For a while, crawlers that hold a former index can fetch these parts. */
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { FormerSite } from './read-site.ts';
import type { SiteSitemap } from './site.ts';
import type { FormerUpload, LiveSitemap } from './site-store.ts';

/** Whether the site may have to name former uploads. Most sitemaps always had one file, so they have no former uploads to name. */
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
 * Groups former uploads by sitemap. Leaves out uploads that the former site.json does not name, because they have no listing, and no
 * crawler knows them. If we do not trust the store, all uploads count as named.
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

/** Keeps former uploads with more parts than the live upload and than all newer former uploads. `served` has the newest first. */
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
