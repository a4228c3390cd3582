/** Writes one site alone, even if it has many files or another writer. `write-sites.ts` writes groups of sites. */
import { inTransaction } from '../../platform/postgres/database.ts';
import type { WriteSiteOptions } from './due-site.ts';
import { readAskedSites } from './site-change-store.ts';
import { lockSite } from './site-store.ts';
import { WRITE_SETTINGS, writeLocked } from './write-sites.ts';

/** The second attempt sees the change that overtook the first attempt. Several overtaken attempts in a row were never observed. */
const ATTEMPTS = 3;

/**
 * Brings the site to the newest generation of its domain, or removes the site if its domain is not served. If `trustsStore` is false,
 * writes all objects, even if the store seems to have them. Returns whether the site was outdated.
 */
export async function writeSite(
  options: WriteSiteOptions,
  hostname: string,
  { trustsStore = true }: { trustsStore?: boolean } = {},
): Promise<boolean> {
  const terms = { trustsStore, mostFiles: Number.POSITIVE_INFINITY };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const fates = await inTransaction(
      options.database,
      async (transaction) => {
        await lockSite(transaction, hostname);
        return writeLocked(options, transaction, await readAskedSites(transaction, [hostname]), terms);
      },
      WRITE_SETTINGS,
    );
    const outcome = fates.of(hostname)!;
    if ('error' in outcome) throw outcome.error;
    // If the outcome is `alone`, another write replaced an object meanwhile, or a small file is gone. Despite the locks, there are two
    // causes of another write. A writer lost the lock with its connection. Or the store completed a put, perhaps our own, after the caller
    // of the put had stopped waiting for the answer.
    if (outcome.value !== 'alone') return outcome.value === 'written' || attempt > 1;
  }
  throw new Error(`the site of ${hostname} kept changing while it was written`);
}
