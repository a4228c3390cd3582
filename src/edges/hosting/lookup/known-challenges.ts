/**
 * Answers the challenges of certificate authorities from `challenges/<hostname>.json`, whether or not the host has a site. Any number of
 * requests for a host costs the store one read per `freshMs`. Only hosts outside the host directory share a budget of look-ups. So
 * strangers who invent hosts keep no host of the directory from its certificate.
 */
import { LRUCache } from 'lru-cache';
import {
  challengeKey,
  type HostChallenge,
  hostChallengeSchema,
} from '../../../features/sites/certificate.ts';
import { SingleFlight } from '../../../platform/concurrency/single-flight.ts';
import { mostEntries } from '../../../platform/most-entries.ts';
import type { Client, OwnerOf } from '../client.ts';
import type { KnownHosts, LookUpOptions } from './known-hosts.ts';
import type { LookUpBudget } from './look-up-budget.ts';

interface Seen {
  readonly challenge: HostChallenge | undefined;
  /** When the read of the challenge began. */
  readonly checkedAt: number;
}

/** The most hosts in memory. They take 6 MB at most: a challenge has some 300 bytes, and a hostname up to 253. */
const MAX_SEEN = 10_000;

export interface KnownChallengesOptions extends LookUpOptions {
  readonly hosts: KnownHosts;
  /** The budget of look-ups of hosts that are not in the host directory. */
  readonly budget: LookUpBudget;
  readonly ownerOf: OwnerOf;
}

export class KnownChallenges {
  readonly #options: KnownChallengesOptions;
  readonly #seen = new LRUCache<string, Seen>(mostEntries(MAX_SEEN));
  readonly #lookUps = new SingleFlight<HostChallenge | undefined>();

  constructor(options: KnownChallengesOptions) {
    this.#options = options;
  }

  /** Finds the key authorization for exactly this host and this token. Throws StoreUnavailable or Busy if we cannot tell. */
  async find(hostname: string, token: string, client: Client): Promise<string | undefined> {
    const { now, freshMs } = this.#options;
    const seen = this.#seen.get(hostname);
    const isFresh = seen !== undefined && now() - seen.checkedAt < freshMs;
    const challenge = isFresh
      ? seen.challenge
      : await this.#lookUps.join(hostname, () => this.#lookUp(hostname, client));
    const isAsked = challenge?.hostname === hostname && challenge.token === token;
    return isAsked ? challenge.keyAuthorization : undefined;
  }

  async #lookUp(hostname: string, client: Client): Promise<HostChallenge | undefined> {
    const { hosts, budget, ownerOf } = this.#options;
    const isListed = !hosts.isUnlisted(hostname) && (await hosts.has(hostname));
    const read = () => this.#read(hostname);
    return isListed ? read() : budget.spend(ownerOf(client), read);
  }

  async #read(hostname: string): Promise<HostChallenge | undefined> {
    const { storage, now } = this.#options;
    // Take the time before the read, because the store may change at any moment of the read.
    const checkedAt = now();
    const key = challengeKey(hostname);
    const object = await storage.read(key);
    const challenge = object && storage.parse(key, object.bytes, hostChallengeSchema);
    this.#seen.set(hostname, { challenge, checkedAt });
    return challenge;
  }
}
