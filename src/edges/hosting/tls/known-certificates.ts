/**
 * Holds the secure contexts of hostnames with recent handshakes, and looks for newer certificates.
 *
 *   unknown  --found-->         held      answered from memory
 *   held     --after 30 s-->    held      answered from memory; meanwhile the store is asked for a newer certificate
 *   held     --after 60 s-->    held      waits for the read; the held certificate stays while the store fails or is slow
 *   held     --renewed-->       held      `site.json` has another digest: waits for the read, at most once in freshMs
 *   held     --damaged-->       held      a new object that we cannot use replaces nothing
 *   held     --absent-->        missing
 *   held     --no site-->       missing   at once: a deleted domain ends with its `site.json`
 *   unknown  --none-->          unknown   `site.json` says that there is no certificate
 *   unknown  --absent-->        missing   answered from memory for freshMs
 *   unknown  --damaged-->       missing   answered from memory for freshMs, and logged
 *   unknown  --failure-->       unknown   StoreUnavailable, or Busy
 *
 * Hostnames without a site, and sites without a certificate, cost no read beside those of `known-sites.ts`. So thousands of sites that wait
 * for their certificates use up no budget that hosts with a certificate need.
 */
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import {
  certificateKey,
  hostCertificateSchema,
  openCertificate,
} from '../../../features/sites/certificate.ts';
import { withinDeadline } from '../../../platform/concurrency/deadline.ts';
import { SingleFlight } from '../../../platform/concurrency/single-flight.ts';
import { contentDigest } from '../../../platform/content-digest.ts';
import type { KeyRing } from '../../../platform/key-ring.ts';
import { mostEntries } from '../../../platform/most-entries.ts';
import { readPrivateKey } from '../../../platform/x509/certificate-key.ts';
import { Busy } from '../bodies/busy.ts';
import type { Client, OwnerOf } from '../client.ts';
import type { CertificateCounts } from '../hosting-counts.ts';
import type { ReadObject } from '../lookup/guarded-storage.ts';
import type { LookUpOptions } from '../lookup/known-hosts.ts';
import { isOutage, type KnownSite, type KnownSites } from '../lookup/known-sites.ts';
import type { LookUpBudget } from '../lookup/look-up-budget.ts';
import { ColdLoads } from './cold-loads.ts';

type FoundContext = SecureContext | undefined;

interface Held {
  readonly context: SecureContext;
  /** The version of the certificate's object. */
  readonly version: string | undefined;
  readonly bytes: number;
  /** The digest of the certificate, as in `site.json`. */
  readonly digest: string;
  /** When the last read of the certificate began, or when a handshake stopped waiting for it. */
  checkedAt: number;
}

/** After this time, a handshake waits for a read. While the store fails, the held certificate stays in use. */
const MAX_AGE_MS = 60_000;
/** The time after which a certificate is read again. Handshakes use the held certificate meanwhile, and do not wait. */
const FRESH_MS = 30_000;
/** The longest time that a handshake waits for the store while we hold a certificate. */
const PATIENCE_MS = 500;
/** The most hosts in memory that have no certificate. With hostnames of 253 characters, these take 5 MB. */
const MAX_MISSING = 10_000;
/**
 * The memory of a context beside MEMORY_PER_OBJECT_BYTE. Measured, with native memory: 39 KiB for a chain of one certificate, 49 KiB for
 * two (an object of 3 kB), 84 KiB for eleven.
 */
const CONTEXT_BYTES = 28 * 1024;
const MEMORY_PER_OBJECT_BYTE = 7;

export interface KnownCertificatesOptions extends LookUpOptions {
  readonly keys: KeyRing;
  readonly sites: Pick<KnownSites, 'find'>;
  /** The budget of look-ups of hosts with a site and without a certificate. */
  readonly budget: LookUpBudget;
  readonly ownerOf: OwnerOf;
  readonly maxBytes: number;
  readonly counts: CertificateCounts;
  /** A function that is called when the certificate object of a hostname cannot be used. */
  readonly onDamage: (hostname: string, error: unknown) => void;
}

export class KnownCertificates {
  readonly #options: KnownCertificatesOptions;
  readonly #held: LRUCache<string, Held>;
  /** Maps each host without a certificate to the time when the read that found none began. */
  readonly #missing = new LRUCache<string, number>(mostEntries(MAX_MISSING));
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

