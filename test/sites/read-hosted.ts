/** Reads a site as hosting does, wherever its parts are. */
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { readSite } from '../../src/features/sites/read-site.ts';
import { readSitemaps } from '../../src/features/sites/sections/read-sections.ts';
import {
  type Listing,
  listingKey,
  listingSchema,
  type Site,
  type SiteSitemap,
  type StoredFile,
  siteIndexKey,
  uploadFileKey,
  uploadIndexKey,
  volumeKey,
} from '../../src/features/sites/site.ts';
import { type ObjectStorage, readObject } from '../../src/platform/storage/object-storage.ts';

type Storage = Pick<ObjectStorage, 'get'>;

export async function readListing(storage: Storage, uploadId: string): Promise<Listing> {
  const bytes = await readObject(storage, listingKey(uploadId));
  if (bytes === undefined) throw new Error(`${uploadId} has no listing.json`);
  return listingSchema.parse(JSON.parse(bytes.toString()));
}

/** The XML of a file, whose bytes must be what is said of them. */
async function readStored(storage: Storage, key: string, file: StoredFile): Promise<string> {
  const { content } = file;
  const gzip = content === undefined ? await readObject(storage, key) : Buffer.from(content, 'base64');
  if (gzip === undefined) throw new Error(`${key} is missing`);
  const xml = gunzipSync(gzip);
  expect(file).toMatchObject({ bytes: xml.length, gzipBytes: gzip.length });
  return xml.toString();
}

/** The index of a divided site as one file. */
async function joinIndex(storage: Storage, { hostname, dividedIndex }: Site): Promise<StoredFile | null> {
  if (dividedIndex === undefined) return null;
  const { start, volumes, end, ...file } = dividedIndex;
  const parts = await Promise.all(volumes.map((each) => readObject(storage, volumeKey(hostname, each))));
  const gzip = [Buffer.from(start, 'base64'), ...parts.map((part) => part!), Buffer.from(end, 'base64')];
  return { ...file, content: Buffer.concat(gzip).toString('base64') };
}

/** All files of a site by their paths, each with what HTTP headers need. */
export async function readHosted(
  storage: Storage,
  hostname: string,
  { isIndexOnly = false } = {},
): Promise<Map<string, string>> {
  const site = (await readSite(storage, hostname))!;
  const files = new Map<string, string>();
  const add = async (path: string, key: string, file: StoredFile) => {
    const { content, ...described } = file;
    files.set(
      path,
      JSON.stringify([described.etag, described.lastModified, await readStored(storage, key, file)]),
    );
  };
  const index = site.index ?? (await joinIndex(storage, site));
  if (index !== null) await add('index', siteIndexKey(hostname, site.generation), index);
  if (isIndexOnly) return files;
  for (const sitemap of await readSitemaps(storage, site)) {
    const { name, uploadId } = sitemap;
    const listing = sitemap.listing ?? (await readListing(storage, uploadId));
    expect(listing.files).toHaveLength(sitemap.files);
    expect(listing.index === null).toBe(sitemap.files === 1);
    if (listing.index !== null) await add(`${name}/index`, uploadIndexKey(uploadId), listing.index);
    for (const n of listing.files.keys()) await addPart(add, `${name}/${n + 1}`, uploadId, listing, n + 1);
    await addFormer(storage, add, sitemap);
  }
  return files;
}

type Add = (path: string, key: string, file: StoredFile) => Promise<void>;

async function addFormer(storage: Storage, add: Add, { name, files, former }: SiteSitemap): Promise<void> {
  let served = Math.max(1, files);
  for (const { uploadId, files } of former) {
    const listing = await readListing(storage, uploadId);
    for (; served < files; served++)
      await addPart(add, `${name}/${served + 1}`, uploadId, listing, served + 1);
  }
}

async function addPart(
  add: Add,
  path: string,
  uploadId: string,
  { files }: Listing,
  n: number,
): Promise<void> {
  const file = files[n - 1]!;
  await add(path, uploadFileKey(file.uploadId ?? uploadId, file.n ?? n), file);
}
