/**
 * Returns the bytes in memory of their own, for callers that keep them. A buffer that zlib, pg or a socket gives is often a slice of a
 * larger one, and keeps all of it in memory: 64 KiB for a row of 100 bytes.
 */
export function alone(bytes: Buffer): Buffer {
  // The output of zlib has room for a byte more.
  if (bytes.buffer.byteLength <= bytes.length + 1) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Returns the text in memory of its own: a slice of a longer text keeps all of it. Lone surrogates become U+FFFD. */
export function textAlone(text: string): string {
  return Buffer.from(text).toString();
}
