/** Sends operations. Lines are sent in portions, one after the other: each portion is a delta of its own, and is tried again alone. */
import { randomUUID } from 'node:crypto';
import type { AppliedDelta } from '../answers.ts';
import { abortable } from '../http/abortable.ts';
import type { Connection, RepeatableBody } from '../http/connection.ts';
import type { RetryOptions } from '../http/retry.ts';
import { compress } from '../upload/compress.ts';
import { CONTENT_TYPES } from '../upload/form.ts';
import { type AppliedDeltas, addAnswer, NOTHING_APPLIED } from './applied.ts';
import { cutPortions, type Portion } from './cut-portions.ts';
import { type DeltaOptions, deltaQuery } from './delta-options.ts';
import { moveLines } from './move-lines.ts';
import type { Changes } from './operation.ts';

export interface SendDeltaOptions extends DeltaOptions, RetryOptions {
  /** Compresses portions: they become about ten times smaller, for some CPU time on this machine. */
  readonly gzip?: boolean | undefined;
  /**
   * The key of the first portion. Each later portion has this key with its number. All attempts of a portion use the same
   * key. Default: new keys.
   */
  readonly idempotencyKey?: string | undefined;
  /** Called after each applied portion. `applied` stays even if a later portion fails. */
  readonly onPortion?: ((progress: DeltaProgress) => void) | undefined;
}

export interface DeltaProgress {
  readonly applied: AppliedDeltas;
  /** The operations of all portions so far, including those that changed nothing. */
  readonly operations: number;
  /** The length of this portion before compression. */
  readonly bytes: number;
}

/** The service reads a body of at most this size whole, so the body needs no place among the uploads under way. */
const SMALL_BYTES = 64 * 1024;

/** Sends both lists as one delta. */
export async function sendChanges(
  connection: Connection,
  domain: string,
  { upsert = [], remove = [] }: Changes,
  options: SendDeltaOptions,
): Promise<AppliedDeltas> {
  const operations = upsert.length + remove.length;
  if (operations === 0) return NOTHING_APPLIED;
  const json = Buffer.from(JSON.stringify({ upsert, remove }));
  const body = { form: 'json', parts: [json], bytes: json.length } as const;
  const applied = addAnswer(NOTHING_APPLIED, await send(connection, domain, body, options));
  options.onPortion?.({ applied, operations, bytes: json.length });
  return applied;
}

export async function sendLines(
  connection: Connection,
  domain: string,
  lines: AsyncIterable<Uint8Array>,
  options: SendDeltaOptions,
): Promise<AppliedDeltas> {
  const { idempotencyKey = randomUUID(), onPortion } = options;
  let applied = NOTHING_APPLIED;
  let { ifGeneration } = options;
  for await (const portion of cutPortions(abortable(lines, options.signal))) {
    const { parts, bytes, operations, linesBefore, operationsBefore } = portion;
    const number = applied.deltaIds.length + 1;
    const key = number === 1 ? idempotencyKey : `${idempotencyKey}/${number}`;
    const body = { form: 'ndjson', parts, bytes } as const;
    const terms = { ...options, ifGeneration, idempotencyKey: key };
    const answer = await send(connection, domain, body, terms).catch((error) => {
      // The service counts the lines of its portion only.
      throw moveLines(error, ({ line, index }) => ({
        line: line + linesBefore,
        ...(index !== undefined && { index: index + operationsBefore }),
      }));
    });
    applied = addAnswer(applied, answer);
    // No change of others may come between two portions, so the next portion names the generation of this one.
    if (ifGeneration !== undefined) ifGeneration = answer.generation ?? ifGeneration;
    onPortion?.({ applied, operations: operationsBefore + operations, bytes });
  }
  return applied;
}

interface DeltaBody extends Pick<Portion, 'parts' | 'bytes'> {
  readonly form: 'json' | 'ndjson';
}

function send(
  connection: Connection,
  domain: string,
  body: DeltaBody,
  options: SendDeltaOptions,
): Promise<AppliedDelta> {
  const { gzip = false } = options;
  const length = gzip ? { 'Content-Encoding': 'gzip' } : { 'Content-Length': String(body.bytes) };
  return connection.send('POST /api/sitemap/delta', {
    ...options,
    query: deltaQuery(domain, options),
    headers: { 'Content-Type': CONTENT_TYPES[body.form], ...length },
    body: contentOf(body, gzip),
  });
}

function contentOf({ parts, bytes }: DeltaBody, gzip: boolean): RepeatableBody | Uint8Array {
  if (!gzip && bytes <= SMALL_BYTES) return Buffer.concat(parts);
  async function* content() {
    yield* parts;
  }
  return { open: gzip ? () => compress(content()) : content, canOpen: () => true };
}
