/**
 * Detects an input that its producer did not finish. Forms with lines have no closing bracket, so we check the end: an input
 * must end with a whole line, or, for a stronger check, with a line that its producer writes only after success.
 */
import { open } from 'node:fs/promises';
import { badInput } from '../waypost-error.ts';

const LINE_FEED = 0x0a;

/** The charset of an input, if it is given. */
export type Charset = string | undefined;

/** Refuses a file whose last line lacks a line break, before the upload begins. */
export async function checkLastLine(path: string, charset?: Charset): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) return;
    const bytesAt = async (position: number) =>
      (await file.read(Buffer.alloc(2), 0, 2, Math.max(0, position))).buffer.subarray(0, Math.min(2, size));
    if (!endsLine(await bytesAt(0), await bytesAt(size - 2), charset)) throw partialLine(path);
  } finally {
    await file.close();
  }
}

/** Passes a stream on, and throws at its end if its last line lacks a line break. */
export async function* wholeLines(
  source: AsyncIterable<Uint8Array>,
  name: string,
  charset?: Charset,
): AsyncGenerator<Uint8Array> {
  let first = Buffer.alloc(0);
  let last = Buffer.from('\n');
  for await (const chunk of source) {
    if (first.length < 2) first = Buffer.concat([first, chunk.subarray(0, 2)]).subarray(0, 2);
    if (chunk.length > 0) last = Buffer.concat([last, chunk.subarray(-2)]).subarray(-2);
    yield chunk;
  }
  if (!endsLine(first, last, charset)) throw partialLine(name);
}

/** Whether a line break is at the end. `first`, `last`: the first and the last two bytes. In UTF-16LE, a byte 0 follows the line feed. */
function endsLine(first: Uint8Array, last: Uint8Array, charset: Charset): boolean {
  const isLittleEndian = charset === 'utf-16le' || (first[0] === 0xff && first[1] === 0xfe);
  if (!isLittleEndian) return last.at(-1) === LINE_FEED;
  return last.at(-2) === LINE_FEED && last.at(-1) === 0;
}

/** Passes a stream on without its last line, which must be `endLine`. */
export async function* untilEndLine(
  source: AsyncIterable<Uint8Array>,
  endLine: string,
  name: string,
): AsyncGenerator<Uint8Array> {
  // Hold the end line, the line feed before it, and the line break after it.
  const heldBytes = Buffer.byteLength(endLine) + 3;
  let held = Buffer.alloc(0);
  for await (const chunk of source) {
    const all = Buffer.concat([held, chunk]);
    const passed = Math.max(0, all.length - heldBytes);
    if (passed > 0) yield all.subarray(0, passed);
    held = all.subarray(passed);
  }
  const at = placeOfLastLine(held);
  if (held.subarray(at).toString().trimEnd() !== endLine) {
    throw badInput(`${name} does not end with the line “${endLine}”, so its producer did not finish.`);
  }
  if (at > 0) yield held.subarray(0, at);
}

function placeOfLastLine(bytes: Buffer): number {
  // The last byte may be the line break of the last line itself.
  return bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1;
}

function partialLine(name: string) {
  return badInput(
    `${name} ends in the middle of a line, as if its producer had died. If it is whole, add --allow-partial-line.`,
  );
}
