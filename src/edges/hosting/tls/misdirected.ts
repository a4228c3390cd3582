/**
 * Finds requests over TLS whose host is not the host of the connection. The answer is 421 (RFC 9110, section 15.5.20), and the client comes
 * back on a new connection.
 *
 * A session ticket of one host can open a connection for any other host, and then no certificate is chosen. So the Host of each request
 * decides: a host without a certificate is not served on a resumed connection.
 */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { parseHost } from '../lookup/parse-host.ts';
import type { KnownCertificates } from './known-certificates.ts';

/** Returns whether a request is on the wrong connection. Throws StoreUnavailable or Busy if we cannot tell. */
export function isMisdirected(
  socket: Socket,
  hostname: string,
  certificates: Pick<KnownCertificates, 'find'> | undefined,
): boolean | Promise<boolean> {
  if (certificates === undefined || !(socket instanceof TLSSocket)) return false;
  // `servername` is false if the client sent no name. It may be null in a resumed connection; Node's types lack that.
  const { servername } = socket as { servername: string | false | null };
  if (servername && servername !== hostname && parseHost(servername) !== hostname) return true;
  if (servername && !socket.isSessionReused()) return false;
  const context = certificates.find(hostname, socket);
  return context instanceof Promise ? context.then((found) => found === undefined) : context === undefined;
}
