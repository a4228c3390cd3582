/**
 * Reads the server name from the first message of a TLS client, before OpenSSL spends a key exchange on it:
 *
 *   record     type 22 · version (2) · length (2) · message            RFC 8446, section 5.1
 *   message    type 1 · length (3) · version (2) · random (32) · session id (1 + n) · cipher suites (2 + n)
 *              · compression (1 + n) · extensions (2 + n)               section 4.1.2
 *   extension  type (2) · length (2) · data                             section 4.2
 *   type 0     length of the list (2) · type of the name, 0 · name (2 + n)   RFC 6066, section 3
 */
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/** The place of the session id, after the header of the record (5 bytes), the header of the message (4), the version and the random. */
const SESSION_ID_AT = 5 + 4 + 2 + 32;

/** Returns the server name. Undefined if `bytes` have no server name, or are no first message. Then OpenSSL judges the bytes. */
export function nameInClientHello(bytes: Buffer): string | undefined {
  if (bytes[0] !== HANDSHAKE || bytes[5] !== CLIENT_HELLO) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    let at = SESSION_ID_AT;
    at += 1 + view.getUint8(at);
    at += 2 + view.getUint16(at);
    at += 1 + view.getUint8(at);
    const end = at + 2 + view.getUint16(at);
    at += 2;
    while (at < end) {
      const type = view.getUint16(at);
      const length = view.getUint16(at + 2);
      if (type === SERVER_NAME) return nameAt(view, bytes, at + 4);
      at += 4 + length;
    }
  } catch {
    // The message goes on in another record or segment, or one of its lengths is wrong.
  }
  return undefined;
}

function nameAt(view: DataView, bytes: Buffer, at: number): string | undefined {
  if (view.getUint8(at + 2) !== HOST_NAME) return undefined;
  const length = view.getUint16(at + 3);
  const start = at + 5;
  return start + length > bytes.length ? undefined : bytes.toString('latin1', start, start + length);
}
