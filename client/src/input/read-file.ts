/** Reads the bytes of a file. */
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Encoding } from '../upload/form.ts';
import { badInput } from '../waypost-error.ts';

const CHUNK_BYTES = 256 * 1024;

/** Returns false for a pipe or a device, which can be read once. Returns true for a path that cannot be read: the later read tells why. */
export async function isRegular(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile() || found.isDirectory(),
    () => true,
  );
}

export async function checkReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`Cannot read ${path}: ${error.code}`, error);
  });
}

/** Decompresses the file if it has an `encoding`. Throws BAD_INPUT for a file that is damaged or truncated. */
export async function* readFile(path: string, encoding?: Encoding): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    yield* encoding === undefined ? file : decompress(file, encoding);
  } catch (error) {
    throw badInput(`Cannot read ${path}: ${(error as Error).message}`, error);
  }
}

async function* decompress(file: Readable, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const decoder = encoding === 'gzip' ? createGunzip() : createBrotliDecompress();
  const done = pipeline(file, decoder);
  // `yield*` throws the same error.
  done.catch(() => {});
  yield* decoder;
  await done;
}
