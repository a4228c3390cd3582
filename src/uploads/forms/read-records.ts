/** Reads the records of a body in a form other than JSON, and cuts them into batches. Threads read what is in them. */
import type { Batch } from '../fragment.ts';
import type { UploadForm } from './form.ts';
import { readCsv } from './read-csv.ts';
import { readLines } from './read-lines.ts';
import { readText } from './read-text.ts';
import { readXml } from './read-xml.ts';

/** The forms of nothing but records. */
type RecordForm = Exclude<UploadForm, 'json'>;

/** `text`: in UTF-8, cut anywhere, without a byte order mark. */
type ReadForm = (text: AsyncIterable<Uint8Array>) => AsyncIterable<Batch>;

const READERS: Readonly<Record<RecordForm, ReadForm>> = {
  ndjson: (text) => readLines(text, { form: 'ndjson' }),
  csv: readCsv,
  text: (text) => readLines(text, { form: 'text' }),
  xml: readXml,
};

/** `body`: cut anywhere. Throws Refusal. */
export function readRecords(form: RecordForm, body: AsyncIterable<Uint8Array>): AsyncIterable<Batch> {
  return READERS[form](readText(body));
}
