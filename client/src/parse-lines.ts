/** Yields the values of an NDJSON stream as they arrive. Ends the stream when the reader stops. */
import type { Readable } from 'node:stream';
import { translateFailure } from './http/translate-failure.ts';

/** Throws WaypostError if the connection ends before the stream, or the reason of the signal. */
export async function* parseLines<Value>(
  stream: Readable,
  signal: AbortSignal | undefined,
): AsyncGenerator<Value, void, undefined> {
  let rest = '';
  try {
    for await (const text of stream.setEncoding('utf8')) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield JSON.parse(line);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw translateFailure(error) ?? error;
  }
  if (rest !== '') yield JSON.parse(rest);
}
