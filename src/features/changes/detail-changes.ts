/**
 * Tells what changed in each entry. A pack has the entries that a generation added or changed, so the packs of a comparison and of
 * its reverse have both sides: an entry that is in both changed, and the others were added or removed.
 */
import { setImmediate } from 'node:timers/promises';
import { differingFields, type EntryFields, fieldsOf } from '../../core/sitemap/entry-fields.ts';
import type { ChangeKind } from '../entries/entry-kernel.ts';
import { type EntryPack, readEntryPack } from '../entries/entry-pack.ts';
import { entriesOf, locOfEntry } from '../entries/fragment-of.ts';

export interface DetailedChange {
  readonly change: ChangeKind;
  readonly loc: string;
  /** The former fields, only those that differ if the entry was changed. Undefined for an added one. */
  readonly from?: EntryFields;
  /** Undefined for a removed one. */
  readonly to?: EntryFields;
}

/** Entries of one side are in memory, and a list has no more lines than people take into a spreadsheet. */
export const MAX_DETAILED = 100_000;
const MAX_XML_BYTES = 64 * 1024 * 1024;

/**
 * Returns the changed members. `former`, `live`: the pack of each side. Returns undefined if one of them is missing, too large or damaged.
 */
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
    // Others have their turn.
    await setImmediate();
  }
}
