/** Finds the URLs of entries that are known by their place in a file. It inflates only the fragments that hold some. */
import type { FileHashes } from '../sites/file-hashes.ts';
import { EntryKernel, WHOLE } from './entry-kernel.ts';
import { free, inflateFile, inflateFragment } from './inflate-file.ts';
import type { ComparedFile } from './thread-messages.ts';

export class EntryLocator {
  #kernel: EntryKernel | undefined;

  /** `stored`: the gzip bytes of the file, which are freed. `ordinals` ascend, from 0. Throws DamagedFile. */
  locsOf(
    stored: Uint8Array,
    file: ComparedFile,
    { fragments, firstFragmentAt }: FileHashes,
    ordinals: readonly number[],
  ): string[] {
    const kernel = this.#open();
    const wanted = groupByFragment(fragments, ordinals);
    // Each fragment costs a stream of zlib, so one stream for the whole file soon costs less.
    if (2 * wanted.size > fragments.length) {
      using xml = inflateFile(stored, file);
      return kernel.locsIn({ pieces: [xml.bytes], entries: file.entries }, ordinals);
    }
    const locs: string[] = [];
    let at = firstFragmentAt;
    for (const [i, fragment] of fragments.entries()) {
      const inside = wanted.get(i);
      if (inside !== undefined) {
        using xml = inflateFragment(stored, at, fragment, file.n);
        locs.push(...kernel.locsInPart(xml.bytes, inside));
      }
      at += fragment.deflatedBytes;
    }
    free(stored);
    return locs;
  }

  #open(): EntryKernel {
    if (this.#kernel === undefined) {
      this.#kernel = new EntryKernel(0);
      // Nobody looks at its hashes.
      this.#kernel.begin(WHOLE, 0n, false);
    }
    return this.#kernel;
  }
}

/** Returns the ordinals in each fragment that has some, counted from the fragment on, by the index of the fragment. */
function groupByFragment(
  fragments: FileHashes['fragments'],
  ordinals: readonly number[],
): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  let next = 0;
  let first = 0;
  for (const [i, { entries }] of fragments.entries()) {
    const inside: number[] = [];
    for (; next < ordinals.length && ordinals[next]! < first + entries; next++)
      inside.push(ordinals[next]! - first);
    if (inside.length > 0) groups.set(i, inside);
    first += entries;
  }
  return groups;
}
