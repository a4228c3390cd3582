/** Writes the newest generations of served sites: first all objects that site.json will name, and then site.json. */
import { contentDigest } from '../../platform/content-digest.ts';
import { pipelined, type Transaction, whileIdle } from '../../platform/postgres/database.ts';
import { certificateBytes, certificateKey } from './certificate.ts';
import type { DueSite, WriteSiteOptions } from './due-site.ts';
import { mayNeedFormer } from './former-uploads.ts';
import { addGarbage, markObjects } from './garbage-store.ts';
import { IndexFile } from './index-file.ts';
import { listingOf, uploadsOfSmallFiles } from './listing.ts';
import { planSite, type SitePlan } from './plan-site.ts';
import { addToIndexes, type NewObject } from './plan-sitemaps.ts';
import { isDivided } from './sections/divide.ts';
import { planDividedSite, readDividedSources } from './sections/plan-divided-site.ts';
import { readSitemaps } from './sections/read-sections.ts';
import { listingKey, siteIndexesPrefix, siteKey, uploadIdOfKey, type WrittenSite } from './site.ts';
import type { SiteOutcomes } from './site-outcomes.ts';
import {
  findSiteCertificates,
  findSitemapOfUpload,
  type LiveSitemap,
  listFormerUploads,
  listLiveSitemaps,
  type SiteCertificate,
} from './site-store.ts';
import { readSmallFiles, type SmallContents } from './small-file-store.ts';

/** The most concurrent puts of objects, which may be large. */
const MAX_PUTS = 16;
/** The most concurrent puts of site.json. */
const MAX_SITES = 32;

interface PlannedSite extends DueSite {
  readonly plan: SitePlan;
}

export async function writeGenerations(
  options: WriteSiteOptions,
  transaction: Transaction,
  fates: SiteOutcomes,
  due: readonly DueSite[],
): Promise<void> {
  const isOpen = ({ hostname }: DueSite) => fates.isOpen(hostname);
  const isSiteDivided = ({ domain, former }: DueSite) =>
    isDivided(domain.sitemapCount, former?.site, options.sectionSitemaps);
  const open = due.filter(isOpen);
  if (open.length === 0) return;
  const domainIds = open.map(({ domain }) => domain.id);
  const wholeIds = open.filter((site) => !isSiteDivided(site)).map(({ domain }) => domain.id);
  const [found, sitemaps] = await pipelined([
    findSiteCertificates(transaction, domainIds),
    listLiveSitemaps(transaction, wholeIds),
  ]);
  // Certificates come before site.json, because site.json may redirect crawlers to HTTPS.
  const certificates = await writeCertificates(options, transaction, fates, open, found);
  const planned: PlannedSite[] = [];
  const whole: DueSite[] = [];
  for (const site of open.filter(isOpen)) {
    const isSecure = certificates.get(site.hostname) !== null;
    if (!isSiteDivided(site)) {
      whole.push(await withAllSitemaps(options, transaction, site));
      continue;
    }
    const sources = await readDividedSources(options, transaction, site, isSecure);
    planned.push({ ...site, plan: planDividedSite(site, sources, options, isSecure) });
  }
  planned.push(...(await planSites(options, transaction, whole, sitemaps, certificates)));
  const withIndexes = planned.filter(({ plan }) => plan.hasIndexObjects);
  if (withIndexes.length > 0) {
    // Use another connection than that of the transaction, so that the rows are there even if the process dies after the puts.
    const prefixes = withIndexes.map(({ hostname }) => siteIndexesPrefix(hostname));
    await addGarbage(options.database, prefixes, options.keepReplacedMs);
  }
  await putObjects(options, transaction, fates, planned);
  for (const site of planned.filter(isOpen)) {
    if (site.former !== undefined && site.former.site === undefined)
      await rewriteFormer(options, transaction, fates, site);
  }
  await putSites(options, transaction, fates, planned.filter(isOpen), certificates);
}

/**
 * Writes the certificates. They are objects apart from site.json, because most changes of a site do not touch its certificate. Returns the
 * digest of the certificate for each site.json; null if the site has no certificate.
 */
async function writeCertificates(
  { storage }: WriteSiteOptions,
  transaction: Transaction,
  fates: SiteOutcomes,
  due: readonly DueSite[],
  found: ReadonlyMap<string, SiteCertificate>,
): Promise<Map<string, string | null>> {
  const digests = new Map<string, string | null>();
  const write = async (site: DueSite) => {
    const { hostname, domain } = site;
    const certificate = found.get(domain.id);
    const bytes = certificate && certificateBytes({ hostname, ...certificate });
    const digest = bytes === undefined ? null : contentDigest([bytes]);
    if (bytes !== undefined && digest !== writtenCertificate(site)) {
      const former = await storage.get(certificateKey(hostname));
      former?.body.destroy();
      const isWritten = await storage.putIfUnchanged(certificateKey(hostname), [bytes], former);
      if (!isWritten) return 'alone';
    }
    digests.set(hostname, digest);
    return undefined;
  };
  await whileIdle(transaction, () => fates.each(due, write, MAX_PUTS));
  return digests;
}

