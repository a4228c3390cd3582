/** A sitemap index while it is built. */
import { gzipSync } from 'node:zlib';
import { INDEX_FOOTER, INDEX_HEADER } from '../../core/sitemap/render-index.ts';
import { contentDigest } from '../../platform/content-digest.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { StoredFile } from './site.ts';
import { SMALL_FILE_BYTES } from './small-files.ts';

export class IndexFile {
  #xml = INDEX_HEADER;
  #lastModified = new Date(0);
  #gzip: Buffer | undefined;
  #stored: StoredFile | undefined;

  add(entry: string, lastModified: Date): void {
    this.#xml += entry;
    if (lastModified > this.#lastModified) this.#lastModified = lastModified;
  }

  /** Read this only when all entries are added. */
  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.#xml + INDEX_FOOTER);
    return this.#gzip;
  }

  /** Whether the index is an object of its own. A small index is stored with its description instead. */
  get isObject(): boolean {
    return this.gzip.length > SMALL_FILE_BYTES;
  }

  /** Read this only when all entries are added. */
  get stored(): StoredFile {
    const { gzip } = this;
    this.#stored ??= {
      bytes: Buffer.byteLength(this.#xml + INDEX_FOOTER),
      gzipBytes: gzip.length,
      etag: contentDigest([gzip]),
      lastModified: isoSeconds(this.#lastModified),
      ...(!this.isObject && { content: gzip.toString('base64') }),
    };
    return this.#stored;
  }
}
