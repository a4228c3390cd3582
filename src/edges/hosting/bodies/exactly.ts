/** Checks that a stream has the promised length. If it has not, fails while the client can still notice. */

/** The error for a stream that is shorter or longer than promised. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength';
}

/**
 * Yields the pieces of a source that must have exactly `bytes`. Holds the last piece back until the source has ended well. If gunzip finds
 * a wrong checksum at the end, the client has fewer bytes than Content-Length, so it knows that the answer is broken.
 */
export async function* exactly(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let received = 0;
  let held: Buffer | undefined;
  for await (const chunk of source) {
    received += chunk.length;
    if (received > bytes) throw new WrongLength(`more than the ${bytes} bytes expected`);
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (received < bytes) throw new WrongLength(`${received} of ${bytes} bytes`);
  if (held !== undefined) yield held;
}
