/** Decodes the body of a form with lines or tags, for the readers of these forms. */
import { TextDecoder } from 'node:util';
import { malformed } from '../../../platform/json/json-syntax.ts';
import { FILE_BYTES, refuseFiles } from '../../../platform/refuse-files.ts';
import { Utf8Text } from '../../../platform/utf8-text.ts';
import type { Charset } from './dialect.ts';

/**
 * Yields the text in UTF-8, without a byte order mark. Throws Refusal BAD_REQUEST. If a body in UTF-8 has a fault, first yields all text
 * before the fault. Without a `charset`, a byte order mark of UTF-16 decides, and a text without such a mark is UTF-8. `hasCharset` says
 * whether the client may name a charset. If the charset is not UTF-8, calls `found` with it.
 */
export async function* readText(
  body: AsyncIterable<Uint8Array>,
  charset?: Charset,
  hasCharset = true,
  found: (charset: string) => void = () => {},
): AsyncGenerator<Buffer, void, undefined> {
  const text = new Utf8Text(hasCharset ? CURE : undefined);
  let decoder: TextDecoder | undefined;
  /** The first bytes, as long as they are too few to look at. */
  let held: Buffer | undefined = Buffer.alloc(0);
  const begin = (beginning: Buffer) => {
    refuseFiles(beginning);
    const chosen = decoderOf(beginning, charset, hasCharset);
    if (chosen !== undefined) found(chosen.encoding);
    return chosen;
  };
  const take = function* (bytes: Buffer) {
    const parts: Buffer[] = [];
    try {
      text.push(bytes, (part) => parts.push(part));
    } finally {
      yield* parts;
    }
  };
  for await (const chunk of body) {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (held !== undefined) {
      bytes = Buffer.concat([held, bytes]);
      held = bytes.length < FILE_BYTES ? bytes : undefined;
      if (held !== undefined) continue;
      decoder = begin(bytes);
    }
    yield* take(decoder === undefined ? bytes : decoded(decoder, bytes));
  }
  if (held !== undefined) {
    decoder = begin(held);
    yield* take(decoder === undefined ? held : decoded(decoder, held));
  }
  if (decoder !== undefined) yield* take(decoded(decoder));
  if (text.isEmpty) throw malformed('it is empty');
  if (!text.isWhole) throw malformed('it ends in the middle of a character');
}

const CURE = ': save it as UTF-8, or add charset=windows-1252 if an old spreadsheet wrote it';
/** The number of first bytes that tell whether a text is UTF-16. */
const LOOKED_AT = 4;

function decoderOf(
  beginning: Buffer,
  charset: Charset | undefined,
  hasCharset: boolean,
): TextDecoder | undefined {
  const marked = markedUtf16(beginning);
  if (charset === undefined && marked === undefined && isUtf16(beginning)) {
    const cure = hasCharset
      ? `add charset=${beginning[0] === 0 ? 'utf-16be' : 'utf-16le'}`
      : 'save it as UTF-8';
    throw malformed(`it looks like UTF-16 without a byte order mark: ${cure}`);
  }
  if (marked !== undefined && !hasCharset) throw malformed('it is UTF-16, not UTF-8: save it as UTF-8');
  const name = charset ?? marked ?? 'utf-8';
  return name === 'utf-8' ? undefined : new TextDecoder(name, { fatal: true });
}

/** Returns the text in UTF-8. Undefined `bytes` end the text. */
function decoded(decoder: TextDecoder, bytes?: Buffer): Buffer {
  try {
    return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
  } catch {
    throw malformed(`it is not ${decoder.encoding.toUpperCase()}`);
  }
}

/** Returns the charset that the byte order mark names, if the text begins with one of UTF-16. */
export function markedUtf16(bytes: Buffer): Charset | undefined {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (mark === 0xfffe) return 'utf-16le';
  return mark === 0xfeff ? 'utf-16be' : undefined;
}

/** Whether every other byte is zero. */
function isUtf16(bytes: Buffer): boolean {
  if (bytes.length < LOOKED_AT) return false;
  return (bytes[0] === 0 && bytes[2] === 0) || (bytes[1] === 0 && bytes[3] === 0);
}
