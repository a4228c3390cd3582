/** The forms and encodings of an input, and the guess of both from a file's name. */

export const CONTENT_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  text: 'text/plain',
  xml: 'application/xml',
  parquet: 'application/vnd.apache.parquet',
} as const;

export type UploadForm = keyof typeof CONTENT_TYPES;
export const UPLOAD_FORMS = Object.keys(CONTENT_TYPES) as readonly UploadForm[];

export const ENCODINGS = ['gzip', 'zstd', 'br'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Whether the form has a record on each line. Such forms have no closing bracket, so a truncated input looks complete. */
export function hasLines(form: UploadForm): boolean {
  return form === 'ndjson' || form === 'csv' || form === 'text';
}

const FORM_OF: Readonly<Record<string, UploadForm>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  jl: 'ndjson',
  csv: 'csv',
  tsv: 'csv',
  txt: 'text',
  xml: 'xml',
  parquet: 'parquet',
};
const ENCODING_OF: Readonly<Record<string, Encoding>> = { gz: 'gzip', zst: 'zstd', br: 'br' };

export interface Guess {
  readonly form: UploadForm | undefined;
  readonly encoding: Encoding | undefined;
}

/** Guesses form and encoding from the suffixes, as in `urls.csv.gz`. */
export function guessFromName(path: string): Guess {
  const suffixes = path.toLowerCase().split(/[\\/]/).at(-1)!.split('.').slice(1);
  const encoding = ENCODING_OF[suffixes.at(-1) ?? ''];
  if (encoding !== undefined) suffixes.pop();
  return { form: FORM_OF[suffixes.at(-1) ?? ''], encoding };
}
