/**
 * Reads the beginning of a body as an upload does, and shows the result: the first entries with their violations, and the parameters that
 * are missing. It stores and publishes nothing. Suggestions are guesses, so only a person may accept them.
 */
import { EntryReader } from '../../core/sitemap/entry-reader.ts';
import { NO_NOTES, sumOfNotes } from '../../core/sitemap/reading.ts';
import type { Violation } from '../../core/sitemap/violation.ts';
import { MAX_ELEMENT_DEPTH } from '../../platform/json/element-scan.ts';
import { readDocument } from '../../platform/json/json-document.ts';
import { isDeeperThan } from '../../platform/json/json-syntax.ts';
import { Refusal } from '../../platform/refusal.ts';
import { shownValue } from '../../platform/shown-value.ts';
import { type Dialect, parseDialect } from './forms/dialect.ts';
import { entriesOf } from './forms/entries-of.ts';
import type { UploadForm } from './forms/form.ts';
import { faultOfElement, MALFORMED, malformedElement, parseRecord } from './forms/parse-record.ts';
import { type FoundInBody, type ReadForm, readJsonBy, readRecords } from './forms/read-records.ts';
import { once, type SampledTable, sampleCsv, sampleNames, sampleRecords } from './forms/sample-columns.ts';
import { type SuggestedParameters, suggestParameters } from './forms/suggest-parameters.ts';
import { dialectWarnings, type ToldDialect, toldDialect } from './forms/told-dialect.ts';
import type { Batch } from './fragment.ts';
import { ARRAY_OR_UPLOAD_SHAPE, noUrls, parseMemberOfDocument } from './upload-members.ts';

/** The most bytes of a body. A body of this length may be cut, so its last record is left out. */
export const MAX_PREVIEW_BYTES = 64 * 1024;
/** The most bytes of a Parquet body. It must be whole, and all of it is in memory. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;
const MAX_ROWS = 20;
/** One row more shows that the last row on display is whole. */
const ENOUGH_ROWS = MAX_ROWS + 1;
/** The parameters that a round finds may show that others are missing, too. */
const MAX_ROUNDS = 6;

export type PreviewQuery = Readonly<Record<string, string | readonly string[]>>;

interface PreviewRow {
  readonly line?: number;
  /** A valid entry as an upload publishes it. An invalid entry as it was read; null if it is no JSON, or nested too deep. */
  readonly entry: unknown;
  readonly violations: readonly Violation[];
}

export interface Preview {
  readonly form: UploadForm;
  readonly dialect?: ToldDialect;
  /** The names in the header of CSV, or of the columns of Parquet. */
  readonly header?: readonly string[];
  readonly rows: readonly PreviewRow[];
  /** The members of a JSON document other than its entries, as far as they were read. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** The columns of CSV, the members of JSON objects that have no `loc`, or the columns of Parquet if no row could be read. */
  readonly table?: SampledTable;
  /** The refusal of an upload for reasons other than invalid entries. */
  readonly refusal?: { readonly code: string; readonly field?: string; readonly message: string };
  /** Parameters that may be missing. With them, the upload may have fewer violations, or none. */
  readonly suggestions: SuggestedParameters;
  readonly warnings: readonly string[];
}

/** `body` has at most `mostBytes(form)` bytes. `query` has only parameters of dialects. `readParquet` is needed only for Parquet. */
export async function previewUpload(
  form: UploadForm,
  query: PreviewQuery,
  body: Buffer,
  readParquet: ReadForm = noParquet,
): Promise<Preview> {
  const read = (parameters: PreviewQuery) => readPreview(form, parameters, body, readParquet);
  const first = await read(query);
  const table = form === 'csv' ? undefined : foreignMembers(form, first, body);
  let suggestions: SuggestedParameters = {};
  let last = first;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { header, rows, refusal, dialect } = last;
    const more = suggestParameters(form, { ...query, ...suggestions }, body, {
      header: header ?? [],
      delimiter: dialect?.delimiter,
      problems: [
        ...(refusal === undefined ? [] : [{ value: null, message: refusal.message }]),
        ...rows.flatMap(({ violations }) => violations),
      ],
      members: table?.columns ?? [],
    });
    if (Object.keys(more).length === 0) break;
    suggestions = { ...suggestions, ...more };
    last = await read({ ...query, ...suggestions });
  }
  const shown =
    form === 'csv' ? await sampleCsv(body, likelyDialect(form, { ...query, ...suggestions })) : table;
  return {
    ...first,
    ...(first.header === undefined && last.header && { header: last.header }),
    ...(shown && { table: shown }),
    suggestions,
  };
}

/** Returns the most bytes of a body. Parquet must be whole, and a thread reads it. */
export const mostBytes = (form: UploadForm) => (form === 'parquet' ? MAX_WHOLE_BYTES : MAX_PREVIEW_BYTES);

const noParquet: ReadForm = () => {
  throw new Error('there is no reader of Parquet');
};

/**
 * Samples the members of NDJSON, of a JSON array or of Parquet, if their names are not those of docs/FORMAT.md. A JSON document with `urls`
 * has the names of docs/FORMAT.md.
 */
