/** Decides how each former file changes, from the differences of the entries. */
import type { StoredFile } from '../../entries/entry-kernel.ts';
import { type Differences, NEW, sortedOrder } from './join-entries.ts';

/** A change of the entry `ordinal` of a file, counted from 0: the wanted entry that takes its place, or REMOVED. */
export interface Edit {
  readonly ordinal: number;
  readonly text: number;
}

export const REMOVED = -1;

export interface FilePlan {
  /** The edits of each former file, by ascending ordinals. */
  readonly edits: readonly (readonly Edit[])[];
  /** Whether a former file loses all its entries. */
  readonly isEmpty: readonly boolean[];
  /** The index of the last file that keeps entries. New entries go to this file. -1 if no file keeps entries. */
  readonly last: number;
  /** The wanted entries that are new, in order. */
  readonly added: readonly number[];
  /** The number of former files that change. */
  readonly changedFiles: number;
}

export function planFiles(
  former: readonly StoredFile[],
  differences: Differences,
  entriesPerFile: number,
): FilePlan {
  const edits = editsByFile(former, differences);
  const isEmpty = former.map(({ entries }, i) => {
    const removed = edits[i]!.reduce((count, { text }) => count + Number(text === REMOVED), 0);
    return removed === entries;
  });
  const added: number[] = [];
  for (const [i, ordinal] of differences.replaced.entries()) if (ordinal === NEW) added.push(i);
  const last = isEmpty.lastIndexOf(false);
  const fills = added.length > 0 && last >= 0 && former[last]!.entries < entriesPerFile;
  const changedFiles = edits.filter(({ length }, i) => length > 0 || (fills && i === last)).length;
  return { edits, isEmpty, last, added, changedFiles };
}

function editsByFile(former: readonly StoredFile[], { removed, replaced }: Differences): Edit[][] {
  const byFormer = sortedOrder(replaced);
  let [first, nextRemoved, nextChanged] = [0, 0, 0];
  return former.map(({ entries }) => {
    const edits: Edit[] = [];
    const end = first + entries;
    for (;;) {
      const gone = removed[nextRemoved] ?? NEW;
      const text = byFormer[nextChanged];
      const changed = text === undefined ? NEW : replaced[text]!;
      const next = Math.min(gone, changed);
      if (next >= end) break;
      const isGone = gone < changed;
      edits.push({ ordinal: next - first, text: isGone ? REMOVED : text! });
      if (isGone) nextRemoved++;
      else nextChanged++;
    }
    first = end;
    return edits;
  });
}
