/** Finds the entries of some URLs in the files of a generation. */
import pMap from 'p-map';
import { HASHES_BYTES } from '../../../core/sitemap/kernel-layout.ts';
import type { EntryReader } from '../placement/entry-reader.ts';
import { FilePrints, type PrintsCache } from './file-prints.ts';
import type { BaseFile } from './messages.ts';
import { HASH_WORDS, wordsOf } from './operations.ts';

export interface Occurrence {
  /** The hash of its `loc`. */
  readonly loc: bigint;
  /** The number of entries before this entry, over all files. */
  readonly ordinal: number;
  /** The hash of the rest of the entry. */
  readonly rest: number;
}

/** The files that are read at once. Their hashes take some 3 MB. */
const FILES_AT_ONCE = 4;

/** Returns the entries of the wanted URLs in the files, by URL, in order. `locs`: the hashes of the URLs. Throws DamagedFile. */
export async function findLocs(
  reader: EntryReader,
  files: readonly BaseFile[],
  locs: Iterable<bigint>,
  cache: PrintsCache,
): Promise<Map<bigint, Occurrence[]>> {
  const wanted = Array.from(locs, (loc) => ({
    loc,
    low: Number(loc & 0xffffffffn),
    high: Number(loc >> 32n),
  }));
  let sum = 0;
  const placed = files.map((file) => {
    const first = sum;
    sum += file.entries;
    return { file, first };
  });
  const inFiles = await pMap(
    placed,
    async ({ file, first }) => {
      const known = cache.get(file.uploadId, file.uploadN);
      const likely = known && wanted.filter(({ low, high }) => known.mayHave(low, high));
      if (likely?.length === 0) return [];
      const entries = await reader.read('former', file);
      if (known === undefined) cache.add(file.uploadId, file.uploadN, new FilePrints(entries.hashes));
      const sought = likely ?? wanted;
      const matches = (sought.length <= FEW ? search : scan)(entries.hashes, sought, first);
      // A file with a match is probably written again, so its hashes are read again.
      if (matches.length > 0) reader.keep(file, entries);
      else reader.release(entries);
      return matches;
    },
    { concurrency: FILES_AT_ONCE },
  );
  return Map.groupBy(inFiles.flat(), ({ loc }) => loc);
}

interface Wanted {
  readonly loc: bigint;
  readonly low: number;
  readonly high: number;
}

/** For at most this many URLs, a search for each URL costs less than a look at each entry. */
const FEW = 2;

function search(hashes: Uint8Array, wanted: readonly Wanted[], first: number): Occurrence[] {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  const matches: Occurrence[] = [];
  const key = Buffer.alloc(8);
  for (const { loc } of wanted) {
    key.writeBigUInt64LE(loc);
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
      // The end of one hash and the beginning of the next may look like the key.
      if (at % HASHES_BYTES !== 0) continue;
      matches.push({ loc, ordinal: first + at / HASHES_BYTES, rest: bytes.readUInt32LE(at + key.length) });
    }
  }
  return matches;
}

/** Has a 1 at the lowest 16 bits of each wanted hash. All scans share this table, and each scan leaves it all zero. */
const isWanted = new Uint8Array(0x10000);

function scan(hashes: Uint8Array, wanted: readonly Wanted[], first: number): Occurrence[] {
  // One byte of a small table rules out nearly all other entries. The table stays in the cache of the processor.
  for (const { low } of wanted) isWanted[low & 0xffff] = 1;
  const byLow = Map.groupBy(wanted, ({ low }) => low);
  const words = wordsOf(hashes);
  const matches: Occurrence[] = [];
  for (let at = 0; at < words.length; at += HASH_WORDS) {
    const low = words[at]!;
    if (isWanted[low & 0xffff] === 0) continue;
    const high = words[at + 1]!;
    const match = byLow.get(low)?.find((one) => one.high === high);
    if (match !== undefined)
      matches.push({ loc: match.loc, ordinal: first + at / HASH_WORDS, rest: words[at + 2]! });
  }
  for (const { low } of wanted) isWanted[low & 0xffff] = 0;
  return matches;
}
