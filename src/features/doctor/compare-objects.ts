/**
 * Compares the objects in the store with those that the database refers to. Uploads are published and deleted meanwhile, so each suspect is
 * checked again. A new upload first gets its row in `garbage`, then its objects, and only then rows that refer to them.
 */
import { pMapIterable } from 'p-map';
import { pagesOf } from '../../platform/pages-of.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { findSiteDomain } from '../domains/served-domain-store.ts';
import {
  CERTIFICATES_PREFIX,
  CHALLENGES_PREFIX,
  certificateKey,
  challengeKey,
} from '../sites/certificate.ts';
import { OUTBOX_PREFIX, outboxOfDomain } from '../sites/outbox.ts';
import { readSite } from '../sites/read-site.ts';
import { REJECTS_PREFIX } from '../sites/rejects.ts';
import {
  PACKS_PREFIX,
  packsPrefix,
  siteKey,
  siteObjectKeys,
  UPLOADS_PREFIX,
  uploadPrefix,
} from '../sites/site.ts';
import { isSiteChanging } from '../sites/site-change-store.ts';
import { findSiteCertificates } from '../sites/site-store.ts';
import {
  createObjectTable,
  createSuspectTable,
  insertObjects,
  isIssuing,
  isLiveFile,
  isLiveUpload,
  isOfRecent,
  isWaitingBatch,
  listDomainIds,
  listLiveUploads,
  listRecentUploads,
  listSuspects,
  listUploadsOfLiveFiles,
  type Suspect,
} from './doctor-store.ts';
import type { ExaminationOptions } from './examine-listings.ts';
import type { Finding } from './finding.ts';

/** The most findings of a kind. The check of the kind ends there, so a store that lost everything costs no full check. */
export const MAX_FINDINGS = 1000;
const PREFIXES = [
  'sites/',
  UPLOADS_PREFIX,
  CERTIFICATES_PREFIX,
  CHALLENGES_PREFIX,
  OUTBOX_PREFIX,
  REJECTS_PREFIX,
  PACKS_PREFIX,
];
/** The kinds, in the order of their findings. */
const KINDS = ['file', 'changes', 'batch', 'recent', 'extra'] as const;
const PAGE = 5000;
const CONCURRENCY = 16;

type Judge = (
  options: ExaminationOptions,
  suspect: Suspect,
) => Promise<(Pick<Finding, 'problem' | 'detail'> & { readonly hostname?: string }) | undefined>;

/** Yields the findings. Returns the number of listed objects. */
export async function* compareObjects(
  options: ExaminationOptions,
  hostname: string | undefined,
): AsyncGenerator<Finding, number> {
  const session = await options.database.connect();
  try {
    await createObjectTable(session);
    const listed = await copyListing(options, session, hostname);
    await createSuspectTable(session, hostname ?? null);
    for (const kind of KINDS) yield* judge(options, session, kind);
    return listed;
  } finally {
    // Closing the connection also drops the temporary tables.
    session.release(true);
  }
}

async function copyListing(
  options: ExaminationOptions,
  session: Transaction,
  hostname: string | undefined,
): Promise<number> {
  let listed = 0;
  let page: { key: string; bytes: number }[] = [];
  for (const prefix of await prefixesOf(options.database, hostname)) {
    for await (const { key, bytes } of options.storage.list(prefix)) {
      page.push({ key, bytes });
      listed++;
      if (page.length < PAGE) continue;
      await insertObjects(session, page);
      page = [];
    }
  }
  await insertObjects(session, page);
  return listed;
}

async function prefixesOf(database: Database, hostname: string | undefined): Promise<string[]> {
  if (hostname === undefined) return [...PREFIXES];
  const live = await listLiveUploads(database, { hostname });
  const uploads = new Set([
    ...live.map(({ id }) => id),
    ...(await listUploadsOfLiveFiles(database, hostname)),
    ...(await listRecentUploads(database, hostname)),
  ]);
  const https = [certificateKey(hostname), challengeKey(hostname)];
  const ofDomains = (await listDomainIds(database, hostname)).flatMap((id) => [
    outboxOfDomain(id),
    packsPrefix(id),
  ]);
  return [`sites/${hostname}/`, ...https, ...ofDomains, ...[...uploads].map(uploadPrefix)];
}

