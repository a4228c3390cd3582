/**
 * Writes the objects that hosting reads of a domain. Postgres is the truth; the objects are its projection. The write
 * is idempotent, may run at any time in any process, and always writes the newest generation. site.json comes last:
 * until it is replaced, hosting serves the whole former generation.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import pMap from 'p-map';
import { findSiteDomain, type SiteDomain } from '../domains/served-domain-store.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { type Database, inTransaction, type Transaction, whileIdle } from '../platform/postgres/database.ts';
import { type ObjectStorage, readBody, type Version } from '../platform/storage/object-storage.ts';
import { partFileName, sitemapFileName } from '../sitemap/file-names.ts';
import { INDEX_FOOTER, INDEX_HEADER, renderIndexEntry } from '../sitemap/render-index.ts';
import { certificateKey, challengeKey } from './certificate.ts';
import { addGarbage } from './garbage-store.ts';
import { parseSite } from './read-site.ts';
import {
  type Listing,
  listingKey,
  type Site,
  type StoredFile,
  siteIndexesPrefix,
  siteIndexKey,
  siteKey,
  siteOrigin,
  uploadIndexKey,
} from './site.ts';
import {
  type FormerUpload,
  type LiveSitemap,
  listFormerUploads,
  listLiveSitemaps,
  lockSite,
} from './site-store.ts';
import { writeCertificate } from './write-certificate.ts';
import { writeHostsWith } from './write-hosts.ts';

/** Concurrent puts. Each costs a round trip and few bytes. */
const MAX_PUTS = 16;

/** The second attempt sees what came in between. Several overtaken attempts in a row have not been seen. */
const ATTEMPTS = 3;

export interface WriteSiteOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'put' | 'putIfUnchanged' | 'get' | 'deleteMany'>;
  /** As in https://{hostname}. */
  readonly publicOrigin: string;
  /** How long crawlers can still fetch the parts of replaced uploads. */
  readonly keepReplacedMs: number;
}

/**
 * Brings the site to the domain's newest generation, or removes it when the domain is not served. With `trustsStore`
 * false, everything is written, even if the store seems to have it. Returns whether there was anything to do.
 */
export async function writeSite(
  options: WriteSiteOptions,
  hostname: string,
  { trustsStore = true }: { trustsStore?: boolean } = {},
): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const outcome = await inTransaction(options.database, (transaction) =>
      writeOnce(options, transaction, hostname, trustsStore),
    );
    if (outcome !== 'overtaken') return outcome === 'written' || attempt > 1;
  }
  throw new Error(`the site of ${hostname} kept changing while it was written`);
}

/**
 * `overtaken`: another write replaced site.json meanwhile. The lock leaves two ways. A writer lost the lock with its
 * connection. Or the store completed a put, perhaps our own, after its caller had given up on the answer.
 */
type Outcome = 'written' | 'as it was' | 'overtaken';

async function writeOnce(
  options: WriteSiteOptions,
  transaction: Transaction,
  hostname: string,
  trustsStore: boolean,
): Promise<Outcome> {
  await lockSite(transaction, hostname);
  const domain = await findSiteDomain(transaction, hostname);
  // Read site.json before the rows of the sitemaps. If the lock is lost in between, our conditional put fails.
  const former = await whileIdle(transaction, () => readFormer(options.storage, hostname, trustsStore));
  const isServed = domain?.isServed === true;
  const isDue = !trustsStore || former?.site?.generation !== (isServed ? domain.generation : undefined);
  if (isDue && !isServed) {
    // An issuance that died may have left a challenge.
    const keys = [siteKey(hostname), certificateKey(hostname), challengeKey(hostname)];
    await whileIdle(transaction, () => options.storage.deleteMany(keys));
    if ((await writeHostsWith(options.storage, transaction, hostname)) === 'overtaken') return 'overtaken';
  } else if (isDue && isServed) {
    // The directory comes before site.json: hosting takes a host that is not in the directory for one without a site.
    const isListed = former?.site !== undefined;
    if (!isListed && (await writeHostsWith(options.storage, transaction, hostname)) === 'overtaken')
      return 'overtaken';
    // Before site.json, which may redirect crawlers to HTTPS.
    const written = former === undefined ? null : former.site?.certificate;
    const certified = await writeCertificate(options.storage, transaction, { ...domain, hostname }, written);
    if (certified === 'overtaken') return 'overtaken';
    const generation = await writeGeneration(options, transaction, hostname, domain, former);
    const { certificate } = certified;
    const https = certificate !== null && generation.origin.startsWith('https:');
    const site: Site = { ...generation, https, certificate };
    const isWritten = await whileIdle(transaction, () =>
      options.storage.putIfUnchanged(siteKey(hostname), [Buffer.from(JSON.stringify(site))], former),
    );
    if (!isWritten) return 'overtaken';
    if (certificate === null && written !== null) {
      await whileIdle(transaction, () => options.storage.deleteMany([certificateKey(hostname)]));
    }
  }
  // Also when there was nothing to write: the writer may have died before its transaction committed this.
  await addGarbage(transaction, [siteIndexesPrefix(hostname)], options.keepReplacedMs);
  return isDue ? 'written' : 'as it was';
}

/** The site.json in the store. `site` is unknown without `trustsStore`. */
interface Former extends Version {
  readonly site?: Site;
}

