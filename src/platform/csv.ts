/** Writes CSV (RFC 4180), in which no cell is a formula. */

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** Full-width letters count, too. */
const FORMULA = /(^|[;\t\r\n])("*)(?=[=+\-@\t\r＝＋－＠])/g;

export type Cell = string | number | boolean | null;

/** Returns a row with its end. Null is an empty cell. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? quoted(cell) : (cell ?? ''))).join(',')}\r\n`;
}

/**
 * A spreadsheet runs a cell that begins like a formula, so it gets an apostrophe. Where the comma is for decimals, it parts cells at
 * a semicolon, and there it does not see our quotes: so a cell may begin in the middle of ours.
 */
function quoted(text: string): string {
  return `"${text.replace(FORMULA, "$1$2'").replaceAll('"', '""')}"`;
}
