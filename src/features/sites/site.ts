/**
 * The contract with hosting: the objects of a site, their keys and their shapes. When this file changes, hosting servers of the previous
 * version must still be able to read the objects.
 *
 * ```
 * sites/<hostname>/site.json            the switch: small, replaced atomically
 * sites/<hostname>/index-<g>.xml.gz     the domain-wide index of generation g, unless it is small
 * sites/<hostname>/index-<g>-<n>.json   immutable: a section of a site with many sitemaps, written for generation g
 * sites/<hostname>/index-<g>-<n>.deflate   immutable: a volume of the index of such a site
 * uploads/<uploadId>/listing.json       immutable: the files of the upload, or of a rollback, unless `site.json` has them
 * uploads/<uploadId>/index.xml.gz       immutable: the index of its parts, if it has more than one, unless it is small
 * uploads/<uploadId>/<n>.xml.gz         immutable: file n, from 1, unless it is small
 * uploads/<uploadId>/<n>.hashes         the hashes of the entries of file n (`file-hashes.ts`); hosting does not read them
 * uploads/<uploadId>/urls-<name>.index  where URLs are in some files (`features/find/url-index.ts`); hosting does not read it
 * uploads/<uploadId>/changes-<n>.ndjson.gz   the list of changed URLs, in parts from 1; hosting does not read them
 * uploads/<uploadId>/changes.atom.gz    the feed of changes
 * uploads/<uploadId>/recent.state       of the sitemap of recent changes: which URL is in which file; hosting does not read it
 * uploads/<id>/body-<n>                 a piece of a body that must be stored to be read, from 1; deleted after the reading
 * changed/<domainId>/<name>.pack        the changes of a generation (`features/entries/entry-pack.ts`); hosting does not read them
 * ```
 */
import { z } from 'zod';

/** One stored file: gzipped XML, with the values that HTTP headers need. */
const storedFileSchema = z.object({
  /** The length of the XML. */
  bytes: z.int(),
  /** The length of the gzip bytes. */
  gzipBytes: z.int(),
  /** Identifies the content, without quotes. Hosting derives one entity tag per encoding from it. */
  etag: z.string(),
  /** The time of the last change of the content, as in 2026-01-15T10:00:00Z. */
  lastModified: z.string(),
  /** The gzip bytes in base64, if the file is small and so has no object (`small-files.ts`). Older versions did not write it. */
  content: z.string().optional(),
});
export type StoredFile = z.infer<typeof storedFileSchema>;

const listedFileSchema = storedFileSchema.extend({
  entries: z.int(),
  /**
   * The upload whose file `n` has the bytes. The default of `uploadId` is the upload of the listing. The default of `n` is the number of
   * the file in the listing. Older versions wrote neither member.
   */
  uploadId: z.string().optional(),
  n: z.int().optional(),
});

/** The content of `listing.json`, or a part of `site.json`. */
export const listingSchema = z.object({
  /** The index of the parts. Null when the upload has only one file. */
  index: storedFileSchema.nullable(),
  /** File n has the index n - 1. */
  files: z.array(listedFileSchema),
});
export type Listing = z.infer<typeof listingSchema>;

const sitemapSchema = z.object({
  /** Empty for the unnamed sitemap. */
  name: z.string(),
  uploadId: z.string(),
  /** The number of files. If it is 1, the sitemap is that file. Otherwise the sitemap is an index of parts. */
  files: z.int(),
  /**
   * Former uploads of this sitemap that had more parts. Until `until`, a crawler that still holds the index of a former upload can fetch
   * the parts that the live upload lacks. The newest upload comes first. Each upload has more files than the uploads before it in the list.
   */
  former: z.array(z.object({ uploadId: z.string(), files: z.int(), until: z.string() })).default([]),
  /** If this member is absent, the listing is in `listing.json`. Older versions did not write the member. */
  listing: listingSchema.optional(),
});
export type SiteSitemap = z.infer<typeof sitemapSchema>;

const pieceSchema = z.object({ bytes: z.int(), gzipBytes: z.int(), crc: z.int() });
export type IndexPiece = z.infer<typeof pieceSchema>;

