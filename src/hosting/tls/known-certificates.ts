/**
 * Holds the secure context of each hostname whose certificate was asked for a short time ago, and looks for newer ones.
 *
 *   unknown  --found-->         held      answered from memory
 *   held     --after 30 s-->    held      answered from memory, and read again behind it if it has changed
 *   held     --after 60 s-->    held      the same, but waits for the read; kept while the store fails or is slow
 *   held     --renewed-->       held      site.json names another content: the same, at once
 *   held     --damaged-->       held      a new object that we cannot use replaces nothing
 *   held     --absent-->        missing
 *   held     --no site-->       missing   at once: a deleted domain ends with its `site.json`
 *   unknown  --absent-->        missing   answered from memory for freshMs
 *   unknown  --damaged-->       missing   the same, with a complaint
 *   unknown  --failure-->       unknown   StoreUnavailable, or Busy
 *
 * Names without a site cost what `known-sites.ts` says, and not a read more.
 */
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { DeadlinePassed, withinDeadline } from '../../platform/concurrency/deadline.ts';
import { SingleFlight } from '../../platform/concurrency/single-flight.ts';
import { contentDigest } from '../../platform/content-digest.ts';
import type { KeyRing } from '../../platform/key-ring.ts';
import { readPrivateKey } from '../../platform/x509/certificate-key.ts';
import { certificateKey, hostCertificateSchema, openCertificate } from '../../sites/certificate.ts';
import { Busy } from '../bodies/busy.ts';
import { type Soon, whenFails, whenThere } from '../bodies/soon.ts';
import type { Client, OwnerOf } from '../client.ts';
import type { CertificateCounts } from '../hosting-counts.ts';
import { type GuardedStorage, type ReadObject, StoreUnavailable } from '../lookup/guarded-storage.ts';
import type { KnownSites } from '../lookup/known-sites.ts';
import type { LookUpBudget } from '../lookup/look-up-budget.ts';
import { ColdLoads } from './cold-loads.ts';

/** What `site.json` names; `digest` is null if it says nothing. Undefined: there is no site. */
type NamedCertificate = { readonly digest: string | null } | undefined;

interface Held {
  readonly context: SecureContext;
  /** Of the object. */
  readonly version: string | undefined;
  readonly bytes: number;
  /** As in `site.json`. */
  readonly digest: string;
  /** When the last read began, or when we stopped waiting for it. */
  checkedAt: number;
}

/** A deleted certificate is used for so long at most. A handshake within the first half never waits. */
const MAX_AGE_MS = 60_000;
const FRESH_MS = 30_000;
/** How long a handshake waits for the store while we hold a certificate. */
const PATIENCE_MS = 500;
/** Hostnames have up to 253 characters, so this is 5 MB at most. */
const MAX_MISSING = 10_000;
/** Measured, native memory included: 39 KiB with one certificate, 49 with two (an object of 3 kB), 84 with eleven. */
const CONTEXT_BYTES = 28 * 1024;
const MEMORY_PER_OBJECT_BYTE = 7;

export interface KnownCertificatesOptions {
  readonly storage: GuardedStorage;
  readonly keys: KeyRing;
  readonly sites: Pick<KnownSites, 'find'>;
  /** For hosts with a site and without a certificate. */
  readonly budget: LookUpBudget;
  readonly ownerOf: OwnerOf;
  readonly maxBytes: number;
  /** How long a missing certificate is believed to be missing. */
  readonly freshMs: number;
  readonly counts: CertificateCounts;
  /** The object of a hostname cannot be used. */
  readonly onDamage: (hostname: string, error: unknown) => void;
  readonly now: () => number;
}

export class KnownCertificates {
  readonly #options: KnownCertificatesOptions;
  readonly #held: LRUCache<string, Held>;
  /** When the read that found no certificate began. */
  readonly #missing = new LRUCache<string, number>({ max: MAX_MISSING });
  readonly #lookUps = new SingleFlight<SecureContext | undefined>();
  readonly #coldLoads = new ColdLoads();

