/**
 * Returns the bytes in memory of their own, for those who keep them. A buffer that zlib, pg or a socket gives is often a slice of a larger
 * one, and keeps all of it in memory: 64 KiB for a row of 100 bytes.
 */
export function alone(bytes: Buffer): Buffer {
  // The output of zlib has room for a byte more.
  if (bytes.buffer.byteLength <= bytes.length + 1) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
