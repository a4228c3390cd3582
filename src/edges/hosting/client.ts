/** The client of a request, for per-client limits. */
import { clientNetwork } from '../../platform/http/client-address.ts';

/** A client, as the socket of its request shows it. */
export interface Client {
  readonly remoteAddress?: string | undefined;
}

/**
 * Returns the owner of a client's shares and turns. Undefined for one of our own proxies, because a proxy sends the requests of many
 * clients. The call has a cost, so call this only when a limit needs the owner.
 */
export type OwnerOf = (client: Client) => string | undefined;

/** `isTrusted`: returns whether an address is one of our own proxies. */
export function ownersApartFrom(isTrusted: (address: string | undefined) => boolean): OwnerOf {
  return ({ remoteAddress }) =>
    isTrusted(remoteAddress) ? undefined : (clientNetwork(remoteAddress) ?? 'unknown');
}
