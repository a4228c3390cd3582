/**
 * Every change that a site shows takes these steps:
 *
 *   begin → the change → new generation → row in `site_changes` → commit → write the site
 *
 * The write at the end makes the change visible at once. If the process dies before the write, a sweep writes the site
 * (`open-sites.ts`).
 */
import {
  type Database,
  openTransaction,
  pipelined,
  type Transaction,
} from '../../platform/postgres/database.ts';
import type { ChangedDomain, SiteChange } from '../domains/domain.ts';
import { type DomainCounts, raiseGenerationsWithCounts } from '../domains/domain-counts-store.ts';
import { raiseGenerations } from '../domains/served-domain-store.ts';
import { requestWrites } from './site-change-store.ts';

interface OpenChangeOptions {
  readonly database: Database;
  /** Throws NotYetVisible if the site cannot be written. */
  readonly writeSite: (hostname: string) => Promise<unknown>;
}

export async function openChange({ database, writeSite }: OpenChangeOptions): Promise<SiteChange> {
  const opened = await openTransaction(database);
  return {
    transaction: opened.transaction,
    async commit(...domains) {
      if (domains.length > 0) await recordChanges(opened.transaction, domains);
      await opened.commit();
      await Promise.all(domains.map(({ hostname }) => writeSite(hostname)));
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/**
 * Records changes in the transaction of the caller. If there are several domains, the transaction must have locked their rows before. A
 * deleted domain gets no generation, and its site is removed.
 */
export async function recordChanges(
  transaction: Transaction,
  domains: readonly ChangedDomain[],
): Promise<void> {
  const counted = domains.filter(isCounted);
  const others = domains.filter((domain) => !isCounted(domain));
  await pipelined([
    raiseGenerationsWithCounts(transaction, counted),
    raiseGenerations(
      transaction,
      others.map(({ id }) => id),
    ),
    requestWrites(
      transaction,
      domains.map(({ hostname }) => hostname),
    ),
  ]);
}

const isCounted = (domain: ChangedDomain): domain is ChangedDomain & { counts: DomainCounts } =>
  domain.counts !== undefined;
