/**
 * Joins fragments into sitemap files. A file ends where the next fragment would pass the number of entries of
 * its `sizeLimit`, the bytes of a file or its news entries. As no fragment crosses a multiple of 1,000 entries
 * and every `sizeLimit` is one, files end at the limit exactly.
 */
import { createHash } from 'node:crypto';
import { stitchGzip } from '../platform/gzip/gzip-member.ts';
import { invalidField } from '../platform/refusal.ts';
import { MAX_FILE_NEWS_ENTRIES, MAX_FILE_XML_BYTES, MAX_FILES_PER_INDEX } from '../sitemap/limits.ts';
import { frameOf } from './file-frame.ts';
import type { Fragment } from './fragment.ts';

/** A whole sitemap file, compressed, ready to be stored. */
export interface CutFile {
  /** The gzip member's parts, to be written one after the other. */
  readonly parts: readonly Uint8Array[];
  readonly entries: number;
  /** Length of the XML. */
  readonly bytes: number;
  /** Length of `parts`. */
  readonly gzipBytes: number;
  /** A digest of `parts`. */
  readonly etag: string;
  /** What the file was made of; `parts` holds the fragments' bytes from its third on. */
  readonly fragments: readonly Fragment[];
}

/** `entriesPerFile` is asked once, when the first fragment is there. */
export async function* cutFiles(
  fragments: AsyncIterable<Fragment>,
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

export function tooManyFiles(): Error {
  return invalidField(
    'urls',
    undefined,
    `must fit into ${MAX_FILES_PER_INDEX} files; use a larger sizeLimit`,
  );
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

  /** Only now is it known which namespaces the header declares. */
  close(): CutFile {
    const { header, footer } = frameOf(this.#namespaces);
    const parts = stitchGzip([header, ...this.#fragments, footer]);
    const digest = createHash('sha256');
    let gzipBytes = 0;
    for (const part of parts) {
      digest.update(part);
      gzipBytes += part.length;
    }
    return {
      parts,
      entries: this.entries,
      bytes: header.bytes + this.#bytes + footer.bytes,
      gzipBytes,
      // 128 bits tell any two files of a site apart.
      etag: digest.digest().toString('base64url', 0, 16),
      fragments: this.#fragments,
    };
  }
}
