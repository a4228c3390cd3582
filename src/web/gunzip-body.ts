/**
 * Request bodies in gzip (RFC 9110, section 8.4.1.3), decompressed as they come and held to limits: some
 * megabytes can be made to stand for as many gigabytes.
 */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorCode } from '../platform/error-code.ts';
import { malformed } from '../platform/json/json-syntax.ts';
import { Refusal } from '../platform/refusal.ts';

/** URL lists reach 10 to 30; what is above this was made to harm. */
const MAX_RATIO = 200;
/** The beginning of a body may compress to nearly nothing. */
const RATIO_FREE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** `maxBytes`: of what comes out. Throws Refusal: PAYLOAD_TOO_LARGE, or BAD_REQUEST for what is no gzip. */
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
  // Failures arrive where the chunks are read.
  pipeline(Readable.from(counted()), gunzip, () => {});
  try {
    for await (const chunk of gunzip) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(`larger than ${maxBytes} bytes when it is decompressed`);
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
