/** An ACME server and its resources, as the client shows them (RFC 8555, section 7.1; RFC 9773). */
import type { ExternalAccount } from './account-key.ts';
import type { AcmeProblem } from './acme-error.ts';

export interface AcmeServer {
  readonly directoryUrl: string;
  /** A profile that the directory lists. The client leaves it out if the server has no profiles. */
  readonly profile?: string | undefined;
  /** As in mailto:admin@example.com. */
  readonly contact?: readonly string[] | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
}

export interface Order {
  readonly url: string;
  readonly hostname: string;
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  readonly expires?: Date | undefined;
  readonly authorizations: readonly string[];
  readonly finalize: string;
  readonly certificate?: string | undefined;
  readonly error?: AcmeProblem | undefined;
  readonly retryAfterMs?: number | undefined;
}

export interface Authorization {
  readonly url: string;
  readonly hostname: string;
  readonly status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  readonly expires?: Date | undefined;
  /** http-01. Undefined if the server does not offer it, or if another challenge made the authorization valid. */
  readonly challenge?: Challenge | undefined;
  readonly retryAfterMs?: number | undefined;
}

interface Challenge {
  readonly url: string;
  /** Base64url, at most 256 characters. */
  readonly token: string;
  readonly status: 'pending' | 'processing' | 'valid' | 'invalid';
  readonly error?: AcmeProblem | undefined;
}

export interface RenewalInfo {
  readonly start: Date;
  readonly end: Date;
  /** When to ask again: after 1 minute to 1 day. */
  readonly retryAfterMs: number;
  readonly explanationUrl?: string | undefined;
}
