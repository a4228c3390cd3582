/** Makes sure that a stream is as long as we promised, while it can still be told from a whole one. */

/** The stream is shorter or longer than its description says. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength';
}

/**
 * Yields a source that must have exactly so many bytes. The last piece is held back until the source has ended well, so
 * a wrong length or (from gunzip) a wrong checksum at the very end still leaves the client with fewer bytes than
 * Content-Length, and thus aware of it.
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
