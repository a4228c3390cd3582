/**
 * Makes the fragments of the next version of the recent files. Copies a long fragment if no entry of it is left out. Inflates all other
 * fragments, and puts their remaining entries together into new fragments.
 */
import { setImmediate } from 'node:timers/promises';
import { entriesOf, fragmentOf } from '../entries/fragment-of.ts';
import type { Fragment } from '../sites/fragment.ts';
import type { Source } from './merge-changes.ts';
import type { PlacedFragment } from './recent-state.ts';
import { filterRecords, joinRecords, type Records, sliceRecords } from './records.ts';

/** A fragment and the records of its entries. */
export interface RecentFragment extends Fragment {
  readonly records: Records;
}

/** Reads a fragment of the last version. Throws DamagedFile. */
export type ReadFragment = (fragment: PlacedFragment) => Promise<Fragment>;

const MAX_ENTRIES = 1000;
/** The most bytes of XML in a fragment that is put together. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A fragment with fewer entries is not copied, because many short fragments cost more than a few long ones. */
const FEW_ENTRIES = 250;

export async function* stitchFragments(
  sources: readonly Source[],
  read: ReadFragment,
): AsyncGenerator<RecentFragment, void, undefined> {
  const open = new OpenFragment();
  for (const { fragments, records, isDead } of sources) {
    let first = 0;
    for (const fragment of fragments) {
      const from = first;
      const { entries } = fragment;
      first += entries;
      const isAlive = (i: number) => isDead[from + i] === 0;
      let alive = 0;
      for (let i = 0; i < entries; i++) if (isAlive(i)) alive++;
      if (alive === 0) continue;
      const own = sliceRecords(records, from, entries);
      const bytes = 'file' in fragment ? await read(fragment) : fragment;
      if (alive === entries && entries >= FEW_ENTRIES) {
        yield* open.close();
        yield { ...bytes, records: own };
        continue;
      }
      // Let other work of the process run between two fragments.
      await setImmediate();
      if (!open.hasRoomFor(alive, bytes.bytes)) yield* open.close();
      const kept = entriesOf(bytes).filter((_, i) => isAlive(i));
      open.add(kept, filterRecords(own, isAlive));
    }
  }
  yield* open.close();
}

class OpenFragment {
  #entries: Uint8Array[] = [];
  #records: Records[] = [];
  #bytes = 0;

  hasRoomFor(entries: number, bytes: number): boolean {
    return this.#entries.length + entries <= MAX_ENTRIES && this.#bytes + bytes <= MAX_BYTES;
  }

  add(entries: readonly Uint8Array[], records: Records): void {
    this.#entries.push(...entries);
    this.#records.push(records);
    this.#bytes += entries.reduce((sum, { length }) => sum + length, 0);
  }

  *close(): Generator<RecentFragment, void, undefined> {
    if (this.#entries.length === 0) return;
    yield { ...fragmentOf(this.#entries), records: joinRecords(this.#records) };
    this.#entries = [];
    this.#records = [];
    this.#bytes = 0;
  }
}
