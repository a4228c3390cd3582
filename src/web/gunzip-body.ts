/**
 * Decompresses gzip request bodies as they arrive (RFC 9110, section 8.4.1.3), with limits: a few megabytes of gzip
 * can hold as many gigabytes.
 */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorCode } from '../platform/error-code.ts';
import { malformed } from '../platform/json/json-syntax.ts';
import { Refusal } from '../platform/refusal.ts';

/** URL lists reach 10 to 30. A higher ratio than this is an attack. */
const MAX_RATIO = 200;
/** No ratio check up to here: the beginning of a body may compress to nearly nothing. */
const RATIO_FREE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** `maxBytes`: of the output. Throws Refusal: PAYLOAD_TOO_LARGE, or BAD_REQUEST if the input is not gzip. */
export async function* gunzipBody(
  compressed: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let compressedBytes = 0;
  let bytes = 0;
  async function* counted() {
    for await (const chunk of compressed) {
      compressedBytes += chunk.length;
      yield chunk;
    }
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Failures surface in the loop that reads the chunks.
  pipeline(Readable.from(counted()), gunzip, () => {});
  try {
    for await (const chunk of gunzip) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(`larger than ${maxBytes} bytes when decompressed`);
      if (bytes > RATIO_FREE_BYTES && bytes > compressedBytes * MAX_RATIO) {
        throw tooLarge(`compressed more than ${MAX_RATIO} to 1`);
      }
      yield chunk;
    }
  } catch (error) {
    const isDamaged = String(errorCode(error)).startsWith('Z_');
    throw isDamaged ? malformed('its gzip compression is damaged or cut short') : error;
  }
}

function tooLarge(what: string): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The request body is ${what}.`);
}
