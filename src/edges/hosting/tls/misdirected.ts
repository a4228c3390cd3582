/**
 * Finds requests over TLS whose host is not the host of the connection. The answer is 421 (RFC 9110, section 15.5.20), and the client comes
 * back on a new connection.
 *
 * A session ticket of one host can open a connection for any other host without the choice of a certificate. So on a resumed connection, a
 * request is served only if its Host has a certificate.
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
  // `servername` is false if the client sent no name. In a resumed connection it may be null, which Node's types lack.
  const { servername } = socket as { servername: string | false | null };
  if (servername && servername !== hostname && parseHost(servername) !== hostname) return true;
  if (servername && !socket.isSessionReused()) return false;
  const context = certificates.find(hostname, socket);
  return context instanceof Promise ? context.then((found) => found === undefined) : context === undefined;
}
