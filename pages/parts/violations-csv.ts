/** Mistakes in a file as CSV, to take along into a spreadsheet. */
import type { Violation } from '../../client/src/answers.ts';

export function violationsCsv(violations: readonly Violation[]): string {
  const rows = violations.map(({ line, index, field, value, message }) => [
    String(line ?? ''),
    index === undefined ? '' : String(index + 1),
    field,
    shownValue(value),
    message,
  ]);
  const lines = [['line', 'entry', 'field', 'value', 'message'], ...rows].map((cells) =>
    cells.map(cell).join(','),
  );
  // The mark tells Excel that this is UTF-8.
  return `\uFEFF${lines.join('\r\n')}\r\n`;
}

/** Full-width letters count, too. */
const FORMULA = /(^|[;\t\r\n])("*)(?=[=+\-@\t\r＝＋－＠])/g;

/**
 * A spreadsheet runs a cell that begins like a formula, so it gets an apostrophe. Where the comma is for decimals, it parts cells at
 * a semicolon, and there it does not see our quotes: so a cell may begin in the middle of ours.
 */
export function cell(text: string): string {
  const harmless = text.replace(FORMULA, "$1$2'");
  return `"${harmless.replaceAll('"', '""')}"`;
}

export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
