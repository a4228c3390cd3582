/**
 * Records the outcome of each site of a group that is written in one transaction. If a request to the store fails, only the site of the
 * request fails. A failure of Postgres is not caught here, because it ends the transaction of the whole group.
 */
import pMap from 'p-map';
import type { Outcome } from '../../platform/concurrency/grouped-calls.ts';
import { SmallFileGone } from './listing.ts';

/**
 * `alone`: the group has not written the site, which must be written alone. Another writer has locked or changed the site, its many files
 * or its sections delay a group, or one of its small files is gone.
 */
export type WriteAttempt = 'written' | 'as it was' | 'alone';

export class SiteOutcomes {
  readonly #ends = new Map<string, Outcome<WriteAttempt>>();

  end(hostname: string, attempt: WriteAttempt): void {
    this.#ends.set(hostname, { value: attempt });
  }

  of(hostname: string): Outcome<WriteAttempt> | undefined {
    return this.#ends.get(hostname);
  }

  isOpen(hostname: string): boolean {
    return !this.#ends.has(hostname);
  }

  /** Runs `work`, which uses the store, for each item whose site has no outcome yet. An error or a returned attempt is the outcome. */
  async each<Item extends { readonly hostname: string }>(
    items: readonly Item[],
    work: (item: Item) => Promise<WriteAttempt | undefined>,
    concurrency: number,
  ): Promise<void> {
    const workOn = async (item: Item) => {
      // Another item of the same site may have given the site its outcome.
      if (!this.isOpen(item.hostname)) return;
      try {
        const attempt = await work(item);
        if (attempt !== undefined) this.end(item.hostname, attempt);
      } catch (error) {
        if (error instanceof SmallFileGone) this.end(item.hostname, 'alone');
        else this.#ends.set(item.hostname, { error });
      }
    };
    await pMap(items, workOn, { concurrency });
  }
}
