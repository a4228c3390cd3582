/**
 * Reads the records of CSV: turns the cells of a record into the JSON of an entry. An empty cell is an absent member. The kernel of entries
 * (core/sitemap/entry-transcoder.ts) reads most records where they stand. It needs JSON only for the other records.
 */
import type { CellLayout } from '../../../core/sitemap/entry-transcoder.ts';
import type { Violation } from '../../../core/sitemap/violation.ts';
import { isWhiteSpace } from '../../../platform/json/json-syntax.ts';
import { shownText, shownValue } from '../../../platform/shown-value.ts';
import type { Batch } from '../fragment.ts';
import {
  type BatchCells,
  type BatchEntries,
  keepLast,
  type ReadEntries,
  type RecordFault,
  type RecordNames,
} from './batch-entries.ts';
import { APOSTROPHES, CELL_FAULTS, CsvCells, isInApostrophes, refusesStrayQuotes } from './csv-cells.ts';
import { type CsvPreamble, layoutOf } from './csv-layout.ts';
import { type CsvLeaf, CsvPlan, writeEntry } from './csv-plan.ts';
import { JsonBytes } from './json-bytes.ts';
import { RecordLines } from './record-lines.ts';
import { isAbsentToPeople, isAbsentWord, isPlainNumber, isWithComma, valueIn } from './value-kind.ts';
import { type Condition, meets } from './where.ts';

const LINE_FEED = 0x0a;

const readerFor = keepLast((preamble) => new CsvReader(JSON.parse(preamble)));

export const csvEntries: ReadEntries = (batch) => readerFor(batch).read(batch);

/** Returns undefined if the kernel may read no record where it stands, so that all records need JSON. */
export function csvCells(batch: Batch): BatchCells | undefined {
  return readerFor(batch).cells(batch);
}

class CsvReader {
  readonly #preamble: CsvPreamble;
  readonly #plan: CsvPlan;
  readonly #where: readonly Condition<number>[];
  readonly #nulls: ReadonlySet<string>;
  readonly #cells: CsvCells;
  /** Undefined if the kernel may take no record. */
  readonly #layout: CellLayout | undefined;
  readonly #json = new JsonBytes();
  #bytes: Buffer = Buffer.alloc(0);
  #ends: Uint32Array = new Uint32Array(0);
  /** The number of texts in the batch in which a backslash may stand for another character. */
  #escapes = 0;

  constructor(preamble: CsvPreamble) {
    this.#preamble = preamble;
    const { columns, where } = layoutOf(preamble);
    this.#where = where;
    this.#nulls = new Set(preamble.nulls);
    this.#plan = new CsvPlan(columns);
    this.#cells = new CsvCells(columns.length, preamble);
    const { hasDecimalComma, hasHeader, isRelative } = preamble;
    // The kernel reads records only if no parameter of the client changes the meaning of their bytes. With relative URLs, a repeated header
    // looks like an entry. The kernel does not find such a header, because it does not know the names.
    const isPlain = where.length + this.#nulls.size === 0 && !hasDecimalComma && !(hasHeader && isRelative);
    this.#layout = isPlain ? layoutOfCells(this.#plan, preamble) : undefined;
  }

