/** Who asks, for limits that hold for each client: known only where one is looked at. */
import { clientNetwork } from '../platform/http/client-address.ts';

/** The socket of the request. */
export interface Client {
  readonly remoteAddress?: string | undefined;
}

/** The owner of shares and turns; undefined for our own proxies, which speak for many. */
export type OwnerOf = (client: Client) => string | undefined;

export function ownersApartFrom(isTrusted: (address: string | undefined) => boolean): OwnerOf {
  return ({ remoteAddress }) =>
    isTrusted(remoteAddress) ? undefined : (clientNetwork(remoteAddress) ?? 'unknown');
}
