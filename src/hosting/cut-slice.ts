/** Cuts the bytes that were asked for out of a stream, and makes sure that the stream was what we promised. */
import type { ByteRange } from '../platform/object-storage.ts';

/** The stream is shorter or longer than its description says. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength';
}

/**
 * Yields `slice` of a source that must have exactly `totalBytes`.
 *
 * The last piece is held back until the source has ended well, so a wrong length or (from gunzip) a wrong
 * checksum at the very end still leaves the client with fewer bytes than Content-Length, and thus aware of it.
 * For the same reason a slice reads on to the end.
 */
export async function* cutSlice(
  source: AsyncIterable<Buffer>,
  { slice, totalBytes }: { slice: ByteRange; totalBytes: number },
): AsyncGenerator<Buffer> {
  let position = 0;
  let held: Buffer | undefined;
  for await (const chunk of source) {
    const start = Math.max(0, slice.offset - position);
    const end = Math.max(0, slice.offset + slice.length - position);
    const piece = chunk.subarray(start, end);
    position += chunk.length;
    if (position > totalBytes) throw new WrongLength(`more than the ${totalBytes} bytes expected`);
    if (piece.length === 0) continue;
    if (held !== undefined) yield held;
    held = piece;
  }
  if (position < totalBytes) throw new WrongLength(`${position} of ${totalBytes} bytes`);
  if (held !== undefined) yield held;
}