/** A section: successive sitemaps in the order of their names, in an object with the key `sectionKey` (docs/decisions/0046). */
const sectionSchema = z.object({
  /** The lower bound of the names in the section. The `from` of the next section is the upper bound. Empty for the first section. */
  from: z.string(),
  /** The generation of the site for which the section was written. The key consists of this generation and `n`. */
  generation: z.int(),
  n: z.int(),
  /** The number of its sitemaps. */
  sitemaps: z.int(),
  /** The digest of the rows from which the section was written (`sections/section-store.ts`). */
  digest: z.string(),
  /** The section's part of the domain-wide index, as a piece of the index's gzip member. */
  index: pieceSchema,
  /** The time of the last change of its files, as in 2026-01-15T10:00:00Z. */
  lastModified: z.string(),
});
export type SiteSection = z.infer<typeof sectionSchema>;

/** A volume: the index pieces of successive sections, in an object with the key `volumeKey` (docs/decisions/0082). */
const volumeSchema = z.object({
  /** The `from` of its first section. The volume ends where the next volume begins. */
  from: z.string(),
  /** The generation of the site for which the volume was written. The key consists of this generation and `n`. */
  generation: z.int(),
  n: z.int(),
  gzipBytes: z.int(),
  /** The digest of its bytes. */
  etag: z.string(),
});
export type IndexVolume = z.infer<typeof volumeSchema>;

/** An index in volumes. Its gzip bytes are those of `start`, of all volumes and of `end`. */
const dividedIndexSchema = storedFileSchema.omit({ content: true }).extend({
  /** The beginning in base64: the head of the gzip member, the head of the XML, and the files of recent changes. */
  start: z.string(),
  volumes: z.array(volumeSchema),
  /** The end in base64. */
  end: z.string(),
});
export type DividedIndex = z.infer<typeof dividedIndexSchema>;

/** The object of a section. Listings are objects of their own. */
export const sectionContentSchema = z.object({ sitemaps: z.array(sitemapSchema.omit({ listing: true })) });
export type SectionSitemap = Omit<SiteSitemap, 'listing'>;

/** The feed of changes, an object beside the recent files (docs/decisions/0057). */
const feedSchema = storedFileSchema.omit({ content: true }).extend({ uploadId: z.string() });

/** The content of `site.json`. */
export const siteSchema = z.object({
  hostname: z.string(),
  /** Each change of the domain gives the site another generation. */
  generation: z.int(),
  /**
   * The domain-wide index. It is the object `index-<generation>.xml.gz` unless it is small. Null while the domain has no sitemap. A
   * site.json with a `dividedIndex` lacks this member, so that versions that do not know volumes refuse the file.
   */
  index: storedFileSchema.nullable().default(null),
  /** The index of a divided site, unless it is small. */
  dividedIndex: dividedIndexSchema.optional(),
  /**
   * The sitemaps of a site that is not divided. In a divided site, only the sitemap of recent changes is here. The member is a list and not
   * an object by name, because a customer may choose the name `__proto__`.
   */
  sitemaps: z.array(sitemapSchema).default([]),
  /**
   * The sections of a divided site, in the order of their names. They have all sitemaps of the site except the sitemap of recent changes.
   * Older versions did not write sections.
   */
  sections: z.array(sectionSchema).optional(),
  /**
   * The beginning of a small index of a divided site, as a piece of its gzip member: the head of the XML, and the files of recent changes.
   */
  indexHead: pieceSchema.optional(),
  /** The origin at which the site is published, such as https://maps.example.com, without a trailing slash. */
  origin: z.string(),
  /** Whether plain HTTP redirects to `origin`. Older versions did not write it. */
  https: z.boolean().default(false),
  /** The digest of the certificate object (`certificate.ts`). Null if there is none. Absent if an older version wrote the site. */
  certificate: z.string().nullable().optional(),
  /** The feed of changes, if there is one. Older versions did not write it. */
  feed: feedSchema.optional(),
  /** The names and contents of key files, `/<key>.txt` (docs/decisions/0026). Older versions did not write them. */
  indexNowKeys: z.array(z.string()).default([]),
});
export type Site = z.infer<typeof siteSchema>;
export type WrittenSite = z.input<typeof siteSchema>;

/** The origins at which sites are published. */
export interface SiteOrigins {
  /** The origin of a site, as in https://{hostname}. */
  readonly publicOrigin: string;
  /**
   * The origin of sites with a certificate. The default is `publicOrigin`. The program `all-in-one` has a port for HTTP and another one for
   * HTTPS, so it needs two origins.
   */
  readonly secureOrigin?: string | undefined;
}

