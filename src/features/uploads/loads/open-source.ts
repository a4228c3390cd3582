/**
 * Opens an object of a host of others. A compressed body is decompressed. When the connection breaks, another connection sends the rest of
 * the body, if the object has a strong entity tag. The tag makes sure that the object is still the same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { decompressBody, type Encoding } from '../../../core/web/decompress-body.ts';
import type { BucketObject } from '../../../platform/buckets/list-page.ts';
import { OutboundError } from '../../../platform/http/outbound.ts';
import { shownFailure } from '../../../platform/http/outbound-error.ts';
import type { StreamLimits } from '../../../platform/http/outbound-stream.ts';
import type { ReadOutside } from '../../../platform/http/read-outside.ts';
import { retryAfterMs } from '../../../platform/http/retry-after.ts';
import { jittered } from '../../../platform/jittered.ts';
import { readAhead } from '../read-ahead.ts';
import type { BucketAddress } from './bucket-address.ts';
import type { BucketDoor } from './bucket-door.ts';
import { refused, SourceFailure } from './source-failure.ts';
import { kindOf, LOOK_BYTES, type SourceKind } from './source-kind.ts';

export interface SourceReader {
  readonly read: ReadOutside;
  /** The door to buckets. Only a load with a connection has a door, and its `read` is the `read` of the door. */
  readonly bucketDoor?: BucketDoor;
  readonly random: () => number;
  /** The most bytes of an object, both as sent and decompressed. */
  readonly maxBytes: number;
  /** The longest silence of a host, in ms. */
  readonly idleMs: number;
  /** The longest wait before another try, in ms. */
  readonly maxWaitMs: number;
}

export interface SourceWatch {
  readonly signal: AbortSignal;
  /** Called with the bytes of each chunk, as sent. */
  received(bytes: number): void;
  /** Called before each wait with the time of the next try, and after the wait with undefined. */
  waits(at: Date | undefined): void;
}

export interface OpenedSource extends AsyncDisposable {
  readonly kind: SourceKind;
  /** The address that answered. */
  readonly url: string;
  /** Null if there is no strong entity tag. */
  readonly etag: string | null;
  /** The length as sent. Null if the host does not tell it. */
  readonly bytes: number | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The object fails after this many failed tries, unless PROGRESS_BYTES came in between. */
const TRIES = 5;
const FIRST_WAIT_MS = 1000;
const WAIT_FACTOR = 4;
/** When a connection has sent this much before it breaks, earlier failures no longer count. */
const PROGRESS_BYTES = 16 * 1024 * 1024;
const REDIRECTS = 3;
const HEAD_MS = 30_000;
const BYTES_PER_SECOND = 1024;

/** Counts the failures of an object, and waits between its tries. The object fails after TRIES failures, or if one is not `passing`. */
export class Patience {
  readonly #reader: Pick<SourceReader, 'random' | 'maxWaitMs'>;
  readonly #watch: SourceWatch;
  #failures = 0;

  constructor(reader: Pick<SourceReader, 'random' | 'maxWaitMs'>, watch: SourceWatch) {
    this.#reader = reader;
    this.#watch = watch;
  }

