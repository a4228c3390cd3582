/** Checks the objects that hosting reads for each domain: site.json and its sections, the indexes, the listings and the certificate. */
import { setTimeout as delay } from 'node:timers/promises';
import pMap, { pMapIterable } from 'p-map';
import { pagesOf } from '../../platform/pages-of.ts';
import { readObject } from '../../platform/storage/object-storage.ts';
import type { RecentObjects } from '../domains/recent-objects.ts';
import { findSiteDomain, listHostnames } from '../domains/served-domain-store.ts';
import { certificateBytes, certificateKey } from '../sites/certificate.ts';
import {
  type Site,
  type SiteSitemap,
  sectionContentSchema,
  sectionKey,
  siteIndexKey,
  siteKey,
  siteSchema,
  volumeKey,
} from '../sites/site.ts';
import { isSiteChanging } from '../sites/site-change-store.ts';
import { findSiteCertificates } from '../sites/site-store.ts';
import { isCertificateAsked, type LiveUpload, listLiveUploads } from './doctor-store.ts';
import { type ExaminationOptions, lookAtIndex, lookAtListing, readJson } from './examine-listings.ts';
import type { Finding } from './finding.ts';

const PAGE = 500;
const CONCURRENT_SITES = 8;
/** The listings of one site that are read at once. A listing of 50,000 files is about 8 MB. */
const CONCURRENT_LISTINGS = 2;
/** The most looks at a site that is being published. All looks take 12 s, a little longer than the sweep waits before it writes a site. */
const LOOKS = 24;
const LOOK_INTERVAL_MS = 500;

/** Yields the findings. Returns the number of examined hostnames. */
export async function* examineSites(options: ExaminationOptions): AsyncGenerator<Finding, number> {
  let examined = 0;
  const pages = pagesOf<string>((limit, last = '') => listHostnames(options.database, last, limit), PAGE);
  for await (const hostnames of pages) {
    const examinations = pMapIterable(hostnames, (hostname) => examineSite(options, hostname), {
      concurrency: CONCURRENT_SITES,
    });
    for await (const findings of examinations) yield* findings;
    examined += hostnames.length;
  }
  return examined;
}

/** Returns only findings that remain when the site is looked at again, because a change may be published between our reads. */
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

/** The end of a publication cures these findings, because a publication replaces site.json last. */
function isLagging({ problem, subject, hostname }: Finding): boolean {
  const isMissingSite = problem === 'missing object' && subject === siteKey(hostname);
  return problem === 'stale site' || isMissingSite || subject === certificateKey(hostname);
}

async function lookAtSite(options: ExaminationOptions, hostname: string): Promise<Finding[]> {
  const domain = await findSiteDomain(options.database, hostname);
  // The objects of a site that is not served are extra. The comparison of objects finds them.
  if (domain === undefined || !domain.isServed) return [];
  const published = await listLiveUploads(options.database, { domainId: domain.id });
  // A site without other sitemaps has no sitemap of recent changes.
  const uploads = published.length === 0 ? [] : [...published, ...recentUpload(domain.recent)];
  const { site: stored, findings } = await examineSiteJson(options, hostname, domain.generation);
  const { sitemaps, lost } = await lookAtSections(options, stored);
  const site = stored && { ...stored, sitemaps: [...sitemaps] };
  const named = new Set(sitemaps.map(({ uploadId }) => uploadId));
  const listings = await pMap(
    uploads.filter(({ id }) => named.has(id)),
    (upload) => lookAtListing(options, site!, upload),
    { concurrency: CONCURRENT_LISTINGS },
  );
  // A site of another generation, or without all its sections, may name other uploads.
  const isWhole = stored?.generation === domain.generation && lost.length === 0;
  const others = isWhole ? examineUploads(hostname, named, new Set(uploads.map(({ id }) => id))) : [];
  const certificate = await lookAtCertificate(options, hostname, domain.id);
  return [...findings, ...lost, ...others, ...(certificate ? [certificate] : []), ...listings.flat()];
}

