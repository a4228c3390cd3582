/** Reads entries at given places in a file. For a few entries, inflates only the fragments that contain them. */
import { HASHES_BYTES } from '../../core/sitemap/kernel-layout.ts';
import {
  DamagedFile,
  EntryKernel,
  type LocatedEntry,
  type StoredFile,
  WHOLE,
} from '../entries/entry-kernel.ts';
import { free, inflateFile, inflateFragment } from '../entries/inflate-file.ts';
import type { FileHashes } from '../sites/file-hashes.ts';

interface Wanted {
  readonly file: StoredFile;
  /** The stored hashes of the file. They must have the same seed in all calls. */
  readonly hashes: FileHashes;
  /** The numbers of the wanted entries in the file, ascending, from 0. */
  readonly ordinals: readonly number[];
  readonly withXml: boolean;
}

export class EntryLocator {
  #kernel: EntryKernel | undefined;

  /**
   * Finds the wanted entries. `stored`: the gzip bytes of the file, which this call frees. Throws DamagedFile if the file is damaged, or if
   * the hashes belong to another file.
   */
  locate(stored: Uint8Array, wanted: Wanted): LocatedEntry[] {
    const { fragments } = wanted.hashes;
    const groups = groupByFragment(fragments, wanted.ordinals);
    // Each fragment needs a zlib stream of its own. To read more than half of the fragments, one stream for the whole file costs less.
    const found = 2 * groups.size > fragments.length ? undefined : this.#inFragments(stored, wanted, groups);
    if (found === undefined) return this.#inFile(stored, wanted);
    free(stored);
    return found;
  }

  /**
   * Returns undefined if a fragment is not at the place that the hashes name. The caller then reads the whole file, and so finds out
   * whether the file is damaged.
   */
  #inFragments(
    stored: Uint8Array,
    { file, hashes: { seed, hashes, fragments, firstFragmentAt }, withXml }: Wanted,
    groups: ReadonlyMap<number, readonly number[]>,
  ): LocatedEntry[] | undefined {
    const kernel = this.#open(seed);
    const found: LocatedEntry[] = [];
    let at = firstFragmentAt;
    let first = 0;
    try {
      for (const [i, fragment] of fragments.entries()) {
        const ordinals = groups.get(i);
        if (ordinals !== undefined) {
          if (fragment.bytes > file.bytes) return undefined;
          using xml = inflateFragment(stored, at, fragment, file.n);
          const own = hashes.subarray(first * HASHES_BYTES);
          found.push(...kernel.locateInPart(xml.bytes, { ordinals, hashes: own, withXml }));
        }
        at += fragment.deflatedBytes;
        first += fragment.entries;
      }
      return found;
    } catch (error) {
      if (error instanceof DamagedFile) return undefined;
      throw error;
    }
  }

  #inFile(stored: Uint8Array, { file, hashes: { seed, hashes }, ordinals, withXml }: Wanted): LocatedEntry[] {
    using xml = inflateFile(stored, file);
    const text = { pieces: [xml.bytes], entries: file.entries };
    return this.#open(seed).locate(text, { ordinals, hashes, withXml });
  }

  #open(seed: bigint): EntryKernel {
    this.#kernel ??= new EntryKernel(0);
    this.#kernel.begin(WHOLE, seed, false);
    return this.#kernel;
  }
}

/**
 * Groups the wanted ordinals by the index of their fragment. The returned ordinals count from the first entry of their fragment. Leaves out
 * fragments without wanted entries.
 */
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
