/**
 * The only way to change what a domain's site shows:
 *
 *   begin → the change → new generation → row in `site_changes` → commit → write the site
 *
 * The write at the end makes the change visible at once. If the process dies before the write, a sweep writes the site
 * (`changed-site-queue.ts`).
 */
import type { ChangeSite } from '../domains/domain.ts';
import { raiseGenerations } from '../domains/served-domain-store.ts';
import { type Database, inTransaction, type Transaction } from '../platform/postgres/database.ts';
import { requestWrites } from './site-change-store.ts';

export interface ChangeSiteOptions {
  readonly database: Database;
  readonly writeSite: (hostname: string) => Promise<unknown>;
}

export function createChangeSite({ database, writeSite }: ChangeSiteOptions): ChangeSite {
  return async (domain, change, beforeCommit) => {
    const result = await inTransaction(database, async (transaction) => {
      const changed = await change(transaction);
      await recordChanges(transaction, [domain]);
      beforeCommit?.();
      return changed;
    });
    await writeSite(domain.hostname);
    return result;
  };
}

/**
 * For a caller with its own transaction, which holds the rows of several domains already. A deleted domain gets no
 * generation, and its site is removed.
 */
export async function recordChanges(
  transaction: Transaction,
  domains: readonly { readonly id: string; readonly hostname: string }[],
): Promise<void> {
  await raiseGenerations(
    transaction,
    domains.map(({ id }) => id),
  );
  await requestWrites(
    transaction,
    domains.map(({ hostname }) => hostname),
  );
}
