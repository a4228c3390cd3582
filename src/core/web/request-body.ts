/**
 * Reads the body of a request as a stream of chunks, with a maximum size and a minimum pace (`watch-pace.ts`).
 *
 * The reader takes chunks from 'data' events into a short queue. It does not iterate the request: if a reader stops an iteration early,
 * Node destroys the socket, and with it the answer that says why.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../../platform/error-code.ts';
import { brokenBody } from '../../platform/http/broken-bodies.ts';
import { malformed } from '../../platform/json/json-syntax.ts';
import { Refusal } from '../../platform/refusal.ts';
import { decompressBody, type Encoding } from './decompress-body.ts';
import { digestOf } from './request-digest.ts';
import { Pace, type PaceLimits } from './watch-pace.ts';

export interface BodyLimits extends PaceLimits {
  readonly maxBytes: number;
  /** Aborts when the process ends. Then the body is refused. */
  readonly ending?: AbortSignal;
  /** Called with each chunk, as sent. */
  readonly received?: (chunk: Uint8Array) => void;
}

/** The error for a client that goes away before its request is complete, or while it waits for its answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  /** The answer for a client that may still read, because it has closed only its half of the connection. */
  readonly refusal: Refusal | undefined;

  constructor(refusal?: Refusal) {
    super('the client ended the connection before the request was complete');
    this.refusal = refusal;
  }
}

/**
 * The most chunks of all queues together, about 64 KiB each. Each queue may have one chunk in any case. The number is high enough to keep
 * the scan busy, and low enough to stop the clients soon. With many bodies at once, a chunk waits while megabytes of other bodies are read.
 * V8 promotes chunks that wait for long to its old generation, and then marks the whole heap more often (docs/decisions/0107).
 */
const MAX_QUEUED_CHUNKS = 16;
/** The parser's code when the client closes its half in the middle of a body, as when its process is killed. */
const CUT_SHORT = 'HPE_INVALID_EOF_STATE';
/** The retry time of requests that the end of a process cut off. Behind a proxy, another process answers at once. */
const RETRY_AFTER_END_SECONDS = 5;

/**
 * Sends 100 Continue if the client expects it, and reads the body. `encoding`: the encoding from which the body is decompressed. `maxBytes`
 * applies to the bytes as sent and to the decompressed bytes. Throws Refusal.
 */
export function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  encoding = encodingOf(request.headers['content-encoding']),
): AsyncIterable<Uint8Array> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  // RFC 9110, section 10.1.1: HTTP/1.0 has no interim responses.
  if (request.headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue();
  return readDecompressed(request, limits, encoding);
}

async function* readDecompressed(
  request: IncomingMessage,
  limits: BodyLimits,
  encoding: Encoding | 'identity',
): AsyncGenerator<Uint8Array, void, undefined> {
  const stop = new AbortController();
  const end = () => stop.abort(processEnds());
  using pace = new Pace(limits, (refusal) => stop.abort(refusal));
  limits.ending?.addEventListener('abort', end);
  if (limits.ending?.aborted) end();
  try {
    const body = readBody(request, limits, pace, stop.signal);
    const plain = encoding === 'identity' ? body : decompressBody(body, encoding, limits.maxBytes);
    for await (const chunk of plain) {
      pace.decompressed(chunk.length);
      pace.isHeldUp = true;
      yield chunk;
      pace.isHeldUp = false;
    }
  } finally {
    limits.ending?.removeEventListener('abort', end);
  }
}

/** Returns the encoding. In RFC 9110, section 8.4.1, x-gzip means gzip, and names are case-insensitive. */
function encodingOf(header = 'identity'): Encoding | 'identity' {
  const name = header.toLowerCase();
  if (name === 'x-gzip') return 'gzip';
  if (name === 'identity' || name === 'gzip' || name === 'zstd' || name === 'br') return name;
  throw new Refusal('BAD_REQUEST', 'Content-Encoding must be one of gzip, zstd, br, or absent.');
}

/** The number of bodies that are being read. */
let bodiesUnderWay = 0;

/** Yields the body as it was sent. When `stop` is aborted, the body fails with the reason of `stop`. */
async function* readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  pace: Pace,
  stop: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const queue: Uint8Array[] = [];
  const digest = digestOf(request);
  let bytes = 0;
  let failure: Error | undefined;
  let wake = () => {};

  const take = (chunk: Uint8Array) => {
    // After a failure, drop chunks. Otherwise a client that sends as fast as we read keeps the queue full and hides the failure.
    if (failure !== undefined) return;
    queue.push(chunk);
    bytes += chunk.length;
    pace.received(chunk.length);
    digest?.add(chunk);
    limits.received?.(chunk);
    if (bytes > limits.maxBytes) fail(tooLarge(limits.maxBytes));
    if (queue.length >= MAX_QUEUED_CHUNKS / bodiesUnderWay) request.pause();
    wake();
  };
  const end = () => wake();
  // When the connection closes, Node drops a body that is not read yet, even if all of it has arrived. Then no 'end' comes.
  const close = () => {
    if (!request.readableEnded) fail(new ClientGone());
  };
  // The connection broke, or the parser found a fault in the body's framing (see refuse-malformed.ts).
  const breakOff = (error: Error) => {
    if (hasCode(error, 'ECONNRESET')) close();
    else if (hasCode(error, CUT_SHORT)) fail(new ClientGone(damaged()));
    else fail(damaged());
  };
  const fail = (error: Error) => {
    failure ??= error;
    wake();
  };
  const giveUp = () => {
    // The chunks in the queue are of no use any more.
    queue.length = 0;
    fail(stop.reason);
  };
  stop.addEventListener('abort', giveUp);
  request.on('data', take).on('end', end).on('close', close).on('error', breakOff);
  if (stop.aborted) giveUp();
  if (request.destroyed) close();
  const broken = brokenBody(request);
  if (broken !== undefined) breakOff(broken);
  bodiesUnderWay++;
  try {
    for (;;) {
      // First yield the chunks before a failure. If they have a fault, the reader reports that fault in place of the failure.
      const chunk = queue.shift();
      if (chunk !== undefined) {
        if (queue.length === 0) request.resume();
        yield chunk;
        // Yield one chunk per turn of the event loop. Otherwise we read megabytes of a fast client in each turn, and every other request,
        // which needs some forty turns for its queries and files, waits for all of these reads.
        await setImmediate();
      } else if (failure !== undefined) throw failure;
      else if (request.readableEnded) return;
      else {
        pace.isWaiting = true;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        pace.isWaiting = false;
      }
    }
  } finally {
    bodiesUnderWay--;
    // The error listener stays: `answerAndLinger` reads the rest of the request, and the rest may be malformed too.
    request.off('data', take).off('end', end).off('close', close);
    request.resume();
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes} bytes.`);
}

function damaged(): Refusal {
  return malformed('it was damaged or cut short on its way');
}

function processEnds(): Refusal {
  return new Refusal(
    'SERVICE_UNAVAILABLE',
    'The service is being restarted, and the upload did not end in time. Nothing was published. Send it again.',
    { retryAfterSeconds: RETRY_AFTER_END_SECONDS },
  );
}
