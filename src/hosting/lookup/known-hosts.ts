/**
 * Which hosts have a site, by the host directory (`sites/host-directory.ts`): its shards are held in memory, each
 * read again when they are asked for a host that they do not have. In a flood of such hosts they are believed for a
 * short time: then it costs the store at most two small conditional reads of each shard and `freshMs`, beside the budget
 * of `look-up-budget.ts`. What exists is served whatever else is asked for.
 */
import { CoalescedCalls } from '../../platform/concurrency/coalesced-calls.ts';
import { hasHash, hostHash, hostsKey, isShard, shardOf } from '../../sites/host-directory.ts';
import { type GuardedStorage, StoreUnavailable } from './guarded-storage.ts';

interface Shard {
  /** Undefined: the store has none yet, as before the first job of a new version ran. */
  readonly hosts: Buffer | undefined;
  readonly version: string | undefined;
  readonly checkedAt: number;
}

export interface KnownHostsOptions {
  readonly storage: GuardedStorage;
  readonly freshMs: number;
  readonly now: () => number;
}

export class KnownHosts {
  readonly #options: KnownHostsOptions;
  readonly #shards = new Map<number, Shard>();
  readonly #reads = new CoalescedCalls<Shard>();

  constructor(options: KnownHostsOptions) {
    this.#options = options;
  }

  /** Whether it was known a moment ago that the host has no site. */
  isUnlisted(hostname: string): boolean {
    const { freshMs, now } = this.#options;
    const hash = hostHash(hostname);
    const held = this.#shards.get(shardOf(hash));
    if (held?.hosts === undefined || now() - held.checkedAt >= freshMs) return false;
    return !hasHash(held.hosts, hash);
  }

  /** Whether the host may have a site; undefined where the directory is not there to say. Throws StoreUnavailable. */
  async has(hostname: string): Promise<boolean | undefined> {
    const hash = hostHash(hostname);
    const held = this.#shards.get(shardOf(hash));
    // One that was removed since then costs a look at its site.json, see `doubt`.
    if (held?.hosts !== undefined && hasHash(held.hosts, hash)) return true;
    // Begun after the question: a site that its owner has just published is found.
    const n = shardOf(hash);
    const { hosts } = await this.#reads.run(hostsKey(n), (begin) => {
      begin();
      return this.#read(n);
    });
    return hosts && hasHash(hosts, hash);
  }

  /** To be called when a host that stands in the directory has no site: then it is read again. */
  doubt(hostname: string): void {
    this.#shards.delete(shardOf(hostHash(hostname)));
  }

  async #read(n: number): Promise<Shard> {
    const { storage, now } = this.#options;
    // The answer may be as old as the question.
    const checkedAt = now();
    const held = this.#shards.get(n);
    const answer = await storage.readIfChanged(hostsKey(n), held?.version);
    const shard = answer === 'unchanged' ? { ...held!, checkedAt } : { ...contentOf(answer), checkedAt };
    this.#shards.set(n, shard);
    return shard;
  }
}

function contentOf(answer: { bytes: Buffer; version: string | undefined } | undefined) {
  if (answer === undefined) return { hosts: undefined, version: undefined };
  if (!isShard(answer.bytes)) throw new StoreUnavailable('the host directory is damaged');
  return { hosts: answer.bytes, version: answer.version };
}
