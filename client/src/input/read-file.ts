/** Reads the bytes of a file. */
import { createReadStream, type Stats } from 'node:fs';
import { access, constants, type FileHandle, open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getSystemErrorMap } from 'node:util';
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
  await access(path, constants.R_OK).catch((error) => {
    throw cannotRead(path, error);
  });
}

/** Node's own message repeats the call and the path. */
function cannotRead(path: string, error: NodeJS.ErrnoException) {
  const { syscall, errno = 0, message } = error;
  // Errors of zlib have numbers too, which mean something else there.
  const [, words] = (syscall === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  const cure = /^(?:https|s3):\/\//i.test(path) ? '. Waypost fetches an address: waypost load' : '';
  return badInput(`Cannot read ${path}: ${words ?? message}${cure}`, error);
}

/** Decompresses the file if it has an `encoding`. Throws BAD_INPUT for a file that is damaged or truncated. */
export async function* readFile(path: string, encoding?: Encoding): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    yield* encoding === undefined ? file : decompress(file, encoding);
  } catch (error) {
    throw cannotRead(path, error as Error);
  }
}

/**
 * Returns a function that reads a regular file as it is now. The read throws BAD_INPUT at its end if somebody has written to the file: what
 * was read may be half of a list. A file that another one replaces by a rename meanwhile is read to its end. The next read throws BAD_INPUT
 * at its beginning.
 */
export async function unchangedFile(
  path: string,
  encoding?: Encoding,
): Promise<() => AsyncGenerator<Uint8Array>> {
  const found = await stat(path);
  if (found.isDirectory()) throw badInput(`Cannot read ${path}: it is a folder.`);
  return () => readUnchanged(path, encoding, found);
}

async function* readUnchanged(path: string, encoding: Encoding | undefined, found: Stats) {
  const file = await openAgain(path);
  try {
    if ((await file.stat()).ino !== found.ino) throw new Error('another file has taken its place.');
    const bytes = file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
    yield* encoding === undefined ? bytes : decompress(bytes, encoding);
    const { size, mtimeMs } = await file.stat();
    if (size !== found.size || mtimeMs !== found.mtimeMs)
      throw new Error('somebody has written to it meanwhile.');
  } catch (error) {
    throw cannotRead(path, error as Error);
  } finally {
    await file.close();
  }
}

async function openAgain(path: string): Promise<FileHandle> {
  return open(path).catch((error) => {
    throw cannotRead(path, error);
  });
}

async function* decompress(file: Readable, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const decoder = encoding === 'gzip' ? createGunzip() : createBrotliDecompress();
  const done = pipeline(file, decoder);
  // `yield*` throws the same error.
  done.catch(() => {});
  yield* decoder;
  await done;
}
