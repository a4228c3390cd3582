/** Streams the XML of a stored file, so that memory stays flat. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { hasCode } from '../../platform/error-code.ts';

/** The error for a file that the store has lost, or of which it has other bytes. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Yields the result of `pieceOf` for each piece of XML. `gzip`: undefined if the store has lost the file. The file is closed when the
 * caller stops reading. Throws UnreadableFile, perhaps only after all XML.
 */
export async function* streamXml<Piece>(
  gzip: Readable | undefined,
  { uploadId, n, bytes }: { readonly uploadId: string; readonly n: number; readonly bytes: number },
  pieceOf: (xml: Buffer) => Piece,
): AsyncGenerator<Piece, void, undefined> {
  const name = `file ${n} of upload ${uploadId}`;
  if (gzip === undefined) throw new UnreadableFile(`${name} is missing`);
  let read = 0;
  try {
    // The callback ignores errors of the pipeline, because the loop throws them.
    for await (const chunk of pipeline(gzip, createGunzip({ chunkSize: CHUNK_BYTES }), () => {})) {
      read += chunk.length;
      if (read > bytes) break;
      yield pieceOf(chunk);
    }
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new UnreadableFile(`${name} is damaged`, { cause });
  }
  if (read !== bytes) throw new UnreadableFile(`${name} is not of ${bytes} bytes of XML`);
}

/** Whether an error means damaged content: no valid gzip or UTF-8. All other errors come from the store. */
export function isDamage(error: unknown): boolean {
  const codes = ['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR_BUFFER_TOO_LARGE', 'ERR_ENCODING_INVALID_ENCODED_DATA'];
  return hasCode(error, ...codes);
}