/**
 * Returns the digest of the certificate in the former site.json. Null: there was no certificate, or no site.json. Undefined: the digest is
 * not known, because we do not trust the store.
 */
const writtenCertificate = ({ former }: DueSite) =>
  former === undefined ? null : former.site && (former.site.certificate ?? null);

/** Reads the sitemaps of all sections, if the former site was divided and the new one is not. */
async function withAllSitemaps(
  { storage }: WriteSiteOptions,
  transaction: Transaction,
  site: DueSite,
): Promise<DueSite> {
  const { former } = site;
  const before = former?.site;
  if (before?.sections === undefined) return site;
  const sitemaps = await whileIdle(transaction, () => readSitemaps(storage, before));
  return { ...site, former: { ...former!, site: { ...before, sitemaps } } };
}

async function planSites(
  options: WriteSiteOptions,
  transaction: Transaction,
  due: readonly DueSite[],
  sitemaps: ReadonlyMap<string, LiveSitemap[]>,
  certificates: ReadonlyMap<string, string | null>,
): Promise<PlannedSite[]> {
  const liveOf = ({ domain }: DueSite) => sitemaps.get(domain.id) ?? [];
  const withFormer = due.filter((site) => mayNeedFormer(site.former, liveOf(site)));
  const replaced = await listFormerUploads(
    transaction,
    withFormer.map(({ domain }) => domain.id),
    options.keepReplacedMs,
  );
  return due.map((site) => {
    const isSecure = certificates.get(site.hostname) !== null;
    const former = replaced.get(site.domain.id) ?? [];
    return { ...site, plan: planSite(site, liveOf(site), former, options, isSecure) };
  });
}

/** Stores the objects of all sites, in portions that fit into memory together with their small files. */
async function putObjects(
  { database, storage }: WriteSiteOptions,
  transaction: Transaction,
  fates: SiteOutcomes,
  planned: readonly PlannedSite[],
): Promise<void> {
  const objects = planned.flatMap(({ hostname, plan }) =>
    plan.objects.map((object) => ({ ...object, hostname })),
  );
  const uploadIds = objects.flatMap(({ key }) => uploadIdOfKey(key) ?? []);
  // Use another connection than that of the transaction, so that the mark is there even if the process dies after the puts.
  if (uploadIds.length > 0) await markObjects(database, uploadIds);
  for (let at = 0; at < objects.length; at += MAX_PUTS) {
    const portion = objects.slice(at, at + MAX_PUTS);
    const contents = await readContents(transaction, portion);
    const put = async ({ key, bytes }: NewObject) => {
      await storage.put(key, [bytes(contents)]);
      return undefined;
    };
    // Wait for all puts. A put that ends after our lock may store an object again that was just collected.
    await whileIdle(transaction, () => fates.each(portion, put, MAX_PUTS));
  }
}

function readContents(
  transaction: Transaction,
  readers: readonly { readonly uploads: readonly string[] }[],
): Promise<SmallContents> {
  const uploads = new Set(readers.flatMap(({ uploads }) => uploads));
  return readSmallFiles(transaction, [...uploads]);
}

/**
 * Writes the listings of former uploads again, because we do not trust the store to have them. Writes one listing at a time, because a
 * listing may be large.
 */
async function rewriteFormer(
  { database, storage }: WriteSiteOptions,
  transaction: Transaction,
  fates: SiteOutcomes,
  { hostname, plan }: PlannedSite,
): Promise<void> {
  await markObjects(
    database,
    plan.former.map(({ uploadId }) => uploadId),
  );
  for (const { name, uploadId } of plan.former) {
    const found = await findSitemapOfUpload(transaction, uploadId);
    const sitemap = found ?? { name, uploadId, publishedAt: new Date(0), files: [] };
    const contents = await readContents(transaction, [{ uploads: uploadsOfSmallFiles(sitemap.files) }]);
    const index = addToIndexes(sitemap, plan.origin, new IndexFile());
    const put = async () => {
      const listing = listingOf(sitemap, index, contents);
      await storage.put(listingKey(uploadId), [Buffer.from(JSON.stringify(listing))]);
      return undefined;
    };
    await whileIdle(transaction, () => fates.each([{ hostname }], put, 1));
  }
}

async function putSites(
  { storage }: WriteSiteOptions,
  transaction: Transaction,
  fates: SiteOutcomes,
  planned: readonly PlannedSite[],
  certificates: ReadonlyMap<string, string | null>,
): Promise<void> {
  const contents = await readContents(
    transaction,
    planned.map(({ plan }) => plan),
  );
  const put = async (site: PlannedSite) => {
    const { hostname, plan, former } = site;
    const certificate = certificates.get(hostname)!;
    const generation = plan.compose(contents);
    const https = certificate !== null && generation.origin.startsWith('https:');
    const written: WrittenSite = { ...generation, https, certificate };
    const bytes = Buffer.from(JSON.stringify(written));
    if (!(await storage.putIfUnchanged(siteKey(hostname), [bytes], former))) return 'alone';
    if (certificate === null && writtenCertificate(site) !== null) {
      await storage.deleteMany([certificateKey(hostname)]);
    }
    return 'written';
  };
  await whileIdle(transaction, () => fates.each(planned, put, MAX_SITES));
}
