/** Lists the URLs that operations changed. `features/changes/record-delta.ts` records them. */
import { locOf } from './judge-delta.ts';
import { ADDED, CHANGED, type Found, REMOVED } from './messages.ts';
import { type Operations, xmlOf } from './operations.ts';

export function changedUrls(operations: Operations, { changes }: Found) {
  const urls = { added: [] as string[], changed: [] as string[], removed: [] as string[] };
  const lists = new Map([
    [ADDED, urls.added],
    [CHANGED, urls.changed],
    [REMOVED, urls.removed],
  ]);
  for (const [i, change] of changes.entries()) lists.get(change)?.push(locOf(operations, i));
  return urls;
}

/** Yields the XML of the entries that were added or changed. */
export function* changedEntries(
  operations: Operations,
  { changes }: Found,
): Generator<Buffer, void, undefined> {
  for (const [i, change] of changes.entries()) {
    if (change === ADDED || change === CHANGED) yield xmlOf(operations, i);
  }
}
