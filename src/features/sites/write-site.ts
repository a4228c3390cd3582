/** Writes one site, even if it has many files or another writer (`write-sites.ts`). */
import { inTransaction } from '../../platform/postgres/database.ts';
import type { WriteSiteOptions } from './due-site.ts';
import { lockSite } from './site-store.ts';
import { WRITE_SETTINGS, writeLocked } from './write-sites.ts';

/** The second attempt sees the change that overtook the first. Several overtaken attempts in a row have never been observed. */
const ATTEMPTS = 3;

/**
 * Brings the site to the domain's newest generation, or removes it when the domain is not served. If `trustsStore` is false, all objects
 * are written, even if the store seems to have them. Returns whether the site was outdated.
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
        return writeLocked(options, transaction, [hostname], terms);
      },
      WRITE_SETTINGS,
    );
    const outcome = fates.of(hostname)!;
    if ('error' in outcome) throw outcome.error;
    // If the outcome is `alone`, another write replaced one of the objects meanwhile, or a small file is gone. Despite the locks, such a
    // write happens in two cases. A writer lost the lock with its connection. Or the store completed a put, perhaps our own, after its
    // caller had given up on the answer.
    if (outcome.value !== 'alone') return outcome.value === 'written' || attempt > 1;
  }
  throw new Error(`the site of ${hostname} kept changing while it was written`);
}