  /** The memory of all cached certificates. */
  get bytes(): number {
    return this.#held.calculatedSize;
  }

  /** Returns whether a hostname has a site. Without a site, drops its certificate. Throws StoreUnavailable or Busy if we cannot tell. */
  async hasSite(hostname: string, client: Client): Promise<boolean> {
    const site = await this.#options.sites.find(hostname, client);
    if (site === undefined) this.#held.delete(hostname);
    return site !== undefined;
  }

  /**
   * Finds the context for handshakes of a hostname. Undefined if the hostname has no usable certificate, or no site. Use the context in
   * this turn of the event loop, because it may be closed in the next turn. Throws StoreUnavailable or Busy if we cannot tell.
   */
  find(hostname: string, client: Client): FoundContext | Promise<FoundContext> {
    const site = this.#options.sites.find(hostname, client);
    return site instanceof Promise
      ? this.#findLater(hostname, site, client)
      : this.#findForSite(hostname, site, client);
  }

  async #findLater(hostname: string, site: Promise<KnownSite | undefined>, client: Client) {
    const found = await site.catch((error) => {
      if (isOutage(error) && this.#held.has(hostname)) return { certificate: undefined };
      throw error;
    });
    return this.#findForSite(hostname, found, client);
  }

  /**
   * Finds the context of a hostname. Undefined without a site. `certificate`: the digest in `site.json`; null if there is no certificate;
   * undefined if an older version wrote `site.json`, or if it could not be read.
   */
  #findForSite(
    hostname: string,
    site: Pick<KnownSite, 'certificate'> | undefined,
    client: Client,
  ): FoundContext | Promise<FoundContext> {
    if (site === undefined) {
      this.#held.delete(hostname);
      return undefined;
    }
    const { certificate: digest } = site;
    const { counts, now, freshMs, budget, ownerOf } = this.#options;
    const held = this.#held.get(hostname);
    const owner = ownerOf(client);
    if (held !== undefined) {
      const age = now() - held.checkedAt;
      const isRenewed = typeof digest === 'string' && digest !== held.digest && age >= freshMs;
      if (isRenewed || age >= MAX_AGE_MS) return this.#revalidate(hostname, held, owner);
      counts.hits++;
      if (age >= FRESH_MS) void this.#revalidate(hostname, held, owner).catch(() => {});
      return held.context;
    }
    const missingAt = this.#missing.get(hostname);
    const isMissing = missingAt !== undefined && now() - missingAt < freshMs;
    if (isMissing || digest === null) {
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
      // The context may have been closed to make room. Then this handshake fails, and the next one loads the context again.
      return this.#held.peek(hostname) === held ? held.context : undefined;
    }
  }

  async #read(hostname: string, owner: string | undefined): Promise<SecureContext | undefined> {
    const { storage, now } = this.#options;
    // Take the time before the read, because the store may change at any moment of the read.
    const checkedAt = now();
    const key = certificateKey(hostname);
    const held = this.#held.peek(hostname);
    let answer = await storage.readIfChanged(key, held?.version);
    if (answer === 'unchanged') {
      if (this.#held.peek(hostname) === held) return this.#keep(held!, checkedAt);
      // The held context was closed to make room during the read, so `unchanged` is of no use.
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

  /** Makes a context of a certificate object. Throws any error if the object is damaged. */
  #open(hostname: string, bytes: Buffer): SecureContext {
    const certificate = hostCertificateSchema.parse(JSON.parse(bytes.toString()));
    if (certificate.hostname !== hostname) throw new Error(`the object is for ${certificate.hostname}`);
    const der = openCertificate(this.#options.keys, certificate);
    const key = readPrivateKey(der).export({ format: 'pem', type: 'pkcs8' });
    // Without `ca`, the first call parses all root certificates of Node, which only the check of client certificates needs.
    const context = createSecureContext({ key, cert: certificate.chain, ca: [] });
    this.#options.counts.opened++;
    return context;
  }

  /**
   * Closes a context, because the garbage collector does not see its native memory. A handshake that got the context in this turn of the
   * event loop still needs it, so the context is closed in the next turn.
   */
  #close(context: SecureContext): void {
    setImmediate(() => {
      this.#options.counts.closed++;
      (context.context as { close(): void }).close();
    });
  }
}
