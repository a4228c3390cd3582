/** Checks the listings of live uploads and the small files in them, in site.json or in objects of their own. */
import { hash } from 'node:crypto';
import type { z } from 'zod';
import { contentDigest } from '../../platform/content-digest.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import {
  type Listing,
  listingKey,
  listingSchema,
  type Site,
  type StoredFile,
  siteKey,
  uploadIndexKey,
} from '../sites/site.ts';
import { type LiveUpload, listSmallDigests } from './doctor-store.ts';
import type { Finding } from './finding.ts';

export interface ExaminationOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'head' | 'list'>;
}

/** Checks the listing of a live upload. The second parameter is the stored site, which must name the upload. */
export async function lookAtListing(
  options: ExaminationOptions,
  { hostname, sitemaps }: Pick<Site, 'hostname' | 'sitemaps'>,
  upload: LiveUpload,
): Promise<Finding[]> {
  const held = sitemaps.find(({ uploadId }) => uploadId === upload.id)?.listing;
  const subject = held === undefined ? listingKey(upload.id) : siteKey(hostname);
  const listing = held ?? (await readJson(options.storage, subject, listingSchema));
  if (typeof listing === 'string') {
    return [{ problem: listing, subject, hostname, detail: `${upload.files} files are not served` }];
  }
  const damage = listsOtherFiles(listing, upload) ?? (await hasOtherContents(options, listing, upload));
  if (damage !== undefined) return [{ problem: 'damaged object', subject, hostname, detail: damage }];
  if (listing.index === null) return [];
  const index = await lookAtIndex(options, hostname, uploadIndexKey(upload.id), listing.index, subject);
  return index ? [index] : [];
}

function listsOtherFiles({ index, files }: Listing, upload: LiveUpload): string | undefined {
  const sum = (member: 'bytes' | 'gzipBytes') => files.reduce((total, file) => total + file[member], 0);
  const areSame =
    files.length === upload.files &&
    sum('bytes') === upload.bytes &&
    sum('gzipBytes') === upload.gzipBytes &&
    (index === null) === (upload.files === 1);
  return areSame ? undefined : 'lists other files than the database';
}

/** Checks that the listing has the bytes of exactly those files that are small in the database. */
async function hasOtherContents(
  { database }: ExaminationOptions,
  { files }: Listing,
  upload: LiveUpload,
): Promise<string | undefined> {
  const ids = new Set([upload.id, ...files.map(({ uploadId = upload.id }) => uploadId)]);
  const small = await listSmallDigests(database, [...ids]);
  for (const [i, { uploadId = upload.id, n = i + 1, content }] of files.entries()) {
    const digest = content === undefined ? undefined : hash('sha256', Buffer.from(content, 'base64'), 'hex');
    if (digest !== small.get(`${uploadId}/${n}`)) return `file ${i + 1} has other bytes than in the database`;
  }
  return undefined;
}

/**
 * Checks an index. `subject`: the key of the index. `describedIn`: the key of the object that describes the index and may contain its
 * bytes.
 */
export async function lookAtIndex(
  { storage }: ExaminationOptions,
  hostname: string,
  subject: string,
  { gzipBytes, etag, content }: Pick<StoredFile, 'gzipBytes' | 'etag' | 'content'>,
  describedIn: string,
): Promise<Finding | undefined> {
  if (content !== undefined) {
    if (contentDigest([Buffer.from(content, 'base64')]) === etag) return undefined;
    const detail = 'an index has other bytes than it says';
    return { problem: 'damaged object', subject: describedIn, hostname, detail };
  }
  const stored = await storage.head(subject);
  if (stored?.bytes === gzipBytes) return undefined;
  if (stored === undefined)
    return { problem: 'missing object', subject, hostname, detail: `${gzipBytes} bytes` };
  return {
    problem: 'damaged object',
    subject,
    hostname,
    detail: `${stored.bytes} bytes instead of ${gzipBytes}`,
  };
}

export async function readJson<Schema extends z.ZodType>(
  storage: ExaminationOptions['storage'],
  key: string,
  schema: Schema,
): Promise<z.infer<Schema> | 'missing object' | 'damaged object'> {
  const bytes = await readObject(storage, key);
  if (bytes === undefined) return 'missing object';
  try {
    return schema.parse(JSON.parse(bytes.toString()));
  } catch {
    return 'damaged object';
  }
}
