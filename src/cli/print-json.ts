/** Output for programs: one JSON value on standard output, times as the API writes them. */
import { isoSeconds } from '../platform/iso-seconds.ts';
import { print } from '../platform/process/print.ts';

/** The option `--json` of a command, with its help text. */
export const JSON_OPTION = ['--json', 'print JSON, for programs'] as const;

export interface JsonOption {
  readonly json?: boolean;
}

/** Prints a value as JSON. Programs rely on the names of members, so the names must not change. */
export function printJson(value: unknown): void {
  print(toJson(value));
}

/** Returns the text that `printJson` prints. */
export function toJson(value: unknown): string {
  // JSON.stringify calls Date.toJSON before this function, but the object that has the member still has the Date.
  const withTimes = function (this: Record<string, unknown>, key: string, member: unknown) {
    const owned = this[key];
    return owned instanceof Date ? isoSeconds(owned) : member;
  };
  return JSON.stringify(value, withTimes, 2).replace(/[\x7f-\x9f\p{Bidi_Control}\u2028\u2029]/gu, escaped);
}

/** Escapes a control character that JSON allows but a terminal obeys (`print-table.ts`). */
function escaped(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
