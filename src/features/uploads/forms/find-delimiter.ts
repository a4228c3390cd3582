/** Finds the separator of a CSV upload by its header alone, so that the separator never depends on the records. */
import { invalidField, Refusal } from '../../../platform/refusal.ts';
import { CELL_FAULTS, type CellSyntax, CsvCells } from './csv-cells.ts';
import { type CsvPreamble, layoutOf } from './csv-layout.ts';
import { DELIMITERS, nameOfDelimiter } from './dialect.ts';
import { suggestColumnsInOrder } from './suggest-columns.ts';

const COMMA = 0x2c;
const MAX_COLUMNS = 2000;

/**
 * Returns the preamble with the only separator that fits, and the names that it cuts. A separator fits if it cuts the header so that each
 * wanted column stands there exactly once. `known` is the separator that the client or the body names. Throws Refusal VALIDATION_ERROR.
 */
export function findDelimiter(
  header: Buffer,
  preamble: Omit<CsvPreamble, 'names' | 'delimiter'>,
  known: number | undefined,
): CsvPreamble {
  const present = Object.values(DELIMITERS).filter((byte) => header.includes(byte));
  const candidates = known !== undefined ? [known] : present.length === 0 ? [COMMA] : present;
  const faults: [number, Refusal][] = [];
  const fitting: CsvPreamble[] = [];
  for (const delimiter of candidates) {
    let names: readonly string[] = [];
    try {
      names = namesIn(header, { ...preamble, delimiter });
      const read = { ...preamble, delimiter, names };
      layoutOf(read);
      fitting.push(read);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isDefault = delimiter === COMMA || delimiter === known;
      faults.push([delimiter, faultOfEntry(names, isDefault ? undefined : delimiter) ?? error]);
    }
  }
  if (fitting.length === 1) return fitting[0]!;
  if (faults.length === 1 && fitting.length === 0) throw faults[0]![1];
  throw severalSeparators(header, fitting, faults);
}

/** Cuts the header, or the first record of a body without a header. Throws Refusal VALIDATION_ERROR. */
export function namesIn(record: Buffer, syntax: CellSyntax): string[] {
  const cells = new CsvCells(MAX_COLUMNS, syntax);
  const fault = cells.split(record, 0, record.length);
  if (cells.count > MAX_COLUMNS)
    throw invalidField('line', undefined, `must have at most ${MAX_COLUMNS} columns`);
  if (fault === undefined) return Array.from({ length: cells.count }, (_, i) => cells.textAt(i, record));
  throw invalidField(
    'line',
    record.toString(),
    `must name the columns; the name ${cells.count} ${CELL_FAULTS[fault]}`,
  );
}

/** Returns the refusal of an entry in the place of the header. `delimiter`: if it must be named. */
function faultOfEntry(cells: readonly string[], delimiter: number | undefined): Refusal | undefined {
  const columns = suggestColumnsInOrder(cells);
  if (columns === undefined) return undefined;
  const named = delimiter === undefined ? '' : `&delimiter=${nameOfDelimiter(delimiter)}`;
  return invalidField(
    'line',
    cells.join(', '),
    `looks like an entry, not like the names of columns: if the file has no header, add header=false${named}&columns=${columns}`,
  );
}

function severalSeparators(
  header: Buffer,
  fitting: readonly CsvPreamble[],
  faults: readonly (readonly [number, Refusal])[],
): Refusal {
  const tried = [
    ...fitting.map(
      ({ delimiter, names }) => `delimiter=${nameOfDelimiter(delimiter)} gives ${names.length} columns`,
    ),
    ...faults.map(([byte, { message }]) => `with delimiter=${nameOfDelimiter(byte)}: ${message}`),
  ];
  return invalidField('line', header.toString(), `may be cut in several ways. ${tried.join('. ')}`);
}
