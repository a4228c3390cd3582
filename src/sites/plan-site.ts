/**
 * Decides what a site of the newest generation is made of, before any bytes of small files are read. Listings stand in
 * `site.json` as long as there is room for them, in the order of the sitemaps' names. All others are objects.
 */
import { partFileName, sitemapFileName } from '../sitemap/file-names.ts';
import { renderIndexEntry } from '../sitemap/render-index.ts';
import type { DueSite, WriteSiteOptions } from './due-site.ts';
import { neededFormer, servedUploads } from './former-uploads.ts';
import { IndexFile } from './index-file.ts';
import { listingBytes, listingOf, uploadsOfSmallFiles } from './listing.ts';
import {
  type Listing,
  listingKey,
  type Site,
  type SiteOrigins,
  type SiteSitemap,
  siteIndexKey,
  siteOrigin,
  uploadIndexKey,
} from './site.ts';
import type { FormerUpload, LiveSitemap } from './site-store.ts';
import type { SmallContents } from './small-file-store.ts';
import { MAX_LISTINGS_BYTES } from './small-files.ts';

export interface SiteSources {
  readonly live: readonly LiveSitemap[];
  /** Newest first. */
  readonly replaced: readonly FormerUpload[];
}

/** An object that site.json will name, directly or not. */
export interface NewObject {
  readonly key: string;
  /** The uploads whose small files it has. */
  readonly uploads: readonly string[];
  readonly bytes: (contents: SmallContents) => Buffer;
}

export interface SitePlan {
  readonly origin: string;
  /** To be stored before site.json. */
  readonly objects: readonly NewObject[];
  /** The uploads whose small files site.json has, unless the former one has them too. */
  readonly uploads: readonly string[];
  /** Whether an index of the site is an object, or was one. */
  readonly hasIndexObjects: boolean;
  /** The former uploads that site.json names. */
  readonly former: readonly { readonly name: string; readonly uploadId: string }[];
  readonly compose: (contents: SmallContents) => Omit<Site, 'https' | 'certificate'>;
}

export function planSite(
  { hostname, domain, former }: DueSite,
  { live, replaced }: SiteSources,
  options: SiteOrigins & Pick<WriteSiteOptions, 'keepReplacedMs'>,
  isSecure: boolean,
): SitePlan {
  const origin = siteOrigin(options, hostname, isSecure);
  const named = new Map(former?.site?.sitemaps.map((sitemap) => [sitemap.uploadId, sitemap]));
  // Its listings and indexes have addresses of the former origin.
  const isMoved = former?.site !== undefined && former.site.origin !== origin;
  const served = servedUploads(former, replaced);
  const domainIndex = new IndexFile();
  let room = MAX_LISTINGS_BYTES;
  const sitemaps = live.map((sitemap) => {
    const index = addToIndexes(sitemap, origin, domainIndex);
    const planned = planSitemap(sitemap, index, isMoved ? undefined : named.get(sitemap.uploadId), room);
    room -= planned.bytesInSite;
    const needed = neededFormer(sitemap, served.get(sitemap.name) ?? [], options.keepReplacedMs);
    return { ...planned, sitemap, former: needed };
  });
  const formerIndex = former?.site?.index;
  const wasObject = former !== undefined && formerIndex !== null && formerIndex?.content === undefined;
  const isObject = live.length > 0 && domainIndex.isObject;
  const indexKey = siteIndexKey(hostname, domain.generation);
  return {
    objects: [
      ...sitemaps.flatMap(({ objects }) => objects),
      ...sitemaps.flatMap((each) => listingsThatLeave(each.former, named)),
      ...(isObject ? [{ key: indexKey, uploads: [], bytes: () => domainIndex.gzip }] : []),
    ],
    uploads: sitemaps.flatMap(({ uploads }) => uploads),
    hasIndexObjects: wasObject || isObject,
    former: sitemaps.flatMap(({ sitemap: { name }, former }) =>
      former.map(({ uploadId }) => ({ name, uploadId })),
    ),
    origin,
    compose: (contents) => ({
      ...{ hostname, generation: domain.generation, index: live.length > 0 ? domainIndex.stored : null },
      sitemaps: sitemaps.map(({ sitemap: { name, uploadId, files }, former, listing }) => ({
        ...{ name, uploadId, files: files.length, former },
        ...(listing !== undefined && { listing: listing(contents) }),
      })),
      origin,
      indexNowKeys: [...domain.indexNowKeys],
    }),
  };
}

interface PlannedSitemap {
  /** Absent: it is an object. */
  readonly listing?: (contents: SmallContents) => Listing;
  readonly bytesInSite: number;
  readonly uploads: readonly string[];
  readonly objects: readonly NewObject[];
}

/** `named`: what the former site says of the same upload. */
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
  // A listing that was not in the former site.json is an object already.
  const isStored = !isNew && held === undefined;
  const ownListing = {
    key: listingKey(uploadId),
    uploads,
    bytes: (contents: SmallContents) => jsonOf(listing(contents)),
  };
  return { bytesInSite: 0, uploads: [], objects: isStored ? [] : [...ownIndex, ownListing] };
}

/** Live uploads of the former site become former ones, which have their listings as objects. */
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

/** Adds the sitemap's files to the domain's index. Several files also get an index of their own. */
export function addToIndexes(
  { name, files }: Pick<LiveSitemap, 'name' | 'files'>,
  origin: string,
  domainIndex: IndexFile,
): IndexFile | undefined {
  const ownIndex = files.length > 1 ? new IndexFile() : undefined;
  for (const [i, { lastModified }] of files.entries()) {
    const file = ownIndex === undefined ? sitemapFileName(name) : partFileName(name, i + 1);
    const entry = renderIndexEntry(`${origin}/${file}`, lastModified);
    domainIndex.add(entry, lastModified);
    ownIndex?.add(entry, lastModified);
  }
  return ownIndex;
}
