/** Opens a file as a stored object: a small one is read at once, and a large one is a stream. */
import { type BigIntStats, closeSync, createReadStream, fstatSync, open, read } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { hasCode } from '../error-code.ts';
import type { ByteRange, StoredObject } from './object-storage.ts';

/** We use file descriptors. A FileHandle is closed on a thread of the pool, and this costs as much as a read. */
const openToRead = promisify(open);
const readInto = promisify(read);

/** Up to this size, a stream costs more than opening and reading the file. */
const READ_BYTES = 256 * 1024;

/** A small object, or a part of one, in memory. Callers rarely need the stream, so it is made on demand. */
class ReadFile implements StoredObject {
  readonly bytes: number;
  readonly objectBytes: number;
  readonly version: string;
  readonly whole: Buffer;

  constructor(described: Pick<ReadFile, 'bytes' | 'objectBytes' | 'version'>, whole: Buffer) {
    this.bytes = described.bytes;
    this.objectBytes = described.objectBytes;
    this.version = described.version;
    this.whole = whole;
  }

  get body(): Readable {
    return Readable.from(this.whole.length === 0 ? [] : [this.whole]);
  }
}

async function readWhole(file: number, { offset, length }: ByteRange): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(length);
  await readAll(file, offset, whole);
  return whole;
}

async function readAll(file: number, offset: number, target: Uint8Array): Promise<void> {
  for (let at = 0; at < target.length; ) {
    const { bytesRead } = await readInto(file, target, at, target.length - at, offset + at);
    if (bytesRead === 0) throw new Error(`the file ended after ${at} of ${target.length} bytes`);
    at += bytesRead;
  }
}

/** Returns a stream that closes the file at its end. */
function streamOf(file: number, { offset, length }: ByteRange): Readable {
  return createReadStream('', {
    fd: file,
    start: offset,
    end: offset + length - 1,
    highWaterMark: READ_BYTES,
  });
}

/**
 * Opens a file. Returns undefined if there is none. Throws RangeError if `range` passes its end. `key`: the key of the object, for errors.
 */
export async function openFile(
  path: string,
  key: string,
  range: ByteRange | undefined,
): Promise<StoredObject | undefined> {
  const file = await openIfThere(path);
  if (file === undefined) return undefined;
  let isStreamed = false;
  try {
    // For an open file, fstat does not wait for the disk. Neither does the close of a file that was only read.
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile()) return undefined;
    const objectBytes = Number(stats.size);
    const slice = range ?? { offset: 0, length: objectBytes };
    if (slice.offset + slice.length > objectBytes) {
      throw new RangeError(`range passes the end of object ${key}`);
    }
    const described = { bytes: slice.length, objectBytes, version: versionOf(stats) };
    if (slice.length <= READ_BYTES) return new ReadFile(described, await readWhole(file, slice));
    const body = streamOf(file, slice);
    isStreamed = true;
    return {
      ...described,
      body,
      readInto: async (target) => {
        // The stream has read no bytes yet. Its destruction closes the file.
        try {
          await readAll(file, slice.offset, target);
        } finally {
          body.destroy();
        }
      },
    };
  } finally {
    if (!isStreamed) closeSync(file);
  }
}

/**
 * Files are replaced, never changed. The time alone is too coarse, and inode numbers are reused, so a version consists of time, size and
 * inode number.
 */
export function versionOf({ mtimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}-${size}-${ino}`;
}

async function openIfThere(path: string): Promise<number | undefined> {
  try {
    return await openToRead(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
