/**
 * Bounds what an answer from an external host costs beside its time and its size. A host may send informational answers without end. Or it
 * may send its answer byte by byte, and each piece costs a turn of the event loop, and a hundred times its size in memory.
 */
import type { ClientRequest } from 'node:http';

/** The most informational answers (RFC 9110, section 15.2). Servers send one or two. */
const MAX_INFORMATIONAL = 8;
/** The most bytes of the head and of all informational answers before it. Node allows 16 KiB for each of them. */
const MAX_HEAD_BYTES = 64 * 1024;
/** The most packets before the end of the head. An ordinary head comes in one or two packets. */
const MAX_HEAD_PACKETS = 500;
/** The most pieces of a body. A body of a megabyte may come in pieces of 128 bytes. */
const MAX_PIECES = 8192;
/** The most received bytes of a body beside its content, which are the sizes and extensions of chunks. */
const MAX_OVERHEAD_BYTES = 256 * 1024;

/** The error for a host that sends too much, or too small pieces. */
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
      // The parser sees a packet before this listener. A packet that ended the head does not count, because its rest belongs to the body.
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

/** Keeps the first `maxBytes` of a body in one buffer. */
export class BoundedBody {
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #pieces = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of kept bytes. */
  get length(): number {
    return this.#length;
  }

  /** The kept bytes, valid until the next `add`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /**
   * Keeps a copy of a piece, and returns whether the whole piece fits. `receivedBytes`: all bytes that the connection has received for this
   * body. Throws CostlyAnswer.
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
