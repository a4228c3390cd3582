/**
 * The body of a request as a stream of chunks, held to a size, a total time and a minimum rate. Only the time
 * spent waiting for the client counts as its slowness, so a store that slows us down costs no client its upload.
 *
 * It takes chunks from 'data' events into a short queue. Iterating the request itself would destroy the socket
 * when the reader stops early, and with it the answer that says why.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { brokenBody } from '../platform/http/broken-bodies.ts';
import { malformed } from '../platform/json/json-syntax.ts';
import { Refusal } from '../platform/refusal.ts';
import { gunzipBody } from './gunzip-body.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Told the size of each chunk that comes. */
  readonly received?: (bytes: number) => void;
}

/** The client went away before its request was complete: there is no one to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Chunks of about 64 KiB: enough to keep the scan busy, little enough to stop the client soon. */
const MAX_QUEUED_CHUNKS = 16;
/** 16 KiB/s over 30 s. */
const RATE_WINDOW_MS = 30_000;
const MIN_WINDOW_BYTES = 16 * 1024 * 30;
const RATE_CHECK_MS = 1000;

/**
 * Asks a client that waits for it to send its body, and reads it, decompressed if it is in gzip. `maxBytes`
 * holds for what is sent and for what comes out. Throws Refusal.
 */
export function openBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): AsyncIterable<Uint8Array> {
  const isGzip = needsGunzip(request.headers['content-encoding']);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  // RFC 9110, section 10.1.1: HTTP/1.0 knows no interim answers.
  if (request.headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue();
  const body = readBody(request, limits);
  return isGzip ? gunzipBody(body, limits.maxBytes) : body;
}

/** RFC 9110, section 8.4.1: x-gzip is gzip, and names are case-insensitive. */
function needsGunzip(encoding = 'identity'): boolean {
  if (/^(x-)?gzip$/i.test(encoding)) return true;
  if (/^identity$/i.test(encoding)) return false;
  throw new Refusal('BAD_REQUEST', 'Content-Encoding must be gzip, or absent.');
}

async function* readBody(
  request: IncomingMessage,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const queue: Uint8Array[] = [];
  let bytes = 0;
  let failure: Error | undefined;
  let wake = () => {};

  const take = (chunk: Uint8Array) => {
    // A client that sends as fast as we read would keep the queue full, and what failed would never be said.
    if (failure !== undefined) return;
    queue.push(chunk);
    bytes += chunk.length;
    limits.received?.(chunk.length);
    if (bytes > limits.maxBytes) fail(tooLarge(limits.maxBytes));
    if (queue.length >= MAX_QUEUED_CHUNKS) request.pause();
    wake();
  };
  const end = () => wake();
  const close = () => {
    if (!request.complete)
      fail(new ClientGone('the client closed the connection before the request was complete'));
  };
  // The connection broke, or the parser found a fault in the body's framing (see refuse-malformed.ts).
  const breakOff = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') close();
    else fail(malformed('it is damaged or cut short on its way'));
  };
  const fail = (error: Error) => {
    failure ??= error;
    wake();
  };
  const pace = watchPace(() => bytes, limits.timeoutMs, fail);
  request.on('data', take).on('end', end).on('close', close).on('error', breakOff);
  if (request.destroyed) close();
  const broken = brokenBody(request);
  if (broken !== undefined) breakOff(broken);
  try {
    for (;;) {
      // What came before a failure is read first: a fault in it is the one to report.
      const chunk = queue.shift();
      if (chunk !== undefined) {
        if (queue.length === 0) request.resume();
        yield chunk;
        // A client that sends as fast as we read would get turn after turn of the event loop for megabytes each, and
        // every other request waits for some forty turns, for its queries and files. So a turn has one chunk.
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
    pace.stop();
    // The listener for errors stays: what still comes is for `answerAndLinger` to end, and may be faulty too.
    request.off('data', take).off('end', end).off('close', close);
    request.resume();
  }
}

/** Fails a body that takes too long in all, or that comes too slowly while we wait for it. */
function watchPace(bytesSoFar: () => number, timeoutMs: number, fail: (error: Error) => void) {
  const startedAt = Date.now();
  let waitedMs = 0;
  let windowBytes = 0;
  const pace = { isWaiting: false, stop: () => clearInterval(timer) };
  const timer = setInterval(() => {
    if (Date.now() - startedAt > timeoutMs) fail(tooSlow());
    if (pace.isWaiting) waitedMs += RATE_CHECK_MS;
    if (waitedMs < RATE_WINDOW_MS) return;
    if (bytesSoFar() - windowBytes < MIN_WINDOW_BYTES) fail(tooSlow());
    waitedMs = 0;
    windowBytes = bytesSoFar();
  }, RATE_CHECK_MS);
  return pace;
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes} bytes.`);
}

function tooSlow(): Refusal {
  return new Refusal('BAD_REQUEST', 'The request body came too slowly.');
}
