/**
 * Refuses a table, or a list in one line, that is sent as a list of URLs. A URL may have `|`, `;`, commas and other URLs, so without this
 * check a row like `https://example.com/|2026-01-15` silently becomes a URL.
 */
import { invalidField } from '../../../platform/refusal.ts';
import type { Batch } from '../fragment.ts';
import { contentStart } from './record-lines.ts';
import { isUsualName } from './suggest-columns.ts';

/** The cure for a file that was sent as a single line. */
export const KEEP_LINES =
  'put each on a line of its own. curl -d takes the line breaks away, --data-binary keeps them';

const LOOKED_AT = 100;
const SHOWN_BYTES = 4096;

const DATE = String.raw`(?:\d{4}[-/]\d\d?[-/]\d\d?|\d\d?[./]\d\d?[./]\d{4})(?:[ T][\d:.]+ ?(?:AM|PM|Z|[A-Z]{3,4}|[+-][\d:]+)?)?`;
const VALUE = new RegExp(String.raw`^(?:${DATE}|[+-]?\d+(?:[.,]\d+)?|t|f|true|false|NULL|null|\\N|NaN)?$`);
/** The last cell is a date, or empty. */
const ENDS_IN_DATE = new RegExp(`[;,](?:"?${DATE}"?)?$`);
const ENDS_BEHIND_BLANK = new RegExp(`\\s${DATE}$`);
/** Matches a URL with a quote or markup behind it, as `grep -o` cuts it out of HTML, XML or JSON. In rows, a separator comes first. */
const REST = /^https?:[^"<>,;]*["<>]/i;

/**
 * Match a line in which the scheme and host of its URL stand again: behind a letter, a digit, white space, a comma or a semicolon, or twice
 * behind slashes. An address of an archive or a redirect has one other URL, behind a slash or `=`.
 */
const SEVERAL_URLS = [
  /^(https?:\/\/[^/\s,;]+)(?:\/.*)?[\s,;a-z0-9]\1(?![a-z0-9.-])/i,
  /^(https?:\/\/[^/\s,;]+\/).*\/\1.*\/\1/i,
];

/** A separator that URLs rarely have, and its name in messages. */
const SEPARATORS = [
  ['|', 'pipe'],
  ['\t', 'tab'],
] as const;

/**
 * Throws Refusal VALIDATION_ERROR if the first lines of the text look like rows of a table. `linesBefore`: the number of lines before them.
 */
export function refuseTables(batches: AsyncIterable<Batch>, linesBefore = 0): AsyncIterable<Batch> {
  return lookAtFirst(batches, (first) => refuseTable(urlsIn(first), linesBefore));
}

/**
 * Throws Refusal VALIDATION_ERROR if the first line of the text is the name of a column. Where URLs may lack a base, any word is a URL, so
 * no later check finds such a line.
 */
export function refuseNames(batches: AsyncIterable<Batch>): AsyncIterable<Batch> {
  return lookAtFirst(batches, (batch) => {
    const [first = ''] = linesIn(batch);
    if (!isUsualName(first)) return;
    const message = 'is a usual name of a column: drop the line, or write / before it if it is a path';
    throw invalidField('line', first, message);
  });
}

async function* lookAtFirst(
  batches: AsyncIterable<Batch>,
  look: (first: Batch) => void,
): AsyncGenerator<Batch, void, undefined> {
  let isFirst = true;
  for await (const batch of batches) {
    if (isFirst) look(batch);
    isFirst = false;
    yield batch;
  }
}

function refuseTable(urls: readonly string[], linesBefore: number): void {
  if (urls.length === 0) return;
  if (urls.every((url) => SEVERAL_URLS.some((pattern) => pattern.test(url)))) {
    throw invalidField('line', urls[0], `has several URLs: ${KEEP_LINES}`);
  }
  if (urls.every((url) => REST.test(url))) {
    throw invalidField(
      'line',
      urls[0],
      'has a quote or markup behind its URL: leave only the URL in each line',
    );
  }
  const found = SEPARATORS.find(([separator]) => isTable(urls, separator));
  const name =
    found?.[1] ?? (haveDates(urls) ? (/;[^,;]*$/.test(urls[0]!) ? 'semicolon' : 'comma') : undefined);
  const isBlank = name === undefined && urls.every((url) => ENDS_BEHIND_BLANK.test(url.trim()));
  if (name === undefined && !isBlank) return;
  const skip = linesBefore === 0 ? '' : `skipLines=${linesBefore}&`;
  const change = isBlank ? 'put a tab in place of the blank, and ' : '';
  throw invalidField(
    'line',
    urls[0],
    `looks like a row of a table, not like a URL: ${change}send it as text/csv with ${skip}header=false&delimiter=${name ?? 'tab'}&columns=loc,lastmod`,
  );
}

/** Whether each URL ends in a date behind a separator. The date may be missing, but one URL alone may really end in a separator. */
function haveDates(urls: readonly string[]): boolean {
  const ends = urls.map((url) => url.trim());
  return ends.every((url) => ENDS_IN_DATE.test(url)) && !(ends.length === 1 && /[;,]$/.test(ends[0]!));
}

/** Whether all lines have the same number of cells, and each line has a date, a number, a boolean or an empty cell behind its first cell. */
function isTable(urls: readonly string[], separator: string): boolean {
  const rows = urls.map((url) => url.split(separator).map((cell) => cell.trim()));
  const { length } = rows[0]!;
  return rows.every(
    (row) => length > 1 && row.length === length && row.slice(1).some((cell) => VALUE.test(cell)),
  );
}

/** Returns the URLs among the first lines. If there are none, returns the lines that may be paths. */
function urlsIn(batch: Batch): string[] {
  const lines = linesIn(batch);
  const urls = lines.filter((line) => /^https?:/i.test(line));
  return urls.length > 0 ? urls : lines.filter((line) => line.includes('/'));
}

/** Returns the first lines. */
function linesIn({ bytes, ends }: Batch): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.min(ends.length, LOOKED_AT) }, (_, i) => {
    const start = contentStart(bytes, ends, i);
    return text.toString('utf8', start, Math.min(ends[i]!, start + SHOWN_BYTES));
  });
}
