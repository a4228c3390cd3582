/**
 * A body whose first chunk is read before its request begins: a query may need minutes for its first row, and no server waits that long for
 * a body.
 */
import { unlessAborted } from './abortable.ts';
import type { RepeatableBody } from './connection.ts';
import { SourceFailure } from './source-failure.ts';

export class BegunBody {
  readonly #body: RepeatableBody;
  /** Opened, and not sent yet. An attempt that is refused before it sends anything leaves it to the next one. */
  #begun:
    | { readonly source: AsyncIterator<Uint8Array>; readonly first: IteratorResult<Uint8Array> }
    | undefined;

  constructor(body: RepeatableBody) {
    this.#body = body;
  }

  /** Waits for the first chunk. Throws SourceFailure, or the reason of the signal. */
  async open(signal: AbortSignal | undefined): Promise<AsyncIterable<Uint8Array>> {
    this.#begun ??= await begin(this.#body.open()[Symbol.asyncIterator](), signal);
    return this.#chunks();
  }

  canOpen(): boolean {
    return this.#begun !== undefined || this.#body.canOpen();
  }

  /** Ends a source that was opened in vain. */
  async close(): Promise<void> {
    await this.#begun?.source.return?.();
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const begun = this.#begun;
    if (begun === undefined) throw new Error('the body is sent already');
    this.#begun = undefined;
    const { source, first } = begun;
    try {
      for (let next = first; !next.done; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
}

async function begin(source: AsyncIterator<Uint8Array>, signal: AbortSignal | undefined) {
  try {
    const first = source.next();
    return { source, first: await (signal === undefined ? first : unlessAborted(first, signal)) };
  } catch (error) {
    // A source that still waits may end much later, or never, so do not wait for it.
    source.return?.().catch(() => {});
    throw signal?.aborted ? signal.reason : new SourceFailure(error);
  }
}
