/** Finds the stored file for a name (spec D4, spec D5): `site.json` says which files exist, listings describe them. */
import type { SiteSection } from '../../../features/sites/site.ts';
import { ObjectGone, type StoredObjects } from '../bodies/stored-objects.ts';
import type { CachedListing } from './cached-listing.ts';
import type { FoundFile } from './found-file.ts';
import type { KnownSite, KnownSitemap } from './known-sites.ts';
import type { FileName } from './parse-path.ts';

export interface FindFileOptions {
  readonly objects: Pick<StoredObjects, 'listing' | 'section'>;
  readonly now: () => number;
}

type Name = Exclude<FileName, { readonly kind: 'index' }>;
type Found = FoundFile | undefined;

/** Finds a file by `site.json` or its section; undefined if the site has no such file. Throws ObjectGone. */
export function findFile(site: KnownSite, name: FileName, options: FindFileOptions): Found | Promise<Found> {
  const { hostname, origin, sitemaps, sections } = site;
  if (name.kind === 'index') return site.index ?? undefined;
  // No section has the sitemap of recent changes, so a divided site may have it in `sitemaps`.
  if (sections === undefined || sitemaps.has(name.name)) return findIn(sitemaps, origin, name, options);
  const section = options.objects.section(hostname, sectionOf(sections, name.name));
  return findIn(section, origin, name, options);
}

/** Returns the section of a name: the last section whose `from` is not after the name. The `from` of the first section is ''. */
function sectionOf(sections: readonly SiteSection[], name: string): SiteSection {
  let [first, end] = [0, sections.length];
  while (end - first > 1) {
    const middle = (first + end) >> 1;
    if (sections[middle]!.from <= name) first = middle;
    else end = middle;
  }
  return sections[first]!;
}

type Sitemaps = ReadonlyMap<string, KnownSitemap>;

function findIn(
  sitemaps: Sitemaps | Promise<Sitemaps>,
  origin: string,
  name: Name,
  options: FindFileOptions,
): Found | Promise<Found> {
  if (sitemaps instanceof Promise) return sitemaps.then((read) => findIn(read, origin, name, options));
  const sitemap = sitemaps.get(name.name);
  const uploadId = sitemap && uploadOf(sitemap, name, options.now);
  if (sitemap === undefined || uploadId === undefined) return undefined;
  // `site.json` contains small listings of live uploads. All other listings are objects in the store.
  const held = uploadId === sitemap.uploadId ? sitemap.listing : undefined;
  const n = name.kind === 'part' ? name.n : sitemap.files > 1 ? 'index' : 1;
  return fileOf(held ?? options.objects.listing(uploadId, origin), uploadId, n);
}

/** Returns the upload that has a part: the live upload or, until its time ends, the newest former upload with this part. */
function uploadOf({ uploadId, files, former }: KnownSitemap, name: Name, now: () => number) {
  if (name.kind === 'sitemap') return uploadId;
  const { n } = name;
  // An upload of one file has no parts: that file is the sitemap itself.
  if (files > 1 && n <= files) return uploadId;
  const nowMs = now();
  return former.find((upload) => n <= upload.files && nowMs < Date.parse(upload.until))?.uploadId;
}

function fileOf(
  listing: CachedListing | Promise<CachedListing>,
  uploadId: string,
  n: number | 'index',
): FoundFile | Promise<FoundFile> {
  if (listing instanceof Promise) return listing.then((read) => fileOf(read, uploadId, n));
  const file = n === 'index' ? listing.index : listing.file(n);
  if (file == null) throw new ObjectGone(`${uploadId} has no ${n === 'index' ? n : `file ${n}`}`);
  return file;
}
