/**
 * Samples the columns of a table with their first values, so that a person can choose a member of an entry for each column. The table need
 * not be readable yet.
 */
import { Refusal } from '../../../platform/refusal.ts';
import type { ColumnChoices } from './column-choice.ts';
import { type CellSyntax, CsvCells, syntaxOf } from './csv-cells.ts';
import { columnNamed } from './csv-columns.ts';
import { takeFirstRecord } from './csv-header.ts';
import { DELIMITERS, type Dialect, nameOfDelimiter } from './dialect.ts';
import { namesIn } from './find-delimiter.ts';
import { readText } from './read-text.ts';
import { proposeMembers } from './suggest-columns.ts';

export interface SampledColumn {
  /** The name in the header, or the name of a member of JSON. Without a header, the position of the column, from 1. */
  readonly name: string;
  /** The first values that are not empty, shortened. */
  readonly values: readonly string[];
  /** The member that the column seems to be. If several columns seem to be `loc`, a person must choose one of them. */
  readonly member?: string;
}

export interface SampledTable {
  /** Undefined for JSON and Parquet. */
  readonly delimiter?: string;
  readonly columns: readonly SampledColumn[];
}

const MAX_RECORDS = 50;
const MAX_VALUES = 3;
const MAX_VALUE_LENGTH = 200;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/**
 * Samples the columns of CSV. `body`: the beginning of a body. Returns undefined if the body has no record, or if its first record has a
 * fault. The preview tells the fault.
 */
export async function sampleCsv(body: Buffer, dialect: Dialect): Promise<SampledTable | undefined> {
  const { header: hasHeader = true } = dialect;
  try {
    const first = await takeFirstRecord(textOf(body, dialect), dialect);
    if (first.bytes.length === 0) return undefined;
    const cellSyntax = syntaxOf(dialect);
    const delimiter = dialect.delimiter ?? first.separator ?? likelyDelimiter(first.bytes, cellSyntax);
    const syntax = { ...cellSyntax, delimiter };
    const names = namesIn(first.bytes, syntax);
    const records = recordsIn(hasHeader ? first.rest : first.withRest, syntax);
    const cells = new CsvCells(names.length, syntax);
    const values = names.map((): string[] => []);
    for (const record of records) {
      if (cells.split(record, 0, record.length) !== undefined) continue;
      for (const [i, some] of values.entries()) if (i < cells.count) addValue(some, cells.textAt(i, record));
    }
    return {
      delimiter: nameOfDelimiter(delimiter),
      columns: hasHeader
        ? columnsOf(
            names.map((name) => name.trim()),
            values,
          )
        : columnsOf(
            values.map((_, i) => `${i + 1}`),
            values,
            dialect.columns,
          ),
    };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Samples the members of JSON objects. `records`: the first records of NDJSON or of an array, as they were read. */
export function sampleRecords(records: readonly unknown[]): SampledTable | undefined {
  const values = new Map<string, string[]>();
  for (const record of records) {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) continue;
    for (const [name, value] of Object.entries(record)) {
      if (!values.has(name)) values.set(name, []);
      addValue(values.get(name)!, typeof value === 'string' ? value : JSON.stringify(value ?? ''));
    }
  }
  if (values.size === 0) return undefined;
  return { columns: columnsOf([...values.keys()], [...values.values()]) };
}

/** Samples a Parquet file that has no entries: of its columns only the names are known. */
export function sampleNames(names: readonly string[]): SampledTable {
  return {
    columns: columnsOf(
      names,
      names.map(() => []),
    ),
  };
}

/** `choices`: the members that the client has chosen, by the position of the column. */
function columnsOf(
  names: readonly string[],
  values: readonly (readonly string[])[],
  choices?: ColumnChoices,
): SampledColumn[] {
  const proposed = choices === undefined ? (namedMembers(names) ?? proposeMembers(names, values)) : undefined;
  return names.map((name, i) => {
    const member = proposed === undefined ? choices?.[i]?.member : proposed.get(i);
    return { name, values: values[i]!, ...(member !== undefined && { member }) };
  });
}

/**
 * Returns the member of each column whose name stands in docs/FORMAT.md, by the position of the column. Returns undefined if no column is
 * `loc`, because then the table was not made for Waypost.
 */
function namedMembers(names: readonly string[]): ReadonlyMap<number, string> | undefined {
  const members = new Map<number, string>();
  for (const [i, name] of names.entries()) {
    try {
      members.set(i, columnNamed(name, i).member);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return [...members.values()].includes('loc') ? members : undefined;
}

function addValue(values: string[], text: string): void {
  const value = text.trim();
  if (value !== '' && value !== '""' && values.length < MAX_VALUES) {
    values.push(value.slice(0, MAX_VALUE_LENGTH).toWellFormed());
  }
}

/** The separator that cuts the record into the most cells. */
function likelyDelimiter(record: Buffer, syntax: Omit<CellSyntax, 'delimiter'>): number {
  const count = (delimiter: number) => {
    const cells = new CsvCells(0, { ...syntax, delimiter });
    return cells.split(record, 0, record.length) === undefined ? cells.count : 0;
  };
  const byCells = Object.values(DELIMITERS).map((delimiter) => [count(delimiter), delimiter] as const);
  return byCells.reduce((most, each) => (each[0] > most[0] ? each : most))[1];
}

function recordsIn(bytes: Buffer, { hasQuotes }: CellSyntax): Buffer[] {
  const records: Buffer[] = [];
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < bytes.length && records.length < MAX_RECORDS; at++) {
    if (bytes[at] === QUOTE && hasQuotes) isQuoted = !isQuoted;
    if (bytes[at] !== LINE_FEED || isQuoted) continue;
    if (at > start) records.push(bytes.subarray(start, at));
    start = at + 1;
  }
  // The last record may be cut, so it counts only if it is the only record.
  if (records.length === 0 && start < bytes.length) records.push(bytes.subarray(start));
  return records;
}

/** Yields the text of the body, up to a fault if there is one. */
async function* textOf(body: Buffer, { charset }: Dialect): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* readText(once(body), charset);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Yields these bytes as a stream. */
export async function* once(body: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.length > 0) yield body;
}
