/** Turns one untrusted element of `urls` into an entry, or lists all its violations. */
import { shownValue } from '../../platform/shown-value.ts';
import { inDocumentOrder, valueAt } from './document-order.ts';
import { type Entry, entrySchema } from './entry.ts';
import type { EntryReader } from './entry-reader.ts';
import { fitsIntoFile } from './entry-size.ts';
import { NO_NOTES, type ReadingNotes } from './reading.ts';
import { fieldName, type Violation } from './violation.ts';

export type { Violation } from './violation.ts';

export type ParsedEntry =
  | { readonly entry: Entry; readonly notes: ReadingNotes }
  | { readonly violations: Violation[] };

type NameField = (path: readonly PropertyKey[]) => string;

/**
 * @param raw an element of `urls` as JSON.parse returns it
 * @param index its position in `urls`, from 0, for the names of fields
 * @param nameOf names the field at a path of the entry, in forms that have other names
 * @param reader reads values beyond docs/FORMAT.md
 * @returns the entry, or one or more violations in document order, at most one for each field
 */
export function parseEntry(
  raw: unknown,
  index: number,
  nameOf: NameField = (path) => fieldName(index, path),
  reader?: EntryReader,
): ParsedEntry {
  const read = reader?.read(raw);
  const parsed = entrySchema.safeParse(read === undefined ? raw : read.value);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({
      path,
      message: read?.problemAt(path) ?? message,
    }));
    return { violations: violationsIn(raw, nameOf, issues) };
  }
  if (!fitsIntoFile(parsed.data)) {
    const message = 'must be small enough that its XML fits into one sitemap file';
    return { violations: violationsIn(raw, nameOf, [{ path: [], message }]) };
  }
  return { entry: parsed.data, notes: read?.notes ?? NO_NOTES };
}

function violationsIn(
  raw: unknown,
  nameOf: NameField,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): Violation[] {
  const byField = new Map<string, Violation>();
  for (const { path, message } of inDocumentOrder(raw, issues)) {
    const field = nameOf(path);
    if (!byField.has(field)) byField.set(field, { field, value: shownValue(valueAt(raw, path)), message });
  }
  return [...byField.values()];
}
