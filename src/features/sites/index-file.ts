/** A sitemap index, or a part of one, while it is built. */
import { gzipSync } from 'node:zlib';
import { INDEX_FOOTER, INDEX_HEADER } from '../../core/sitemap/render-index.ts';
import { contentDigest } from '../../platform/content-digest.ts';
import { type DeflatedPiece, deflatePiece } from '../../platform/gzip/gzip-member.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { StoredFile } from './site.ts';
import { SMALL_FILE_BYTES } from './small-files.ts';

/**
 * A piece begins with an empty window, so an index of pieces is a third larger than an index that is deflated as a whole. Level 9 saves
 * half of this third, and costs 0.2 ms per piece.
 */
const PIECE_LEVEL = 9;

/** The clocks of processes and of the database differ by less. */
const SKEW_MS = 3_600_000;

/**
 * Replaces a time that is far ahead by the current time. A clock that was ahead made it, and it hides the next changes of an index from
 * crawlers. A time that is a little ahead stays: our own clock may be behind, and the time of an index must not go back.
 */
export function untilNow(time: string): string {
  const now = Date.now();
  return time > isoSeconds(new Date(now + SKEW_MS)) ? isoSeconds(new Date(now)) : time;
}

/** A piece of the domain-wide index of a divided site: the beginning of the index, or the part of a section. */
export class IndexPart {
  protected xml: string;
  #lastModified = new Date(0);

  constructor(isHead = false) {
    this.xml = isHead ? INDEX_HEADER : '';
  }

  add(entry: string, lastModified: Date): void {
    this.xml += entry;
    if (lastModified > this.#lastModified) this.#lastModified = lastModified;
  }

  /** Counts the time at which an entry went away, because the times of the other entries do not show it. */
  noteRemoval(time: Date | null): void {
    if (time !== null && time > this.#lastModified) this.#lastModified = time;
  }

  /** The time of the last change, as `untilNow` limits it. */
  get lastModified(): string {
    return untilNow(isoSeconds(this.#lastModified));
  }

  deflate(): DeflatedPiece {
    return deflatePiece(Buffer.from(this.xml), PIECE_LEVEL);
  }
}

/** A whole index. Read its bytes and its description only after all entries are added. */
export class IndexFile extends IndexPart {
  #gzip: Buffer | undefined;
  #stored: StoredFile | undefined;

  constructor() {
    super(true);
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.xml + INDEX_FOOTER);
    return this.#gzip;
  }

  /** Whether the index is an object of its own. The bytes of a small index are in its description instead. */
  get isObject(): boolean {
    return this.gzip.length > SMALL_FILE_BYTES;
  }

  get stored(): StoredFile {
    const { gzip } = this;
    this.#stored ??= {
      bytes: Buffer.byteLength(this.xml + INDEX_FOOTER),
      gzipBytes: gzip.length,
      etag: contentDigest([gzip]),
      lastModified: this.lastModified,
      ...(!this.isObject && { content: gzip.toString('base64') }),
    };
    return this.#stored;
  }
}
