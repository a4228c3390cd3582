/**
 * Requests over TLS for a host that their connection is not for. The answer is 421 (RFC 9110, section 15.5.20), and the
 * client comes back on a new connection.
 *
 * A session ticket of one host opens a connection for any other, and no certificate is chosen for it. So the Host of each
 * request decides: a host without a certificate is not served on a resumed connection.
 */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Soon, whenThere } from '../bodies/soon.ts';
import { parseHost } from '../lookup/parse-host.ts';
import type { KnownCertificates } from './known-certificates.ts';

/** Throws StoreUnavailable or Busy if we cannot tell. */
export function isMisdirected(
  socket: Socket,
  hostname: string,
  certificates: Pick<KnownCertificates, 'find'> | undefined,
): Soon<boolean> {
  if (certificates === undefined || !(socket instanceof TLSSocket)) return false;
  // Without a name: false. Node's types do not know null, which clients that resume can cause.
  const { servername } = socket as { servername: string | false | null };
  if (servername && servername !== hostname && parseHost(servername) !== hostname) return true;
  if (servername && !socket.isSessionReused()) return false;
  return whenThere(certificates.find(hostname, socket), (context) => context === undefined);
}