/** Returns the origin of a site. `isSecure`: whether the site has a certificate now. */
export const siteOrigin = (
  { publicOrigin, secureOrigin = publicOrigin }: SiteOrigins,
  hostname: string,
  isSecure: boolean,
) => (isSecure ? secureOrigin : publicOrigin).replace('{hostname}', hostname);

export const SITES_PREFIX = 'sites/';
const sitePrefix = (hostname: string) => `${SITES_PREFIX}${hostname}/`;
export const siteKey = (hostname: string) => `${sitePrefix(hostname)}site.json`;
/** The prefix of the keys of indexes, sections and volumes of all generations. */
export const siteIndexesPrefix = (hostname: string) => `${sitePrefix(hostname)}index-`;
export const siteIndexKey = (hostname: string, generation: number) =>
  `${siteIndexesPrefix(hostname)}${generation}.xml.gz`;
export const sectionKey = (hostname: string, { generation, n }: Pick<SiteSection, 'generation' | 'n'>) =>
  `${siteIndexesPrefix(hostname)}${generation}-${n}.json`;
export const volumeKey = (hostname: string, { generation, n }: Pick<IndexVolume, 'generation' | 'n'>) =>
  `${siteIndexesPrefix(hostname)}${generation}-${n}.deflate`;
/** Returns the keys of the index, the volumes and the sections that `site.json` names. Keys of uploads are not among them. */
export function siteObjectKeys({ hostname, generation, index, dividedIndex, sections = [] }: Site): string[] {
  const isObject = index !== null && index.content === undefined;
  return [
    ...(isObject ? [siteIndexKey(hostname, generation)] : []),
    ...(dividedIndex?.volumes ?? []).map((volume) => volumeKey(hostname, volume)),
    ...sections.map((section) => sectionKey(hostname, section)),
  ];
}
export const hostnameOfIndexesPrefix = (prefix: string) => /^sites\/([^/]+)\/index-$/.exec(prefix)?.[1];
export const UPLOADS_PREFIX = 'uploads/';
export const uploadPrefix = (uploadId: string) => `${UPLOADS_PREFIX}${uploadId}/`;
export const uploadIdOfPrefix = (prefix: string) => /^uploads\/([^/]+)\/$/.exec(prefix)?.[1];
/** Returns the prefix of one file and its hashes. The dot keeps file 1 apart from file 10. */
export const uploadFilePrefix = (uploadId: string, n: number) => `${uploadPrefix(uploadId)}${n}.`;
/** Returns the keys below a prefix that `uploadFilePrefix` or `packKey` has made. Returns undefined for any other prefix. */
export function keysOfFilePrefix(prefix: string): string[] | undefined {
  if (/^changed\/[^/]+\/[^/]+\.pack$/.test(prefix)) return [prefix];
  const [, uploadId, n] = /^uploads\/([^/]+)\/(\d+)\.$/.exec(prefix) ?? [];
  if (uploadId === undefined) return undefined;
  return [uploadFileKey(uploadId, Number(n)), fileHashesKey(uploadId, Number(n))];
}
export const uploadIdOfKey = (key: string) => /^uploads\/([^/]+)\//.exec(key)?.[1];
export const listingKey = (uploadId: string) => `${uploadPrefix(uploadId)}listing.json`;
export const uploadIndexKey = (uploadId: string) => `${uploadPrefix(uploadId)}index.xml.gz`;
export const uploadFileKey = (uploadId: string, n: number) => `${uploadPrefix(uploadId)}${n}.xml.gz`;
export const bodyPieceKey = (id: string, n: number) => `${uploadPrefix(id)}body-${n}`;
export const fileHashesKey = (uploadId: string, n: number) => `${uploadPrefix(uploadId)}${n}.hashes`;
export const urlIndexKey = (uploadId: string, name: string) => `${uploadPrefix(uploadId)}urls-${name}.index`;
export const changesKey = (uploadId: string, n: number) => `${uploadPrefix(uploadId)}changes-${n}.ndjson.gz`;
export const recentStateKey = (uploadId: string) => `${uploadPrefix(uploadId)}recent.state`;
export const feedKey = (uploadId: string) => `${uploadPrefix(uploadId)}changes.atom.gz`;
export const PACKS_PREFIX = 'changed/';
/** The prefix of the keys of all packs of a domain. */
export const packsPrefix = (domainId: string) => `${PACKS_PREFIX}${domainId}/`;
export const packKey = (domainId: string, name: string) => `${packsPrefix(domainId)}${name}.pack`;
