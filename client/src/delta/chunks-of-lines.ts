/** Cuts bytes between lines. */
import { badInput } from '../waypost-error.ts';

export const LINE_FEED = 0x0a;

/**
 * Yields the same bytes. Only the last chunk may end within a line. Throws BAD_INPUT if more than `maxBytes` wait for the end of their
 * line.
 */
export async function* chunksOfLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield Buffer.concat([...rest, chunk.subarray(0, end)]);
      rest = [];
      restBytes = 0;
    }
    rest.push(chunk.subarray(end));
    restBytes += chunk.length - end;
    if (restBytes > maxBytes)
      throw badInput(`A line has more than ${maxBytes.toLocaleString('en-US')} bytes.`);
  }
  if (restBytes > 0) yield Buffer.concat(rest);
}
