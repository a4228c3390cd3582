/** An ACME server and its resources, as the client shows them (RFC 8555, section 7.1; RFC 9773). */
import type { z } from 'zod';
import type { ExternalAccount } from './account-key.ts';
import type { authorizationSchema, http01Schema, orderSchema } from './acme-shapes.ts';

export interface AcmeServer {
  readonly directoryUrl: string;
  /** A profile that the directory lists. The client leaves it out if the server has no profiles. */
  readonly profile?: string | undefined;
  /** URLs of the account's people, as in mailto:admin@example.com. */
  readonly contact?: readonly string[] | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
}

interface Resource {
  readonly url: string;
  readonly hostname: string;
  /** The pause that the server asks for before the next request for this resource. */
  readonly retryAfterMs: number | undefined;
}

export type Order = Resource & Readonly<Omit<z.infer<typeof orderSchema>, 'identifiers'>>;

export interface Authorization
  extends Resource,
    Readonly<Pick<z.infer<typeof authorizationSchema>, 'status'>> {
  /** The http-01 challenge. Undefined if the server does not offer it, or if another challenge made the authorization valid. */
  readonly challenge: z.infer<typeof http01Schema> | undefined;
}

/** The period in which the authority wants a certificate to be renewed (RFC 9773). */
export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
  /** The time until the next question about the window: 1 minute to 1 day. */
  readonly askAgainMs: number;
}
