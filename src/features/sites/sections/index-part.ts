/** The pieces of the domain-wide index of a divided site: one for each section, and the beginning. */
import { INDEX_HEADER } from '../../../core/sitemap/render-index.ts';
import { type DeflatedPiece, deflatePiece } from '../../../platform/gzip/gzip-member.ts';
import { isoSeconds } from '../../../platform/iso-seconds.ts';

/**
 * A piece begins with an empty window, so an index of pieces is a third larger than an index that is deflated as a whole. Level 9 saves
 * half of this third, and costs 0.2 ms per piece.
 */
const LEVEL = 9;

/** A piece of the index while it is built: the part of a section, or the beginning of the index. */
export class IndexPart {
  #xml: string;
  #lastModified = new Date(0);

  constructor(isHead = false) {
    this.#xml = isHead ? INDEX_HEADER : '';
  }

  add(entry: string, lastModified: Date): void {
    this.#xml += entry;
    if (lastModified > this.#lastModified) this.#lastModified = lastModified;
  }

  get lastModified(): string {
    return isoSeconds(this.#lastModified);
  }

  deflate(): DeflatedPiece {
    return deflatePiece(Buffer.from(this.#xml), LEVEL);
  }
}
