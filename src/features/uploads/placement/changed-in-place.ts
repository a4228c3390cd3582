/**
 * Finds early that most entries of a list have changed and stand where they stood, as in an export that sets all times each day. The join
 * of both sides finds the same, but reads all hashes several times.
 */
import { HASHES_BYTES } from '../../../core/sitemap/kernel-layout.ts';
import type { EntryReader } from './entry-reader.ts';
import type { PlaceTask } from './messages.ts';

/** The files of each side that are read at once. */
const READ_AT_ONCE = 4;

/**
 * Returns whether more than `most` entries have changed in their place. Ends early if less than half of the entries so far have changed.
 * Entries of one `loc` that stand beside each other do not count: an export may sort by URL, and have the rows of a URL in any order. An
 * entry counts even if the former list has an equal one far from it. Throws DamagedFile.
 */
export async function areManyChangedInPlace(
  reader: EntryReader,
  { former, live }: Pick<PlaceTask, 'former' | 'live'>,
  most: number,
): Promise<boolean> {
  let [looked, changed] = [0, 0];
  for (let first = 0; first < live.length && changed >= looked / 2; first += READ_AT_ONCE) {
    const next = live.slice(first, first + READ_AT_ONCE);
    const counts = await Promise.all(
      next.map(async (file, i) => {
        const before = former[first + i];
        return before === undefined ? 0 : countChanged(reader, before, file);
      }),
    );
    changed += counts.reduce((sum, count) => sum + count, 0);
    looked += next.reduce((sum, { entries }) => sum + entries, 0);
    if (changed > most) return true;
  }
  return false;
}

async function countChanged(
  reader: EntryReader,
  before: PlaceTask['former'][number],
  after: PlaceTask['live'][number],
): Promise<number> {
  const [former, live] = await Promise.all([reader.read('former', before), reader.read('live', after)]);
  const [a, b] = [viewOf(former.hashes), viewOf(live.hashes)];
  const end = Math.min(a.byteLength, b.byteLength);
  let changed = 0;
  for (let at = 0; at < end; at += HASHES_BYTES) {
    const isSameLoc = a.getUint32(at) === b.getUint32(at) && a.getUint32(at + 4) === b.getUint32(at + 4);
    if (isSameLoc && a.getUint32(at + 8) !== b.getUint32(at + 8) && !isRepeated(a, at)) changed++;
  }
  reader.release(former);
  reader.release(live);
  return changed;
}

/** Whether an entry beside the entry at `at` has the same `loc`. Half of its hash is enough to tell. */
function isRepeated(hashes: DataView, at: number): boolean {
  const loc = hashes.getUint32(at);
  const [before, after] = [at - HASHES_BYTES, at + HASHES_BYTES];
  return (
    (before >= 0 && hashes.getUint32(before) === loc) ||
    (after < hashes.byteLength && hashes.getUint32(after) === loc)
  );
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);
