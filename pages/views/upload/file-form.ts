/**
 * Tells the form and the compression of a file by its name and its first bytes. Also recognises files that cannot be read, and exports of
 * known tools.
 */
import type { UploadForm } from '../../../client/src/upload/form.ts';

export type { UploadForm };
export type Encoding = 'gzip' | 'zstd' | 'br';

export const CONTENT_TYPES: Readonly<Record<UploadForm, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  text: 'text/plain',
  xml: 'application/xml',
  parquet: 'application/vnd.apache.parquet',
};

export const FORM_NAMES: Readonly<Record<UploadForm, string>> = {
  csv: 'Table (CSV)',
  text: 'List of URLs',
  xml: 'XML sitemap',
  ndjson: 'JSON lines',
  json: 'JSON',
  parquet: 'Parquet',
};

const FORM_OF: Readonly<Record<string, UploadForm>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  jl: 'ndjson',
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  txt: 'text',
  xml: 'xml',
  parquet: 'parquet',
};
const ENCODING_OF: Readonly<Record<string, Encoding>> = { gz: 'gzip', zst: 'zstd', br: 'br' };

export interface NamedForm {
  readonly form: UploadForm | undefined;
  readonly encoding: Encoding | undefined;
}

/** Returns the form and the compression by a name such as `urls.csv.gz`. */
export function formOfName(name: string): NamedForm {
  const endings = name.toLowerCase().split('.').slice(1);
  const encoding = ENCODING_OF[endings.at(-1) ?? ''];
  if (encoding !== undefined) endings.pop();
  return { form: FORM_OF[endings.at(-1) ?? ''], encoding };
}

const URL_ALONE = /^https?:\/\/[^\s|;]*$/i;
const LOOKED_AT = 20;

/**
 * Guesses the form of a file by the text at its beginning. A text that is not typical for another form counts as a table. Only the service
 * knows more. `isWhole`: whether `text` is the whole file.
 */
export function formOfText(text: string, isWhole: boolean): UploadForm {
  const start = text.trimStart();
  if (start.startsWith('<')) return 'xml';
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return isRecord(start, isWhole) ? 'ndjson' : 'json';
  const lines = start.split(/\r?\n/).filter((line) => line.trim() !== '');
  // The last line may be cut.
  const looked = lines.slice(0, Math.min(LOOKED_AT, isWhole ? lines.length : Math.max(1, lines.length - 1)));
  const isList = looked.every((line) => URL_ALONE.test(line.trim())) && !looked.every(endsInNumber);
  return isList ? 'text' : 'csv';
}

/**
 * Returns whether the first line is a record of NDJSON. The object of a JSON document has a list `urls`. A line that does not end within
 * the text can only be part of a document.
 */
function isRecord(start: string, isWhole: boolean): boolean {
  const [line = ''] = start.split('\n', 1);
  if (line.length === start.length && !isWhole) return false;
  try {
    return !('urls' in JSON.parse(line));
  } catch {
    return false;
  }
}

const SIGNATURES: readonly (readonly [string, readonly number[]])[] = [
  ['workbook', [0xd0, 0xcf, 0x11, 0xe0]],
  ['pdf', [0x25, 0x50, 0x44, 0x46]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

const TO_CSV =
  'In Excel: File, Save As, “CSV UTF-8”. In Google Sheets: File, Download, “Comma-separated values”.';

/** Tells how to make a file that can be read, for kinds of files that cannot. */
const INSTEAD: Readonly<Record<string, string>> = {
  workbook: `This is a workbook. Save the sheet with the URLs as CSV. ${TO_CSV}`,
  pdf: 'This is a PDF. Export the list as CSV where the PDF comes from.',
  zip: 'This is a ZIP file. Unpack it, and choose the file with the URLs.',
};

/** Returns whether the file begins with `PAR1`, as Parquet does. */
export const isParquet = (bytes: Uint8Array) => PARQUET.every((byte, i) => bytes[i] === byte);
const PARQUET = [0x50, 0x41, 0x52, 0x31];

export function insteadOf(name: string, bytes: Uint8Array): string | undefined {
  const found = SIGNATURES.find(([, start]) => start.every((byte, i) => bytes[i] === byte))?.[0];
  if (found === undefined) return bytes.length === 0 ? 'The file is empty.' : undefined;
  return INSTEAD[found === 'zip' && /\.(xlsx|xlsm|ods|numbers)$/i.test(name) ? 'workbook' : found];
}

/** The tools, each with names of columns that only its exports have together. */
const TOOLS: readonly (readonly [string, readonly string[]])[] = [
  ['a Screaming Frog export', ['Address', 'Status Code', 'Indexability']],
  ['a Sitebulb export', ['URL', 'Crawl Depth', 'Indexable Status']],
  ['a Shopify export', ['Handle', 'Body (HTML)']],
  ['a Search Console export', ['Top pages', 'Clicks']],
  ['an Ahrefs export', ['URL', 'Page rating']],
];

export function toolOf(columns: readonly string[]): string | undefined {
  return TOOLS.find(([, names]) => names.every((name) => columns.includes(name)))?.[0];
}

/** Returns whether the line ends in a number, as in `/article,12345`. */
function endsInNumber(line: string): boolean {
  const comma = line.lastIndexOf(',');
  return comma !== -1 && /^\S*\d$/.test(line.slice(comma + 1).trimStart());
}
