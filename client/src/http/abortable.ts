/** Reads a source that may wait for long, and stops when the signal aborts. */

/** Yields the values of the source. Throws the reason of the signal, even while the source does not answer. */
export async function* abortable<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Value, void, undefined> {
  if (signal === undefined) return yield* source;
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const result = await unlessAborted(iterator.next(), signal);
      isDone = result.done === true;
      if (isDone) return;
      yield result.value;
    }
  } finally {
    // A source that still waits may end much later, or never, so do not wait for it.
    if (!isDone) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
