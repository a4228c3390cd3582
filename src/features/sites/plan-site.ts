/**
 * Plans site.json and the objects of the newest generation of a site, before any bytes of small files are read. Listings go into
 * `site.json` in the order of the sitemaps' names, as long as there is room. All other listings are objects.
 * `sections/plan-divided-site.ts` plans sites with many sitemaps.
 */
import type { DueSite, WriteSiteOptions } from './due-site.ts';
import { IndexFile } from './index-file.ts';
import { formerOf, type NewObject, planSitemaps } from './plan-sitemaps.ts';
import { feedOf, liveRecent, recentWrittenAt } from './recent-sitemap.ts';
import { type SiteOrigins, siteIndexKey, siteOrigin, type WrittenSite } from './site.ts';
import type { FormerUpload, LiveSitemap } from './site-store.ts';
import type { SmallContents } from './small-file-store.ts';
import { MAX_LISTINGS_BYTES } from './small-files.ts';

export interface SitePlan {
  readonly origin: string;
  /** The objects that must be stored before site.json. */
  readonly objects: readonly NewObject[];
  /** The uploads whose small files must be read for site.json, because the former site.json lacks them. */
  readonly uploads: readonly string[];
  /** Whether the new or the former generation of the site has an index, a section or a volume as an object. */
  readonly hasIndexObjects: boolean;
  /** The former uploads that site.json names. */
  readonly former: readonly { readonly name: string; readonly uploadId: string }[];
  readonly compose: (contents: SmallContents) => Omit<WrittenSite, 'https' | 'certificate'>;
}

export type PlanOptions = SiteOrigins & Pick<WriteSiteOptions, 'keepReplacedMs'>;

/** `replaced`: the newest comes first. */
export function planSite(
  site: DueSite,
  live: readonly LiveSitemap[],
  replaced: readonly FormerUpload[],
  options: PlanOptions,
  isSecure: boolean,
): SitePlan {
  const { hostname, domain } = site;
  const origin = siteOrigin(options, hostname, isSecure);
  const index = new IndexFile();
  index.noteRemoval(domain.shrunkAt);
  index.noteRemoval(recentWrittenAt(domain.recent));
  // The sitemap of recent changes comes first, so crawlers read it first. It has changes of other sitemaps, so a site without other
  // sitemaps does not have it.
  const recent = live.length > 0 ? liveRecent(domain.recent) : [];
  const planned = planSitemaps([...recent, ...live], formerOf(site, replaced, origin), index, {
    origin,
    keepReplacedMs: options.keepReplacedMs,
    room: MAX_LISTINGS_BYTES,
  });
  const isObject = live.length > 0 && index.isObject;
  const indexKey = siteIndexKey(hostname, domain.generation);
  return {
    objects: [
      ...planned.objects,
      ...(isObject ? [{ key: indexKey, uploads: [], bytes: () => index.gzip }] : []),
    ],
    uploads: planned.uploads,
    hasIndexObjects: hadIndexObjects(site) || isObject,
    former: planned.former,
    origin,
    compose: (contents) => ({
      hostname,
      generation: domain.generation,
      index: live.length > 0 ? index.stored : null,
      sitemaps: planned.compose(contents),
      origin,
      ...feedOf(domain.recent),
      indexNowKeys: [...domain.indexNowKeys],
    }),
  };
}

/** Returns whether the former site had index objects. Returns true if we do not trust the store, because the former site is not known. */
function hadIndexObjects({ former }: DueSite): boolean {
  if (former === undefined) return false;
  const { index, sections } = former.site ?? {};
  return sections !== undefined || (index !== null && index?.content === undefined);
}
