/** A broken rule as the client sees it: the field, the value sent there, and the rule. */

export interface Violation {
  /** The exact path, like `urls[31007].images[2].loc`. */
  field: string;
  /** The value sent there, shortened if it is long. Null if nothing was sent. */
  value: unknown;
  /** Plain English that continues the field's name: "must be ...". */
  message: string;
}

/** The field's name for a path below `urls[index]`. */
export function fieldName(index: number, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (field, member) => field + (typeof member === 'number' ? `[${member}]` : `.${String(member)}`),
    `urls[${index}]`,
  );
}
