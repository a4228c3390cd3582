/** Finds the stored file for a name (spec D4, spec D5): `site.json` says which files exist, listings describe them. */

import {
  type Listing,
  type SiteSitemap,
  siteIndexKey,
  uploadFileKey,
  uploadIndexKey,
} from '../../sites/site.ts';
import { type Soon, whenThere } from '../bodies/soon.ts';
import { type FoundFile, ObjectGone } from '../bodies/stored-objects.ts';
import type { KnownSite } from './known-sites.ts';
import type { FileName } from './parse-path.ts';

export interface FindFileOptions {
  readonly objects: { listing(uploadId: string): Soon<Listing> };
  readonly now: () => number;
}

/** Undefined if the site has no such file: `site.json` tells without a read from storage. Throws ObjectGone. */
export function findFile(
  site: KnownSite,
  name: FileName,
  { objects, now }: FindFileOptions,
): Soon<FoundFile | undefined> {
  if (name.kind === 'index') {
    return site.index === null
      ? undefined
      : { key: siteIndexKey(site.hostname, site.generation), file: site.index };
  }
  const sitemap = site.sitemaps.get(name.name);
  if (sitemap === undefined) return undefined;
  if (name.kind === 'sitemap') {
    return sitemap.files > 1 ? indexOf(sitemap.uploadId, objects) : fileOf(sitemap.uploadId, 1, objects);
  }
  const uploadId = uploadOfPart(sitemap, name.n, now());
  return uploadId === undefined ? undefined : fileOf(uploadId, name.n, objects);
}

/** The upload with part n: the live one if it has so many parts, else, for a while, the newest former one that does. */
function uploadOfPart(
  { uploadId, files, former }: SiteSitemap,
  n: number,
  nowMs: number,
): string | undefined {
  // An upload of one file has no parts: that file is the sitemap itself.
  if (files > 1 && n <= files) return uploadId;
  return former.find((upload) => n <= upload.files && nowMs < Date.parse(upload.until))?.uploadId;
}

function indexOf(uploadId: string, objects: FindFileOptions['objects']): Soon<FoundFile> {
  return whenThere(objects.listing(uploadId), ({ index }) => {
    if (index === null) throw new ObjectGone(`${uploadId} has no index`);
    return { key: uploadIndexKey(uploadId), file: index };
  });
}

function fileOf(uploadId: string, n: number, objects: FindFileOptions['objects']): Soon<FoundFile> {
  return whenThere(objects.listing(uploadId), ({ files }) => {
    const file = files[n - 1];
    if (file === undefined) throw new ObjectGone(`${uploadId} has no file ${n}`);
    return { key: uploadFileKey(file.uploadId ?? uploadId, file.n ?? n), file };
  });
}
