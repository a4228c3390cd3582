/** Writes mistakes in a file as CSV, for a spreadsheet. */
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

/** A place where a spreadsheet may see the beginning of a formula. Full-width signs count, too. */
const FORMULA = /(^|[;\t\r\n])("*)(?=[=+\-@\t\r＝＋－＠])/g;

/**
 * Returns the text as a quoted cell. A spreadsheet runs a cell that begins like a formula, so such a text gets an apostrophe. Where the
 * comma is the decimal sign, a spreadsheet splits lines at semicolons and does not see our quotes. So a cell may also begin in the middle
 * of our cell.
 */
export function cell(text: string): string {
  const harmless = text.replace(FORMULA, "$1$2'");
  return `"${harmless.replaceAll('"', '""')}"`;
}

export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
