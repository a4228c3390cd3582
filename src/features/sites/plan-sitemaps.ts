/** Plans the sitemaps of a site or of a section: the description of each sitemap, and the objects that it needs. */
import { partFileName, sitemapFileName } from '../../core/sitemap/file-names.ts';
import { renderIndexEntry } from '../../core/sitemap/render-index.ts';
import type { DueSite } from './due-site.ts';
import { neededFormer, servedUploads } from './former-uploads.ts';
import { IndexFile, type IndexPart } from './index-file.ts';
import { listingBytes, listingOf, uploadsOfSmallFiles } from './listing.ts';
import { type Listing, listingKey, type SiteSitemap, uploadIndexKey } from './site.ts';
import type { FormerUpload, LiveSitemap } from './site-store.ts';
import type { SmallContents } from './small-file-store.ts';

/** An object that site.json will name, directly or not. */
export interface NewObject {
  readonly key: string;
  /** The uploads whose small files are in the object. */
  readonly uploads: readonly string[];
  readonly bytes: (contents: SmallContents) => Buffer;
}

/** The parts of the former site that matter for the new site. */
export interface Former {
  /** The sitemaps of the former site, by upload. */
  readonly named: ReadonlyMap<string, SiteSitemap>;
  /** The uploads whose parts crawlers may still fetch, by sitemap. */
  readonly served: ReadonlyMap<string, readonly FormerUpload[]>;
  /** Whether the former listings and indexes have addresses at another origin. */
  readonly isMoved: boolean;
}

export function formerOf(
  { former }: Pick<DueSite, 'former'>,
  replaced: readonly FormerUpload[],
  origin: string,
): Former {
  return {
    named: new Map(former?.site?.sitemaps.map((sitemap) => [sitemap.uploadId, sitemap])),
    served: servedUploads(former, replaced),
    isMoved: former?.site !== undefined && former.site.origin !== origin,
  };
}

interface PlannedSitemaps {
  readonly objects: readonly NewObject[];
  /** The uploads whose small files must be read for the listings in site.json. */
  readonly uploads: readonly string[];
  /** The former uploads that the sitemaps name. */
  readonly former: readonly { readonly name: string; readonly uploadId: string }[];
  readonly compose: (contents: SmallContents) => SiteSitemap[];
}

/** Plans the sitemaps, and adds their files to `domainIndex`. `room`: the bytes of JSON that listings may take in site.json. */
export function planSitemaps(
  live: readonly LiveSitemap[],
  { named, served, isMoved }: Former,
  domainIndex: IndexPart,
  { origin, keepReplacedMs, room }: { origin: string; keepReplacedMs: number; room: number },
): PlannedSitemaps {
  let left = room;
  const sitemaps = live.map((sitemap) => {
    const index = addToIndexes(sitemap, origin, domainIndex);
    const planned = planSitemap(sitemap, index, isMoved ? undefined : named.get(sitemap.uploadId), left);
    left -= planned.bytesInSite;
    const former = neededFormer(sitemap, served.get(sitemap.name) ?? [], keepReplacedMs);
    return { ...planned, sitemap, former };
  });
  return {
    objects: [
      ...sitemaps.flatMap(({ objects }) => objects),
      ...sitemaps.flatMap((each) => listingsThatLeave(each.former, named)),
    ],
    uploads: sitemaps.flatMap(({ uploads }) => uploads),
    former: sitemaps.flatMap(({ sitemap: { name }, former }) =>
      former.map(({ uploadId }) => ({ name, uploadId })),
    ),
    compose: (contents) =>
      sitemaps.map(({ sitemap: { name, uploadId, files }, former, listing }) => ({
        name,
        uploadId,
        files: files.length,
        former,
        ...(listing !== undefined && { listing: listing(contents) }),
      })),
  };
}

interface PlannedSitemap {
  /** Makes the listing for site.json. Absent if the listing is an object. */
  readonly listing?: (contents: SmallContents) => Listing;
  readonly bytesInSite: number;
  readonly uploads: readonly string[];
  readonly objects: readonly NewObject[];
}

/** `named` is the description of the same upload in the former site. `room` is in bytes of JSON. */
function planSitemap(
  sitemap: LiveSitemap,
  index: IndexFile | undefined,
  named: SiteSitemap | undefined,
  room: number,
): PlannedSitemap {
  const { uploadId, files } = sitemap;
  const held = named?.listing;
  const uploads = held === undefined ? uploadsOfSmallFiles(files) : [];
  const listing = (contents: SmallContents) => held ?? listingOf(sitemap, index, contents);
  const bytes = held === undefined ? listingBytes(sitemap, index, room) : JSON.stringify(held).length;
  const isNew = named === undefined;
  const ownIndex = isNew && index?.isObject ? [objectOf(uploadIndexKey(uploadId), () => index.gzip)] : [];
  if (bytes <= room) return { listing, bytesInSite: bytes, uploads, objects: ownIndex };
  // An upload that the former site.json named without a listing has its listing as an object already.
  const isStored = !isNew && held === undefined;
  const ownListing = {
    key: listingKey(uploadId),
    uploads,
    bytes: (contents: SmallContents) => jsonOf(listing(contents)),
  };
  return { bytesInSite: 0, uploads: [], objects: isStored ? [] : [...ownIndex, ownListing] };
}

/** Returns the listings of live uploads that become former uploads. Such a listing leaves site.json and becomes an object. */
function listingsThatLeave(
  former: SiteSitemap['former'],
  named: ReadonlyMap<string, SiteSitemap>,
): NewObject[] {
  return former.flatMap(({ uploadId }) => {
    const listing = named.get(uploadId)?.listing;
    return listing === undefined ? [] : [objectOf(listingKey(uploadId), () => jsonOf(listing))];
  });
}

const objectOf = (key: string, bytes: () => Buffer): NewObject => ({ key, uploads: [], bytes });
const jsonOf = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Adds the sitemap's files to the domain's index. Returns the index of the sitemap itself, if it has several files. */
export function addToIndexes(
  { name, files, publishedAt }: Pick<LiveSitemap, 'name' | 'files' | 'publishedAt'>,
  origin: string,
  domainIndex: IndexPart,
): IndexFile | undefined {
  const ownIndex = files.length > 1 ? new IndexFile() : undefined;
  // The publication may have taken files away.
  ownIndex?.noteRemoval(publishedAt);
  for (const [i, { lastModified }] of files.entries()) {
    const file = ownIndex === undefined ? sitemapFileName(name) : partFileName(name, i + 1);
    const entry = renderIndexEntry(`${origin}/${file}`, lastModified);
    domainIndex.add(entry, lastModified);
    ownIndex?.add(entry, lastModified);
  }
  return ownIndex;
}
