/** Finds the URLs of entries that are known by their place in a file. It inflates only the fragments that hold some. */
import { HASHES_BYTES } from '../../core/sitemap/kernel-layout.ts';
import { DamagedFile, EntryKernel, type StoredFile, WHOLE } from '../entries/entry-kernel.ts';
import { free, inflateFile, inflateFragment } from '../entries/inflate-file.ts';
import type { FileHashes } from '../sites/file-hashes.ts';

export class EntryLocator {
  #kernel: EntryKernel | undefined;

  /**
   * `stored`: the gzip bytes of the file, which are freed. `ordinals` ascend, from 0. All calls have hashes with one seed. Throws
   * DamagedFile if the file does not have these hashes.
   */
  locsOf(stored: Uint8Array, file: StoredFile, hashes: FileHashes, ordinals: readonly number[]): string[] {
    const wanted = groupByFragment(hashes.fragments, ordinals);
    // Each fragment costs a stream of zlib, so one stream for the whole file soon costs less.
    const locs =
      2 * wanted.size > hashes.fragments.length ? undefined : this.#inFragments(stored, file, hashes, wanted);
    if (locs === undefined) return this.#inFile(stored, file, hashes, ordinals);
    free(stored);
    return locs;
  }

  /** Returns undefined if a fragment is not where the hashes say: only the whole file can tell whether it is damaged. */
  #inFragments(
    stored: Uint8Array,
    file: StoredFile,
    { seed, hashes, fragments, firstFragmentAt }: FileHashes,
    wanted: ReadonlyMap<number, readonly number[]>,
  ): string[] | undefined {
    const kernel = this.#open(seed);
    const locs: string[] = [];
    let at = firstFragmentAt;
    let first = 0;
    try {
      for (const [i, fragment] of fragments.entries()) {
        const inside = wanted.get(i);
        if (inside !== undefined) {
          if (fragment.bytes > file.bytes) return undefined;
          using xml = inflateFragment(stored, at, fragment, file.n);
          locs.push(...kernel.locsInPart(xml.bytes, inside, hashesFrom(hashes, first)));
        }
        at += fragment.deflatedBytes;
        first += fragment.entries;
      }
      return locs;
    } catch (error) {
      if (error instanceof DamagedFile) return undefined;
      throw error;
    }
  }

  #inFile(
    stored: Uint8Array,
    file: StoredFile,
    { seed, hashes }: FileHashes,
    ordinals: readonly number[],
  ): string[] {
    using xml = inflateFile(stored, file);
    return this.#open(seed).locsIn({ pieces: [xml.bytes], entries: file.entries }, ordinals, hashes);
  }

  #open(seed: bigint): EntryKernel {
    this.#kernel ??= new EntryKernel(0);
    this.#kernel.begin(WHOLE, seed, false);
    return this.#kernel;
  }
}

const hashesFrom = (hashes: Uint8Array, ordinal: number) => hashes.subarray(ordinal * HASHES_BYTES);

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
