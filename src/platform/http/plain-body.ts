/** Decompresses the whole body of an answer. A bucket sends a file as it was stored, perhaps in gzip, whatever the request accepts. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ExchangeAnswer } from './outbound-exchange.ts';

/** The functions take a few ms for half a megabyte. They block, so that the memory of only one body is in use. */
const DECODERS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
]);

/** Returns undefined for a body in another encoding, a damaged or cut one, and one that has more than `maxBytes`. */
export function plainBody(
  { headers, body, isWhole }: Pick<ExchangeAnswer, 'headers' | 'body' | 'isWhole'>,
  maxBytes: number,
): Buffer | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return body;
  const decode = DECODERS.get(encoding);
  if (!isWhole || decode === undefined) return undefined;
  try {
    // The limit keeps a small body from becoming a huge one.
    return decode(body, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}
