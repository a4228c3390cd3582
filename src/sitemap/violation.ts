/** How a broken rule is told to the client: which field, what was sent there, and what is wanted. */

export interface Violation {
  /** The exact path, like `urls[31007].images[2].loc`. */
  field: string;
  /** What was sent there, shortened if it is long; null if nothing was. */
  value: unknown;
  /** Plain English, to be read after the field's name: "must be ...". */
  message: string;
}

/** The field's name for a path below `urls[index]`. */
export function fieldName(index: number, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (field, member) => field + (typeof member === 'number' ? `[${member}]` : `.${String(member)}`),
    `urls[${index}]`,
  );
}
