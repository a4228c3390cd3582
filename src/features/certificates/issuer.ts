/** The interface of all certificate authorities, and the ways in which they fail. */
import type { RenewalWindow } from '../../platform/acme/acme-resources.ts';
import type { Sealed } from '../../platform/key-ring.ts';

/** An order under way, which another process can continue. */
export interface SavedOrder {
  readonly directory: string;
  readonly url: string;
  /** The private key of the future certificate. */
  readonly key: Sealed;
}

/** The name of a certificate at the authority that issued it. */
export interface IssuedAt {
  /** The directory of the authority; null for the local authority. */
  readonly directory: string | null;
  /** The certificate's ARI id (RFC 9773); null for an authority without ARI. */
  readonly ariId: string | null;
}

export interface IssuanceRequest {
  readonly hostname: string;
  /** The target of the CNAME record; undefined for the API's own hostname, which may lead anywhere. */
  readonly cnameTarget: string | undefined;
  /** The order of an attempt that was interrupted. */
  readonly order: SavedOrder | undefined;
  /** The certificate that the new one replaces. */
  readonly former: IssuedAt | undefined;
  /** The time by the clock of the database. */
  readonly now: Date;
  /** Saves the order under way; undefined: the order has ended. Throws LeaseLost. */
  saveOrder(order: SavedOrder | undefined): Promise<void>;
  /** The signal that ends the work when the lease may be lost, because another process may then take it. */
  readonly signal: AbortSignal;
}

export interface IssuedCertificate extends Pick<IssuedAt, 'directory'> {
  /** The chain in PEM: the certificate of the hostname, then the intermediate ones. */
  readonly chain: string;
  /** The private key, as PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
}

export interface Issuer {
  /** Issues a certificate. Throws IssuanceError or LeaseLost. */
  issue(request: IssuanceRequest): Promise<IssuedCertificate>;
  /** Asks for the renewal window. Returns undefined if the authority names none. Throws if the authority does not answer. */
  renewalWindow(certificate: IssuedAt): Promise<RenewalWindow | undefined>;
  /** Returns how many new orders the limits allow now. */
  room(): Promise<number>;
}

/**
 * - `refused`: the authority does not issue for this hostname, and a new attempt within minutes has the same result.
 * - `failed`: the hostname is not set up: its DNS records or the answers of its port 80 are wrong.
 * - `unavailable`: the authority or a part of Waypost does not work at the moment. The customer can do nothing about it.
 */
export type IssuanceFailure = 'refused' | 'failed' | 'unavailable';

/** The failure of an issuance. The message tells the customer the state that was found, the wanted state, and the cure. */
export class IssuanceError extends Error {
  readonly failure: IssuanceFailure;
  /** The time before which another attempt fails for the same reason. 0 if we do not know. */
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
