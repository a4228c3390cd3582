/** Reads CSV on the main thread: finds the columns by the header, and cuts the rest into batches of records. */
import { invalidField } from '../../../platform/refusal.ts';
import { shownText } from '../../../platform/shown-value.ts';
import type { Batch } from '../fragment.ts';
import { syntaxOf } from './csv-cells.ts';
import { takeFirstRecord } from './csv-header.ts';
import { type CsvPreamble, layoutOf } from './csv-layout.ts';
import { DELIMITERS, type Dialect } from './dialect.ts';
import { findDelimiter, namesIn } from './find-delimiter.ts';
import { readLines } from './read-lines.ts';
import { KEEP_LINES, refuseTables } from './refuse-tables.ts';
import { isUsualName } from './suggest-columns.ts';

/** Calls `found` with the columns before the first batch. Throws Refusal for a faulty header before it reads a record. */
export async function* readCsv(
  text: AsyncIterable<Uint8Array>,
  dialect: Dialect,
  found: (preamble: CsvPreamble) => void,
): AsyncGenerator<Batch, void, undefined> {
  const chunks = text[Symbol.asyncIterator]();
  try {
    const begun = await begin(chunks, dialect);
    if (begun === undefined) return;
    const { preamble, body, firstLine } = begun;
    found(preamble);
    const batches = readLines(joined(body, chunks), {
      form: 'csv',
      cells: preamble,
      firstLine,
      preamble: JSON.stringify(preamble),
    });
    // The number of cells tells a wrong separator, but not in a table of one column.
    const records = preamble.names.length === 1 ? refuseTables(batches, firstLine - 1) : batches;
    let isEmpty = true;
    for await (const batch of records) {
      isEmpty = false;
      yield batch;
    }
    if (isEmpty) refuseJoined(preamble);
  } finally {
    await chunks.return?.();
  }
}

/**
 * Reads the header, or checks the first record of a body without a header. `body` of the result has the records that have arrived. Returns
 * undefined if all lines are blank and a header is expected: tools write only a line break for a table without columns and rows.
 */
async function begin(chunks: AsyncIterator<Uint8Array>, dialect: Dialect) {
  const { columns, header: hasHeader = true, where = [] } = dialect;
  const first = await takeFirstRecord(chunks, dialect);
  if (hasHeader && first.isBlank) return undefined;
  if (isTableForPeople(first.bytes, first.rest)) {
    throw invalidField(
      'line',
      first.bytes.toString(),
      'belongs to a table for people: export it for programs, with psql --csv, sqlite3 -csv, or mariadb -B',
    );
  }
  if (
    dialect.delimiter !== undefined &&
    first.separator !== undefined &&
    dialect.delimiter !== first.separator
  ) {
    throw invalidField(
      'delimiter',
      String.fromCharCode(dialect.delimiter),
      'differs from the line sep= of the body',
    );
  }
  const known = dialect.delimiter ?? first.separator;
  const rules = {
    ...syntaxOf(dialect),
    hasHeader,
    choices: columns ?? null,
    hasDecimalComma: dialect.decimal === 'comma',
    nulls: dialect.null ?? [],
    where,
    isRelative: dialect.baseUrl !== undefined,
  };
  if (hasHeader) {
    const preamble = findDelimiter(first.bytes, rules, known);
    return { preamble, body: first.rest, firstLine: first.lines + 1 };
  }
  const names = columns!.map((choice) => choice?.member ?? '-');
  const preamble = { ...rules, names, delimiter: known ?? DELIMITERS.comma! };
  layoutOf(preamble);
  refuseHeader(first.bytes, preamble);
  return { preamble, body: first.withRest, firstLine: first.beforeLines + 1 };
}

/** Refuses a header in the place of the first entry. With `baseUrl`, any word is a URL, so no later check finds such a header. */
function refuseHeader(record: Buffer, preamble: CsvPreamble): void {
  let cells: string[];
  try {
    cells = namesIn(record, preamble);
  } catch {
    // The reader of records refuses the record, and names its line.
    return;
  }
  const isName = (cell: string | undefined, i: number) =>
    preamble.choices![i] !== null &&
    cell !== undefined &&
    (isUsualName(cell) || cell.trim().toLowerCase() === preamble.names[i]!.toLowerCase());
  if (!preamble.names.some((_, i) => isName(cells[i], i))) return;
  throw invalidField(
    'header',
    'false',
    `must be true, because the first record has names: ${shownText(cells.join(', '))}`,
  );
}

/** Refuses a header with URLs and without records. Such a file has lost its line breaks, and would be an empty part. */
function refuseJoined({ hasHeader, names }: CsvPreamble): void {
  const joined = hasHeader ? names.find((name) => /https?:\/\//i.test(name)) : undefined;
  if (joined === undefined) return;
  throw invalidField('line', joined, `is a name of a column in the only line, and has a URL: ${KEEP_LINES}`);
}

/** A line of hyphens or asterisks, as Markdown and programs for terminals draw it. */
const RULE = /^(?:-\[ RECORD \d|\*{9,} 1\. row|\+-[-+]*\+$|[┌╭╔][─═]|(?:--|──)[-+─┼ ]*$|\|[ :]*--[-:| ]*$)/;

/** Databases draw a line above or below the header of a table that they show to people. */
function isTableForPeople(first: Buffer, rest: Buffer): boolean {
  const lineOf = (bytes: Buffer) => bytes.toString('utf8', 0, 4096).trimStart().split('\n', 1)[0]!.trimEnd();
  return RULE.test(lineOf(first)) || RULE.test(lineOf(rest));
}

async function* joined(
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}
