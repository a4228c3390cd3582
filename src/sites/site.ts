/**
 * The contract with hosting: the objects of a site, their keys and their shapes. After a change, hosting servers of the
 * previous version must still be able to read them.
 *
 * ```
 * sites/<hostname>/site.json            the switch: small, replaced atomically
 * sites/<hostname>/index-<g>.xml.gz     the domain-wide index of generation g, unless it is small
 * uploads/<uploadId>/listing.json       immutable: the files of the upload, or of a rollback, unless `site.json` has them
 * uploads/<uploadId>/index.xml.gz       immutable: the index of its parts, if it has more than one, unless it is small
 * uploads/<uploadId>/<n>.xml.gz         immutable: file n, from 1, unless it is small
 * uploads/<uploadId>/changes-<n>.ndjson.gz   what changed, in parts from 1; hosting does not read them
 * ```
 */
import { z } from 'zod';

/** One stored file: gzipped XML, with what HTTP headers need. */
const storedFileSchema = z.object({
  /** Length of the XML. */
  bytes: z.int(),
  /** Length of the object. */
  gzipBytes: z.int(),
  /** Identifies the content, without quotes. Hosting derives one entity tag per encoding from it. */
  etag: z.string(),
  /** When the content last changed, as in 2026-01-15T10:00:00Z. */
  lastModified: z.string(),
  /** The bytes, in base64: the file is small and has no object (`small-files.ts`). Older versions did not write it. */
  content: z.string().optional(),
});
export type StoredFile = z.infer<typeof storedFileSchema>;

const listedFileSchema = storedFileSchema.extend({
  entries: z.int(),
  /** The object: file `n` of this upload. Absent: file n of the listing's own upload. Older versions did not write them. */
  uploadId: z.string().optional(),
  n: z.int().optional(),
});

/** `listing.json`, or a part of `site.json`. */
export const listingSchema = z.object({
  /** The index of the parts; null when the upload has only one file. */
  index: storedFileSchema.nullable(),
  /** File n is at n - 1. */
  files: z.array(listedFileSchema),
});
export type Listing = z.infer<typeof listingSchema>;

const sitemapSchema = z.object({
  /** Empty for the unnamed sitemap. */
  name: z.string(),
  uploadId: z.string(),
  /** Number of files. One: the sitemap is that file. More: the sitemap is an index of parts. */
  files: z.int(),
  /**
   * Former uploads of this sitemap that had more parts. Their parts from `files + 1` on can be fetched until `until`,
   * for a crawler that still holds the former index. Newest first; each has more files than the ones before it.
   */
  former: z.array(z.object({ uploadId: z.string(), files: z.int(), until: z.string() })),
  /** Absent: it is in `listing.json`. Older versions did not write it. */
  listing: listingSchema.optional(),
});
export type SiteSitemap = z.infer<typeof sitemapSchema>;

/** `site.json`. */
export const siteSchema = z.object({
  hostname: z.string(),
  /** Rises with every change of the domain. */
  generation: z.int(),
  /** The domain-wide index, `index-<generation>.xml.gz` unless it is small; null while the domain has no sitemap. */
  index: storedFileSchema.nullable(),
  /** A list, not an object by name: a customer may choose the name `__proto__`. */
  sitemaps: z.array(sitemapSchema),
  /** Where the site is published, as in https://maps.example.com, without a trailing slash. */
  origin: z.string(),
  /** Whether plain HTTP redirects to `origin`. Older versions did not write it, nor the next. */
  https: z.boolean().default(false),
  /** Names the content of the certificate (`certificate.ts`); null if there is none. */
  certificate: z.string().nullable().default(null),
  /** Names and contents of key files, `/<key>.txt` (docs/decisions/0026). Older versions did not write them. */
  indexNowKeys: z.array(z.string()).default([]),
});
export type Site = z.infer<typeof siteSchema>;

/** Where sites are published. */
export interface SiteOrigins {
  /** As in https://{hostname}. */
  readonly publicOrigin: string;
  /** Of sites with a certificate; default: the same. All in one has two ports. */
  readonly secureOrigin?: string | undefined;
}

/** `isSecure`: whether the site has a certificate now. */
export const siteOrigin = (
  { publicOrigin, secureOrigin = publicOrigin }: SiteOrigins,
  hostname: string,
  isSecure: boolean,
) => (isSecure ? secureOrigin : publicOrigin).replace('{hostname}', hostname);

export const SITES_PREFIX = 'sites/';
const sitePrefix = (hostname: string) => `${SITES_PREFIX}${hostname}/`;
export const siteKey = (hostname: string) => `${sitePrefix(hostname)}site.json`;
/** Begins the keys of the indexes of all generations. */
export const siteIndexesPrefix = (hostname: string) => `${sitePrefix(hostname)}index-`;
export const siteIndexKey = (hostname: string, generation: number) =>
  `${siteIndexesPrefix(hostname)}${generation}.xml.gz`;
export const hostnameOfIndexesPrefix = (prefix: string) => /^sites\/([^/]+)\/index-$/.exec(prefix)?.[1];
export const UPLOADS_PREFIX = 'uploads/';
export const uploadPrefix = (uploadId: string) => `${UPLOADS_PREFIX}${uploadId}/`;
export const uploadIdOfPrefix = (prefix: string) => /^uploads\/([^/]+)\/$/.exec(prefix)?.[1];
export const uploadIdOfKey = (key: string) => /^uploads\/([^/]+)\//.exec(key)?.[1];
export const listingKey = (uploadId: string) => `${uploadPrefix(uploadId)}listing.json`;
export const uploadIndexKey = (uploadId: string) => `${uploadPrefix(uploadId)}index.xml.gz`;
export const uploadFileKey = (uploadId: string, n: number) => `${uploadPrefix(uploadId)}${n}.xml.gz`;
export const changesKey = (uploadId: string, n: number) => `${uploadPrefix(uploadId)}changes-${n}.ndjson.gz`;
