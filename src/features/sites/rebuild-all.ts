/**
 * Writes all sites again when an operator asks. A job writes a portion of the sites, records the last hostname, and enqueues the next job.
 * So a process may end or die at any time, and other jobs get their turns. A portion that is written twice does no harm.
 */
import pMap from 'p-map';
import { enqueueJob } from '../../core/jobs/job-store.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { type Database, inTransaction, type Queryable } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { listHostnames } from '../domains/served-domain-store.ts';
import type { Rebuilding } from './rebuild-site.ts';
import {
  addRebuilt,
  endGivenUp,
  type FailedSite,
  findRebuild,
  insertRebuild,
  JOB_KEY,
  type Rebuild,
} from './rebuild-store.ts';

interface RebuildAllOptions {
  readonly database: Database;
  readonly log: Log;
  readonly rebuild: (hostname: string) => Promise<Rebuilding>;
  /** The number of sites of one job. Only tests set it. */
  readonly portion?: number;
}

/** The default of `portion`. A job of so many sites takes seconds. */
const PORTION = 100;
/** The most sites that are written at once. The write of a site holds a connection to Postgres. */
const AT_ONCE = 2;

/**
 * Asks for a rebuild of all sites. Throws Refusal CONFLICT while another rebuild is under way. A rebuild whose job was given up is ended.
 */
export function askRebuild(
  { database, newId }: { readonly database: Database; readonly newId: NewId },
  askedBy: string,
): Promise<Rebuild> {
  return inTransaction(database, async (transaction) => {
    await endGivenUp(transaction);
    const asked = await insertRebuild(transaction, { id: newId('rebuild'), askedBy });
    if (asked === undefined) throw new Refusal('CONFLICT', 'All sites are being written again already.');
    await enqueueNext(transaction, asked.id);
    return asked;
  });
}

const enqueueNext = (queryable: Queryable, id: string) =>
  enqueueJob(queryable, 'sites.rebuild', { id }, { key: `${JOB_KEY}${id}` });

/** Writes the next portion. If none of its sites can be written, throws, so that the job is tried again later. */
export async function workOnRebuild(options: RebuildAllOptions, id: string): Promise<void> {
  const { database, log, rebuild, portion = PORTION } = options;
  const asked = await findRebuild(database, id);
  if (asked === undefined || asked.endedAt !== null) return;
  const hostnames = await listHostnames(database, asked.after, portion);
  const outcomes: Rebuilding[] = [];
  const failures: FailedSite[] = [];
  const write = async (hostname: string) => {
    try {
      outcomes.push(await rebuild(hostname));
    } catch (error) {
      log.warn({ err: error, hostname }, 'a site could not be written again');
      failures.push({ hostname, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  await pMap(hostnames, write, { concurrency: AT_ONCE });
  if (hostnames.length > 0 && outcomes.length === 0) {
    throw new Error(
      `no site could be written again after ${asked.after || 'the first'}: ${failures[0]!.reason}`,
    );
  }
  const count = (outcome: Rebuilding) => outcomes.filter((one) => one === outcome).length;
  const isLast = hostnames.length < portion;
  await inTransaction(database, async (transaction) => {
    await addRebuilt(transaction, asked, {
      ...{ last: isLast ? undefined : hostnames.at(-1), failures },
      ...{ written: count('written'), removed: count('removed') },
    });
    if (!isLast) await enqueueNext(transaction, id);
  });
}
