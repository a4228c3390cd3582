/** Carries an error of the caller's own source past everything that would take it for an error of the network. */
export class SourceFailure extends Error {
  constructor(cause: unknown) {
    super('The source of the body failed.', { cause });
  }
}

/** The same chunks; what the source throws is the `cause` of a SourceFailure. */
export async function* markFailures(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    throw new SourceFailure(error);
  }
}
