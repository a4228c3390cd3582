/** Turns one untrusted element of `urls` into an entry, or lists all its violations. */
import { shownValue } from '../../platform/shown-value.ts';
import { type Entry, entrySchema } from './entry.ts';
import type { EntryReader } from './entry-reader.ts';
import { fitsIntoFile } from './entry-size.ts';
import { NO_NOTES, type ReadingNotes } from './reading.ts';
import { fieldName, type Violation } from './violation.ts';

export type ParsedEntry =
  | { readonly entry: Entry; readonly notes: ReadingNotes }
  | { readonly violations: Violation[] };

type NameField = (path: readonly PropertyKey[]) => string;

/**
 * @param raw an element of `urls` as JSON.parse returns it
 * @param index its position in `urls`, from 0, for the names of fields
 * @param nameOf names the field at a path of the entry, in forms that have other names
 * @param reader reads spellings that docs/FORMAT.md does not have
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
      message: (read?.problemAt(path) ?? message) + (isLoc(path) ? cureOfLoc(raw) : ''),
    }));
    return { violations: violationsIn(raw, nameOf, issues) };
  }
  if (!fitsIntoFile(parsed.data)) {
    const message = 'must be small enough that its XML fits into one sitemap file';
    return { violations: violationsIn(raw, nameOf, [{ path: [], message }]) };
  }
  return { entry: parsed.data, notes: read?.notes ?? NO_NOTES };
}

const isLoc = (path: readonly PropertyKey[]) => path.length === 1 && path[0] === 'loc';

/** Says which unknown member of an entry without `loc` has a URL. */
function cureOfLoc(raw: unknown): string {
  if (memberOf(raw, 'loc') != null) return '';
  const found = Object.entries(raw as object).find(
    ([name, value]) =>
      !(name in entrySchema.shape) &&
      SHOWN_NAME.test(name) &&
      typeof value === 'string' &&
      URL_BEGIN.test(value),
  );
  return found === undefined ? '' : `; rename ${found[0]} to loc`;
}

const SHOWN_NAME = /^[\w-]{1,32}$/;
const URL_BEGIN = /^https?:\/\//i;

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function violationsIn(raw: unknown, nameOf: NameField, issues: readonly Issue[]): Violation[] {
  const byField = new Map<string, Violation>();
  for (const { path, message } of inDocumentOrder(raw, issues)) {
    const field = nameOf(path);
    if (!byField.has(field)) {
      byField.set(field, { field, value: shownValue(path.reduce(memberOf, raw)), message });
    }
  }
  return [...byField.values()];
}

/**
 * Sorts issues into document order, because we promise the client the first violation of the document, and zod finds issues in the order of
 * the schema. An issue on a value comes before those on its members. Members come in the order sent, and missing members at the end of their
 * object. The first `depth` steps of all paths lead from the entry to `raw`.
 */
function inDocumentOrder(raw: unknown, issues: readonly Issue[], depth = 0): Issue[] {
  if (issues.length < 2) return [...issues];
  const ordered = issues.filter(({ path }) => path.length === depth);
  const deeper = issues.filter(({ path }) => path.length > depth);
  const byMember = Map.groupBy(deeper, ({ path }) => path[depth] as PropertyKey);
  for (const member of new Set([...membersSent(raw, byMember), ...byMember.keys()])) {
    ordered.push(...inDocumentOrder(memberOf(raw, member), byMember.get(member) ?? [], depth + 1));
  }
  return ordered;
}

function membersSent(raw: unknown, wanted: ReadonlyMap<PropertyKey, unknown>): PropertyKey[] {
  // zod checks the elements of an array in order, so their issues are sorted already.
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  return Object.keys(raw).filter((key) => wanted.has(key));
}

function memberOf(value: unknown, member: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
}
