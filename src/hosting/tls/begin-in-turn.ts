/**
 * Bounds how much handshakes delay everything else. The first message of a client costs us some 0.3 ms, and costs the
 * client nothing if it has prepared it. So one handshake begins in each turn of the event loop, and clients take turns:
 * a client that begins thousands of them delays itself. Nothing is refused here: the limits of connections bound how many
 * wait.
 */
import type { Socket } from 'node:net';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import type { Server } from 'node:tls';
import { Turns } from '../../platform/concurrency/turns.ts';
import type { OwnerOf } from '../client.ts';
import type { HandshakeCounts } from '../hosting-counts.ts';

export interface BeginInTurnOptions {
  readonly ownerOf: OwnerOf;
  /** How long a client may be silent after it connects. */
  readonly handshakeTimeoutMs: number;
  readonly counts: HandshakeCounts;
}

/** For a server that has all its listeners but does not listen yet. */
export function beginInTurn(server: Server, options: BeginInTurnOptions): void {
  const turns = new Turns(1);
  const listeners = server.rawListeners('connection');
  server.removeAllListeners('connection').on('connection', async (tcp: Socket) => {
    const first = await firstBytes(tcp, options.handshakeTimeoutMs);
    if (first !== 'there') {
      options.counts[first]++;
      tcp.destroy();
      return;
    }
    await turns.run(options.ownerOf(tcp) ?? '', async () => {
      if (tcp.destroyed) {
        options.counts.broken++;
        return;
      }
      for (const listener of listeners) listener.call(server, tcp);
      // The TLS server takes the bytes that are there on the next tick, so they are done with by then.
      await nextTurnOfLoop();
    });
  });
}

/** Leaves the bytes in the socket. A handshake that begins before they are there would take its time out of turn. */
function firstBytes(tcp: Socket, timeoutMs: number): Promise<'there' | 'timeout' | 'broken'> {
  const { promise, resolve } = Promise.withResolvers<'there' | 'timeout' | 'broken'>();
  const end = (how: 'there' | 'timeout' | 'broken') => {
    clearTimeout(timer);
    tcp.off('readable', look).off('close', leave);
    resolve(how);
  };
  const look = () => end(tcp.readableLength > 0 ? 'there' : 'broken');
  const leave = () => end('broken');
  const timer = setTimeout(end, timeoutMs, 'timeout');
  // It stays: an error that nobody listens to ends the process. A close follows.
  tcp.on('error', () => {});
  // Not `data`: a listener for it makes the socket flow, and the handshake would miss bytes.
  tcp.on('readable', look).on('close', leave);
  return promise;
}
