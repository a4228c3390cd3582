/** Prints lists of any length while they are read: as tables for people, or as one JSON array. */
import { pagesOf } from '../platform/pages-of.ts';
import { printError } from '../platform/process/print.ts';
import { toJson } from './print-json.ts';
import { printTable } from './print-table.ts';
import { UsageError } from './usage-error.ts';

const ROWS_AT_ONCE = 1_000;

export interface ListOptions {
  readonly json?: boolean | undefined;
  /** The most rows that are printed. Undefined: all. */
  readonly limit?: number | undefined;
}

export interface List<Row> {
  /** Reads at most `limit` rows after `last`, the last row of the page before. */
  readonly read: (limit: number, last: Row | undefined) => Promise<readonly Row[]>;
  /** The most rows of a page. Infinity: the list has no pages, and needs a limit. */
  readonly atOnce?: number;
  readonly head: string[];
  readonly cellsOf: (row: Row) => string[];
  /** Returns the row as JSON shows it; by default all members except `position`. */
  readonly show?: (row: Row) => unknown;
}

/**
 * The option `--limit` of a list. `usual`: the limit of a command line without `--limit`. Without `usual`, such a command line has no
 * limit.
 */
export function limitOption(usual?: number): [string, string, typeof parseLimit, number | undefined] {
  return ['--limit <count>', `at most so many${usual ? '' : '; default: all'}`, parseLimit, usual];
}

/** Throws UsageError. */
function parseLimit(text: string): number {
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1) return limit;
  throw new UsageError(`--limit ${text} is not a whole number above 0.`);
}

/** Prints a table for each page, or the rows of all pages as JSON. Says on standard error if the limit leaves rows out. */
export async function printList<Row>(
  { json, limit = Number.POSITIVE_INFINITY }: ListOptions,
  { read, atOnce = ROWS_AT_ONCE, head, cellsOf, show = withoutPosition }: List<Row>,
): Promise<void> {
  const pages = firstOf(pagesOf(read, Math.min(atOnce, limit + 1)), limit);
  if (json) return printArray(pages, show);
  let isEmpty = true;
  for await (const rows of pages) {
    printTable(head, rows.map(cellsOf));
    isEmpty = false;
  }
  if (isEmpty) printTable(head, []);
}

async function* firstOf<Row>(pages: AsyncIterable<readonly Row[]>, limit: number) {
  let left = limit;
  for await (const rows of pages) {
    if (left > 0) yield rows.slice(0, left);
    left -= rows.length;
    if (left < 0) return printError(`There are more than the ${limit} of --limit.`);
  }
}

/** Prints the rows in the form in which `printJson` prints an array. */
async function printArray<Row>(
  pages: AsyncIterable<readonly Row[]>,
  show: (row: Row) => unknown,
): Promise<void> {
  let before = '[\n';
  for await (const rows of pages) {
    // `slice` leaves out the brackets of the array and the line ends beside them.
    process.stdout.write(before + toJson(rows.map(show)).slice(2, -2));
    before = ',\n';
  }
  process.stdout.write(before === '[\n' ? '[]\n' : '\n]\n');
}

export function withoutPosition(row: unknown): object {
  const { position: _position, ...shown } = row as { position?: unknown };
  return shown;
}
