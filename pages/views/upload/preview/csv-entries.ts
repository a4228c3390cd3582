/** The first records of CSV (RFC 4180). The service judges them all; this sees what is plain. */
import { cellText, type FirstEntries, SHOWN_ENTRIES } from './first-entries.ts';

const SEPARATORS: readonly (readonly [string, string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
];
const WEB_ADDRESS = /^https?:\/\//i;

export function csvEntries(text: string, isWhole: boolean): FirstEntries {
  const [header, ...rows] = firstRecords(text, isWhole, SHOWN_ENTRIES + 1);
  if (header === undefined) return { columns: [], rows: [], problems: ['The header line does not end.'] };
  const columns = header.map((name) => name.trim());
  const uneven = rows.findIndex((cells) => cells.length !== columns.length);
  const problems = [...problemsOfHeader(columns)];
  if (problems.length === 0 && uneven >= 0) {
    problems.push(
      `Entry ${uneven + 1} has ${rows[uneven]!.length} cells, but the header has ${columns.length}. ` +
        'A value with a comma must be in quotes.',
    );
  }
  return { columns, rows: rows.map((cells) => cells.map(cellText)), problems };
}

function* problemsOfHeader(columns: readonly string[]): Generator<string> {
  const names = columns.map((name) => name.toLowerCase());
  if (names.includes('loc')) {
    if (names.includes('')) yield `Column ${names.indexOf('') + 1} has no name.`;
    const repeated = names.find((name, i) => name !== '' && names.indexOf(name) < i);
    if (repeated !== undefined) yield `The column “${repeated}” is there twice.`;
    return;
  }
  const separator = SEPARATORS.find(([mark]) => names.length === 1 && names[0]!.includes(mark));
  if (separator !== undefined) yield `The cells must have commas between them, not ${separator[1]}.`;
  else if (names.some((name) => WEB_ADDRESS.test(name))) {
    yield 'The first line must name the columns, as in loc,lastmod.';
  } else yield 'There is no column “loc”. Call the column with the addresses so.';
}

/** A record that is cut at the end of the preview does not count. */
function firstRecords(text: string, isWhole: boolean, count: number): string[][] {
  const records: string[][] = [];
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length && records.length < count) {
    const record = readRecord(text, at);
    if (record.end === text.length && !isWhole) break;
    at = record.end;
    if (record.cells.length > 1 || record.cells[0] !== '') records.push(record.cells);
  }
  return records;
}

interface CsvRecord {
  readonly cells: string[];
  /** Where the next one begins. */
  readonly end: number;
}

function readRecord(text: string, start: number): CsvRecord {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? closingQuote(text, at + 1) : endOfCell(text, at);
    cells.push(isQuoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, end));
    at = isQuoted ? endOfCell(text, end) : end;
    if (text[at] === ',') at++;
    else return { cells, end: afterLineBreak(text, at) };
  }
}

/** Two quotes are one in the cell. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at < 0 ? text.length : at;
}

function endOfCell(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '\r') at++;
  return at;
}

function afterLineBreak(text: string, at: number): number {
  return text.startsWith('\r\n', at) ? at + 2 : Math.min(at + 1, text.length);
}
