/**
 * A file that hosting can serve: what describes it, and where its bytes are. The bytes of a small file came with its
 * description (docs/decisions/0038). All others are an object.
 */
import type { StoredFile } from '../../sites/site.ts';

export type FileDescription = Omit<StoredFile, 'content'>;

export interface FoundFile {
  /** Of the object. A small file has none, but its damage is reported by this name. */
  readonly key: string;
  /**
   * Names the content in caches. With the etag, because an index can be replaced under its key. `site rebuild` writes an
   * upload's index again, with another origin if PUBLIC_ORIGIN changed. A database restored from a backup repeats
   * generations, and with them the keys of domain indexes.
   */
  readonly cacheKey: string;
  readonly file: FileDescription;
  /** Of a small file: its bytes, as gzip. Null: they are damaged. */
  readonly content: Buffer | null | undefined;
}

export function foundFile(key: string, stored: StoredFile): FoundFile {
  const { bytes, gzipBytes, etag, lastModified, content } = stored;
  return {
    key,
    cacheKey: `${key} ${etag}`,
    // A copy of the description alone: base64 does not stay in memory.
    file: content === undefined ? stored : { bytes, gzipBytes, etag, lastModified },
    content: content === undefined ? undefined : decode(content, gzipBytes),
  };
}

/** Whether both are the same file. Of small files, the bytes count: a rebuild repairs damaged ones under the same name. */
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

/** A buffer of exactly its size: `Buffer.from` takes small ones from a pool and keeps all of it in memory. */
function decode(base64: string, bytes: number): Buffer | null {
  // Node's decoder skips what is not base64. Then there are too few bytes.
  if (base64.length !== 4 * Math.ceil(bytes / 3)) return null;
  const content = Buffer.allocUnsafeSlow(bytes);
  return content.write(base64, 'base64') === bytes ? content : null;
}

/** Measured: the objects of its buffer and its keys, and what the allocator adds. */
const SMALL_FILE_HEAP_BYTES = 500;

/** The memory of parsed JSON whose base64 became buffers. `heapPerJsonByte`: of the rest. */
export function parsedBytes(jsonBytes: number, heapPerJsonByte: number, files: Iterable<StoredFile>): number {
  let bytes = heapPerJsonByte * jsonBytes;
  for (const { content } of files) {
    // Three bytes of each four.
    if (content !== undefined) bytes += SMALL_FILE_HEAP_BYTES + (0.75 - heapPerJsonByte) * content.length;
  }
  return Math.ceil(bytes);
}
