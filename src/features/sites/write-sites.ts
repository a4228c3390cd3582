/**
 * Writes the objects that hosting reads, for many sites in one transaction. Postgres is the truth, and the objects are its projection. A
 * write is idempotent, may run at any time in any process, and always writes the newest generation:
 *
 *   lock → requests and their domains → former site.json → host directory → certificates → listings and indexes
 *   → site.json → settle the requests
 *
 * site.json comes last, because hosting serves the whole former generation until site.json is replaced.
 */
import type { Outcome } from '../../platform/concurrency/grouped-calls.ts';
import {
  inTransaction,
  KEPT_PLANS,
  pipelined,
  type Transaction,
  whileIdle,
} from '../../platform/postgres/database.ts';
import { certificateKey, challengeKey } from './certificate.ts';
import type { DueSite, WriteSiteOptions } from './due-site.ts';
import { addGarbage } from './garbage-store.ts';
import { type FormerSite, readFormerSite } from './read-site.ts';
import { siteIndexesPrefix, siteKey } from './site.ts';
import { type AskedSite, readAskedSites, settleWrites } from './site-change-store.ts';
import { SiteOutcomes, type WriteAttempt } from './site-outcomes.ts';
import { tryLockSites } from './site-store.ts';
import { writeGenerations } from './write-generations.ts';
import { writeHostsWith } from './write-hosts.ts';

interface WriteTerms {
  /** If false, all objects are written, even if the store seems to have them. */
  readonly trustsStore: boolean;
  /** If this number is finite, a divided site, and a site with more files, gets the outcome `alone`. */
  readonly mostFiles: number;
}

/**
 * The commit does not wait for the disk. If a crash of Postgres undoes the commit, the request for the write is back. The sweep then finds
 * that the site is up to date.
 */
export const WRITE_SETTINGS = { ...KEPT_PLANS, synchronous_commit: 'off' };

/** The number of concurrent small requests to the store. */
const MAX_REQUESTS = 32;
/** A site with more files is written alone. */
const MOST_FILES = 100;

/**
 * Writes sites, and removes sites whose domains are not served. Returns the outcomes in the order of `hostnames`. Throws if the transaction
 * fails. Some of the sites may have been written nevertheless.
 */
export async function writeSites(
  options: WriteSiteOptions,
  hostnames: readonly string[],
): Promise<readonly Outcome<WriteAttempt>[]> {
  const fates = await inTransaction(
    options.database,
    async (transaction) => {
      const [locked, asked] = await pipelined([
        tryLockSites(transaction, hostnames),
        readAskedSites(transaction, hostnames),
      ]);
      const sites = asked.filter(({ hostname }) => locked.includes(hostname));
      return writeLocked(options, transaction, sites, { trustsStore: true, mostFiles: MOST_FILES });
    },
    WRITE_SETTINGS,
  );
  return hostnames.map((hostname) => fates.of(hostname) ?? { value: 'alone' });
}

/** Does what `writeSites` does, in the transaction in which the caller has locked the sites and then read them. */
export async function writeLocked(
  options: WriteSiteOptions,
  transaction: Transaction,
  sites: readonly AskedSite[],
  { trustsStore, mostFiles }: WriteTerms,
): Promise<SiteOutcomes> {
  const fates = new SiteOutcomes();
  if (sites.length === 0) return fates;
  for (const { hostname, domain } of sites) {
    if (domain !== undefined && domain.fileCount > mostFiles) fates.end(hostname, 'alone');
  }

  // Read site.json before the rows of the sitemaps. If the lock is lost in between, our conditional put fails.
  const formers = await readFormers(options, transaction, fates, sites, trustsStore);
  for (const [hostname, { site }] of formers) {
    if (site?.sections !== undefined && Number.isFinite(mostFiles)) fates.end(hostname, 'alone');
  }
  const due: DueSite[] = [];
  const unserved: string[] = [];
  for (const { hostname, domain } of sites.filter((each) => fates.isOpen(each.hostname))) {
    const former = formers.get(hostname);
    const isServed = domain?.isServed === true;
    const isDamaged = former !== undefined && former.site === undefined;
    const isDue =
      !trustsStore || isDamaged || former?.site?.generation !== (isServed ? domain.generation : undefined);
    if (!isDue) fates.end(hostname, 'as it was');
    else if (isServed) due.push({ hostname, domain, former });
    if (!isServed) unserved.push(hostname);
  }
  await writeDirectory(options, transaction, fates, unserved, due);
  await writeGenerations(options, transaction, fates, due);
  // List the indexes even if no site.json was removed now. An earlier writer may have removed site.json, and died before its transaction
  // committed these rows.
  if (unserved.length > 0) {
    await addGarbage(transaction, unserved.map(siteIndexesPrefix), options.keepReplacedMs);
  }
  const settled = sites.filter(({ hostname }) => {
    const outcome = fates.of(hostname);
    return outcome !== undefined && 'value' in outcome && outcome.value !== 'alone';
  });
  await settleWrites(transaction, settled);
  return fates;
}

async function readFormers(
  { storage }: WriteSiteOptions,
  transaction: Transaction,
  fates: SiteOutcomes,
  sites: readonly AskedSite[],
  trustsStore: boolean,
): Promise<Map<string, FormerSite>> {
  const formers = new Map<string, FormerSite>();
  const read = async ({ hostname }: { hostname: string }) => {
    const former = await readFormerSite(storage, hostname, trustsStore);
    if (former !== undefined) formers.set(hostname, former);
    return undefined;
  };
  await whileIdle(transaction, () => fates.each(sites, read, MAX_REQUESTS));
  return formers;
}

/**
 * Removes sites that are not served, and then writes the host directory. Call this function before a new site.json is stored, because for
 * hosting, a host that is not in the directory has no site.
 */
async function writeDirectory(
  { storage }: WriteSiteOptions,
  transaction: Transaction,
  fates: SiteOutcomes,
  unserved: readonly string[],
  due: readonly DueSite[],
): Promise<void> {
  const removed = unserved.filter((hostname) => fates.isOpen(hostname)).map((hostname) => ({ hostname }));
  const remove = async ({ hostname }: { hostname: string }) => {
    // A process that died during an issuance may have left a challenge.
    await storage.deleteMany([siteKey(hostname), certificateKey(hostname), challengeKey(hostname)]);
    return undefined;
  };
  await whileIdle(transaction, () => fates.each(removed, remove, MAX_REQUESTS));
  const added = due.filter(({ former }) => former?.site === undefined);
  const changed = [...removed, ...added].filter(({ hostname }) => fates.isOpen(hostname));
  const outcomeOf = await writeHostsWith(
    storage,
    transaction,
    changed.map(({ hostname }) => hostname),
  );
  const areRemoved = new Set(removed.map(({ hostname }) => hostname));
  const conclude = async ({ hostname }: { hostname: string }) => {
    if ((await outcomeOf(hostname)) === 'overtaken') return 'alone';
    return areRemoved.has(hostname) ? 'written' : undefined;
  };
  await fates.each(changed, conclude, MAX_REQUESTS);
}
