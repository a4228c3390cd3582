import Table from 'cli-table3';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { print } from '../platform/process/print.ts';

export function printTable(head: string[], rows: string[][]): void {
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows.map((row) => row.map(withoutControls)));
  print(table.toString());
}

export function shownTime(date: Date | null): string {
  return date === null ? '' : isoSeconds(date);
}

export function shownCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Shows control characters as escapes. Names come from outside, and a terminal obeys ESC and reorders text by bidi marks. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (control) => {
    const code = control.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
}
