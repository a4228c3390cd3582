/** A list as CSV, read page by page. */
import { type Cell, csvPieces } from '../../platform/csv.ts';
import type { Lines } from './operation.ts';

/** `name`: the name of the file that a browser saves. If the first page fails, nothing is sent. */
export function csvOf<Row>(
  name: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  cellsOf: (row: Row) => readonly Cell[],
): Lines {
  async function* pieces() {
    for await (const piece of csvPieces(columns, pages, cellsOf)) yield Buffer.from(piece);
  }
  return asCsv(name, pieces());
}

/** `pieces`: the whole CSV. `name`: the name of the file that a browser saves. */
export function asCsv(name: string, pieces: AsyncGenerator<Buffer, void, undefined>): Lines {
  return Object.assign(pieces, { csvName: name });
}
