/**
 * Which hosts have a site, by the host directory (`sites/host-directory.ts`): its shards are held in memory, each
 * believed for a short time and then read again if it changed. So a flood of random hosts costs the store at most one
 * small conditional read of each shard and `freshMs`, and what exists is served whatever else is asked for.
 */
import { SharedCalls } from '../platform/shared-calls.ts';
import { hasHash, hostHash, hostsKey, isShard, shardOf } from '../sites/host-directory.ts';
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
  readonly #reads = new SharedCalls<Shard>();

  constructor(options: KnownHostsOptions) {
    this.#options = options;
  }

  /** Whether it is known at once that the host has no site. */
  isUnlisted(hostname: string): boolean {
    const { freshMs, now } = this.#options;
    const hash = hostHash(hostname);
    const held = this.#shards.get(shardOf(hash));
    if (held?.hosts === undefined || now() - held.checkedAt >= freshMs) return false;
    return !hasHash(held.hosts, hash);
  }

  /** Whether the host may have a site; undefined where the directory is not there to say. Throws StoreUnavailable. */
  async has(hostname: string): Promise<boolean | undefined> {
    const { freshMs, now } = this.#options;
    const hash = hostHash(hostname);
    const n = shardOf(hash);
    const held = this.#shards.get(n);
    // One that was removed since then costs a look at its site.json, see `doubt`.
    if (held?.hosts !== undefined && hasHash(held.hosts, hash)) return true;
    const isFresh = held !== undefined && now() - held.checkedAt < freshMs;
    const shard = isFresh ? held : await this.#reads.join(hostsKey(n), () => this.#read(n));
    return shard.hosts && hasHash(shard.hosts, hash);
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
