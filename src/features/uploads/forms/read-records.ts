/** Cuts a body in a form other than JSON into batches of records. `entries-of.ts` reads the records. */
import type { Reading } from '../../../core/sitemap/reading.ts';
import { invalidField } from '../../../platform/refusal.ts';
import type { Batch } from '../fragment.ts';
import type { TableHeader } from './csv-layout.ts';
import { type Dialect, readingOf, readingOfJson, readingOfText } from './dialect.ts';
import type { UploadForm } from './form.ts';
import { mappingOf } from './map-members.ts';
import { readCsv } from './read-csv.ts';
import { readLines } from './read-lines.ts';
import { readText } from './read-text.ts';
import { refuseNames, refuseTables } from './refuse-tables.ts';
import type { Namespaces } from './xml-record.ts';
import { XmlScan } from './xml-scan.ts';

/** The forms whose bodies consist only of records, one after the other. */
export type RecordForm = Exclude<UploadForm, 'json' | 'parquet'>;

/** Facts that a reader finds out about a body. */
export interface FoundInBody {
  /** The names of all columns of Parquet, also of a file whose columns cannot be read. */
  names?: readonly string[];
  /** The columns of CSV or Parquet. */
  table?: TableHeader;
  /** The byte between the cells of CSV. */
  delimiter?: number;
  /** The encoding, unless it is UTF-8. */
  charset?: string;
  /** The namespaces that the root of XML declares. */
  namespaces?: Namespaces;
}

/** Reads a body into batches, and fills in `found`. The chunks of `body` may end anywhere. */
export type ReadForm = (
  body: AsyncIterable<Uint8Array>,
  dialect: Dialect,
  found: FoundInBody,
) => AsyncIterable<Batch>;

/** These readers take text in UTF-8 without a byte order mark. */
const READERS: Readonly<Record<RecordForm, ReadForm>> = {
  ndjson: (text, dialect) => readLines(text, { form: 'ndjson', ...mappingOf(dialect) }),
  csv: (text, dialect, found) =>
    readCsv(text, dialect, (preamble) => {
      found.table = preamble;
      found.delimiter = preamble.delimiter;
    }),
  text: (text, { baseUrl }) => {
    const batches = refuseTables(readLines(text, { form: 'text' }));
    return baseUrl === undefined ? batches : refuseNames(batches);
  },
  xml: (text, _, found) => readXml(text, found),
};

/** Reads a body into batches, and fills in `found` before the first batch. The chunks of `body` may end anywhere. Throws Refusal. */
export async function* readRecords(
  form: RecordForm,
  body: AsyncIterable<Uint8Array>,
  dialect: Dialect = {},
  found: FoundInBody = {},
): AsyncGenerator<Batch, void, undefined> {
  const reading = form === 'text' ? readingOfText(dialect) : readingOf(dialect);
  // An XML document names its encoding itself, so its client may not.
  const text = readText(body, dialect.charset, form !== 'xml', (charset) => {
    found.charset = charset;
  });
  for await (const batch of READERS[form](text, dialect, found)) yield readBy(batch, reading);
}

/** Yields the batches of an existing sitemap. Before an error of `text`, yields the whole records before the fault. */
async function* readXml(
  text: AsyncIterable<Uint8Array>,
  found: FoundInBody,
): AsyncGenerator<Batch, void, undefined> {
  const scan = new XmlScan((namespaces) => {
    found.namespaces = namespaces;
  });
  try {
    for await (const chunk of text) yield* scan.advance(chunk);
  } catch (error) {
    yield* scan.flush();
    throw error;
  }
  yield* scan.finish();
}

/** Adds its reading to a batch of JSON. `isArray`: the array of entries has no document around it. Throws Refusal. */
export function readJsonBy(batch: Batch, dialect: Dialect, isArray: boolean): Batch {
  const mapping = mappingOf(dialect);
  if (!isArray && mapping.preamble !== undefined) {
    const name = dialect.columns === undefined ? 'where' : 'columns';
    throw invalidField(name, undefined, 'is for a JSON array of records, not for a document');
  }
  return readBy({ ...batch, ...mapping }, readingOfJson(dialect, isArray));
}

export function readBy(batch: Batch, reading: Reading | undefined): Batch {
  return reading === undefined ? batch : { ...batch, reading };
}
