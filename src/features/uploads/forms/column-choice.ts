/**
 * The parameter `columns`: a record of CSV whose cells name the columns that are read. If the body has a header, each cell has a member of an
 * entry and the name of its column, as in `loc:Address`. If the body has no header, the cells are the members in the order of the columns,
 * and `-` ignores a column.
 */
import { Refusal } from '../../../platform/refusal.ts';
import { CELL_FAULTS, CsvCells } from './csv-cells.ts';
import { columnNamed } from './csv-columns.ts';

interface ColumnChoice {
  /** The name of the member, as in the table of `csv-columns.ts`. */
  readonly member: string;
  /** The name in the header, or of a member of JSON. */
  readonly name: string;
}

/** An ignored cell is null. */
export type ColumnChoices = readonly (ColumnChoice | null)[];

const MAX_COLUMNS = 2000;

/** Returns the choices, or a message about the mistake. */
export function parseColumns(text: string): ColumnChoices | string {
  const bytes = Buffer.from(text);
  const cells = new CsvCells(MAX_COLUMNS, { delimiter: 0x2c, hasEscapes: false, hasQuotes: true });
  const fault = cells.split(bytes, 0, bytes.length);
  if (fault !== undefined) return `must be a record of CSV; column ${cells.count} ${CELL_FAULTS[fault]}`;
  if (cells.count > MAX_COLUMNS) return `must be at most ${MAX_COLUMNS} columns`;
  const choices: (ColumnChoice | null)[] = [];
  for (let cell = 0; cell < cells.count; cell++) {
    const choice = choiceOf(cells.textAt(cell, bytes), cell);
    if (typeof choice === 'string') return choice;
    choices.push(choice);
  }
  return choices.some((choice) => choice !== null)
    ? choices
    : 'must name at least loc, as in columns=loc:URL';
}

function choiceOf(item: string, position: number): ColumnChoice | null | string {
  if (item.trim() === '-' || item.trim() === '') return null;
  // A language has its own colon: `hreflang:de:URL (de)`.
  const [, member, name] = /^\s*(hreflang:[^:]*|[^:]*)(?::(.*))?$/is.exec(item)!;
  const choice = { member: member!.trim(), name: (name ?? member!).trim() };
  try {
    columnNamed(choice.member, position, true);
    return choice;
  } catch (error) {
    if (error instanceof Refusal) return `must be members of an entry: ${error.message}`;
    throw error;
  }
}