  /** Waits before the next try. Throws the failure if there is no further try. */
  async after(failure: SourceFailure): Promise<void> {
    this.#failures += 1;
    if (failure.reason !== 'passing' || this.#failures >= TRIES) throw failure;
    const { random, maxWaitMs } = this.#reader;
    const usual = jittered(FIRST_WAIT_MS * WAIT_FACTOR ** (this.#failures - 1), random());
    const ms = Math.min(maxWaitMs, Math.max(usual, failure.retryAfterMs));
    this.#watch.waits(new Date(Date.now() + ms));
    await delay(ms, undefined, { signal: this.#watch.signal });
    this.#watch.waits(undefined);
  }

  /** Asks until an answer comes. Throws the failure if there is no further try. */
  async until<Answered>(ask: () => Promise<Answered>): Promise<Answered> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        await this.after(failureOf(error));
      }
    }
  }

  reset(): void {
    this.#failures = 0;
  }
}

/**
 * Opens a source. The object must have the entity tag `etag`, if it is not null. Throws SourceFailure and Refusal, also while the body is
 * read.
 */
export async function openSource(
  reader: SourceReader,
  url: string,
  etag: string | null,
  watch: SourceWatch,
  patience = new Patience(reader, watch),
): Promise<OpenedSource> {
  // A reader that gives up must not wait for the host.
  const over = new AbortController();
  const signal = AbortSignal.any([watch.signal, over.signal]);
  const target: Target = { reader, url, watch: { ...watch, signal }, patience };
  const first = await getFirst(target, etag);
  const pinned = strongTag(first.headers.etag);
  const length = lengthIn(first.headers['content-length']);
  const sent = goOn(target, pinned, first, length);
  const end = async () => {
    over.abort();
    await sent.return().catch(() => {});
  };
  try {
    let body = await readAhead(sent, MAGIC_BYTES);
    // Some hosts compress a file that is compressed already.
    for (const named of [first.headers['content-encoding'], undefined]) {
      const encoding = encodingOf(body.head, named);
      if (encoding === undefined) break;
      body = await readAhead(decompressBody(body.all, encoding, reader.maxBytes), MAGIC_BYTES);
    }
    const looked = await readAhead(body.all, LOOK_BYTES);
    return {
      kind: kindOf(looked.head, first.url, first.headers['content-type']),
      url: first.url,
      etag: pinned,
      bytes: length,
      body: looked.all,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const MAGIC: readonly (readonly [Encoding, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];
const MAGIC_BYTES = 4;

/**
 * Returns the encoding of a body by its first bytes. Brotli has no such bytes, so only `named`, the Content-Encoding of the answer, tells
 * it. A store sends an object with the encoding in which it was put there, whatever the request accepts.
 */
function encodingOf(head: Buffer, named: string | undefined): Encoding | undefined {
  const found = MAGIC.find(([, magic]) => head.subarray(0, magic.length).equals(magic));
  return found?.[0] ?? (named?.trim().toLowerCase() === 'br' ? 'br' : undefined);
}

type Answer = Awaited<ReturnType<ReadOutside>>;

/** A source that is being read. */
interface Target {
  readonly reader: SourceReader;
  readonly url: string;
  readonly watch: SourceWatch;
  readonly patience: Patience;
}

function getFirst(target: Target, etag: string | null): Promise<Answer> {
  return target.patience.until(async () => {
    const answer = await get(target, etag === null ? {} : { 'If-Match': etag }, 200);
    const now = strongTag(answer.headers.etag);
    if (etag === null || now === null || now === etag) return answer;
    // The host does not know If-Match.
    answer.end();
    throw changed();
  });
}

/** Lists the objects of a pattern in a bucket. Throws SourceFailure. */
export async function listBucket(
  reader: SourceReader,
  pattern: BucketAddress,
  watch: SourceWatch,
): Promise<readonly BucketObject[]> {
  const asked = { limits: limitsOf(reader), signal: watch.signal };
  return reader.bucketDoor!.list(pattern, asked, new Patience(reader, watch));
}

/**
 * Yields the body as it is sent. Opens another connection when one breaks, or when an answer sends only a part of the rest (RFC 9110,
 * section 15.3.7). `length`: null if the first answer does not tell it.
 */
async function* goOn(
  target: Target,
  etag: string | null,
  first: Answer,
  length: number | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { watch, patience } = target;
  let answer = first;
  let total = length;
  let at = 0;
  let sinceBreak = 0;
  try {
    for (;;) {
      try {
        for await (const chunk of answer.body) {
          at += chunk.length;
          sinceBreak += chunk.length;
          watch.received(chunk.length);
          yield chunk;
        }
        if (total === null || at === total) return;
        throw new SourceFailure('passing', 'sends less than it has');
      } catch (error) {
        const failure = failureOf(error);
        // Without a tag, the rest may come from another version of the object.
        if (etag === null || failure.reason !== 'passing') throw failure;
        if (sinceBreak >= PROGRESS_BYTES) patience.reset();
        sinceBreak = 0;
        await patience.after(failure);
        answer.end();
        ({ answer, total } = await getRest(target, etag, at, total));
      }
    }
  } finally {
    answer.end();
  }
}

/** `Content-Range` of an answer with the rest: its first byte, and the length of the object, or `*`. */
const RANGE_SENT = /^bytes (\d+)-\d+\/(\d+|\*)$/;

/** Asks for the rest of the object. `total`: the length of the object, as far as it is known. */
function getRest(
  target: Target,
  etag: string,
  at: number,
  total: number | null,
): Promise<{ readonly answer: Answer; readonly total: number }> {
  return target.patience.until(async () => {
    const answer = await get(target, { 'If-Match': etag, Range: `bytes=${at}-` }, 206);
    const { etag: now, 'content-range': range } = answer.headers;
    const [, from, told] = RANGE_SENT.exec(range ?? '') ?? [];
    const length = told === '*' ? total : lengthIn(told);
    const isSame = strongTag(now) === etag && Number(from) === at && (total === null || total === length);
    if (isSame && length !== null) return { answer, total: length };
    answer.end();
    throw isSame ? cannotGoOn() : changed();
  });
}

function lengthIn(text: string | undefined): number | null {
  const length = Number(text ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : null;
}

function changed(): SourceFailure {
  return new SourceFailure('changed', 'changed while it was read');
}

function cannotGoOn(): SourceFailure {
  return new SourceFailure('changed', 'cannot be read from where its connection broke');
}

/** Throws SourceFailure and OutboundError. */
async function get(
  { reader, url, watch: { signal } }: Target,
  headers: Readonly<Record<string, string>>,
  wanted: 200 | 206,
): Promise<Answer> {
  const asked = { kind: 'load', url, headers, redirects: REDIRECTS, signal } as const;
  const answer = await reader.read({ ...asked, limits: limitsOf(reader) });
  const { status } = answer;
  if (status === wanted) return answer;
  answer.end();
  const says = `answers ${status}`;
  if (status === 404 || status === 410) throw new SourceFailure('missing', says);
  if (status === 412) throw changed();
  if (status === 408 || status === 429 || status >= 500) {
    throw new SourceFailure('passing', says, retryAfterMs(answer.headers['retry-after']));
  }
  // A host that does not know Range sends the whole object. The load reads the object again from its beginning.
  if (status === 200 || status === 416) throw cannotGoOn();
  throw refused(says);
}

function limitsOf({ idleMs, maxBytes }: SourceReader): StreamLimits {
  return { headMs: HEAD_MS, idleMs, bytesPerSecond: BYTES_PER_SECOND, maxBytes };
}

/** Returns the failure for an error that is about the object. Throws any other error again. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (!(error instanceof OutboundError) || error.reason === 'aborted') throw error;
  const isPassing = error.reason === 'unreachable' || error.reason === 'timeout';
  const message = `cannot be read: ${shownFailure(error)}`;
  return new SourceFailure(isPassing ? 'passing' : 'refused', message, 0, { cause: error });
}

/** Returns the tag if it is strong, otherwise null. If-Match never holds for weak tags (RFC 9110, section 13.1.1). */
export function strongTag(tag: string | undefined): string | null {
  return tag !== undefined && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag) && tag.length <= 256 ? tag : null;
}
