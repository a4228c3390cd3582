import { createHash } from 'node:crypto';

/** Identifies a content by the first 128 bits of its SHA-256, in base64url. */
export function contentDigest(parts: Iterable<Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest().toString('base64url', 0, 16);
}
