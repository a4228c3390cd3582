/** The client of a request, for per-client limits. */
import { clientNetwork } from '../../platform/http/client-address.ts';

/** A client, known by the socket of the request. */
export interface Client {
  readonly remoteAddress?: string | undefined;
}

/**
 * Returns the owner of a client's shares and turns. Undefined for our own proxies, because each sends the requests of many clients. Looking
 * up the owner has a cost, so call this only when a limit needs the owner.
 */
export type OwnerOf = (client: Client) => string | undefined;

export function ownersApartFrom(isTrusted: (address: string | undefined) => boolean): OwnerOf {
  return ({ remoteAddress }) =>
    isTrusted(remoteAddress) ? undefined : (clientNetwork(remoteAddress) ?? 'unknown');
}
