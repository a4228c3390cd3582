/** A broken rule as the client sees it: the field, the value sent there, and the rule. */

export interface Violation {
  /** The path in the document, like `urls[31007].images[2].loc`. In a form with lines, the path in the entry, like `images[2].loc`. */
  field: string;
  /** The value sent there, shortened if it is long. Null if nothing was sent. */
  value: unknown;
  /** Plain English that continues the field's name: "must be ...". */
  message: string;
  /** The line where the entry begins, from 1. Only forms with lines have it. */
  line?: number;
  /** The position of the entry, from 0. Only forms with lines have it. */
  index?: number;
}

/** The field's name for a path below `urls[index]`. */
export function fieldName(index: number, path: readonly PropertyKey[]): string {
  return memberPath(['urls', index, ...path]);
}

/** A path as it is written in JavaScript, like `images[2].loc`. */
export function memberPath(path: readonly PropertyKey[]): string {
  return path
    .map((member, i) =>
      typeof member === 'number' ? `[${member}]` : `${i === 0 ? '' : '.'}${String(member)}`,
    )
    .join('');
}

export function sentenceOf({ field, message, line }: Violation): string {
  if (line === undefined) return `${field}: ${message}`;
  // A fault of a whole record has the field `line`, so the line alone names it.
  return field === 'line' ? `line ${line}: ${message}` : `line ${line}, ${field}: ${message}`;
}
