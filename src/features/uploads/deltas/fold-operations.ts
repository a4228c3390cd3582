/**
 * Finds the changes that operations make to a generation. The operations apply one after the other. If a URL has several entries, an
 * operation replaces or removes all of them.
 */
import { type Differences, NEW } from '../placement/join-entries.ts';
import type { Occurrence } from './find-locs.ts';
import { ADDED, CHANGED, type Found, type OperationCounts, REMOVED } from './messages.ts';
import { locHashOf, type Operations, restHashOf } from './operations.ts';

interface Folded extends Found {
  /** `wanted` has the indexes of operations, ascending. */
  readonly differences: Differences;
}

const MOST_MISSING = 10;

export function foldOperations(
  operations: Operations,
  requestEnds: Iterable<number>,
  occurrences: ReadonlyMap<bigint, readonly Occurrence[]>,
  formerEntries: number,
): Folded {
  const urls = new Map<bigint, UrlState>();
  const counts: OperationCounts[] = [];
  const missing: number[] = [];
  let i = 0;
  for (const end of requestEnds) {
    const count = { added: 0, changed: 0, unchanged: 0, removed: 0, missing: 0 };
    for (; i < end; i++) {
      const loc = locHashOf(operations, i);
      const url = urls.get(loc) ?? new UrlState(occurrences.get(loc));
      urls.set(loc, url);
      const outcome = operations.removes[i] === 1 ? url.remove(i) : url.replace(i, restHashOf(operations, i));
      count[outcome]++;
      if (outcome === 'missing' && missing.length < MOST_MISSING) missing.push(i);
    }
    counts.push(count);
  }
  return { counts, missing, ...changesOf([...urls.values()], operations.count, formerEntries) };
}

/** A URL, from its entries in the former generation to the last operation on it. */
class UrlState {
  /** The entries of the URL in the former generation, in order. */
  readonly former: readonly Occurrence[];
  /** The hash of the rest of the new entry. Null: the URL has no entry any more. Undefined: the URL still has its former entries. */
  rest: number | null | undefined;
  /** The index of the last operation on the URL. */
  last = 0;

  constructor(former: readonly Occurrence[] = []) {
    this.former = former;
  }

  remove(operation: number): 'removed' | 'missing' {
    const outcome = this.#isThere ? 'removed' : 'missing';
    this.rest = null;
    this.last = operation;
    return outcome;
  }

  replace(operation: number, rest: number): 'added' | 'changed' | 'unchanged' {
    const outcome = !this.#isThere ? 'added' : this.#has(rest) ? 'unchanged' : 'changed';
    if (outcome !== 'unchanged') this.rest = rest;
    this.last = operation;
    return outcome;
  }

  /** Whether the former generation has entries of the URL, and all of them have this rest. */
  wasAlways(rest: number): boolean {
    return this.former.length > 0 && this.former.every((entry) => entry.rest === rest);
  }

  get #isThere(): boolean {
    return this.rest === undefined ? this.former.length > 0 : this.rest !== null;
  }

  #has(rest: number): boolean {
    return this.rest === undefined ? this.wasAlways(rest) : this.rest === rest;
  }
}

function changesOf(
  urls: readonly UrlState[],
  operationCount: number,
  formerEntries: number,
): Pick<Folded, 'changes' | 'differences' | 'urlCount'> {
  const changes = new Uint8Array(operationCount);
  /** Lists of ordinals. A list may have each entry of the sitemap, which is too many for the arguments of a call. */
  const gone: number[][] = [];
  const replaced: { operation: number; by: number }[] = [];
  for (const url of urls) {
    const { rest, last } = url;
    if (rest === undefined) continue;
    const ordinals = url.former.map(({ ordinal }) => ordinal);
    if (rest === null) {
      if (ordinals.length > 0) changes[last] = REMOVED;
      gone.push(ordinals);
    } else if (ordinals.length === 0) {
      changes[last] = ADDED;
      replaced.push({ operation: last, by: NEW });
    } else if (!url.wasAlways(rest)) {
      changes[last] = CHANGED;
      const [first, ...others] = ordinals;
      replaced.push({ operation: last, by: first! });
      gone.push(others);
    }
  }
  replaced.sort((a, b) => a.operation - b.operation);
  const removed = Uint32Array.from(gone.flat()).sort();
  const added = replaced.reduce((count, { by }) => count + Number(by === NEW), 0);
  return {
    changes,
    differences: {
      removed,
      wanted: Uint32Array.from(replaced, ({ operation }) => operation),
      replaced: Uint32Array.from(replaced, ({ by }) => by),
    },
    urlCount: formerEntries - removed.length + added,
  };
}