async function* judge(
  options: ExaminationOptions,
  session: Transaction,
  kind: Suspect['kind'],
): AsyncGenerator<Finding> {
  const judgeOne = async (suspect: Suspect) => {
    const judged = await JUDGES[kind](options, suspect);
    return judged && { subject: suspect.key, hostname: suspect.hostname ?? '', ...judged };
  };
  let found = 0;
  const pages = pagesOf<Suspect>((limit, last) => listSuspects(session, kind, last?.key ?? '', limit), PAGE);
  for await (const suspects of pages) {
    for await (const finding of pMapIterable(suspects, judgeOne, { concurrency: CONCURRENCY })) {
      if (finding === undefined) continue;
      yield finding;
      if (++found === MAX_FINDINGS) return;
    }
  }
}

/** Checks a suspect again, by its kind. */
const JUDGES: Readonly<Record<Suspect['kind'], Judge>> = {
  /** Since the listing, the file may have been published, or replaced and collected. */
  async file({ database, storage }, { key, bytes }) {
    const stored = await storage.head(key);
    if (stored?.bytes === bytes || !(await isLiveFile(database, key))) return undefined;
    if (stored === undefined) return { problem: 'missing file', detail: `${bytes} bytes` };
    return { problem: 'damaged file', detail: `${stored.bytes} bytes instead of ${bytes}` };
  },
  /** Since the listing, the comparison may have ended. */
  async changes({ database, storage }, { key }) {
    if ((await storage.head(key)) !== undefined) return undefined;
    if (!(await isLiveUpload(database, key.split('/')[1]!))) return undefined;
    return { problem: 'missing changes', detail: 'a list of changes' };
  },
  /** Since the listing, the batch may have been committed, or submitted and collected. */
  async batch({ database, storage }, { key }) {
    if ((await storage.head(key)) !== undefined || !(await isWaitingBatch(database, key))) return undefined;
    return { problem: 'missing URLs', detail: 'these changed URLs cannot be submitted' };
  },
  /** Since the listing, another version of the recent changes may have been written. */
  async recent({ database, storage }, { key, bytes }) {
    const stored = await storage.head(key);
    if (stored !== undefined && (bytes === null || stored.bytes === bytes)) return undefined;
    if (!(await isOfRecent(database, key))) return undefined;
    const detail = stored === undefined ? 'it is missing' : `${stored.bytes} bytes instead of ${bytes}`;
    return { problem: 'lost recent changes', detail };
  },
  /** The objects of a discarded or collected upload are deleted before its rows, so by now they are gone. */
  async extra({ database, storage }, { key }) {
    const hostname =
      /^sites\/([^/]+)\//.exec(key)?.[1] ?? /^(?:certificates|challenges)\/(.+)\.json$/.exec(key)?.[1];
    if (hostname !== undefined) {
      if (await isSiteChanging(database, hostname)) return undefined;
      if (await isOfHttps(database, hostname, key)) return undefined;
      if ((await findSiteDomain(database, hostname))?.isServed) {
        // A stale site names an older index, and sections may be of any generation. So read the keys that the stored site names.
        const site = await readSite(storage, hostname).catch(() => undefined);
        if (site !== undefined && siteObjectKeys(site).includes(key)) return undefined;
      }
    }
    const stored = await storage.head(key);
    if (stored === undefined) return undefined;
    if (hostname !== undefined && key === siteKey(hostname)) {
      return { hostname, problem: 'extra site', detail: 'no verified domain has this hostname' };
    }
    return { hostname: hostname ?? '', problem: 'extra object', detail: `${stored.bytes} bytes` };
  },
};

/** Whether the object is the certificate of the hostname, or the answer to a challenge that is under way. */
async function isOfHttps(database: Database, hostname: string, key: string): Promise<boolean> {
  if (key === challengeKey(hostname)) return isIssuing(database, hostname);
  const domain = await findSiteDomain(database, hostname);
  const isServed = key === certificateKey(hostname) && domain?.isServed === true;
  return isServed && (await findSiteCertificates(database, [domain.id])).has(domain.id);
}
