/** The interface of all certificate authorities, and the ways in which they fail. */
import type { Sealed } from '../../platform/key-ring.ts';

/** An order under way, which another process can continue. */
export interface SavedOrder {
  readonly directory: string;
  readonly url: string;
  /** The private key of the future certificate. */
  readonly key: Sealed;
}

export interface IssuanceRequest {
  readonly hostname: string;
  /** The target of the CNAME record; undefined for the API's own hostname, which may lead anywhere. */
  readonly cnameTarget: string | undefined;
  /** The order of an attempt that was interrupted. */
  readonly order: SavedOrder | undefined;
  /** The certificate that the new one replaces. */
  readonly former: { readonly directory: string | null; readonly ariId: string | null } | undefined;
  /** The time by the clock of the database. */
  readonly now: Date;
  /** Saves the order under way; undefined: the order has ended. Throws LeaseLost. */
  saveOrder(order: SavedOrder | undefined): Promise<void>;
  /** The signal that aborts when another process may take over. */
  readonly signal: AbortSignal;
}

export interface IssuedCertificate {
  /** The chain in PEM: the certificate of the hostname, then the intermediate ones. */
  readonly chain: string;
  /** The private key, as PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
  /** The directory of the authority; null for the local authority. */
  readonly directory: string | null;
}

/** The period in which the authority wants a certificate to be renewed (RFC 9773), and the time until the next question. */
export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
  readonly askAgainMs: number;
}

export interface Issuer {
  /** Issues a certificate. Throws IssuanceError or LeaseLost. */
  issue(request: IssuanceRequest): Promise<IssuedCertificate>;
  /** Asks for the renewal window. Returns undefined if the authority names none. Throws if the authority does not answer. */
  renewalWindow(certificate: {
    readonly directory: string | null;
    readonly ariId: string | null;
  }): Promise<RenewalWindow | undefined>;
}

/**
 * - `refused`: the authority does not issue for this hostname, and a new attempt soon has the same result.
 * - `failed`: the hostname is not set up: its DNS records or the answers of its port 80 are wrong.
 * - `unavailable`: the authority or a part of Waypost does not work at the moment. The customer can do nothing about it.
 */
export type IssuanceFailure = 'refused' | 'failed' | 'unavailable';

/** The failure of an issuance. `message`: tells the customer the state that was found, the wanted state, and the cure. */
export class IssuanceError extends Error {
  readonly failure: IssuanceFailure;
  /** The time for which another attempt makes no sense. */
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
