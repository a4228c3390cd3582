/** What an upload was read as (docs/decisions/0062), told in its answer and kept with its attempt, and the warnings that follow from it. */
import { DATE_KINDS, type ReadingNotes } from '../../../core/sitemap/reading.ts';
import type { ColumnChoices } from './column-choice.ts';
import { layoutOf, type TableHeader, type TableLayout } from './csv-layout.ts';
import { DELIMITERS, type Dialect } from './dialect.ts';
import type { FoundInBody } from './read-records.ts';

/** Absent members were neither given nor found. */
export interface ToldDialect {
  readonly delimiter?: string;
  readonly charset?: string;
  /** The first of the columns that were read. */
  readonly columns?: readonly { readonly member: string; readonly name: string }[];
  /** The names of the first ignored columns, and the number of all. */
  readonly ignored?: readonly string[];
  readonly ignoredCount?: number;
  /** The number of records that conditions left out. */
  readonly filtered?: number;
  readonly dates?: string;
  readonly timezone?: string;
  /** The number of times that got their zone from `timezone`. */
  readonly zoned?: number;
}

/** What was found in the entries of an upload so far. */
export interface FoundInEntries {
  readonly notes: ReadingNotes;
  readonly filtered: number;
}

const MAX_TOLD_COLUMNS = 50;
const MAX_TOLD_IGNORED = 10;
const MAX_NAME_LENGTH = 128;

/** Undefined if the form needs no dialect and none was given. */
export function toldDialect(
  dialect: Dialect,
  found: FoundInBody,
  { notes, filtered }: FoundInEntries,
): ToldDialect | undefined {
  const { dates, timezone, columns, where } = dialect;
  const told: ToldDialect = {
    ...(found.delimiter !== undefined && { delimiter: nameOfDelimiter(found.delimiter) }),
    ...(found.table && columnsOfTable(found.table)),
    ...(found.table === undefined && columns && { columns: chosenColumns(columns) }),
    ...(found.charset !== undefined && { charset: found.charset }),
    ...(where !== undefined && { filtered }),
    ...(dates !== undefined && { dates }),
    ...(timezone !== undefined && { timezone, zoned: notes.zoned }),
  };
  return Object.keys(told).length === 0 ? undefined : told;
}

/** The members of JSON that were read. */
function chosenColumns(choices: ColumnChoices) {
  const chosen = choices.flatMap((choice) => choice ?? []);
  return chosen.slice(0, MAX_TOLD_COLUMNS).map(({ member, name }) => ({ member, name: shown(name) }));
}

const nameOfDelimiter = (delimiter: number) =>
  Object.entries(DELIMITERS).find(([, byte]) => byte === delimiter)![0];

function columnsOfTable(header: TableHeader): ToldDialect {
  const { columns } = layoutOf(header);
  const ignored = ignoredNames(header, columns);
  const read = columns.flatMap((column) =>
    column === undefined ? [] : [{ member: column.member, name: shown(column.name) }],
  );
  return {
    columns: read.slice(0, MAX_TOLD_COLUMNS),
    ignored: ignored.slice(0, MAX_TOLD_IGNORED),
    ignoredCount: ignored.length,
  };
}

function ignoredNames({ names, hasHeader }: TableHeader, columns: TableLayout['columns']): string[] {
  return names.flatMap((name, i) => {
    if (columns[i] !== undefined) return [];
    return hasHeader && name.trim() !== '' ? [shown(name.trim())] : [`column ${i + 1}`];
  });
}

/** Postgres refuses NUL and lone surrogates in a text. */
function shown(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).replaceAll('\0', '\uFFFD').toWellFormed();
}

/** The columns of crawlers that say whether a page should be in a sitemap. */
const STATUS_COLUMNS = /^(?:status code|http status code|indexability)$/i;

/** Warns people of readings that they may not have meant. */
export function dialectWarnings(
  dialect: Dialect,
  found: FoundInBody,
  { notes, filtered }: FoundInEntries,
): string[] {
  const warnings: string[] = [];
  const { table } = found;
  if (table !== undefined) {
    const ignored = ignoredNames(table, layoutOf(table).columns);
    if (ignored.length > 0) {
      const more = ignored.length > MAX_TOLD_IGNORED ? ', …' : '';
      warnings.push(
        `${counted(ignored.length, 'column is', 'columns are')} ignored: ${ignored.slice(0, MAX_TOLD_IGNORED).join(', ')}${more}.`,
      );
    }
    const status = table.hasHeader ? table.names.find((name) => STATUS_COLUMNS.test(name.trim())) : undefined;
    if (status !== undefined && dialect.where === undefined) {
      warnings.push(
        `Pages of every status are taken, although there is a column ${status.trim()}. To leave some out, add where=${status.trim()}:${/^ind/i.test(status.trim()) ? 'Indexable' : '200'}.`,
      );
    }
  }
  if (filtered > 0) warnings.push(`${counted(filtered, 'record is', 'records are')} left out by where.`);
  if (notes.zoned > 0) {
    warnings.push(`${counted(notes.zoned, 'time', 'times')} had no zone and got ${dialect.timezone}.`);
  }
  if (notes.escapes > 0) {
    warnings.push(
      `${counted(notes.escapes, 'text has', 'texts have')} a backslash and a letter, as in \\t. If that is one character, add escape=backslash.`,
    );
  }
  const kinds = Object.values(DATE_KINDS).filter((kind) => (notes.dateKinds & kind) !== 0);
  if (kinds.length > 1) warnings.push('Dates are written in more than one way.');
  return warnings;
}

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
