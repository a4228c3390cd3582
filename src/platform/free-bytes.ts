/**
 * Frees bytes at once, unless they are a view of something larger. The garbage collector sees only a small object and comes late. The bytes
 * must not be used afterwards.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}
