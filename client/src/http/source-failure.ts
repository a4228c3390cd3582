/** Wraps an error of the caller's own source, so that it does not count as an error of the network. */
export class SourceFailure extends Error {
  constructor(cause: unknown) {
    super('The source of the body failed.', { cause });
  }
}

/** Yields the source's chunks. If the source fails, throws a SourceFailure whose `cause` is the error. */
export async function* markFailures(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    throw new SourceFailure(error);
  }
}
