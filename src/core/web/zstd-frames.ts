/**
 * Cuts a zstd body (RFC 8878, section 3.1) at the ends of its frames, and leaves out skippable frames. Node's decoder
 * drops the frames that follow in the same write, without an error (https://github.com/nodejs/node/issues/64741).
 *
 * ```
 * MAGIC ─0xFD2FB528→ DESCRIPTOR → HEADER → BLOCK_HEADER → BLOCK ─┬─ not the last → BLOCK_HEADER
 *   │                                                            └─ the last → [CHECKSUM] → MAGIC
 *   └─0x184D2A5?→ SKIPPED_SIZE → SKIPPED → MAGIC
 * ```
 * The decoder checks the content of frames.
 */
import { malformed } from '../../platform/json/json-syntax.ts';

const MAGIC = 0;
const DESCRIPTOR = 1;
const HEADER = 2;
const BLOCK_HEADER = 3;
const BLOCK = 4;
const CHECKSUM = 5;
const SKIPPED_SIZE = 6;
const SKIPPED = 7;

const FRAME = 0xfd2fb528;
const FRAME_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** The last four bits of this magic number are free. */
const SKIPPABLE_FRAME = 0x184d2a50;
/** The lengths of two fields, by the two bits that describe each field in the descriptor. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const CHECKSUM_BYTES = 4;
/** A block of this type has one byte, which the decoder repeats. */
const REPEATED = 1;

/** Yields chunks that end at the latest where a frame ends. Throws Refusal BAD_REQUEST. */
export async function* cutZstdFrames(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const frames = new ZstdFrames();
  for await (const chunk of chunks) yield* frames.cut(chunk);
  frames.end();
}

class ZstdFrames {
  #state = MAGIC;
  /** The number of bytes that the current state still needs. */
  #missing = 4;
  /** The first four bytes of the state as a number, little-endian. */
  #value = 0;
  /** The number of bytes of the state that were read. */
  #read = 0;
  #hasChecksum = false;
  #isLastBlock = false;
  #hasFrame = false;

  *cut(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    // Where the current frame begins in the chunk.
    let from = this.#isInFrame ? 0 : -1;
    for (let at = 0; at < chunk.length; ) {
      at = this.#advance(chunk, at);
      if (this.#missing > 0) break;
      const wasInFrame = this.#isInFrame;
      this.#next();
      if (!wasInFrame && this.#isInFrame) {
        from = at - FRAME_MAGIC.length;
        if (from < 0) {
          // The magic number began in an earlier chunk.
          yield FRAME_MAGIC;
          from = at;
        }
      } else if (wasInFrame && !this.#isInFrame) {
        yield chunk.subarray(from, at);
        from = -1;
      }
    }
    if (from >= 0 && from < chunk.length) yield chunk.subarray(from);
  }

  end(): void {
    if (!this.#hasFrame || this.#state !== MAGIC || this.#read > 0) throw damaged();
  }

  get #isInFrame(): boolean {
    return this.#state >= DESCRIPTOR && this.#state <= CHECKSUM;
  }

  /** Reads bytes of the state, and returns the position after them. */
  #advance(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + this.#missing);
    this.#missing -= end - at;
    if (this.#state === BLOCK || this.#state === SKIPPED) return end;
    for (let i = at; i < end; i++) {
      // The numbers that we use have at most four bytes.
      if (this.#read < 4) this.#value += chunk[i]! * 2 ** (8 * this.#read);
      this.#read++;
    }
    return end;
  }

  /** Goes on to the next state, and skips states without bytes. */
  #next(): void {
    do {
      [this.#state, this.#missing] = this.#following(this.#value);
      this.#value = this.#read = 0;
    } while (this.#missing === 0);
  }

  /** Returns the state that follows the current one, and the length of that next state. `value`: the value of the current state. */
  #following(value: number): readonly [number, number] {
    switch (this.#state) {
      case MAGIC:
        this.#hasFrame ||= value === FRAME;
        if (value === FRAME) return [DESCRIPTOR, 1];
        if (value - (value % 16) === SKIPPABLE_FRAME) return [SKIPPED_SIZE, 4];
        throw damaged();
      case DESCRIPTOR:
        this.#hasChecksum = (value & 4) !== 0;
        return [HEADER, headerBytes(value)];
      case HEADER:
        return [BLOCK_HEADER, 3];
      case BLOCK_HEADER:
        this.#isLastBlock = (value & 1) !== 0;
        return [BLOCK, ((value >> 1) & 3) === REPEATED ? 1 : value >> 3];
      case BLOCK:
        if (!this.#isLastBlock) return [BLOCK_HEADER, 3];
        return [CHECKSUM, this.#hasChecksum ? CHECKSUM_BYTES : 0];
      case SKIPPED_SIZE:
        return [SKIPPED, value];
      default:
        return [MAGIC, 4];
    }
  }
}

/** The length of the frame's header after the descriptor. */
function headerBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6]!;
  const window = isSingleSegment ? 0 : 1;
  // A single segment has no window field, and always has a field for the content's size.
  return window + DICTIONARY_ID_BYTES[descriptor & 3]! + (contentSize || (isSingleSegment ? 1 : 0));
}

function damaged() {
  return malformed('its zstd compression is damaged or cut short');
}
