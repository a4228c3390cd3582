/**
 * Remembers the files of the newest generation of sitemaps, so successive deltas need not list them. The files of a generation never
 * change.
 */
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type GenerationFile, listFilesOfGeneration } from '../live-file-store.ts';
import { placeOf } from '../publishing/publish-state.ts';
import type { LiveGeneration, SitemapKey } from '../upload-store.ts';

/** The most files of all sitemaps together. They take some 20 MB. */
const MAX_FILES = 100_000;

/** Leaves out the content of a new small file, to save memory. */
const summaryOf = ({ n, entries, bytes, gzipBytes, etag, uploadId, uploadN }: GenerationFile) => ({
  ...{ n, entries, bytes, gzipBytes, etag, uploadId, uploadN },
});

export class GenerationFiles {
  /** The sitemaps. The sitemap whose files were added first comes first. */
  readonly #newest = new Map<string, { readonly id: string; readonly files: readonly GenerationFile[] }>();
  #count = 0;

  /** Returns the files of a generation. Returns undefined if some files are gone, because the generation is not live any more. */
  async list(
    queryable: Queryable,
    key: SitemapKey,
    { id, seq, fileCount }: LiveGeneration,
  ): Promise<readonly GenerationFile[] | undefined> {
    const known = this.#newest.get(placeOf(key));
    if (known?.id === id) return known.files;
    const files = await listFilesOfGeneration(queryable, { ...key, seq });
    if (files.length !== fileCount) return undefined;
    this.add(key, id, files);
    return files;
  }

  add(key: SitemapKey, id: string, files: readonly GenerationFile[]): void {
    this.#forget(placeOf(key));
    this.#newest.set(placeOf(key), { id, files: files.map(summaryOf) });
    this.#count += files.length;
    for (const place of this.#newest.keys()) {
      if (this.#count <= MAX_FILES) break;
      this.#forget(place);
    }
  }

  #forget(place: string): void {
    this.#count -= this.#newest.get(place)?.files.length ?? 0;
    this.#newest.delete(place);
  }
}
