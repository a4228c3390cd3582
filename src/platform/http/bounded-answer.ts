/**
 * Bounds the cost of an answer from an external host, beside its time and its size. A host may send informational answers
 * without end, or its answer byte by byte: each piece costs a turn of the event loop, and a hundred times its size in memory.
 */
import type { ClientRequest } from 'node:http';

/** RFC 9110, section 15.2. Servers send one or two. */
const MAX_INFORMATIONAL = 8;
/** The limit of all heads together. Node allows 16 KiB for each. */
const MAX_HEAD_BYTES = 64 * 1024;
/** An ordinary head comes in one or two packets. */
const MAX_HEAD_PACKETS = 500;
/** Allows a megabyte in pieces of 128 bytes. */
const MAX_PIECES = 8192;
/** The limit of a body's bytes beside its content: sizes and extensions of chunks. */
const MAX_OVERHEAD_BYTES = 256 * 1024;

/** The host sends too much, or too small pieces. */
export class CostlyAnswer extends Error {
  override readonly name = 'CostlyAnswer';
}

/** Ends the request with a CostlyAnswer if the head of its answer costs too much. Call it before the request is sent. */
export function boundHead(asking: ClientRequest): void {
  let informational = 0;
  let packets = 0;
  let bytes = 0;
  const refuse = (what: string) =>
    asking.destroy(new CostlyAnswer(`the host sends ${what} before the head of its answer`));
  asking.on('information', () => {
    informational += 1;
    if (informational > MAX_INFORMATIONAL) refuse('informational answers without end');
  });
  asking.on('socket', (socket) => {
    let isOver = false;
    const count = (chunk: Buffer) => {
      // The parser saw this packet first. If this packet ended the head, its rest belongs to the body, so the packet does not count.
      if (isOver) return;
      packets += 1;
      bytes += chunk.length;
      if (packets > MAX_HEAD_PACKETS) refuse('a few bytes at a time');
      else if (bytes > MAX_HEAD_BYTES) refuse('too much');
    };
    socket.on('data', count);
    const stop = () => {
      isOver = true;
      socket.off('data', count);
    };
    asking.once('response', stop).once('close', stop);
  });
}

/** Keeps the beginning of a body, in one buffer. */
export class BoundedBody {
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #pieces = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of bytes so far, at most `maxBytes`. */
  get length(): number {
    return this.#length;
  }

  /** The kept bytes, valid until the next `add`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /**
   * Keeps a copy, and returns whether all of it fits. Throws CostlyAnswer. `receivedBytes`: all bytes that the connection has
   * received for this body.
   */
  add(piece: Buffer, receivedBytes: number): boolean {
    this.#pieces += 1;
    const kept = Math.min(piece.length, this.#maxBytes - this.#length);
    this.#grow(this.#length + kept);
    piece.copy(this.#buffer, this.#length, 0, kept);
    this.#length += kept;
    if (this.#pieces > MAX_PIECES || receivedBytes - this.#length - piece.length > MAX_OVERHEAD_BYTES)
      throw new CostlyAnswer('the host sends its answer in too many small pieces');
    return kept === piece.length;
  }

  #grow(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, Math.max(bytes, 2 * this.#buffer.length)));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
