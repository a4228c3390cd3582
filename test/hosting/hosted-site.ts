/** Writes sites as a publish does: gzip files, listings, indexes, and site.json last. */
import { constants, gzipSync } from 'node:zlib';
import { HOST_SHARDS, hostHash, hostsKey, shardOf } from '../../src/features/sites/host-directory.ts';
import {
  type Listing,
  listingKey,
  type Site,
  type SiteSitemap,
  type StoredFile,
  siteIndexKey,
  siteKey,
  uploadFileKey,
  uploadIndexKey,
} from '../../src/features/sites/site.ts';
import { contentDigest } from '../../src/platform/content-digest.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';

const LAST_MODIFIED = '2026-01-15T10:00:00Z';
export const LAST_MODIFIED_HTTP = 'Thu, 15 Jan 2026 10:00:00 GMT';

export interface PublishedSite {
  readonly hostname?: string;
  readonly generation?: number;
  readonly origin?: string;
  /** The XML of the domain-wide index; null for a site without sitemaps. */
  readonly index?: string | null;
  readonly sitemaps?: readonly PublishedSitemap[];
  readonly https?: boolean;
  readonly certificate?: string | null;
  readonly indexNowKeys?: readonly string[];
  /** Whether small files and listings stand in `site.json`. Default: all are objects, as older versions wrote them. */
  readonly isSmall?: boolean;
  /** When all files were last changed. */
  readonly lastModified?: string;
}

interface PublishedSitemap {
  readonly name?: string;
  readonly uploadId: string;
  /** The XML of each file. */
  readonly files: readonly string[];
  readonly former?: SiteSitemap['former'];
}

/** The XML of the index that `publishSite` writes for an upload of several files. */
export const uploadIndexXml = (uploadId: string) => `<sitemapindex>${uploadId}</sitemapindex>`;

export async function publishSite(
  storage: ObjectStorage,
  {
    hostname = 'maps.example.com',
    generation = 1,
    origin = `https://${hostname}`,
    https = false,
    // As an older version writes it: hosting looks whether there is a certificate.
    certificate = https ? undefined : null,
    indexNowKeys = [],
    index = '<sitemapindex/>',
    sitemaps = [],
    isSmall = false,
    lastModified = LAST_MODIFIED,
  }: PublishedSite = {},
): Promise<void> {
  const describe: StoreFile = async (_, xml) => ({ ...inPlace(xml), lastModified });
  const store: StoreFile = isSmall ? describe : (key, xml) => putFile(storage, key, xml, lastModified);
  const listings = await Promise.all(
    sitemaps.map(({ uploadId, files }) => listingOf(uploadId, files, store)),
  );
  for (const [at, { uploadId }] of sitemaps.entries()) {
    if (!isSmall) await storage.put(listingKey(uploadId), [Buffer.from(JSON.stringify(listings[at]))]);
  }
  const site: Site = {
    hostname,
    generation,
    origin,
    https,
    certificate,
    indexNowKeys: [...indexNowKeys],
    index: index === null ? null : await store(siteIndexKey(hostname, generation), index),
    sitemaps: sitemaps.map(({ name = '', uploadId, files, former = [] }, at) => ({
      name,
      uploadId,
      files: files.length,
      former,
      ...(isSmall && { listing: listings[at]! }),
    })),
  };
  await storage.put(siteKey(hostname), [Buffer.from(JSON.stringify(site))]);
}

type StoreFile = (key: string, xml: string) => Promise<StoredFile>;

async function listingOf(uploadId: string, files: readonly string[], store: StoreFile): Promise<Listing> {
  return {
    index: files.length > 1 ? await store(uploadIndexKey(uploadId), uploadIndexXml(uploadId)) : null,
    files: await Promise.all(
      files.map(async (xml, at) => ({ ...(await store(uploadFileKey(uploadId, at + 1), xml)), entries: 1 })),
    ),
  };
}

async function putFile(
  storage: ObjectStorage,
  key: string,
  xml: string,
  lastModified: string,
): Promise<StoredFile> {
  const { content, ...file } = inPlace(xml);
  await storage.put(key, [Buffer.from(content, 'base64')]);
  return { ...file, lastModified };
}

/** Most longer texts are random digits: a long search for repetitions costs much and finds nothing. */
const LONG = 1_000_000;

const compress = (xml: string) => gzipSync(xml, xml.length > LONG ? { level: constants.Z_BEST_SPEED } : {});

function inPlace(xml: string) {
  const gzip = compress(xml);
  return {
    bytes: Buffer.byteLength(xml),
    gzipBytes: gzip.length,
    etag: contentDigest([gzip]),
    content: gzip.toString('base64'),
  };
}

/** Writes the whole host directory. */
export async function publishHosts(storage: ObjectStorage, hostnames: readonly string[]): Promise<void> {
  const hashes = hostnames.map(hostHash).sort(Buffer.compare);
  for (let shard = 0; shard < HOST_SHARDS; shard++) {
    await storage.put(
      hostsKey(shard),
      hashes.filter((hash) => shardOf(hash) === shard),
    );
  }
}

/** The entity tag that `publishSite` gives to a file of this XML. */
export function etagOf(xml: string): string {
  return contentDigest([compress(xml)]);
}
