/**
 * A file that hosting can serve: its description, and the place of its bytes. The bytes of a small file come with its
 * description (docs/decisions/0038). Any other file is an object in the store.
 */
import { type DividedIndex, type StoredFile, siteIndexKey, volumeKey } from '../../../features/sites/site.ts';

export type FileDescription = Omit<StoredFile, 'content'>;

export interface FoundFile {
  /** The key of the object in the store. A small file has no object, but the log names it by this key. */
  readonly key: string;
  /**
   * The key in caches. It has the etag, because an index can be replaced under its object key. `site rebuild` writes an
   * upload's index again, with another origin if PUBLIC_ORIGIN changed. A database restored from a backup repeats
   * generations, and with them the keys of domain indexes.
   */
  readonly cacheKey: string;
  readonly file: FileDescription;
  /** The gzip bytes of a small file. Null: they are damaged. Undefined: the file is an object in the store. */
  readonly content: Buffer | null | undefined;
  /**
   * The content of the file is `start`, these objects and `end`, one after the other. Undefined: the file is one object, or a small file.
   */
  readonly volumes?: {
    readonly start: Buffer;
    readonly objects: readonly { readonly key: string; readonly gzipBytes: number }[];
    readonly end: Buffer;
  };
}

export function foundFile(key: string, stored: StoredFile): FoundFile {
  const { bytes, gzipBytes, etag, lastModified, content } = stored;
  return {
    key,
    cacheKey: `${key} ${etag}`,
    // Copy the description alone, so that the base64 does not stay in memory.
    file: content === undefined ? stored : { bytes, gzipBytes, etag, lastModified },
    content: content === undefined ? undefined : decode(content, gzipBytes),
  };
}

/** Returns the index of a divided site. */
export function foundIndex(
  { hostname, generation }: { readonly hostname: string; readonly generation: number },
  { start, volumes, end, ...file }: DividedIndex,
): FoundFile {
  return {
    ...foundFile(siteIndexKey(hostname, generation), file),
    volumes: {
      start: Buffer.from(start, 'base64'),
      objects: volumes.map((volume) => ({ key: volumeKey(hostname, volume), gzipBytes: volume.gzipBytes })),
      end: Buffer.from(end, 'base64'),
    },
  };
}

/**
 * Returns whether both are the same file. Also compares the bytes of small files, because a rebuild repairs damaged files under their old
 * names.
 */
export function isSameFile(one: FoundFile | null, other: FoundFile | null): boolean {
  if (one === null || other === null) return one === other;
  const isDescribedSo =
    one.cacheKey === other.cacheKey &&
    one.file.bytes === other.file.bytes &&
    one.file.gzipBytes === other.file.gzipBytes &&
    one.file.lastModified === other.file.lastModified;
  if (!isDescribedSo || one.content == null || other.content == null)
    return isDescribedSo && one.content === other.content;
  return one.content.equals(other.content);
}

/**
 * Decodes base64 into a buffer of its own: a buffer of `Buffer.from` may keep a whole pool in memory. Returns null if the text is damaged.
 */
function decode(base64: string, bytes: number): Buffer | null {
  // Node's decoder skips characters that are not base64, and then returns too few bytes.
  if (base64.length !== 4 * Math.ceil(bytes / 3)) return null;
  const content = Buffer.allocUnsafeSlow(bytes);
  return content.write(base64, 'base64') === bytes ? content : null;
}

/** The memory of a small file beside its bytes, measured. */
const SMALL_FILE_HEAP_BYTES = 500;

/** Estimates the memory of parsed JSON in which buffers replace the base64. `heapPerJsonByte`: the factor for the rest of the JSON. */
export function parsedBytes(jsonBytes: number, heapPerJsonByte: number, files: Iterable<StoredFile>): number {
  let bytes = heapPerJsonByte * jsonBytes;
  for (const { content } of files) {
    // Four characters of base64 are three bytes.
    if (content !== undefined) bytes += SMALL_FILE_HEAP_BYTES + (0.75 - heapPerJsonByte) * content.length;
  }
  return Math.ceil(bytes);
}
