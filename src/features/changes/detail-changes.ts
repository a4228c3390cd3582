/**
 * Finds the changed members of each entry. The pack of a comparison has the added and changed entries, as they are in the live upload. The
 * pack of the reverse comparison has the removed and changed entries, as they were in the former upload. So a URL in both packs was
 * changed. A URL in one pack only was added or removed.
 */
import { setImmediate } from 'node:timers/promises';
import { differingFields, type EntryFields, fieldsOf } from '../../core/sitemap/entry-fields.ts';
import type { ChangeKind } from '../entries/entry-kernel.ts';
import { type EntryPack, readEntryPack } from '../entries/entry-pack.ts';
import { entriesOf, locOfEntry } from '../entries/fragment-of.ts';

export interface DetailedChange {
  readonly change: ChangeKind;
  readonly loc: string;
  /** The former fields. A changed entry has only the fields that differ. Undefined for an added entry. */
  readonly from?: EntryFields;
  /** The present fields. A changed entry has only the fields that differ. Undefined for a removed entry. */
  readonly to?: EntryFields;
}

/** The most changes that are told in detail. The entries of one side are in memory, and people do not read longer lists. */
export const MAX_DETAILED = 100_000;
const MAX_XML_BYTES = 64 * 1024 * 1024;

/** Yields each change with its changed members. Returns undefined if the pack of a side is missing, too large or damaged. */
export function detailChanges(
  former: Buffer<ArrayBuffer> | undefined,
  live: Buffer<ArrayBuffer> | undefined,
): AsyncGenerator<DetailedChange, void, undefined> | undefined {
  const [from, to] = [former && readEntryPack(former), live && readEntryPack(live)];
  if (from === undefined || to === undefined) return undefined;
  const isLarge = ({ fragments }: EntryPack) =>
    fragments.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_XML_BYTES;
  return isLarge(from) || isLarge(to) ? undefined : detailsOf(from, to);
}

async function* detailsOf(
  former: EntryPack,
  live: EntryPack,
): AsyncGenerator<DetailedChange, void, undefined> {
  const gone = new Map<string, string>();
  for await (const { loc, xml } of entriesIn(former)) if (!gone.has(loc)) gone.set(loc, xml);
  const seen = new Set<string>();
  for await (const { loc, xml } of entriesIn(live)) {
    if (seen.has(loc)) continue;
    seen.add(loc);
    const from = gone.get(loc);
    gone.delete(loc);
    yield from === undefined
      ? { change: 'added', loc, to: fieldsOf(xml) }
      : { change: 'changed', loc, ...differingFields(from, xml) };
  }
  for (const [loc, xml] of gone) yield { change: 'removed', loc, from: fieldsOf(xml) };
}

async function* entriesIn({ fragments }: EntryPack) {
  for (const fragment of fragments) {
    for (const entry of entriesOf(fragment)) yield { loc: locOfEntry(entry), xml: entry.toString() };
    // Let other requests run between two fragments.
    await setImmediate();
  }
}
