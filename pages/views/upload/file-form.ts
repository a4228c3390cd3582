/** The form and the compression of a file, by its name. */
import type { UploadForm } from '../../../client/src/upload/form.ts';

export type { UploadForm };
export type Encoding = 'gzip' | 'zstd' | 'br';

export const CONTENT_TYPES: Readonly<Record<UploadForm, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  text: 'text/plain',
  xml: 'application/xml',
};

/** As people call them. */
export const FORM_NAMES: Readonly<Record<UploadForm, string>> = {
  csv: 'CSV, with a header line',
  text: 'Plain text, a URL on each line',
  xml: 'XML sitemap',
  ndjson: 'NDJSON, a JSON object on each line',
  json: 'JSON document',
};

const FORM_OF: Readonly<Record<string, UploadForm>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  txt: 'text',
  xml: 'xml',
};
const ENCODING_OF: Readonly<Record<string, Encoding>> = { gz: 'gzip', zst: 'zstd', br: 'br' };

export interface NamedForm {
  readonly form: UploadForm | undefined;
  readonly encoding: Encoding | undefined;
}

/** As in `urls.csv.gz`. */
export function formOfName(name: string): NamedForm {
  const endings = name.toLowerCase().split('.').slice(1);
  const encoding = ENCODING_OF[endings.at(-1) ?? ''];
  if (encoding !== undefined) endings.pop();
  return { form: FORM_OF[endings.at(-1) ?? ''], encoding };
}
