/**
 * The dialect in which an upload was read (docs/decisions/0062), for the answer and the attempt of the upload, and the warnings that follow
 * from the dialect.
 */
import { NAMESPACE_URIS } from '../../../core/sitemap/namespaces.ts';
import { DATE_KINDS, type ReadingNotes } from '../../../core/sitemap/reading.ts';
import type { ColumnChoices } from './column-choice.ts';
import { layoutOf, type TableHeader, type TableLayout } from './csv-layout.ts';
import { type Dialect, nameOfDelimiter } from './dialect.ts';
import type { FoundInBody } from './read-records.ts';
import type { Namespaces } from './xml-record.ts';

/** An absent member was neither given by the client nor found in the body. */
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

/** Notes on the entries of an upload so far. */
export interface FoundInEntries {
  readonly notes: ReadingNotes;
  readonly filtered: number;
}

const MAX_TOLD_COLUMNS = 50;
const MAX_TOLD_IGNORED = 10;
const MAX_NAME_LENGTH = 128;

/** Returns the dialect to tell. Undefined if there is nothing to tell: some parameters, such as `baseUrl`, are not told. */
export function toldDialect(
  dialect: Dialect,
  found: FoundInBody,
  { notes, filtered }: FoundInEntries,
): ToldDialect | undefined {
  const { dates, timezone, columns, where } = dialect;
  const told: ToldDialect = {
    ...(found.delimiter !== undefined && { delimiter: nameOfDelimiter(found.delimiter) }),
    ...(found.table && columnsOfTable(found.table)),
    ...(found.table === undefined && columns && { columns: shownColumns(columns) }),
    ...(found.charset !== undefined && { charset: found.charset }),
    ...(where !== undefined && { filtered }),
    ...(dates !== undefined && { dates }),
    ...(timezone !== undefined && { timezone, zoned: notes.zoned }),
  };
  return Object.keys(told).length === 0 ? undefined : told;
}

/** Returns the first columns that were read. An ignored column is null or undefined. */
function shownColumns(columns: ColumnChoices | TableLayout['columns']) {
  const read = columns.flatMap((column) => column ?? []);
  return read.slice(0, MAX_TOLD_COLUMNS).map(({ member, name }) => ({ member, name: shown(name) }));
}

function columnsOfTable(header: TableHeader): ToldDialect {
  const { columns } = layoutOf(header);
  const ignored = ignoredNames(header, columns);
  return {
    columns: shownColumns(columns),
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

/**
 * The columns by which crawl tools say whether an address belongs in a sitemap. Each row begins with the addresses that are taken without a
 * condition. Then come patterns for the names of columns, each with the value of a wanted address. If a file has several columns of a row,
 * the first of them in the row counts.
 */
const CRAWL_COLUMNS = [
  [
    'Pages of every status',
    // This condition also leaves out pages that are noindex, or canonicalised to another page.
    [/^indexability$/i, 'Indexable'],
    [/^(?:http )?status code$/i, '200'],
  ],
  // This condition leaves out images, styles and scripts. They are indexable, too.
  ['Files of every type', [/^content[ -]type$/i, 'text/html*']],
] as const;

/** Warns people of readings that they may not have meant. */
export function dialectWarnings(
  dialect: Dialect,
  found: FoundInBody,
  { notes, filtered }: FoundInEntries,
): string[] {
  const warnings: string[] = [];
  const { table } = found;
  if (table !== undefined) {
    const layout = layoutOf(table);
    const ignored = ignoredNames(table, layout.columns);
    if (ignored.length > 0) {
      const more = ignored.length > MAX_TOLD_IGNORED ? ', …' : '';
      warnings.push(
        `${counted(ignored.length, 'column is', 'columns are')} ignored: ${ignored.slice(0, MAX_TOLD_IGNORED).join(', ')}${more}.`,
      );
    }
    if (table.hasHeader) warnings.push(...crawlWarnings(table.names, layout));
  }
  warnings.push(...namespaceWarnings(found.namespaces ?? {}));
  if (filtered > 0) warnings.push(`${counted(filtered, 'record is', 'records are')} left out by where.`);
  if (notes.zoned > 0) {
    warnings.push(`${counted(notes.zoned, 'time', 'times')} had no zone and got ${dialect.timezone}.`);
  }
  if (notes.escapes > 0) {
    const cure =
      table === undefined
        ? 'the backslashes are doubled, as COPY and mariadb -B write them: use psql -Atc, or mariadb -Br'
        : 'add escape=backslash';
    warnings.push(
      `${counted(notes.escapes, 'text has', 'texts have')} a backslash and a letter, as in \\t. If that is one character, ${cure}.`,
    );
  }
  const kinds = Object.values(DATE_KINDS).filter((kind) => (notes.dateKinds & kind) !== 0);
  if (kinds.length > 1) warnings.push('Dates are written in more than one way.');
  return warnings;
}

/** Elements of an unknown namespace are ignored, so a wrong URI for a usual prefix loses all images, for example. */
function namespaceWarnings(namespaces: Namespaces): string[] {
  const declared = Object.values(namespaces);
  return Object.entries(NAMESPACE_URIS).flatMap(([prefix, uri]) => {
    const given = namespaces[prefix];
    if (given === undefined || declared.includes(uri)) return [];
    return `Elements with the prefix ${prefix} are ignored, because its namespace is ${shown(given)} and not ${uri}.`;
  });
}

function crawlWarnings(names: readonly string[], { where }: TableLayout): string[] {
  const trimmed = names.map((name) => name.trim());
  const tested = where.map(({ at }) => trimmed[at]!);
  return CRAWL_COLUMNS.flatMap(([taken, ...columns]) => {
    if (columns.some(([pattern]) => tested.some((name) => pattern.test(name)))) return [];
    const warnings = columns.flatMap(([pattern, value]) => {
      const name = trimmed.find((each) => pattern.test(each));
      return name === undefined
        ? []
        : `${taken} are taken, although there is a column ${name}. To leave some out, add where=${name}:${value}.`;
    });
    return warnings.slice(0, 1);
  });
}

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
