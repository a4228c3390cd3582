/** A list as CSV, read page by page. */
import { type Cell, csvRow } from '../../platform/csv.ts';
import type { Lines } from './operation.ts';

const PAGE = 1_000;

/** `name`: the name of the file that a browser saves. `read`: reads at most `limit` rows after `after`. */
export function csvOf<Row>(
  name: string,
  columns: readonly string[],
  read: (limit: number, after: Row | undefined) => Promise<readonly Row[]>,
  cellsOf: (row: Row) => readonly Cell[],
): Lines {
  async function* pieces() {
    yield Buffer.from(`${columns.join(',')}\r\n`);
    for (let after: Row | undefined; ; ) {
      const rows = await read(PAGE, after);
      if (rows.length > 0) yield Buffer.from(rows.map((row) => csvRow(cellsOf(row))).join(''));
      if (rows.length < PAGE) return;
      after = rows.at(-1);
    }
  }
  return asCsv(name, pieces());
}

/** Takes the whole CSV, and names the file that a browser saves. */
export function asCsv(name: string, pieces: AsyncGenerator<Buffer, void, undefined>): Lines {
  return Object.assign(pieces, { csvName: name });
}
