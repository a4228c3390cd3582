/** The meaning of the cells in each record of a CSV upload. The main thread checks this layout once, and each batch carries it as text. */
import { invalidField } from '../../../platform/refusal.ts';
import { shownText } from '../../../platform/shown-value.ts';
import type { ColumnChoices } from './column-choice.ts';
import type { CellSyntax } from './csv-cells.ts';
import { type CsvColumn, columnNamed, columnsOf, refuseColumns } from './csv-columns.ts';
import { type Condition, conditionOf } from './where.ts';

/** The columns of a table, and the choice of those that are read. */
export interface TableHeader {
  /** The names in the header. Without a header, the names of the chosen members. */
  readonly names: readonly string[];
  readonly hasHeader: boolean;
  readonly choices: ColumnChoices | null;
  readonly where: readonly string[];
  /** Whether a value may be a list or an object. */
  readonly takesWhole?: boolean;
}

/** The rules by which threads read all batches of a CSV upload. Each batch carries them as JSON. */
export interface CsvPreamble extends CellSyntax, TableHeader {
  readonly hasDecimalComma: boolean;
  /** The texts that stand for an absent value. */
  readonly nulls: readonly string[];
  /** Whether URLs may lack a base. If they may, any word is a URL, also the name of a column. */
  readonly isRelative: boolean;
}

export interface TableLayout {
  /** The column of each cell; undefined for a cell that is ignored. */
  readonly columns: readonly (CsvColumn | undefined)[];
  /** The conditions that a record must meet, by its cells. */
  readonly where: readonly Condition<number>[];
}

const MAX_SHOWN_NAMES = 20;
const MAX_SHOWN_LENGTH = 64;

/** Finds the columns and the conditions in the header. Throws Refusal VALIDATION_ERROR. */
export function layoutOf(header: TableHeader): TableLayout {
  const { names, where } = header;
  const conditions = where.map((text) => {
    const { name, ...condition } = conditionOf(text, names);
    return { ...condition, at: positionOf(name, names, 'where') };
  });
  return { columns: columnsIn(header), where: conditions };
}

function columnsIn({ names, hasHeader, choices, takesWhole = false }: TableHeader) {
  if (choices === null) return columnsOf(names, takesWhole);
  const columns: (CsvColumn | undefined)[] = names.map(() => undefined);
  const chosen: CsvColumn[] = [];
  for (const [i, choice] of choices.entries()) {
    if (choice === null) continue;
    const position = hasHeader ? positionOf(choice.name, names, choice.name) : i;
    const column = {
      ...columnNamed(choice.member, position, takesWhole),
      name: hasHeader ? names[position]!.trim() : choice.member,
    };
    if (columns[position] !== undefined) {
      throw invalidField(choice.name, choice.name, 'can be the column of one member only');
    }
    columns[position] = column;
    chosen.push(column);
  }
  refuseColumns(chosen, 'is required: name its column, as in columns=loc:URL');
  return columns;
}

/**
 * Returns the position of a name in the header. Letter case and outer blanks do not count. If the header lacks the name, or has it twice,
 * the refusal names `field`.
 */
function positionOf(name: string, names: readonly string[], field: string): number {
  const plain = plainName(name);
  const found = names.flatMap((each, i) => (plainName(each) === plain ? [i] : []));
  if (found.length === 1) return found[0]!;
  const shown = names
    .slice(0, MAX_SHOWN_NAMES)
    .map((each) => JSON.stringify(shownText(each.trim(), MAX_SHOWN_LENGTH)));
  const more = names.length > MAX_SHOWN_NAMES ? ` and ${names.length - MAX_SHOWN_NAMES} more` : '';
  const problem = found.length === 0 ? 'is not in the header' : `stands ${found.length} times in the header`;
  throw invalidField(field, name, `${problem}, which has ${shown.join(', ')}${more}`);
}

const plainName = (name: string) => name.trim().toLowerCase();
