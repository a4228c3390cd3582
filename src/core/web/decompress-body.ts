/**
 * Decompresses request bodies as they arrive (RFC 9110, section 8.4.1), with the same limits for every encoding: a few
 * megabytes can inflate to as many gigabytes. Every byte of the body must belong to the compressed text, but for zeros behind gzip.
 */
import { pipeline, Readable } from 'node:stream';
import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  type Gunzip,
  type ZstdDecompress,
} from 'node:zlib';
import { errorCode } from '../../platform/error-code.ts';
import { malformed } from '../../platform/json/json-syntax.ts';
import { Refusal } from '../../platform/refusal.ts';
import { cutZstdFrames } from './zstd-frames.ts';

export type Encoding = 'gzip' | 'zstd' | 'br';

/** URL lists have ratios of 10 to 50. A ratio above this limit is an attack. */
const MAX_RATIO = 200;
/** Up to this size, the ratio is not checked: the beginning of a body may compress to nearly nothing. */
const RATIO_FREE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** 8 MiB, the window that RFC 8878, section 3.1.1.1.2, recommends to support. The default allows 128 MiB for each upload. */
const MAX_ZSTD_WINDOW_LOG = 23;

const DECODERS: Readonly<Record<Encoding, () => Gunzip | ZstdDecompress | BrotliDecompress>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: CHUNK_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG },
    }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
};

/** The zeros in which a gzip member itself may end: those of an empty text, whose checksum and length are zero. */
const MAX_OWN_ZEROS = 32;

/** The codes of Node's errors for damaged compressed bytes. */
const DAMAGE = /^(Z_|ZSTD_error_|ERR__ERROR_)/;
const WINDOW_TOO_LARGE = 'ZSTD_error_frameParameter_windowTooLarge';

/**
 * Decompresses a body. `maxBytes`: the limit of the output. Throws Refusal: PAYLOAD_TOO_LARGE, or BAD_REQUEST if the input is not in the
 * encoding.
 */
export async function* decompressBody(
  compressed: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let compressedBytes = 0;
  let hasEnded = false;
  let bytes = 0;
  let padding = 0;
  async function* counted() {
    for await (const chunk of encoding === 'zstd' ? cutZstdFrames(compressed) : compressed) {
      const end = encoding === 'gzip' ? endOfContent(chunk) : chunk.length;
      // Zeros are content if more follows. The decoder then ends at them, and the body is refused.
      while (end > 0 && padding > 0) {
        const zeros = new Uint8Array(Math.min(padding, CHUNK_BYTES));
        padding -= zeros.length;
        compressedBytes += zeros.length;
        yield zeros;
      }
      compressedBytes += end;
      padding += chunk.length - end;
      if (end > 0) yield chunk.subarray(0, end);
    }
    hasEnded = true;
    padding = Math.min(padding, MAX_OWN_ZEROS);
    if (padding > 0) yield new Uint8Array(padding);
  }
  const decoder = DECODERS[encoding]();
  // Failures surface in the loop that reads the chunks.
  pipeline(Readable.from(counted()), decoder, () => {});
  try {
    for await (const chunk of decoder) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(`larger than ${maxBytes} bytes when decompressed`);
      if (bytes > RATIO_FREE_BYTES && bytes > compressedBytes * MAX_RATIO) {
        throw tooLarge(`compressed more than ${MAX_RATIO} to 1`);
      }
      yield chunk;
    }
  } catch (error) {
    throw refusalFor(error, encoding);
  }
  // After the end of its format, a decoder drops further bytes without an error.
  const surplus = decoder.bytesWritten - compressedBytes;
  if (!hasEnded || surplus < 0 || surplus > padding) throw damaged(encoding);
}

/** Returns the position behind the last byte that is not zero. Programs that write in blocks put zeros behind gzip, and gzip(1) ignores them. */
function endOfContent(chunk: Uint8Array): number {
  let end = chunk.length;
  while (end > 0 && chunk[end - 1] === 0) end--;
  return end;
}

function refusalFor(error: unknown, encoding: Encoding): unknown {
  const code = String(errorCode(error));
  if (code === WINDOW_TOO_LARGE) {
    const MiB = 2 ** (MAX_ZSTD_WINDOW_LOG - 20);
    return tooLarge(`compressed with a window of more than ${MiB} MiB; use zstd without --long and --ultra`);
  }
  return DAMAGE.test(code) ? damaged(encoding) : error;
}

function damaged(encoding: Encoding): Refusal {
  return malformed(`its ${encoding} compression is damaged or cut short`);
}

function tooLarge(what: string): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The request body is ${what}.`);
}
