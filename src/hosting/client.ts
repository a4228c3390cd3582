/** The client of a request, for per-client limits. Its owner is computed only when a limit needs it. */
import { clientNetwork } from '../platform/http/client-address.ts';

/** The socket of the request. */
export interface Client {
  readonly remoteAddress?: string | undefined;
}

/** The owner of shares and turns. Undefined for our own proxies: they speak for many clients. */
export type OwnerOf = (client: Client) => string | undefined;

export function ownersApartFrom(isTrusted: (address: string | undefined) => boolean): OwnerOf {
  return ({ remoteAddress }) =>
    isTrusted(remoteAddress) ? undefined : (clientNetwork(remoteAddress) ?? 'unknown');
}