function recentUpload(recent: RecentObjects | null): LiveUpload[] {
  if (recent === null || recent.files.length === 0) return [];
  const sum = (member: 'bytes' | 'gzipBytes') =>
    recent.files.reduce((total, file) => total + file[member], 0);
  const { uploadId: id, files } = recent;
  return [{ id, files: files.length, bytes: sum('bytes'), gzipBytes: sum('gzipBytes') }];
}

function examineUploads(hostname: string, named: ReadonlySet<string>, live: ReadonlySet<string>): Finding[] {
  const missing = live.difference(named).size;
  const extra = named.difference(live).size;
  if (missing + extra === 0) return [];
  const detail = `${missing} live sitemaps are not served, and ${extra} others are`;
  return [{ problem: 'stale site', subject: siteKey(hostname), hostname, detail }];
}

/** Returns all sitemaps of the site, as far as its sections can be read. */
async function lookAtSections(
  { storage }: ExaminationOptions,
  site: Site | undefined,
): Promise<{ readonly sitemaps: readonly SiteSitemap[]; readonly lost: readonly Finding[] }> {
  const { hostname = '', sections = [] } = site ?? {};
  const sitemaps = [...(site?.sitemaps ?? [])];
  const lost: Finding[] = [];
  for (const section of sections) {
    const subject = sectionKey(hostname, section);
    const content = await readJson(storage, subject, sectionContentSchema);
    if (typeof content !== 'string') sitemaps.push(...content.sitemaps);
    else
      lost.push({
        problem: content,
        subject,
        hostname,
        detail: `${section.sitemaps} sitemaps are not served`,
      });
  }
  return { sitemaps, lost };
}

/** Checks that the store has the certificate of the database. The metrics of hosting tell whether hosting can open it. */
async function lookAtCertificate(
  { database, storage }: ExaminationOptions,
  hostname: string,
  domainId: string,
): Promise<Finding | undefined> {
  const certificate = (await findSiteCertificates(database, [domainId])).get(domainId);
  const subject = certificateKey(hostname);
  if (certificate === undefined) {
    if (await isCertificateAsked(database, domainId)) return undefined;
    return { problem: 'missing certificate', subject, hostname, detail: 'and nothing asks for one' };
  }
  const stored = await readObject(storage, subject);
  if (stored?.equals(certificateBytes({ hostname, ...certificate }))) return undefined;
  if (stored === undefined) return { problem: 'missing object', subject, hostname, detail: 'no HTTPS' };
  return { problem: 'damaged object', subject, hostname, detail: 'not the certificate of the database' };
}

/** Checks site.json and the indexes that it names. Returns no site if site.json cannot be read. */
async function examineSiteJson(
  options: ExaminationOptions,
  hostname: string,
  generation: number,
): Promise<{ readonly site?: Site; readonly findings: readonly Finding[] }> {
  const subject = siteKey(hostname);
  const site = await readJson(options.storage, subject, siteSchema);
  if (typeof site === 'string') {
    return { findings: [{ problem: site, subject, hostname, detail: 'the site is not served' }] };
  }
  if (site.generation !== generation) {
    const detail = `generation ${site.generation} instead of ${generation}`;
    return { site, findings: [{ problem: 'stale site', subject, hostname, detail }] };
  }
  const objects = [
    ...(site.index === null ? [] : [{ key: siteIndexKey(hostname, generation), file: site.index }]),
    ...(site.dividedIndex?.volumes ?? []).map((file) => ({ key: volumeKey(hostname, file), file })),
  ];
  const findings = await pMap(
    objects,
    ({ key, file }) => lookAtIndex(options, hostname, key, file, subject),
    {
      concurrency: CONCURRENT_LISTINGS,
    },
  );
  return { site, findings: findings.flatMap((finding) => finding ?? []) };
}
