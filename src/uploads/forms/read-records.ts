/** Reads the records of a body in a form other than JSON, and cuts them into batches. Threads read what is in them. */
import { Refusal } from '../../platform/refusal.ts';
import type { Batch } from '../fragment.ts';
import { CONTENT_TYPES, type UploadForm } from './form.ts';
import { readCsv } from './read-csv.ts';
import { readLines } from './read-lines.ts';
import { readText } from './read-text.ts';
import { readXml } from './read-xml.ts';

/** `text`: in UTF-8, cut anywhere, without a byte order mark. */
type ReadForm = (text: AsyncIterable<Uint8Array>) => AsyncIterable<Batch>;

const READERS: Readonly<Partial<Record<UploadForm, ReadForm>>> = {
  ndjson: (text) => readLines(text, { form: 'ndjson' }),
  csv: readCsv,
  text: (text) => readLines(text, { form: 'text' }),
  xml: readXml,
};

/** `body`: cut anywhere. Throws Refusal. */
export function readRecords(
  form: Exclude<UploadForm, 'json'>,
  body: AsyncIterable<Uint8Array>,
): AsyncIterable<Batch> {
  const read = READERS[form];
  if (read === undefined) throw new Refusal('BAD_REQUEST', `${CONTENT_TYPES[form]} is not taken yet.`);
  return read(readText(body));
}
