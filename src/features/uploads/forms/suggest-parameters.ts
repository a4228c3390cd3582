/** Suggests parameters of a dialect for the problems of a preview. A person decides about them. */
import { TextDecoder } from 'node:util';
import { spellingOfNumber } from '../../../core/sitemap/date-cures.ts';
import { namesIn } from './find-delimiter.ts';
import type { UploadForm } from './form.ts';
import { markedUtf16 } from './read-text.ts';
import type { SampledColumn } from './sample-columns.ts';
import { suggestColumns, suggestColumnsInOrder } from './suggest-columns.ts';

interface Seen {
  /** The names in the header, if it could be read. */
  readonly header: readonly string[];
  readonly delimiter: string | undefined;
  /** The members of JSON objects without `loc`, or the columns of Parquet. */
  readonly members: readonly SampledColumn[];
  readonly problems: readonly { readonly value: unknown; readonly message: string }[];
}

/** The parameters that can be suggested. */
type Suggested =
  | 'columns'
  | 'header'
  | 'delimiter'
  | 'escape'
  | 'quote'
  | 'charset'
  | 'decimal'
  | 'dates'
  | 'timezone';
export type SuggestedParameters = { readonly [Name in Suggested]?: string };

const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|', 'ctrl-a': '\x01' } as const;

/** Programs that separate cells by these may know no quotes. */
const UNQUOTED: readonly (string | undefined)[] = ['tab', 'pipe', 'ctrl-a'];

/** Returns the parameters that may help next and that `query` does not have yet. */
export function suggestParameters(
  form: UploadForm,
  query: Readonly<Record<string, unknown>>,
  body: Buffer,
  seen: Seen,
): SuggestedParameters {
  const says = (part: string) => seen.problems.some(({ message }) => message.includes(part));
  const missing = (name: string) => query[name] === undefined;
  const messages = seen.problems.map(({ message }) => message).join(' ');
  const [, charset] = /add charset=([\w-]+)/.exec(messages) ?? [];
  if (charset !== undefined && missing('charset')) return { charset };
  if (form === 'csv' && missing('columns') && seen.header.length === 0) {
    const found = columnsIn(beginningOf(body, query.charset));
    if (found !== undefined) return found;
  }
  if (form !== 'csv' && missing('columns') && seen.members.length > 0) {
    const columns = suggestColumns(seen.members.map(({ name }) => name));
    if (columns !== undefined) return { columns };
  }
  if (says('escape=backslash') && missing('escape') && missing('quote')) {
    const isEscaped = seen.problems.some(({ value }) => /\\(?:[,;\t|]|$)/.test(String(value)));
    if (isEscaped) return { escape: 'backslash' };
    if (UNQUOTED.includes(seen.delimiter)) return { quote: 'none' };
  }
  if (missing('dates')) {
    const dates = datesFor(seen.problems);
    if (dates !== undefined) return { dates };
  }
  if (says('add decimal=comma') && missing('decimal')) return { decimal: 'comma' };
  if (says('add timezone=') && missing('timezone')) return { timezone: 'UTC' };
  return {};
}

function beginningOf(body: Buffer, charset: unknown): string {
  const name = typeof charset === 'string' ? charset : (markedUtf16(body) ?? 'utf-8');
  try {
    return new TextDecoder(name).decode(body.subarray(0, LOOKED_AT));
  } catch {
    // The name of the charset is wrong. The preview refuses the parameter.
    return '';
  }
}

const LOOKED_AT = 8192;

/** Suggests the columns with usual names, by the first separator that gives some. */
function columnsIn(text: string): SuggestedParameters | undefined {
  const [line = ''] = text.split(/\r?\n/).filter((each) => each.trim() !== '');
  for (const separator of Object.values(SEPARATORS)) {
    const columns = suggestColumns(cellsIn(line, separator));
    if (columns !== undefined) return { columns };
  }
  return withoutHeader(line);
}

function cellsIn(line: string, separator: string): readonly string[] {
  const syntax = { delimiter: separator.charCodeAt(0), hasEscapes: line.includes('\\"'), hasQuotes: true };
  try {
    return namesIn(Buffer.from(line), syntax);
  } catch {
    // The quotes of the line are of another kind, so it is cut without them.
    return line.split(separator).map((cell) => cell.replace(/^\s*"(.*)"\s*$/, '$1'));
  }
}

function withoutHeader(line: string): SuggestedParameters | undefined {
  for (const [name, separator] of Object.entries(SEPARATORS)) {
    const columns = suggestColumnsInOrder(cellsIn(line, separator));
    if (columns !== undefined)
      return { header: 'false', columns, ...(name !== 'comma' && { delimiter: name }) };
  }
  return undefined;
}

/** Suggests the spelling of the refused dates. A number above twelve must be the day. If a date is one number, its size tells the unit. */
function datesFor(problems: Seen['problems']): string | undefined {
  const values = (part: string) =>
    problems.filter(({ message }) => message.includes(part)).map(({ value }) => String(value ?? ''));
  const days = values('add dates=dmy');
  if (days.length > 0) {
    const isMonthFirst = days.some((text) => Number(/^\d+[./-](\d+)/.exec(text)?.[1]) > 12);
    const isDayFirst = days.some((text) => Number(/^\d+/.exec(text)?.[0]) > 12);
    if (isMonthFirst !== isDayFirst) return isMonthFirst ? 'mdy' : 'dmy';
    return undefined;
  }
  const [number] = values('add dates=excel').map(Number);
  return number === undefined ? undefined : spellingOfNumber(number);
}
