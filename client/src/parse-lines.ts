/** Yields the values of an NDJSON stream as they arrive. Ends the stream when the reader stops. */
import type { Readable } from 'node:stream';

export async function* parseLines<Value>(stream: Readable): AsyncGenerator<Value, void, undefined> {
  let rest = '';
  for await (const text of stream.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
  if (rest !== '') yield JSON.parse(rest);
}
