/** Output for programs: one JSON value on standard output, times as the API writes them. */
import { isoSeconds } from '../platform/iso-seconds.ts';
import { print } from '../platform/process/print.ts';

/** As the option `--json` of a command describes itself. */
export const JSON_OPTION = ['--json', 'print JSON, for programs'] as const;

export interface JsonOption {
  readonly json?: boolean;
}

/** Names are those of the members: once printed, they stay. */
export function printJson(value: unknown): void {
  // A Date has turned itself into text before the function sees it; its owner still has it.
  const withTimes = function (this: Record<string, unknown>, key: string, member: unknown) {
    const owned = this[key];
    return owned instanceof Date ? isoSeconds(owned) : member;
  };
  print(JSON.stringify(value, withTimes, 2).replace(/[\x7f-\x9f\p{Bidi_Control}\u2028\u2029]/gu, escaped));
}

/** Controls that JSON may hold as they are, and that a terminal would obey (`print-table.ts`). */
function escaped(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