  read(batch: Batch): BatchEntries {
    this.#begin(batch);
    const json = this.#json;
    const ends = new Uint32Array(batch.ends.length);
    const filtered = this.#where.length === 0 ? undefined : new Uint8Array(ends.length);
    json.clear();
    for (let i = 0; i < ends.length; i++) {
      if (!this.#writeRecord(i)) filtered![i] = 1;
      ends[i] = json.at - 1;
    }
    // Remove the comma after the last record.
    json.at--;
    const names = this.#namesOf(batch);
    const escapes = this.#escapes;
    return { json: json.written, ends, names, escapes, ...(filtered !== undefined && { filtered }) };
  }

  cells(batch: Batch): BatchCells | undefined {
    if (this.#layout === undefined) return undefined;
    this.#begin(batch);
    const json = this.#json;
    const reader = this;
    let last = -1;
    return {
      layout: this.#layout,
      names: this.#namesOf(batch),
      jsonOf(i) {
        if (i === last) return json.written.subarray(0, -1);
        last = i;
        json.clear();
        reader.#writeRecord(i);
        return json.written.subarray(0, -1);
      },
      get escapes() {
        return reader.#escapes;
      },
    };
  }

  #begin({ bytes, ends }: Batch): void {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#ends = ends;
    this.#escapes = 0;
  }

  #namesOf(batch: Batch): RecordNames {
    const lines = new RecordLines(batch);
    return {
      lineOf: (i) => lines.lineOf(i),
      faultOf: (i) => this.#faultOf(i),
      cureOf: (violation) => this.#cureOf(violation),
      misfitOf: (i) => (this.#split(i) === undefined && this.#isHeader ? this.#faultOf(i) : undefined),
      fieldName: (path, i) => {
        this.#split(i);
        return this.#plan.nameOf(path, (leaf) => this.#has(leaf));
      },
    };
  }

  #cureOf({ value, message }: Pick<Violation, 'value' | 'message'>): string {
    const [, what] = /^must be (an absolute URL|a date like|a (?:whole )?number)/.exec(message) ?? [];
    if (what === undefined) return '';
    if (isInApostrophes(value)) return `; ${APOSTROPHES}`;
    if (what === 'an absolute URL') return '';
    if (isAbsentToPeople(value)) return `: add null=${value} if it means that there is none`;
    return message.includes('number') && !this.#preamble.hasDecimalComma && isWithComma(value)
      ? ': add decimal=comma'
      : '';
  }

  /**
   * Writes a record and a comma. Writes only the comma if the record is unreadable, or if a condition leaves it out. Returns false if a
   * condition leaves the record out.
   */
  #writeRecord(i: number): boolean {
    const json = this.#json;
    const { root, columns } = this.#plan;
    const isWhole = this.#split(i) === undefined && this.#cells.count === columns.length;
    const isReadable = isWhole && !this.#isHeader;
    const isWanted = !isReadable || this.#where.every((each) => meets(each, this.#textOf(each.at)));
    if (isReadable && isWanted) writeEntry(root, json, this.#writeLeaf);
    else {
      json.makeRoom(1);
      json.comma();
    }
    return isWanted;
  }

