/** Decompresses the whole body of an answer. A bucket sends a file as it was stored, perhaps in gzip, whatever the request accepts. */
import { gunzipSync } from 'node:zlib';
import type { ExchangeAnswer } from './outbound-exchange.ts';

/** Returns undefined for a body in another encoding, a damaged or cut one, and one that has more than `maxBytes`. */
export function plainBody(
  { headers, body, isWhole }: Pick<ExchangeAnswer, 'headers' | 'body' | 'isWhole'>,
  maxBytes: number,
): Buffer | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return body;
  if (!isWhole || !/^(?:x-)?gzip$/.test(encoding)) return undefined;
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch {
    // Only the bytes can be at fault. The limit keeps a small body from becoming a huge one.
    return undefined;
  }
}
