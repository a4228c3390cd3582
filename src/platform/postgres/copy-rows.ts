/** Writes many rows into a table by COPY, the fastest way in Postgres. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { SLOW_QUERY_TIMEOUT_MS, type Transaction } from './database.ts';

type Value = string | number | null;

/** `into`: table and columns, as in `t (a, b)`. Each row has the values of these columns. */
export async function copyRows(
  transaction: Transaction,
  into: string,
  rows: Iterable<readonly Value[]>,
): Promise<void> {
  const copying = from(`COPY ${into} FROM STDIN`);
  // pg reads the deadline of a single statement from `query_timeout`, which its types lack.
  Object.assign(copying, { query_timeout: SLOW_QUERY_TIMEOUT_MS });
  await withoutPipeline(transaction, () =>
    pipeline(Readable.from(linesOf(rows)), transaction.query(copying)),
  );
}

/**
 * Runs a COPY, which a connection in pipeline mode refuses. No statement may be under way, because pg reads the property, which its types
 * call read-only, before each statement.
 */
export async function withoutPipeline(transaction: Transaction, copy: () => Promise<void>): Promise<void> {
  Object.assign(transaction, { pipeline: false });
  try {
    await copy();
  } finally {
    Object.assign(transaction, { pipeline: true });
  }
}

/** Each chunk costs a message of the protocol, so a chunk has many rows. */
const CHUNK_LENGTH = 64 * 1024;

function* linesOf(rows: Iterable<readonly Value[]>): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(textOf).join('\t')}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** The text format of COPY. */
function textOf(value: Value): string {
  return value === null ? '\\N' : String(value).replace(SPECIAL, (character) => ESCAPED[character]!);
}
