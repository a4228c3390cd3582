/** What every certificate authority of ours does, and how it fails. */
import type { Sealed } from '../platform/key-ring.ts';

/** An order under way. Another process can go on with it. */
export interface SavedOrder {
  readonly directory: string;
  readonly url: string;
  /** The private key of the certificate to be. */
  readonly key: Sealed;
}

export interface IssuanceRequest {
  readonly hostname: string;
  readonly cnameTarget: string;
  /** Of an attempt that was interrupted. */
  readonly order: SavedOrder | undefined;
  /** The certificate that the new one replaces. */
  readonly former: { readonly directory: string | null; readonly ariId: string | null } | undefined;
  /** By the clock of the database. */
  readonly now: Date;
  /** Undefined: the order has ended. Throws LeaseLost. */
  saveOrder(order: SavedOrder | undefined): Promise<void>;
  /** Aborted when another process may take over. */
  readonly signal: AbortSignal;
}

export interface IssuedCertificate {
  /** PEM: the certificate of the hostname, then the intermediate ones. */
  readonly chain: string;
  /** PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
  /** Of the authority; null for the local one. */
  readonly directory: string | null;
}

/** When the authority wants a certificate to be renewed (RFC 9773), and when to ask again. */
export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
  readonly askAgainMs: number;
}

export interface Issuer {
  /** Throws IssuanceError or LeaseLost. */
  issue(request: IssuanceRequest): Promise<IssuedCertificate>;
  /** Undefined if the authority does not say. Throws IssuanceError. */
  renewalWindow(certificate: {
    readonly directory: string | null;
    readonly ariId: string | null;
  }): Promise<RenewalWindow | undefined>;
}

/**
 * - `refused`: the authority does not issue for this hostname, and will not soon.
 * - `failed`: the hostname is not set up: its DNS, or what its port 80 answers.
 * - `unavailable`: the authority, or a part of Waypost, does not work at the moment. It is not the customer's fault.
 */
export type IssuanceFailure = 'refused' | 'failed' | 'unavailable';

/** `message`: for the customer. It says what was found, what is wanted, and the cure. */
export class IssuanceError extends Error {
  readonly failure: IssuanceFailure;
  /** No earlier attempt makes sense. */
  readonly retryAfterMs: number;

  constructor(
    failure: IssuanceFailure,
    message: string,
    { retryAfterMs = 0, cause }: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Another process works on the certificate now, or the domain is gone. */
export class LeaseLost extends Error {}
