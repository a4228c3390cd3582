/**
 * Refuses handshakes for names without a site before they begin. An alert of 7 bytes costs a fifth of what OpenSSL needs to
 * answer a first message, and strangers can send prepared ones by the thousand.
 */
import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { meetConnections } from '../../platform/http/meet-connections.ts';
import { whenFails, whenThere } from '../bodies/soon.ts';
import type { HandshakeCounts } from '../hosting-counts.ts';
import { parseHost } from '../lookup/parse-host.ts';
import { nameInClientHello } from './client-hello.ts';
import type { KnownCertificates } from './known-certificates.ts';

/** A fatal alert, `unrecognized_name` (RFC 8446, section 6.2). */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

export interface RefuseUnknownNamesOptions {
  readonly certificates: Pick<KnownCertificates, 'hasSite'>;
  readonly handshakeTimeoutMs: number;
  readonly counts: HandshakeCounts;
}

/** For a server that has all its listeners but does not listen yet. */
export function refuseUnknownNames(
  server: Server,
  { certificates, handshakeTimeoutMs, counts }: RefuseUnknownNamesOptions,
): void {
  const refuse = (tcp: Socket) => {
    counts.unknownName++;
    tcp.end(UNRECOGNIZED_NAME);
    tcp.destroySoon();
  };
  const judge = (tcp: Socket, firstBytes: Buffer, accept: (tcp: Socket) => void) => {
    const hostname = parseHost(nameInClientHello(firstBytes));
    if (hostname === undefined) return accept(tcp);
    // If we cannot tell, the handshake says why.
    const hasSite = whenFails(
      () => certificates.hasSite(hostname, tcp),
      () => true,
    );
    void whenThere(hasSite, (has) => {
      if (tcp.destroyed) return;
      if (has) accept(tcp);
      else refuse(tcp);
    });
  };
  meetConnections(server, (tcp, accept) => {
    const end = () => {
      clearTimeout(timer);
      tcp.off('readable', read).off('end', giveUp);
    };
    const giveUp = () => {
      end();
      counts.broken++;
      tcp.destroy();
    };
    const read = () => {
      const bytes: Buffer | null = tcp.read();
      if (bytes === null) return;
      // At once: `unshift` makes the socket readable again.
      end();
      tcp.unshift(bytes);
      judge(tcp, bytes, accept);
    };
    const timer = setTimeout(() => {
      end();
      counts.timeout++;
      tcp.destroy();
    }, handshakeTimeoutMs);
    // Not `data`: a listener for it makes the socket flow, and the handshake would miss bytes.
    tcp
      .on('readable', read)
      .on('end', giveUp)
      .on('close', end)
      .on('error', () => {});
  });
}
