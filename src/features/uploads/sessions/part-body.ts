/** Reads the entries of a part. Its session has all other members, so a document has only `urls`. A part may be empty. */
import { type DocumentShape, readDocument } from '../../../platform/json/json-document.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { BATCH_LIMITS } from '../forms/batch-limits.ts';
import type { Dialect } from '../forms/dialect.ts';
import type { UploadForm } from '../forms/form.ts';
import { type FoundInBody, type ReadForm, readJsonBy, readRecords } from '../forms/read-records.ts';
import type { Batch } from '../fragment.ts';
import { freeChunks } from '../free-chunks.ts';
import { joined } from '../read-ahead.ts';
import { MISPLACED } from '../upload-members.ts';

const PART_SHAPE: DocumentShape = {
  members: [],
  arrays: ['urls'],
  limits: BATCH_LIMITS,
  root: { array: 'urls' },
  refusesUnknown: true,
  misplaced: MISPLACED,
};

/** `found` is filled in before the first batch. Throws Refusal. */
export function readPart(
  form: UploadForm,
  dialect: Dialect,
  body: AsyncIterable<Uint8Array>,
  found: FoundInBody,
  readParquet: ReadForm,
): AsyncIterable<Batch> {
  if (form === 'parquet') return readUnlessEmpty(readParquet, dialect, body, found);
  const freed = freeChunks(body);
  if (form === 'json') return readUrls(dialect, freed);
  const read: ReadForm = (...rest) => readRecords(form, ...rest);
  return readUnlessEmpty(read, dialect, freed, found);
}

/** Reads the body. An empty body has no entries: many tools write an empty file for a partition without rows. */
async function* readUnlessEmpty(
  read: ReadForm,
  dialect: Dialect,
  body: AsyncIterable<Uint8Array>,
  found: FoundInBody,
): AsyncGenerator<Batch, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  yield* read(joined(first.value, chunks), dialect, found);
}

async function* readUrls(
  dialect: Dialect,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Batch, void, undefined> {
  let hasUrls = false;
  for await (const part of readDocument(body, PART_SHAPE)) {
    if (part.kind === 'batch') yield readJsonBy(part.batch, dialect, part.isRoot === true);
    else if (part.kind === 'array-end') hasUrls = true;
    else throw invalidField('urls', part.value, 'must be an array of URL objects');
  }
  if (!hasUrls) throw invalidField('urls', undefined, 'is required');
}
