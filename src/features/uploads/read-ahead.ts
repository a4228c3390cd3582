/** Reads the beginning of a stream of bytes without consuming it. */

/** `head` has at least `bytes` bytes, unless the stream is shorter. `all` has the head again, and then the rest. */
export async function readAhead(
  stream: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<{ readonly head: Buffer; readonly all: AsyncIterable<Uint8Array> }> {
  const chunks = stream[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < bytes) {
    const next = await chunks.next();
    if (next.done) break;
    first.push(next.value);
    length += next.value.length;
  }
  const head = Buffer.concat(first);
  return { head, all: joined(head, chunks) };
}

/** Yields `head`, and then the rest of a stream that has begun. */
export async function* joined(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