function foreignMembers(
  form: UploadForm,
  { rows, header }: Pick<Preview, 'rows' | 'header'>,
  body: Buffer,
): SampledTable | undefined {
  if (form === 'parquet') return rows.length > 0 || header === undefined ? undefined : sampleNames(header);
  if (form !== 'ndjson' && !(form === 'json' && /^\s*\[/.test(body.toString('latin1', 0, 256))))
    return undefined;
  const records = rows.map(({ entry }) => entry);
  const isOurs = (record: unknown) => typeof record === 'object' && record !== null && 'loc' in record;
  return records.some(isOurs) ? undefined : sampleRecords(records);
}

/** Parses the query without its invalid parameters. The refusal in the preview reports the invalid parameters. */
function likelyDialect(form: UploadForm, query: PreviewQuery): Dialect {
  const dialect: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    try {
      // `header=false` needs `columns`.
      dialect[name] = Reflect.get(parseDialect(form, { columns: 'loc', [name]: value }), name);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return dialect;
}

async function readPreview(
  form: UploadForm,
  query: PreviewQuery,
  body: Buffer,
  readParquet: ReadForm,
): Promise<Omit<Preview, 'suggestions'>> {
  const found: FoundInBody = {};
  const rows: PreviewRow[] = [];
  const document: Record<string, unknown> = {};
  let filtered = 0;
  let notes = NO_NOTES;
  let refusal: Preview['refusal'];
  const isCut = form !== 'parquet' && body.length >= MAX_PREVIEW_BYTES;
  let dialect = {};
  try {
    dialect = parseDialect(form, query);
    for await (const batch of batchesIn(form, dialect, found, body, document, readParquet)) {
      const read = rowsIn(batch, ENOUGH_ROWS - rows.length);
      rows.push(...read.rows);
      filtered += read.filtered;
      notes = sumOfNotes(notes, read.notes);
      if (read.refusal !== undefined) {
        refusal = refusalOf(read.refusal);
        break;
      }
      // This loop runs on the main thread, so it reads no more rows than are needed.
      if (rows.length === ENOUGH_ROWS) break;
    }
    if (rows.length + filtered === 0 && refusal === undefined && !isCut) throw noUrls();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A cut body ends within a record, so its refusal is ignored, unless no row was read.
    if (!isCut || rows.length === 0) refusal = refusalOf(error);
  }
  if (isCut && rows.length > 1) rows.pop();
  const told = toldDialect(dialect, found, { notes, filtered });
  return {
    form,
    ...(told !== undefined && { dialect: told }),
    ...headerOf(found),
    rows: rows.slice(0, MAX_ROWS),
    ...(Object.keys(document).length > 0 && { document }),
    ...(refusal !== undefined && { refusal }),
    warnings: dialectWarnings(dialect, found, { notes, filtered }),
  };
}

async function* batchesIn(
  form: UploadForm,
  dialect: ReturnType<typeof parseDialect>,
  found: FoundInBody,
  body: Buffer,
  document: Record<string, unknown>,
  readParquet: ReadForm,
): AsyncGenerator<Batch, void, undefined> {
  if (form === 'parquet') return yield* readParquet(once(body), dialect, found);
  if (form !== 'json') return yield* readRecords(form, once(body), dialect, found);
  for await (const part of readDocument(once(body), ARRAY_OR_UPLOAD_SHAPE)) {
    if (part.kind === 'member') {
      document[part.name] = shownValue(part.value);
      parseMemberOfDocument(part.name, part.value);
    }
    if (part.kind === 'batch') yield readJsonBy(part.batch, dialect, part.isRoot === true);
  }
}

/** Reads at most `wanted` rows. */
function rowsIn(batch: Batch, wanted: number) {
  const { json, ends, names, filtered, escapes = 0 } = entriesOf(batch);
  const reader = batch.reading && new EntryReader(batch.reading);
  const text = Buffer.from(json);
  const rows: PreviewRow[] = [];
  let notes = { ...NO_NOTES, escapes };
  let left = 0;
  for (let i = 0; i < ends.length && rows.length < wanted; i++) {
    if (filtered?.[i] === 1) {
      left++;
      continue;
    }
    const record = text.toString('utf8', i === 0 ? 0 : ends[i - 1]! + 1, ends[i]);
    const parsed = parseRecord(record, i, batch.firstIndex + i, names, reader);
    const line = names === undefined ? {} : { line: names.lineOf(i) };
    if (parsed === MALFORMED) {
      const refusal = malformedElement(batch.firstIndex + i, faultOfElement(record));
      return { rows, filtered: left, notes, refusal };
    }
    if ('entry' in parsed) {
      notes = sumOfNotes(notes, parsed.notes);
      rows.push({ ...line, entry: parsed.entry, violations: [] });
    } else rows.push({ ...line, entry: valueIn(record), violations: parsed.violations });
  }
  return { rows, filtered: left, notes, refusal: undefined };
}

function valueIn(record: string): unknown {
  try {
    const value = JSON.parse(record);
    return isDeeperThan(value, MAX_ELEMENT_DEPTH) ? null : value;
  } catch {
    return null;
  }
}

const headerOf = ({ table, names = table?.hasHeader ? table.names : undefined }: FoundInBody) =>
  names === undefined ? {} : { header: names };

function refusalOf({ code, message, options }: Refusal): NonNullable<Preview['refusal']> {
  const { field } = options.details ?? {};
  return { code, message, ...(typeof field === 'string' && { field }) };
}
