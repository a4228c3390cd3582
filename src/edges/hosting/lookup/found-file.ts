/**
 * A file that hosting can serve: its description, and the place of its bytes. The bytes of a small file come with the description
 * (docs/decisions/0038). The bytes of any other file are in one object in the store, or in several.
 */
import { type DividedIndex, type StoredFile, siteIndexKey, volumeKey } from '../../../features/sites/site.ts';

export type FileDescription = Omit<StoredFile, 'content'>;

export interface FoundFile {
  /** The key of the object in the store. A small file has no object, but the log names it by this key. */
  readonly key: string;
  /**
   * The key in caches. It contains the etag, because an index can be replaced under its object key. `site rebuild` writes the index of an
   * upload again, with another origin if PUBLIC_ORIGIN has changed. A database that was restored from a backup repeats generations, and
   * with them the keys of domain indexes.
   */
  readonly cacheKey: string;
  readonly file: FileDescription;
  /** The gzip bytes of a small file. Null: they are damaged. Undefined: the file is an object in the store. */
  readonly content: Buffer | null | undefined;
  /** The key in the cache of the listing that describes the file. Undefined if `site.json` describes it. */
  readonly listedIn?: string | undefined;
  /**
   * The content of the file is `start`, these objects and `end`, one after the other. Undefined: the file is one object, or a small file.
   */
  readonly volumes?: {
    readonly start: Buffer;
    readonly objects: readonly {
      readonly key: string;
      readonly cacheKey: string;
      readonly gzipBytes: number;
      readonly etag: string;
    }[];
    readonly end: Buffer;
  };
}

export function foundFile(key: string, stored: StoredFile, listedIn?: string): FoundFile {
  const { bytes, gzipBytes, etag, lastModified, content } = stored;
  return {
    key,
    cacheKey: `${key} ${etag}`,
    // Copy the description alone, so that the base64 does not stay in memory.
    file: content === undefined ? stored : { bytes, gzipBytes, etag, lastModified },
    content: content === undefined ? undefined : decode(content, gzipBytes),
    ...(listedIn !== undefined && { listedIn }),
  };
}

/** Returns the sitemap index of a site that is divided into sections. */
export function foundIndex(
  { hostname, generation }: { readonly hostname: string; readonly generation: number },
  { start, volumes, end, ...file }: DividedIndex,
): FoundFile {
  return {
    ...foundFile(siteIndexKey(hostname, generation), file),
    volumes: {
      start: Buffer.from(start, 'base64'),
      objects: volumes.map((volume) => {
        const key = volumeKey(hostname, volume);
        const { gzipBytes, etag } = volume;
        return { key, cacheKey: `${key} ${etag}`, gzipBytes, etag };
      }),
      end: Buffer.from(end, 'base64'),
    },
  };
}

/**
 * Returns whether two files are the same. Compares the bytes of small files too, because a rebuild repairs a damaged file under the same
 * key.
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
 * Decodes base64 into memory of its own, because a buffer of `Buffer.from` may keep a whole pool in memory. Returns null if the text is
 * damaged.
 */
function decode(base64: string, bytes: number): Buffer | null {
  // Node's decoder skips characters that are not base64, and then returns too few bytes.
  if (base64.length !== 4 * Math.ceil(bytes / 3)) return null;
  const content = Buffer.allocUnsafeSlow(bytes);
  return content.write(base64, 'base64') === bytes ? content : null;
}

/** The measured memory of a small file beside its bytes. */
const SMALL_FILE_HEAP_BYTES = 500;

/**
 * Estimates the memory of parsed JSON in which buffers replace the base64 of `files`. `heapPerJsonByte`: the bytes of memory for each byte
 * of the rest of the JSON.
 */
export function parsedBytes(jsonBytes: number, heapPerJsonByte: number, files: Iterable<StoredFile>): number {
  let bytes = heapPerJsonByte * jsonBytes;
  for (const { content } of files) {
    // Four characters of base64 are three bytes.
    if (content !== undefined) bytes += SMALL_FILE_HEAP_BYTES + (0.75 - heapPerJsonByte) * content.length;
  }
  return Math.ceil(bytes);
}
