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
    try {
      text.push(bytes, (part) => parts.push(part));
    } finally {
      yield* parts;
    }
  }
  if (text.isEmpty) throw malformed('it is empty');
  if (!text.isWhole) throw malformed('it ends in the middle of a character');
}
