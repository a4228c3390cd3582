/**
 * Splits the bytes of a Postgres connection without TLS into round trips:
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 *
 * ```
 * request                                     response
 * startup (and passwords, which are skipped)  authentication … ReadyForQuery
 * Query                                       … ReadyForQuery
 * Parse, Bind, Describe, Execute … Sync       … ReadyForQuery
 * ```
 */
import type { Message, MessageReader, Piece, Unanswered } from './message-pieces.ts';

/** Messages that belong to a request which ends with Sync. */
const REQUEST_PARTS = 'PBDECH';
/** Messages that the server sends unasked: NoticeResponse, ParameterStatus, NotificationResponse. */
const UNASKED = 'NSA';
const RESPONSE_END = 'Z';

export function readPostgresRequests(unanswered: Unanswered): MessageReader {
  const prepared = new Map<string, string>();
  let isStarted = false;
  let isWithin = false;

  function describe(type: string, body: Buffer): Message {
    if (type === 'Q') return { sql: textAt(body, 0) };
    if (type === 'P') return { sql: textAt(body, textAt(body, 0).length + 1) };
    const statement = type === 'B' ? prepared.get(textAt(body, body.indexOf(0) + 1)) : undefined;
    return statement === undefined ? {} : { sql: statement };
  }
  function begin(message: Message): Message {
    unanswered.push(message);
    return message;
  }
  function* judge(bytes: Buffer): Generator<Piece> {
    if (!isStarted) {
      isStarted = true;
      yield { bytes, begins: begin({ method: 'CONNECT' }), ends: true };
      return;
    }
    const type = String.fromCharCode(bytes[0]!);
    const body = bytes.subarray(5);
    if (type === 'P') {
      const name = textAt(body, 0);
      prepared.set(name, textAt(body, Buffer.byteLength(name) + 1));
    }
    if (type === 'Q') yield { bytes, begins: begin(describe(type, body)), ends: true };
    else if (REQUEST_PARTS.includes(type) && !isWithin) {
      isWithin = true;
      yield { bytes, begins: begin(describe(type, body)) };
    } else if (type === 'S' && isWithin) {
      isWithin = false;
      yield { bytes, ends: true };
    } else if (type === 'S') yield { bytes, begins: begin({}), ends: true };
    else yield { bytes };
  }
  return framed(judge, () => !isStarted);
}

export function readPostgresResponses(unanswered: Unanswered): MessageReader {
  let isWithin = false;
  return framed(function* (bytes) {
    const type = String.fromCharCode(bytes[0]!);
    if (UNASKED.includes(type)) {
      yield { bytes };
      return;
    }
    const begins = isWithin ? undefined : (unanswered.shift() ?? {});
    const ends = type === RESPONSE_END;
    isWithin = !ends;
    yield { bytes, ...(begins && { begins }), ...(ends && { ends }) };
  });
}

/** Cuts bytes into messages: a type byte, a length, a body. A client's first message has no type byte. */
function framed(judge: (message: Buffer) => Iterable<Piece>, isWithoutType = () => false): MessageReader {
  let held: Buffer = Buffer.alloc(0);
  return {
    *read(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (;;) {
        const lengthAt = isWithoutType() ? 0 : 1;
        if (held.length < lengthAt + 4) return;
        const end = lengthAt + held.readInt32BE(lengthAt);
        if (held.length < end) return;
        const message = held.subarray(0, end);
        held = held.subarray(end);
        yield* judge(message);
      }
    },
  };
}

function textAt(body: Buffer, from: number): string {
  return body.toString('utf8', from, body.indexOf(0, from));
}
