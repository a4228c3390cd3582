/** A sitemap index while it is built. */
import { gzipSync } from 'node:zlib';
import { contentDigest } from '../platform/content-digest.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { INDEX_FOOTER, INDEX_HEADER } from '../sitemap/render-index.ts';
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

  /** When all entries are there. */
  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.#xml + INDEX_FOOTER);
    return this.#gzip;
  }

  /** Whether it is an object. Otherwise it is where it is described. */
  get isObject(): boolean {
    return this.gzip.length > SMALL_FILE_BYTES;
  }

  /** When all entries are there. */
  get stored(): StoredFile {
    this.#stored ??= {
      bytes: Buffer.byteLength(this.#xml + INDEX_FOOTER),
      gzipBytes: this.gzip.length,
      etag: contentDigest([this.gzip]),
      lastModified: isoSeconds(this.#lastModified),
      ...(!this.isObject && { content: this.gzip.toString('base64') }),
    };
    return this.#stored;
  }
}
