/** Cuts a body in a form other than JSON into batches of records. Threads read the records. */
import type { Reading } from '../../../core/sitemap/reading.ts';
import type { Batch } from '../fragment.ts';
import { type Dialect, readingOf } from './dialect.ts';
import type { UploadForm } from './form.ts';
import { readCsv } from './read-csv.ts';
import { readLines } from './read-lines.ts';
import { readText } from './read-text.ts';
import { readXml } from './read-xml.ts';
import { refuseTables } from './refuse-tables.ts';

/** The forms whose bodies consist only of records. */
type RecordForm = Exclude<UploadForm, 'json'>;

/** `text` is in UTF-8 without a byte order mark. Its chunks may end anywhere. */
type ReadForm = (text: AsyncIterable<Uint8Array>) => AsyncIterable<Batch>;

const READERS: Readonly<Record<RecordForm, ReadForm>> = {
  ndjson: (text) => readLines(text, { form: 'ndjson' }),
  csv: readCsv,
  text: (text) => refuseTables(readLines(text, { form: 'text' })),
  xml: readXml,
};

/** The chunks of `body` may end anywhere. Throws Refusal. */
export async function* readRecords(
  form: RecordForm,
  body: AsyncIterable<Uint8Array>,
  dialect: Dialect = {},
): AsyncGenerator<Batch, void, undefined> {
  const reading = form === 'text' ? undefined : readingOf(dialect);
  for await (const batch of READERS[form](readText(body))) yield readBy(batch, reading);
}

/** Says of a batch how its values are read. */
export function readBy(batch: Batch, reading: Reading | undefined): Batch {
  return reading === undefined ? batch : { ...batch, reading };
}
