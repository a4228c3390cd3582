/**
 * The only way to change what a domain's site shows:
 *
 *   begin → the change → new generation → job `site.publish` → commit → write the site
 *
 * The write at the end makes the change visible at once. If the process dies before the write, the job writes the site.
 */
import type { ChangeSite } from '../domains/domain.ts';
import { raiseGeneration } from '../domains/served-domain-store.ts';
import { enqueueJob, isJobUnderWay } from '../jobs/job-store.ts';
import {
  type Database,
  inTransaction,
  type Queryable,
  type Transaction,
} from '../platform/postgres/database.ts';

/** Long enough for the process that made the change to write the site. */
const SAFETY_NET_DELAY_MS = 10_000;

export interface ChangeSiteOptions {
  readonly database: Database;
  readonly writeSite: (hostname: string) => Promise<unknown>;
}

export function createChangeSite({ database, writeSite }: ChangeSiteOptions): ChangeSite {
  return async (domain, change, beforeCommit) => {
    const result = await inTransaction(database, async (transaction) => {
      const changed = await change(transaction);
      await recordChange(transaction, domain);
      beforeCommit?.();
      return changed;
    });
    await writeSite(domain.hostname);
    return result;
  };
}

/** For a caller with its own transaction. A deleted domain gets no generation, and its site is removed. */
export async function recordChange(
  transaction: Transaction,
  domain: { readonly id: string; readonly hostname: string },
): Promise<void> {
  await raiseGeneration(transaction, domain.id);
  await enqueueJob(
    transaction,
    'site.publish',
    { hostname: domain.hostname },
    { key: keyOf(domain.hostname), delayMs: SAFETY_NET_DELAY_MS },
  );
}

/** Whether a change of the site is under way. Until it ends, the objects may lag behind the database. */
export function isSiteChanging(queryable: Queryable, hostname: string): Promise<boolean> {
  return isJobUnderWay(queryable, keyOf(hostname));
}

const keyOf = (hostname: string) => `site.publish ${hostname}`;
