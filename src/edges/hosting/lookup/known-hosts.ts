/**
 * Tells which hosts have a site, from the host directory (`features/sites/host-directory.ts`). This class holds the shards of the directory
 * in memory. A request for an unlisted host reads the shard again. If the budget of `look-up-budget.ts` is used up, callers believe
 * `isUnlisted`, which answers from a shard that is younger than `freshMs`. So a flood of requests for unknown hosts costs the store at most
 * two small conditional reads per shard and `freshMs` beside the budget, and never stops us from serving existing sites.
 */
import { hasHash, hostHash, hostsKey, isShard, shardOf } from '../../../features/sites/host-directory.ts';
import { CoalescedCalls } from '../../../platform/concurrency/coalesced-calls.ts';
import { type GuardedStorage, StoreUnavailable } from './guarded-storage.ts';

interface Shard {
  /** The hashes of the hosts. Undefined if the store has no directory yet, because no job has written it. */
  readonly hosts: Buffer | undefined;
  readonly version: string | undefined;
  readonly checkedAt: number;
}

export interface LookUpOptions {
  readonly storage: GuardedStorage;
  /** The time for which an answer of the store is believed, in ms. */
  readonly freshMs: number;
  /** The steady clock. */
  readonly now: () => number;
}

export class KnownHosts {
  readonly #options: LookUpOptions;
  readonly #shards = new Map<number, Shard>();
  readonly #reads = new CoalescedCalls<Shard>();

  constructor(options: LookUpOptions) {
    this.#options = options;
  }

  /** Returns whether the shard in memory is fresh and lacks the host. */
  isUnlisted(hostname: string): boolean {
    const { freshMs, now } = this.#options;
    const hash = hostHash(hostname);
    const held = this.#shards.get(shardOf(hash));
    if (held?.hosts === undefined || now() - held.checkedAt >= freshMs) return false;
    return !hasHash(held.hosts, hash);
  }

  /** Returns whether the host may have a site; undefined if there is no directory yet. Throws StoreUnavailable. */
  async has(hostname: string): Promise<boolean | undefined> {
    const hash = hostHash(hostname);
    const n = shardOf(hash);
    const held = this.#shards.get(n);
    // If the host was removed after the shard was read, its `site.json` is missing, and the caller calls `doubt`.
    if (held?.hosts !== undefined && hasHash(held.hosts, hash)) return true;
    // The read begins after the call, so it finds a site that its owner has just published.
    const { hosts } = await this.#reads.run(hostsKey(n), (begin) => {
      begin();
      return this.#read(n);
    });
    return hosts && hasHash(hosts, hash);
  }

  /** Drops the shard of a listed host that has no site, so the next request reads the shard again. */
  doubt(hostname: string): void {
    this.#shards.delete(shardOf(hostHash(hostname)));
  }

  async #read(n: number): Promise<Shard> {
    const { storage, now } = this.#options;
    // Take the time before the read, because the store may change at any moment of the read.
    const checkedAt = now();
    const held = this.#shards.get(n);
    const answer = await storage.readIfChanged(hostsKey(n), held?.version);
    const shard = answer === 'unchanged' ? { ...held!, checkedAt } : { ...contentOf(answer, n), checkedAt };
    this.#shards.set(n, shard);
    return shard;
  }
}

function contentOf(answer: { bytes: Buffer; version: string | undefined } | undefined, n: number) {
  if (answer === undefined) return { hosts: undefined, version: undefined };
  if (!isShard(answer.bytes, n)) throw new StoreUnavailable('the host directory is damaged');
  return { hosts: answer.bytes, version: answer.version };
}