  constructor(options: KnownCertificatesOptions) {
    this.#options = options;
    this.#held = new LRUCache({
      maxSize: options.maxBytes,
      sizeCalculation: ({ bytes }) => CONTEXT_BYTES + MEMORY_PER_OBJECT_BYTE * bytes,
      dispose: ({ context }) => this.#close(context),
    });
  }

  /** How many are held. */
  get size(): number {
    return this.#held.size;
  }

  /** Memory in use. */
  get bytes(): number {
    return this.#held.calculatedSize;
  }

  /** Without a site, nothing is held of a hostname any longer. Throws StoreUnavailable or Busy if we cannot tell. */
  hasSite(hostname: string, client: Client): Soon<boolean> {
    return whenThere(this.#options.sites.find(hostname, client), (site) => {
      if (site === undefined) this.#held.delete(hostname);
      return site !== undefined;
    });
  }

  /**
   * The context for handshakes of a hostname; undefined if it has no certificate that we can use, or no site. Use it
   * before the next turn of the event loop: it may be closed then. Throws StoreUnavailable or Busy if we cannot tell.
   */
  find(hostname: string, client: Client): Soon<SecureContext | undefined> {
    const digest = whenFails<NamedCertificate>(
      () =>
        whenThere(this.#options.sites.find(hostname, client), (site) => site && { digest: site.certificate }),
      (error) => {
        if (isOutage(error) && this.#held.has(hostname)) return { digest: null };
        throw error;
      },
    );
    return whenThere(digest, (named) => {
      if (named !== undefined) return this.#findForSite(hostname, named.digest, client);
      this.#held.delete(hostname);
      return undefined;
    });
  }

  /** `digest`: that of `site.json`; null if it says nothing. */
  #findForSite(hostname: string, digest: string | null, client: Client): Soon<SecureContext | undefined> {
    const { counts, now, freshMs, budget, ownerOf } = this.#options;
    const held = this.#held.get(hostname);
    const owner = ownerOf(client);
    if (held !== undefined) {
      const age = now() - held.checkedAt;
      const isRenewed = digest !== null && digest !== held.digest && age >= freshMs;
      if (isRenewed || age >= MAX_AGE_MS) return this.#revalidate(hostname, held, owner);
      counts.hits++;
      if (age >= FRESH_MS) void this.#revalidate(hostname, held, owner).catch(() => {});
      return held.context;
    }
    const missingAt = this.#missing.get(hostname);
    if (missingAt !== undefined && now() - missingAt < freshMs) {
      counts.hits++;
      return undefined;
    }
    counts.misses++;
    return this.#lookUps.join(hostname, () => budget.spend(owner, () => this.#read(hostname, owner)));
  }

  async #revalidate(hostname: string, held: Held, owner: string | undefined) {
    try {
      const look = this.#lookUps.join(hostname, () => this.#read(hostname, owner));
      return await withinDeadline(look, PATIENCE_MS);
    } catch (error) {
      if (!isOutage(error)) throw error;
      held.checkedAt = this.#options.now();
      // It may have been closed to make room. A new handshake of the client finds that out.
      return this.#held.peek(hostname) === held ? held.context : undefined;
    }
  }

  async #read(hostname: string, owner: string | undefined): Promise<SecureContext | undefined> {
    const { storage, now } = this.#options;
    // Taken before the read: the answer may be that old.
    const checkedAt = now();
    const key = certificateKey(hostname);
    const held = this.#held.peek(hostname);
    let answer = await storage.readIfChanged(key, held?.version);
    if (answer === 'unchanged') {
      if (this.#held.peek(hostname) === held) return this.#keep(held!, checkedAt);
      // It was closed to make room meanwhile.
      answer = await storage.read(key);
    }
    if (answer === undefined) {
      this.#held.delete(hostname);
      this.#missing.set(hostname, checkedAt);
      return undefined;
    }
    return this.#load(hostname, answer, checkedAt, owner);
  }

  async #load(hostname: string, object: ReadObject, checkedAt: number, owner = '') {
    try {
      const context = await this.#coldLoads.run(owner, () => this.#open(hostname, object.bytes));
      const { version, bytes } = object;
      const digest = contentDigest([bytes]);
      this.#held.set(hostname, { context, version, bytes: bytes.length, digest, checkedAt });
      this.#missing.delete(hostname);
      return context;
    } catch (error) {
      if (error instanceof Busy) throw error;
      this.#options.counts.failures++;
      this.#options.onDamage(hostname, error);
      const held = this.#held.peek(hostname);
      if (held !== undefined) return this.#keep(held, checkedAt);
      this.#missing.set(hostname, checkedAt);
      return undefined;
    }
  }

  #keep(held: Held, checkedAt: number): SecureContext {
    held.checkedAt = checkedAt;
    return held.context;
  }

  /** Throws whatever is wrong with the object. */
  #open(hostname: string, bytes: Buffer): SecureContext {
    const certificate = hostCertificateSchema.parse(JSON.parse(bytes.toString()));
    if (certificate.hostname !== hostname) throw new Error(`the object is for ${certificate.hostname}`);
    const der = openCertificate(this.#options.keys, certificate);
    const key = readPrivateKey(der).export({
      format: 'pem',
      type: 'pkcs8',
    });
    // Without `ca`, the first call parses all root certificates of Node, which only certificates of clients need.
    const context = createSecureContext({ key, cert: certificate.chain, ca: [] });
    this.#options.counts.opened++;
    return context;
  }

  /**
   * The garbage collector does not see the native memory of a context. A handshake that was given it in this turn of
   * the event loop still needs it.
   */
  #close(context: SecureContext): void {
    setImmediate(() => {
      this.#options.counts.closed++;
      (context.context as { close(): void }).close();
    });
  }
}

function isOutage(error: unknown): boolean {
  return [StoreUnavailable, DeadlinePassed, Busy].some((kind) => error instanceof kind);
}
