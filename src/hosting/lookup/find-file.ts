/** Finds the stored file for a name (spec D4, spec D5): `site.json` says which files exist, listings describe them. */

import { type Soon, whenThere } from '../bodies/soon.ts';
import { ObjectGone } from '../bodies/stored-objects.ts';
import type { FoundFile } from './found-file.ts';
import type { HeldListing } from './held-listing.ts';
import type { KnownSite, KnownSitemap } from './known-sites.ts';
import type { FileName } from './parse-path.ts';

export interface FindFileOptions {
  readonly objects: { listing(uploadId: string): Soon<HeldListing> };
  readonly now: () => number;
}

/** Undefined if the site has no such file: `site.json` tells without a read from storage. Throws ObjectGone. */
export function findFile(
  site: KnownSite,
  name: FileName,
  { objects, now }: FindFileOptions,
): Soon<FoundFile | undefined> {
  if (name.kind === 'index') return site.index ?? undefined;
  const sitemap = site.sitemaps.get(name.name);
  if (sitemap === undefined) return undefined;
  if (name.kind === 'sitemap') {
    const listing = listingOf(sitemap, sitemap.uploadId, objects);
    return sitemap.files > 1 ? indexOf(sitemap.uploadId, listing) : fileOf(sitemap.uploadId, 1, listing);
  }
  const uploadId = uploadOfPart(sitemap, name.n, now());
  if (uploadId === undefined) return undefined;
  return fileOf(uploadId, name.n, listingOf(sitemap, uploadId, objects));
}

/** The upload with part n: the live one if it has so many parts, else, for a while, the newest former one that does. */
function uploadOfPart(
  { uploadId, files, former }: KnownSitemap,
  n: number,
  nowMs: number,
): string | undefined {
  // An upload of one file has no parts: that file is the sitemap itself.
  if (files > 1 && n <= files) return uploadId;
  return former.find((upload) => n <= upload.files && nowMs < Date.parse(upload.until))?.uploadId;
}

/** `site.json` has small listings of live uploads. All others are objects. */
function listingOf(
  sitemap: KnownSitemap,
  uploadId: string,
  objects: FindFileOptions['objects'],
): Soon<HeldListing> {
  const isLive = uploadId === sitemap.uploadId;
  return (isLive ? sitemap.listing : undefined) ?? objects.listing(uploadId);
}

function indexOf(uploadId: string, listing: Soon<HeldListing>): Soon<FoundFile> {
  return whenThere(listing, ({ index }) => {
    if (index === null) throw new ObjectGone(`${uploadId} has no index`);
    return index;
  });
}

function fileOf(uploadId: string, n: number, listing: Soon<HeldListing>): Soon<FoundFile> {
  return whenThere(listing, (held) => {
    const file = held.file(n);
    if (file === undefined) throw new ObjectGone(`${uploadId} has no file ${n}`);
    return file;
  });
}
