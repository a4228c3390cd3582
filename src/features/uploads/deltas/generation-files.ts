/** Remembers the files of generations, which never change, so that successive deltas need not list them. */
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type GenerationFile, listFilesOfGeneration } from '../live-file-store.ts';
import type { LiveGeneration, SitemapKey } from '../upload-store.ts';

/** The files of all generations: some 20 MB. */
const MAX_FILES = 100_000;

/** A new file may have its content with it. */
const summaryOf = ({ n, entries, bytes, gzipBytes, etag, uploadId, uploadN }: GenerationFile) => ({
  ...{ n, entries, bytes, gzipBytes, etag, uploadId, uploadN },
});

export class GenerationFiles {
  readonly #files = new Map<string, readonly GenerationFile[]>();
  #count = 0;

  /** Returns the files of a generation; undefined if some are gone, because it is not live any more. */
  async list(
    queryable: Queryable,
    key: SitemapKey,
    { id, seq, fileCount }: LiveGeneration,
  ): Promise<readonly GenerationFile[] | undefined> {
    const known = this.#files.get(id);
    if (known !== undefined) return known;
    const files = await listFilesOfGeneration(queryable, { ...key, seq });
    if (files.length !== fileCount) return undefined;
    this.add(id, files);
    return files;
  }

  add(id: string, files: readonly GenerationFile[]): void {
    this.#files.set(id, files.map(summaryOf));
    this.#count += files.length;
    for (const [oldest, { length }] of this.#files) {
      if (this.#count <= MAX_FILES) break;
      this.#files.delete(oldest);
      this.#count -= length;
    }
  }
}
