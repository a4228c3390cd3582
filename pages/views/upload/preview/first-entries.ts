/** The first entries of a file, as a table for people. */

/** Each cell is text. */
export interface FirstEntries {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Mistakes, with the cure. */
  readonly problems: readonly string[];
  /** What a JSON document says beside its entries. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export const SHOWN_ENTRIES = 5;

const MAX_LENGTH = 120;

/** A value as a short text. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
