/**
 * Takes the changed URLs of an upload while it is compared, and keeps them until they are submitted:
 *
 *   add: URLs → groups by host → stored objects, listed as garbage before the first one is stored
 *   commit: rows, in the transaction that records the comparison → the stored objects are no garbage any more
 *   discard: deletes the stored objects, unless they were committed
 *
 * A comparison that dies before its commit leaves only garbage, and is done again with another outbox.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import pMap from 'p-map';
import { randomText } from '../../platform/ids.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { addGarbage, rescueFromGarbage } from '../sites/garbage-store.ts';
import { outboxKey, outboxPrefix } from '../sites/outbox.ts';
import { type UrlGroup, UrlGroups } from './group-urls.ts';
import { MAX_BATCHES_OF_UPLOAD } from './limits.ts';
import { commitBatches, findOutboxHosts, type NewBatch } from './outbox-store.ts';

/** An upload that is compared with an earlier upload of its sitemap. */
export interface Comparison {
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** The name of the sitemap; empty for the unnamed one. */
  readonly sitemapName: string;
  readonly uploadId: string;
}

/** Opens the outbox of a comparison; returns undefined when the domain does not submit. */
export type OpenOutbox = (comparison: Comparison) => Promise<Outbox | undefined>;

export interface OutboxOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'putNew' | 'deleteMany'>;
}

/** The age from which stored objects are garbage: longer than any comparison takes. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;
const PUTS_AT_ONCE = 8;
const compress = promisify(gzip);

export function createOpenOutbox(options: OutboxOptions): OpenOutbox {
  return async (comparison) => {
    const known = await findOutboxHosts(options.database, comparison.domainId);
    return known && new Outbox(options, comparison, known);
  };
}

class Outbox {
  readonly #options: OutboxOptions;
  readonly #comparison: Comparison;
  readonly #prefix: string;
  readonly #groups: UrlGroups;
  readonly #batches: NewBatch[] = [];
  readonly #batchesOf = new Map<string, number>();
  #isReserved = false;
  #isCommitted = false;
  /** The number of URLs for which there was no room. */
  #left = 0;

  constructor(options: OutboxOptions, comparison: Comparison, known: ReadonlySet<string>) {
    this.#options = options;
    this.#comparison = comparison;
    this.#prefix = outboxPrefix(comparison.domainId, comparison.uploadId, randomText(8));
    this.#groups = new UrlGroups(known);
  }

  /** Adds changed URLs. Removed URLs are submitted too, so that search engines see that the pages are gone. */
  async add(_kind: 'added' | 'changed' | 'removed', locs: readonly string[]): Promise<void> {
    for (const loc of locs) {
      const full = this.#groups.add(loc);
      if (full === 'no room') this.#left++;
      else if (full !== undefined) await this.#store(full);
    }
  }

  /** Stores the remaining URLs. Call `settle` before `commit`. */
  async settle(): Promise<void> {
    const groups = [...this.#groups.takeAll()];
    if (groups.length > 0) await this.#reserve();
    await pMap(groups, (group) => this.#store(group), { concurrency: PUTS_AT_ONCE });
  }

  async commit(transaction: Transaction): Promise<void> {
    this.#isCommitted = true;
    if (this.#batches.length + this.#left === 0) return;
    const isTaken = await commitBatches(transaction, this.#comparison, this.#batches, this.#left);
    // If submission was switched off meanwhile, all stored objects stay garbage.
    if (isTaken && this.#isReserved && !(await rescueFromGarbage(transaction, this.#prefix))) {
      throw new Error(`the outbox ${this.#prefix} was collected before it was committed`);
    }
  }

  /** Deletes the stored objects. Does nothing after a call of `commit`, because Postgres may have committed even if its answer is lost. */
  async discard(): Promise<void> {
    if (this.#isCommitted || !this.#isReserved) return;
    const { database, storage } = this.#options;
    // If the deletion fails, the objects stay listed as garbage.
    await storage.deleteMany(this.#batches.map(({ object }) => object));
    await rescueFromGarbage(database, this.#prefix);
  }

  async #store({ host, scheme, urls }: UrlGroup): Promise<void> {
    const before = this.#batchesOf.get(host) ?? 0;
    if (before === MAX_BATCHES_OF_UPLOAD) {
      this.#left += urls.length;
      return;
    }
    this.#batchesOf.set(host, before + 1);
    await this.#reserve();
    const object = outboxKey(this.#prefix, this.#batches.length + 1);
    this.#batches.push({ host, scheme, object, urlCount: urls.length });
    await this.#options.storage.putNew(object, [await compress(urls.join('\n'))]);
  }

  async #reserve(): Promise<void> {
    if (this.#isReserved) return;
    await addGarbage(this.#options.database, [this.#prefix], ABANDONED_AFTER_MS);
    this.#isReserved = true;
  }
}