  /** Whether the split record is the header again, as in files that were joined. */
  get #isHeader(): boolean {
    const { hasHeader, names } = this.#preamble;
    const isName = (name: string, i: number) => this.#cells.textAt(i, this.#bytes).trim() === name.trim();
    return hasHeader && this.#cells.count === names.length && names.every(isName);
  }

  #textOf(cell: number): string {
    return this.#cells.isMissing(cell, this.#bytes) ? '' : this.#cells.textAt(cell, this.#bytes);
  }

  /** Whether the record has a value in the column. */
  #has({ column, kind }: CsvLeaf): boolean {
    const cells = this.#cells;
    if (!cells.has(column) || cells.isMissing(column, this.#bytes)) return false;
    // Most values are longer than every word for an absent value.
    const isLong = cells.isPlain(column) && cells.ends[column]! - cells.starts[column]! > MAX_ABSENT_BYTES;
    if ((kind === 'text' || isLong) && this.#nulls.size === 0) return true;
    const text = cells.textAt(column, this.#bytes);
    return !isAbsentWord(kind, text) && !this.#nulls.has(text);
  }

  readonly #writeLeaf = (leaf: CsvLeaf): void => {
    if (!this.#has(leaf)) return;
    const { column, kind, open } = leaf;
    const { hasDecimalComma } = this.#preamble;
    const cells = this.#cells;
    const start = cells.starts[column]!;
    const end = cells.ends[column]!;
    const json = this.#json;
    json.makeRoomFor(open, end - start);
    json.put(open);
    if (kind === 'text' && !this.#preamble.hasEscapes && mayHaveEscape(this.#bytes, start, end))
      this.#escapes++;
    const isString = kind === 'text' || kind === 'token';
    // A token may be a date as a number of days or seconds, which may have a decimal comma.
    const mayHaveComma = kind === 'token' && hasDecimalComma;
    if (isString && !mayHaveComma && cells.isPlain(column)) json.string(this.#bytes, start, end);
    else if (kind === 'number' && !hasDecimalComma && isPlainNumber(this.#bytes, start, end))
      json.content(this.#bytes, start, end);
    else json.value(valueIn(kind, cells.textAt(column, this.#bytes), hasDecimalComma));
    json.comma();
  };

  /** Returns the position of the record's first byte, after blank lines. */
  #startOf(i: number): number {
    let start = i === 0 ? 0 : this.#ends[i - 1]! + 1;
    for (let at = start; at < this.#ends[i]! && this.#isBlank(this.#bytes[at]!); at++) {
      if (this.#bytes[at] === LINE_FEED) start = at + 1;
    }
    return start;
  }

  #isBlank(byte: number): boolean {
    return isWhiteSpace(byte) && byte !== this.#preamble.delimiter;
  }

  #split(i: number) {
    return this.#cells.split(this.#bytes, this.#startOf(i), this.#ends[i]!);
  }

  #faultOf(i: number): RecordFault {
    const fault = this.#split(i);
    const { columns } = this.#plan;
    const { count } = this.#cells;
    if (fault !== undefined && count <= columns.length) {
      const value = this.#cells.textAt(count - 1, this.#bytes);
      const name = columns[count - 1]?.name ?? this.#preamble.names[count - 1]!.trim();
      const message = CELL_FAULTS[fault] + (/^N(?:[,;|\s]|$)/.test(value) ? QUOTED_NULL : '');
      return { field: shownText(name), value: shownValue(value), message };
    }
    const value = this.#bytes.toString('utf8', this.#startOf(i), this.#ends[i]!);
    if (fault === undefined && this.#isHeader) {
      const message = 'is the header again: drop it from all files but the first';
      return { field: 'line', value: shownValue(value), message };
    }
    const message = `must have ${columns.length} cells, like the header; it has ${count}${cureFor(value, this.#preamble.hasEscapes)}`;
    return { field: 'line', value: shownValue(value), message };
  }
}

/** The length in bytes of the longest word that `isAbsentWord` knows. */
const MAX_ABSENT_BYTES = 4;

/** Returns the cure for a line that is no record: some programs write lines around their tables. */
function cureFor(line: string, hasEscapes: boolean): string {
  if (/^\(\d+ rows?\)\s*$/.test(line)) return ' (psql counts its rows unless it has -t, or --csv)';
  if (!hasEscapes && /\\[,;\t|]/.test(line))
    return '; if a backslash stands before separators in its cells, add escape=backslash';
  if (/(?:^|[,;\t|])'[^']*[,;\t|]/.test(line)) return `; ${APOSTROPHES}`;
  return /^\s*\+?-{2,}/.test(line) ? ' (a table for people: export it with psql --csv, or mariadb -B)' : '';
}

const QUOTED_NULL = `; if "N means NULL, as ESCAPED BY '"' of MariaDB writes it, leave that out and add escape=backslash`;

const BACKSLASH = 0x5c;

/** Whether a tab or a line break may be written as `\t` or `\n`. */
function mayHaveEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end - 1; i++) {
    if (bytes[i] === BACKSLASH && (bytes[i + 1] === 0x74 || bytes[i + 1] === 0x6e)) return true;
  }
  return false;
}

/** Returns the layout of the cells; undefined if a column is part of a list or an object. */
function layoutOfCells({ root, columns }: CsvPlan, preamble: CsvPreamble): CellLayout | undefined {
  if (!root.nodes.every((node) => 'column' in node)) return undefined;
  const { delimiter, hasEscapes, hasQuotes } = preamble;
  const members = columns.map((column) => column?.member);
  return { members, delimiter, hasEscapes, hasQuotes, refusesStrayQuotes: refusesStrayQuotes(preamble) };
}
