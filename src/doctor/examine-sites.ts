/** Checks the objects that hosting reads for each domain: site.json, the indexes and the listings. */
import { setTimeout as delay } from 'node:timers/promises';
import pMap, { pMapIterable } from 'p-map';
import type { z } from 'zod';
import { findSiteDomain, listHostnames } from '../domains/served-domain-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../platform/storage/object-storage.ts';
import { certificateBytes, certificateKey } from '../sites/certificate.ts';
import { isSiteChanging } from '../sites/change-site.ts';
import {
  listingKey,
  listingSchema,
  type StoredFile,
  siteIndexKey,
  siteKey,
  siteSchema,
  uploadIndexKey,
} from '../sites/site.ts';
import { findSiteCertificate } from '../sites/site-store.ts';
import { type LiveUpload, listLiveUploads } from './doctor-store.ts';
import type { Finding } from './finding.ts';

export interface ExaminationOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'head'>;
}

const PAGE = 500;
const CONCURRENT_SITES = 8;
/** Per site. A listing of 50,000 files is about 8 MB. */
const CONCURRENT_LISTINGS = 2;
/** We look at a site this often while it is being published: in total a little longer than its job waits. */
const LOOKS = 24;
const LOOK_INTERVAL_MS = 500;

/** Returns the number of examined sites. */
export async function* examineSites(options: ExaminationOptions): AsyncGenerator<Finding, number> {
  let examined = 0;
  let after = '';
  for (;;) {
    const hostnames = await listHostnames(options.database, after, PAGE);
    const examinations = pMapIterable(hostnames, (hostname) => examineSite(options, hostname), {
      concurrency: CONCURRENT_SITES,
    });
    for await (const findings of examinations) yield* findings;
    examined += hostnames.length;
    if (hostnames.length < PAGE) return examined;
    after = hostnames.at(-1)!;
  }
}

/** Returns findings that hold at a second look, because a change may be published between our reads. */
export async function examineSite(options: ExaminationOptions, hostname: string): Promise<Finding[]> {
  let findings = await lookAtSite(options, hostname);
  for (let look = 2; findings.length > 0 && look <= LOOKS; look++) {
    const mayChange = findings.some(isLagging) && (await isSiteChanging(options.database, hostname));
    if (mayChange) await delay(LOOK_INTERVAL_MS);
    else if (look > 2) break;
    findings = await lookAtSite(options, hostname);
  }
  return findings;
}

/** The end of a publication cures these findings, because it replaces site.json last. */
function isLagging({ problem, subject, hostname }: Finding): boolean {
  const isMissingSite = problem === 'missing object' && subject === siteKey(hostname);
  return problem === 'stale site' || isMissingSite || subject === certificateKey(hostname);
}

async function lookAtSite(options: ExaminationOptions, hostname: string): Promise<Finding[]> {
  const domain = await findSiteDomain(options.database, hostname);
  // The objects of a site that is not served are extra. The comparison of objects finds them.
  if (domain === undefined || !domain.isServed) return [];
  const uploads = await listLiveUploads(options.database, { domainId: domain.id });
  const site = await lookAtSwitch(options, hostname, domain.generation);
  const listings = await pMap(uploads, (upload) => lookAtListing(options, hostname, upload), {
    concurrency: CONCURRENT_LISTINGS,
  });
  const certificate = await lookAtCertificate(options, hostname, domain.id);
  return [...(site ? [site] : []), ...(certificate ? [certificate] : []), ...listings.flat()];
}

/** Hosting must find what the database has. Whether keys open it, hosting itself says (its metrics). */
async function lookAtCertificate(
  { database, storage }: ExaminationOptions,
  hostname: string,
  domainId: string,
): Promise<Finding | undefined> {
  const certificate = await findSiteCertificate(database, domainId);
  if (certificate === undefined) return undefined;
  const subject = certificateKey(hostname);
  const stored = await readObject(storage, subject);
  if (stored?.equals(certificateBytes({ hostname, ...certificate }))) return undefined;
  if (stored === undefined) return { problem: 'missing object', subject, hostname, detail: 'no HTTPS' };
  return { problem: 'damaged object', subject, hostname, detail: 'not the certificate of the database' };
}

/** Checks site.json and the index that it names. */
async function lookAtSwitch(
  options: ExaminationOptions,
  hostname: string,
  generation: number,
): Promise<Finding | undefined> {
  const subject = siteKey(hostname);
  const site = await readJson(options.storage, subject, siteSchema);
  if (typeof site === 'string') return { problem: site, subject, hostname, detail: 'the site is not served' };
  if (site.generation !== generation) {
    const detail = `generation ${site.generation} instead of ${generation}`;
    return { problem: 'stale site', subject, hostname, detail };
  }
  if (site.index === null) return undefined;
  return lookAtIndex(options, hostname, siteIndexKey(hostname, generation), site.index);
}

async function lookAtListing(
  options: ExaminationOptions,
  hostname: string,
  upload: LiveUpload,
): Promise<Finding[]> {
  const key = listingKey(upload.id);
  const listing = await readJson(options.storage, key, listingSchema);
  if (typeof listing === 'string') {
    return [{ problem: listing, subject: key, hostname, detail: `${upload.files} files are not served` }];
  }
  const sum = (member: 'bytes' | 'gzipBytes') =>
    listing.files.reduce((total, file) => total + file[member], 0);
  if (
    listing.files.length !== upload.files ||
    sum('bytes') !== upload.bytes ||
    sum('gzipBytes') !== upload.gzipBytes ||
    (listing.index === null) !== (upload.files === 1)
  ) {
    return [
      { problem: 'damaged object', subject: key, hostname, detail: 'lists other files than the database' },
    ];
  }
  const index =
    listing.index && (await lookAtIndex(options, hostname, uploadIndexKey(upload.id), listing.index));
  return index ? [index] : [];
}

async function lookAtIndex(
  { storage }: ExaminationOptions,
  hostname: string,
  subject: string,
  { gzipBytes }: StoredFile,
): Promise<Finding | undefined> {
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

async function readJson<Schema extends z.ZodType>(
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
