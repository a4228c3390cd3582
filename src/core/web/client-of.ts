/** The client of a request, as limits count it (`platform/http/client-address.ts`). */
import type { Request } from 'express';
import { clientNetwork } from '../../platform/http/client-address.ts';

/** Returns the client of a request. `ip` is not always an address: a proxy passes on any text of its client. */
export function clientOf({ ip, socket }: Request): string {
  return clientNetwork(ip) ?? clientNetwork(socket.remoteAddress) ?? 'unknown';
}
