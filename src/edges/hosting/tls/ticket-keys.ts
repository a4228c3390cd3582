/**
 * The key of session tickets. All processes with the same CERTIFICATE_KEYS derive the same key, so a session that began at one process
 * resumes at any other. The key changes every 12 hours: a thief of the key can read at most the resumed sessions of that time.
 *
 * A ticket with the previous key is no error: the client makes a full handshake. The clocks of machines differ, and each process looks at
 * the time once a minute. So some sessions do not resume in the minute around a change of the key.
 */
import type { Server } from 'node:tls';
import type { KeyRing } from '../../../platform/key-ring.ts';

const EPOCH_MS = 12 * 3_600_000;
/** The interval between looks at the time. */
const LOOK_MS = 60_000;
/** The size that Node's TLS servers take: a name, an HMAC key and an AES key of 16 bytes each. */
const TICKET_KEY_BYTES = 48;

export function ticketKeysAt(keys: KeyRing, nowMs: number): Buffer {
  return keys.derive(`session tickets ${Math.floor(nowMs / EPOCH_MS)}`, TICKET_KEY_BYTES);
}

/** Sets the current ticket key once a minute, until the server closes. */
export function renewTicketKeys(server: Server, keys: KeyRing, now: () => number): void {
  const timer = setInterval(() => server.setTicketKeys(ticketKeysAt(keys, now())), LOOK_MS).unref();
  server.once('close', () => clearInterval(timer));
}
