/** Cuts the body of a delta into batches of entries, as the render threads take them, and remembers which entries are removals. */

import { joinBytes } from '../../../platform/join-bytes.ts';
import { MAX_ELEMENT_DEPTH } from '../../../platform/json/element-scan.ts';
import { readDocument } from '../../../platform/json/json-document.ts';
import { isDeeperThan, malformed } from '../../../platform/json/json-syntax.ts';
import { invalidField, Refusal } from '../../../platform/refusal.ts';
import { shownValue } from '../../../platform/shown-value.ts';
import { type Dialect, readingOf, readingOfJson } from '../forms/dialect.ts';
import type { UploadForm } from '../forms/form.ts';
import { faultInLine } from '../forms/ndjson-entries.ts';
import { readLines } from '../forms/read-lines.ts';
import { readText } from '../forms/read-text.ts';
import { contentEnd, contentStart, RecordLines } from '../forms/record-lines.ts';
import type { Batch } from '../fragment.ts';
import { DELTA_SHAPE, type DeltaMembers } from './delta-members.ts';
import { OperationNames } from './operation-names.ts';

/** The most operations of a delta. For more, send the whole list as an upload. */
const MOST_OPERATIONS = 100_000;

export type DeltaForm = Extract<UploadForm, 'json' | 'ndjson'>;

export class OperationBatches {
  readonly names = new OperationNames();
  /** Whether each operation is a removal. */
  readonly removes: boolean[] = [];

  /** Yields the entries of all operations in their order. Keeps the other members of the document in `members`. Throws Refusal. */
  async *read(
    form: DeltaForm,
    body: AsyncIterable<Uint8Array>,
    members: DeltaMembers,
  ): AsyncGenerator<Batch, void, undefined> {
    // Values are read as in an upload of this form.
    const { dialect } = members;
    const reading = form === 'json' ? readingOfJson(dialect, false) : readingOf(dialect);
    const batches = form === 'json' ? this.#document(body, members) : this.#lines(body, dialect.charset);
    for await (const batch of batches) yield { ...batch, ...(reading && { reading }) };
    if (this.removes.length > 0) return;
    // A missing member is the first fault to correct, so `complete` throws before the check of operations.
    members.complete();
    throw invalidField('upsert', undefined, 'or remove must hold at least one URL');
  }

  async *#document(
    body: AsyncIterable<Uint8Array>,
    members: DeltaMembers,
  ): AsyncGenerator<Batch, void, undefined> {
    for await (const part of readDocument(body, DELTA_SHAPE)) {
      if (part.kind === 'member') await members.take(part.name, part.value);
      if (part.kind !== 'batch') continue;
      const { name, batch } = part;
      const isRemoval = name === 'remove';
      const firstIndex = this.removes.length;
      this.names.addElements(firstIndex, name, batch.firstIndex);
      this.#count(batch.ends.length, isRemoval);
      yield { ...(isRemoval ? entriesOfUrls(batch) : batch), firstIndex };
    }
  }

  async *#lines(
    body: AsyncIterable<Uint8Array>,
    charset: Dialect['charset'],
  ): AsyncGenerator<Batch, void, undefined> {
    for await (const batch of readLines(readText(body, charset), { form: 'ndjson' })) {
      const firstIndex = this.removes.length;
      const lines = new RecordLines(batch);
      const entries = Array.from(batch.ends, (_, i) => {
        const line = lines.lineOf(i);
        const { entry, isRemoval } = readLine(recordOf(batch, i), line);
        this.names.addLine(firstIndex + i, isRemoval ? 'remove' : 'upsert', line);
        this.#count(1, isRemoval);
        return entry;
      });
      yield { ...joinEntries(entries), firstIndex };
    }
  }

  #count(operations: number, isRemoval: boolean): void {
    for (let i = 0; i < operations; i++) this.removes.push(isRemoval);
    if (this.removes.length > MOST_OPERATIONS) throw tooMany();
  }
}

const OPEN = Buffer.from('{"loc":');
const CLOSE = Buffer.from('}');
const COMMA = Buffer.from(',');

/** Makes an entry of each URL. In `bytes`, each URL is a JSON value. */
function entriesOfUrls({ bytes, ends }: Pick<Batch, 'bytes' | 'ends'>): Pick<Batch, 'bytes' | 'ends'> {
  return joinEntries(
    Array.from(ends, (end, i) =>
      Buffer.concat([OPEN, bytes.subarray(i === 0 ? 0 : ends[i - 1]! + 1, end), CLOSE]),
    ),
  );
}

function joinEntries(entries: readonly Buffer[]): Pick<Batch, 'bytes' | 'ends'> {
  let at = -COMMA.length;
  const ends = Uint32Array.from(entries, ({ length }) => {
    at += COMMA.length + length;
    return at;
  });
  return { bytes: joinBytes(entries.flatMap((entry, i) => (i === 0 ? [entry] : [COMMA, entry]))), ends };
}

function recordOf({ bytes, ends }: Batch, i: number): Buffer {
  const start = contentStart(bytes, ends, i);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, contentEnd(bytes, ends, i, start) - start);
}

/** Reads a line: {"upsert":{…}} or {"remove":"https://…"}. Throws Refusal. */
function readLine(record: Buffer, line: number): { entry: Buffer; isRemoval: boolean } {
  const value = parsed(record, `line ${line}`);
  // JSON.parse takes any depth, but JSON.stringify overflows the stack. The object of the operation is one more level.
  if (isDeeperThan(value, MAX_ELEMENT_DEPTH + 1)) throw malformed(`line ${line} is nested too deep`);
  const isObject = typeof value === 'object' && value !== null;
  const [name, ...others] = isObject ? Object.keys(value as object) : [];
  if ((name !== 'upsert' && name !== 'remove') || others.length > 0) throw notAnOperation(value, line);
  const isRemoval = name === 'remove';
  // Take the JSON as it was sent: JSON.parse changes numbers. The name of the member has no colon.
  const text = record.subarray(record.indexOf(':') + 1, -1);
  if (!isRemoval) return { entry: text, isRemoval };
  // If a record has the member twice, `text` has both values, and is no JSON.
  parsed(text, `line ${line}, remove`);
  return { entry: Buffer.concat([OPEN, text, CLOSE]), isRemoval };
}

function parsed(text: Buffer, name: string): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    throw malformed(`${name} is not valid JSON${faultInLine(text)}`);
  }
}

function notAnOperation(value: unknown, line: number): Refusal {
  const message = 'must be {"upsert": an entry} or {"remove": a URL}';
  return new Refusal('VALIDATION_ERROR', `line ${line}: ${message}`, {
    details: { field: 'line', line, value: shownValue(value) },
  });
}

function tooMany(): Refusal {
  const limit = MOST_OPERATIONS.toLocaleString('en-US');
  return new Refusal(
    'VALIDATION_ERROR',
    `A delta has at most ${limit} operations. Send several, or upload the whole list.`,
    { details: { field: 'upsert', value: null, limit: MOST_OPERATIONS } },
  );
}
