/** Writes CSV (RFC 4180), in which no cell is a formula. */

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** The full-width forms of `=`, `+`, `-` and `@` begin formulas, too. */
const FORMULA = /(^|[;\t\r\n])("*)(?=[=+\-@\t\r＝＋－＠])/g;

export type Cell = string | number | boolean | null;

/** Returns a row with its line end. Null is an empty cell. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? quoted(cell) : (cell ?? ''))).join(',')}\r\n`;
}

/** Yields a table page by page. The names of the columns come with the first page, or alone if there is no page. */
export async function* csvPieces<Row>(
  columns: readonly string[],
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  cellsOf: (row: Row) => readonly Cell[],
): AsyncGenerator<string, void, undefined> {
  let head = `${columns.join(',')}\r\n`;
  for await (const rows of pages) {
    yield head + rows.map((row) => csvRow(cellsOf(row))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/**
 * A spreadsheet runs a cell that begins like a formula, so an apostrophe goes before the formula. In countries with a decimal comma, a
 * spreadsheet splits our text at semicolons and ignores our quotes. So a formula may also begin inside a text: after a semicolon, a tab or
 * a line break.
 */
function quoted(text: string): string {
  return `"${text.replace(FORMULA, "$1$2'").replaceAll('"', '""')}"`;
}
