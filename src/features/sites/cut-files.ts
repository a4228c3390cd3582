/**
 * Joins fragments into sitemap files. A file ends when the next fragment exceeds a limit: of entries, of bytes or of news entries. The
 * files of an upload end exactly at the limit of entries, because no fragment of a body crosses a multiple of 1,000 entries, and every
 * `sizeLimit` is such a multiple.
 */
import { MAX_FILE_NEWS_ENTRIES, MAX_FILE_XML_BYTES, MAX_FILES_PER_INDEX } from '../../core/sitemap/limits.ts';
import { contentDigest } from '../../platform/content-digest.ts';
import { stitchGzip } from '../../platform/gzip/gzip-member.ts';
import { invalidField } from '../../platform/refusal.ts';
import { frameOf } from './file-frame.ts';
import type { Fragment } from './fragment.ts';

/** A whole compressed sitemap file. */
export interface CutFile {
  /** The parts of the gzip member, in order. */
  readonly parts: readonly Uint8Array[];
  readonly entries: number;
  /** The length of the XML. */
  readonly bytes: number;
  /** The length of `parts`. */
  readonly gzipBytes: number;
  /** The digest of `parts`. */
  readonly etag: string;
  /** The fragments in the file. Their bytes are in `parts` from `parts[2]` on. */
  readonly fragments: readonly Fragment[];
}

/**
 * Cuts files. Calls `entriesPerFile` once, when the first fragment arrives. Throws Refusal VALIDATION_ERROR if there are more files than an
 * index can have.
 */
export async function* cutFiles(
  fragments: AsyncIterable<Fragment> | Iterable<Fragment>,
  entriesPerFile: () => number,
): AsyncGenerator<CutFile, void, undefined> {
  let maxEntries: number | undefined;
  let file = new OpenFile();
  let files = 0;
  for await (const fragment of fragments) {
    maxEntries ??= entriesPerFile();
    if (!file.hasRoomFor(fragment, maxEntries)) {
      yield file.close();
      file = new OpenFile();
      if (++files === MAX_FILES_PER_INDEX) throw tooManyFiles();
    }
    file.add(fragment);
  }
  if (file.entries > 0) yield file.close();
}

export function tooManyFiles(most = MAX_FILES_PER_INDEX): Error {
  return invalidField('urls', undefined, `must fit into ${most} files; use a larger sizeLimit`);
}

class OpenFile {
  readonly #fragments: Fragment[] = [];
  entries = 0;
  #newsEntries = 0;
  #bytes = 0;
  #namespaces = 0;

  hasRoomFor(fragment: Fragment, maxEntries: number): boolean {
    if (this.#fragments.length === 0) return true;
    const frame = frameOf(this.#namespaces | fragment.namespaces);
    return (
      this.entries + fragment.entries <= maxEntries &&
      this.#newsEntries + fragment.newsEntries <= MAX_FILE_NEWS_ENTRIES &&
      frame.header.bytes + this.#bytes + fragment.bytes + frame.footer.bytes <= MAX_FILE_XML_BYTES
    );
  }

  add(fragment: Fragment): void {
    this.#fragments.push(fragment);
    this.entries += fragment.entries;
    this.#newsEntries += fragment.newsEntries;
    this.#bytes += fragment.bytes;
    this.#namespaces |= fragment.namespaces;
  }

  /** Makes the header last, because the namespaces of the whole file are known only now. */
  close(): CutFile {
    const { header, footer } = frameOf(this.#namespaces);
    const parts = stitchGzip([header, ...this.#fragments, footer]);
    return {
      parts,
      entries: this.entries,
      bytes: header.bytes + this.#bytes + footer.bytes,
      gzipBytes: parts.reduce((sum, part) => sum + part.length, 0),
      // A digest of 128 bits is enough to tell any two files of a site apart.
      etag: contentDigest(parts),
      fragments: this.#fragments,
    };
  }
}