async function readFormer(
  storage: WriteSiteOptions['storage'],
  hostname: string,
  trustsStore: boolean,
): Promise<Former | undefined> {
  const object = await storage.get(siteKey(hostname));
  if (object === undefined) return undefined;
  const { version } = object;
  if (trustsStore) return { version, site: parseSite(await readBody(object, siteKey(hostname))) };
  object.body.destroy();
  return { version };
}

/** Writes everything that site.json will name, and returns its content. */
async function writeGeneration(
  options: WriteSiteOptions,
  transaction: Transaction,
  hostname: string,
  domain: Pick<SiteDomain, 'id' | 'generation' | 'indexNowKeys'>,
  written: Former | undefined,
): Promise<Omit<Site, 'https' | 'certificate'>> {
  const origin = siteOrigin(options.publicOrigin, hostname);
  const live = await listLiveSitemaps(transaction, domain.id);
  const listed = new Set(written?.site?.sitemaps.map((sitemap) => sitemap.uploadId));
  const domainIndex = new IndexFile();
  const objects: NewObject[] = [];
  for (const sitemap of live) {
    const index = addToIndexes(sitemap, origin, domainIndex);
    if (!listed.has(sitemap.uploadId)) objects.push(...listingObjects(sitemap, index));
  }
  const hasIndex = live.length > 0;
  if (hasIndex) {
    objects.push({ key: siteIndexKey(hostname, domain.generation), bytes: () => domainIndex.gzip });
  }
  // If one put fails, wait for the others. A put that outlives our lock may store an object that was just collected.
  const limits = { concurrency: MAX_PUTS, stopOnError: false };
  const puts = () => pMap(objects, ({ key, bytes }) => options.storage.put(key, [bytes()]), limits);
  await whileIdle(transaction, puts).catch(({ errors }) => {
    throw errors[0];
  });
  const replaced = await listFormerUploads(transaction, domain.id, options.keepReplacedMs);
  const former = Map.groupBy(replaced.filter(wasServed(written)), ({ sitemapName }) => sitemapName);
  return {
    hostname,
    generation: domain.generation,
    index: hasIndex ? domainIndex.stored : null,
    sitemaps: live.map((sitemap) => ({
      name: sitemap.name,
      uploadId: sitemap.uploadId,
      files: sitemap.files.length,
      former: neededFormer(sitemap, former.get(sitemap.name) ?? [], options.keepReplacedMs),
    })),
    origin,
    indexNowKeys: [...domain.indexNowKeys],
  };
}

/** Adds the sitemap's files to the domain's index. Several files also get an index of their own. */
function addToIndexes(
  { name, files }: LiveSitemap,
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

/** An object that site.json will name, directly or not. */
interface NewObject {
  readonly key: string;
  readonly bytes: () => Buffer;
}

function listingObjects({ uploadId, files }: LiveSitemap, index: IndexFile | undefined): NewObject[] {
  const listing: Listing = {
    index: index?.stored ?? null,
    files: files.map(({ fileUploadId, uploadN, lastModified, ...file }, i) => ({
      ...file,
      lastModified: isoSeconds(lastModified),
      ...(fileUploadId !== uploadId && { uploadId: fileUploadId }),
      ...(uploadN !== i + 1 && { n: uploadN }),
    })),
  };
  const ownIndex = index && { key: uploadIndexKey(uploadId), bytes: () => index.gzip };
  const ownListing = { key: listingKey(uploadId), bytes: () => Buffer.from(JSON.stringify(listing)) };
  return ownIndex === undefined ? [ownListing] : [ownIndex, ownListing];
}

/** An upload that was replaced before any site named it has no listing, and no crawler knows it. */
function wasServed(written: Former | undefined): (upload: FormerUpload) => boolean {
  if (written !== undefined && written.site === undefined) return () => true;
  const sitemaps = written?.site?.sitemaps ?? [];
  const served = new Set(
    sitemaps.flatMap(({ uploadId, former }) => [uploadId, ...former.map((one) => one.uploadId)]),
  );
  return ({ uploadId }) => served.has(uploadId);
}

/** Keeps the former uploads with parts that neither the live upload nor a newer former one has. */
function neededFormer(
  sitemap: LiveSitemap,
  former: readonly FormerUpload[],
  keepMs: number,
): Site['sitemaps'][number]['former'] {
  const needed: Site['sitemaps'][number]['former'] = [];
  let most = sitemap.files.length;
  for (const { uploadId, fileCount, replacedAt } of former) {
    if (fileCount <= most) continue;
    most = fileCount;
    needed.push({ uploadId, files: fileCount, until: isoSeconds(new Date(replacedAt.getTime() + keepMs)) });
  }
  return needed;
}

/** A sitemap index while it is built. */
class IndexFile {
  #xml = INDEX_HEADER;
  #lastModified = new Date(0);
  #gzip: Buffer | undefined;

  add(entry: string, lastModified: Date): void {
    this.#xml += entry;
    if (lastModified > this.#lastModified) this.#lastModified = lastModified;
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.#xml + INDEX_FOOTER);
    return this.#gzip;
  }

  get stored(): StoredFile {
    return {
      bytes: Buffer.byteLength(this.#xml + INDEX_FOOTER),
      gzipBytes: this.gzip.length,
      etag: createHash('sha256').update(this.gzip).digest().toString('base64url', 0, 16),
      lastModified: isoSeconds(this.#lastModified),
    };
  }
}
