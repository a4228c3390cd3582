/** Decodes the body of a form with lines or tags, for the readers of these forms. */
import { malformed } from '../../../platform/json/json-syntax.ts';
import { Utf8Text } from '../../../platform/utf8-text.ts';

/**
 * Yields the text in UTF-8, without a byte order mark. Throws Refusal BAD_REQUEST after it has yielded all text before
 * the fault.
 */
export async function* readText(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const text = new Utf8Text();
  for await (const chunk of body) {
    const parts: Buffer[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (text.isEmpty && isUtf16(bytes)) throw malformed('it is UTF-16, not UTF-8: save it as UTF-8');
    try {
      text.push(bytes, (part) => parts.push(part));
    } finally {
      yield* parts;
    }
  }
  if (text.isEmpty) throw malformed('it is empty');
  if (!text.isWhole) throw malformed('it ends in the middle of a character');
}

/** Whether the text begins with the byte order mark of UTF-16, or every other byte is zero. */
function isUtf16(bytes: Buffer): boolean {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (mark === 0xfffe || mark === 0xfeff) return true;
  if (bytes.length < 4) return false;
  return (bytes[0] === 0 && bytes[2] === 0) || (bytes[1] === 0 && bytes[3] === 0);
}
