/**
 * A GET whose body is read as it comes. The whole transfer has no time limit, because the reader may be slow. Only the time in which we
 * wait for the host is limited. The connection ends with the body.
 */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { errorCode } from '../error-code.ts';
import { CostlyAnswer } from './bounded-answer.ts';
import { OutboundError, unreachable } from './outbound-error.ts';
import { beginRequest, type Exchange } from './outbound-exchange.ts';

export interface StreamLimits {
  /** The longest time until the head of the answer, in ms. */
  readonly headMs: number;
  /** The longest silence of the host, in ms. The pace is measured over this time. */
  readonly idleMs: number;
  /** The least pace of the host, in bytes for each second in which we wait for it. */
  readonly bytesPerSecond: number;
  /** The most bytes of the body, in the encoding in which the host sends it. */
  readonly maxBytes: number;
}

export interface OutboundStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body. It can be read once. If it is cut short or fails, the reader gets an OutboundError. */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the connection, if it is still open. */
  end(): void;
}

/** The number of pieces of any size that a host may send. */
const FREE_PIECES = 8192;
/** The least average size of the pieces after FREE_PIECES. Each piece takes a turn of the event loop. */
const PIECE_BYTES = 128;
/** The received bytes beside the content that are always allowed: bytes that wait in buffers, and sizes of chunks. */
const FREE_OVERHEAD = 512 * 1024;

/** Sends the request, and returns the head of the answer with its body. Throws OutboundError. */
export async function openStream(
  exchange: Pick<Exchange, 'url' | 'headers' | 'lookup' | 'signal'>,
  limits: StreamLimits,
): Promise<OutboundStream> {
  const { signal, url } = exchange;
  const asking = beginRequest({ ...exchange, body: undefined });
  const { headMs } = limits;
  let hasSurplus = false;
  asking.on('error', (error) => {
    // The parser of Node fails the request, but not its answer, for bytes behind the end.
    hasSurplus ||= String(errorCode(error)).startsWith('HPE_');
  });
  const giveUp = () => asking.destroy(new OutboundError('timeout', `no answer within ${headMs / 1000} s`));
  const slow = setTimeout(giveUp, headMs);
  try {
    const response = await answerTo(asking);
    const { statusCode: status = 0, headers } = response;
    if (status < 200 || status > 599) {
      throw new OutboundError('unreachable', `the status ${status} is none of HTTP`);
    }
    // A body without a length ends with its connection. Then a broken connection looks like the end of the body. A 204 has no body.
    if (status < 300 && status !== 204 && headers['content-length'] === undefined && !isChunked(headers)) {
      throw new OutboundError('unreachable', `${url.host} does not say how long its answer is`);
    }
    return {
      ...{ status, headers },
      body: readBody(response, limits, signal, () => hasSurplus),
      end: () => void response.destroy(),
    };
  } catch (cause) {
    asking.destroy();
    throw failureOf(cause, signal);
  } finally {
    clearTimeout(slow);
  }
}

function answerTo(asking: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  asking.on('response', (response) => {
    // If the body breaks before it has a reader, its error must not end the process.
    response.on('error', () => {});
    resolve(response);
  });
  asking.on('error', reject);
  // A request may close without an error, for example after 101 Switching Protocols.
  asking.on('close', () => reject(new OutboundError('unreachable', 'the connection ended early')));
  asking.end();
  return promise;
}

function isChunked({ 'transfer-encoding': coding }: IncomingHttpHeaders): boolean {
  return coding !== undefined && /(?:^|,)\s*chunked\s*$/i.test(coding);
}

async function* readBody(
  response: IncomingMessage,
  { idleMs, bytesPerSecond, maxBytes }: StreamLimits,
  signal: AbortSignal,
  hasSurplus: () => boolean,
): AsyncGenerator<Buffer, void, undefined> {
  const { socket } = response;
  const receivedBefore = socket.bytesRead;
  const pieces: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  let [count, bytes, waitedMs, waitedBytes] = [0, 0, 0, 0];
  try {
    for (;;) {
      const beganAt = performance.now();
      const silent = setTimeout(() => response.destroy(tooSlow()), idleMs);
      const next = await pieces.next().finally(() => clearTimeout(silent));
      if (next.done && !hasSurplus()) return;
      // Its Content-Length is wrong, so the body is cut short.
      if (next.done) throw new OutboundError('costly', 'the host sends more than the length that it says');
      const { value: piece } = next;
      count += 1;
      bytes += piece.length;
      if (bytes > maxBytes) throw new OutboundError('costly', `it is larger than ${maxBytes} bytes`);
      const overhead = socket.bytesRead - receivedBefore - bytes;
      if (count > FREE_PIECES + bytes / PIECE_BYTES || overhead > FREE_OVERHEAD + bytes / 8) {
        throw new CostlyAnswer('the host sends its answer in too many small pieces');
      }
      waitedMs += performance.now() - beganAt;
      waitedBytes += piece.length;
      if (waitedMs >= idleMs) {
        if (waitedBytes * 1000 < bytesPerSecond * waitedMs) throw tooSlow();
        [waitedMs, waitedBytes] = [0, 0];
      }
      yield piece;
    }
  } catch (cause) {
    throw failureOf(cause, signal);
  } finally {
    response.destroy();
  }
}

function tooSlow(): OutboundError {
  return new OutboundError('timeout', 'the host sends too slowly, or has stopped');
}

function failureOf(cause: unknown, signal: AbortSignal): OutboundError {
  if (signal.aborted) return new OutboundError('aborted', 'given up', { cause });
  if (cause instanceof CostlyAnswer) return new OutboundError('costly', cause.message, { cause });
  return cause instanceof OutboundError ? cause : unreachable(cause);
}
