/**
 * What becomes of each site of a group that is written at once. A failure of the store ends one site and leaves the others.
 * A failure of Postgres is not caught here: it ends the transaction of all.
 */
import pMap from 'p-map';
import type { Outcome } from '../platform/concurrency/grouped-calls.ts';
import { SmallFileGone } from './listing.ts';

/**
 * `alone`: nothing of it shows, and it is to be written once more, alone. Another writer has the site, or changed it
 * meanwhile, or it has so many files that others would wait for them.
 */
export type WriteAttempt = 'written' | 'as it was' | 'alone';

export class SiteFates {
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

  /** Work with the store for each of these sites that has not ended. An error, or an attempt that `work` returns, ends it. */
  async each<Item extends { readonly hostname: string }>(
    items: readonly Item[],
    work: (item: Item) => Promise<WriteAttempt | undefined>,
    concurrency: number,
  ): Promise<void> {
    const workOn = async (item: Item) => {
      // Two items may be of one site.
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
