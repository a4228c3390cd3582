/** The listing of an upload, as hosting keeps it in memory. The bytes of small files replace their base64. */
import {
  type Listing,
  type StoredFile,
  uploadFileKey,
  uploadIndexKey,
} from '../../../features/sites/site.ts';
import { type FoundFile, foundFile, isSameFile } from './found-file.ts';

type ListedFile = Listing['files'][number];

/** Returns the files of a listing, with the index first if there is one. */
export function storedFilesOf({ index, files }: Listing): readonly StoredFile[] {
  return index === null ? files : [index, ...files];
}

export class CachedListing {
  /** The sitemap index. Null when the upload has only one file. */
  readonly index: FoundFile | null;
  readonly #uploadId: string;
  readonly #cacheKey: string | undefined;
  /** File n is at n - 1. A listing may have thousands of files, so the FoundFile of a large file is made at the first request for it. */
  readonly #files: (FoundFile | ListedFile)[];

  /** `cacheKey`: the key of the listing in the cache. Undefined if the listing is a part of `site.json`. */
  constructor(uploadId: string, { index, files }: Listing, cacheKey?: string) {
    this.#uploadId = uploadId;
    this.#cacheKey = cacheKey;
    this.index = index && foundFile(uploadIndexKey(uploadId), index, cacheKey);
    this.#files = files.map((file, at) => (file.content === undefined ? file : this.#found(file, at + 1)));
  }

  /** Returns file n; undefined if the upload has no such file. */
  file(n: number): FoundFile | undefined {
    const file = this.#files[n - 1];
    if (file === undefined || 'cacheKey' in file) return file;
    const found = this.#found(file, n);
    this.#files[n - 1] = found;
    return found;
  }

  /** Returns whether the other listing has the same upload and the same files. */
  equals(other: CachedListing): boolean {
    if (this.#uploadId !== other.#uploadId || this.#files.length !== other.#files.length) return false;
    if (!isSameFile(this.index, other.index)) return false;
    return this.#files.every((_, at) => isSameFile(this.file(at + 1)!, other.file(at + 1)!));
  }

  #found(file: ListedFile, n: number): FoundFile {
    return foundFile(uploadFileKey(file.uploadId ?? this.#uploadId, file.n ?? n), file, this.#cacheKey);
  }
}
