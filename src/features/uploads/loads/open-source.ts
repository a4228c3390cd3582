/**
 * Opens an object of a host of others. A body in gzip is decompressed. When the connection breaks, the body goes on from there over another
 * connection, if the object has a strong entity tag. The tag makes sure that the object is still the same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { decompressBody } from '../../../core/web/decompress-body.ts';
import type { BucketObject } from '../../../platform/buckets/list-page.ts';
import { OutboundError } from '../../../platform/http/outbound.ts';
import { shownFailure } from '../../../platform/http/outbound-error.ts';
import type { OutboundStream, StreamLimits } from '../../../platform/http/outbound-stream.ts';
import type { ReadOutside } from '../../../platform/http/read-outside.ts';
import { retryAfterMs } from '../../../platform/http/retry-after.ts';
import { jittered } from '../../../platform/jittered.ts';
import { readAhead } from '../read-ahead.ts';
import type { BucketAddress } from './bucket-address.ts';
import type { BucketDoor, Try } from './bucket-door.ts';
import { SourceFailure } from './source-failure.ts';
import { kindOf, LOOK_BYTES, type SourceKind } from './source-kind.ts';

export interface SourceReader {
  readonly read: ReadOutside;
  /** The door to buckets. Only a load with a connection has this door. Then `read` goes through it. */
  readonly bucketDoor?: BucketDoor;
  readonly random: () => number;
  /** The most bytes of an object, both as sent and decompressed. */
  readonly maxBytes: number;
  /** The longest silence of a host, in ms. */
  readonly idleMs: number;
  /** The longest wait before another try. */
  readonly maxWaitMs: number;
}

export interface SourceWatch {
  readonly signal: AbortSignal;
  /** Called with the bytes of each chunk, as sent. */
  received(bytes: number): void;
  /** Called before a wait, with the time of the next try, and after the wait, with undefined. */
  waits(at: Date | undefined): void;
}

export interface OpenedSource extends AsyncDisposable {
  readonly kind: SourceKind;
  /** The address that answered. */
  readonly url: string;
  /** Null if there is no strong entity tag. */
  readonly etag: string | null;
  /** The number of bytes as sent; null if it is not known. */
  readonly bytes: number | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The most failed tries of an object without much progress in between. */
const TRIES = 5;
const FIRST_WAIT_MS = 1000;
const WAIT_FACTOR = 4;
/** After this much progress between two breaks, earlier failures no longer count. */
const PROGRESS_BYTES = 16 * 1024 * 1024;
const REDIRECTS = 3;
const HEAD_MS = 30_000;
const BYTES_PER_SECOND = 1024;

/** Counts the failures of an object, and waits between its tries. After TRIES failures, or one that does not pass, the object fails. */
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

  reset(): void {
    this.#failures = 0;
  }
}

/**
 * Opens a source. If `etag` is given, the object must have this entity tag. Throws SourceFailure and Refusal, also while the body is read.
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
  const first = await getFirst(reader, url, etag, { ...watch, signal }, patience);
  const pinned = strongTag(first.headers.etag);
  const length = Number(first.headers['content-length'] ?? Number.NaN);
  const sent = goOn(reader, url, pinned, first, { ...watch, signal }, patience);
  const end = async () => {
    over.abort();
    await sent.return().catch(() => {});
  };
  try {
    const { head, all } = await readAhead(sent, 2);
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    const plain = isGzip ? decompressBody(all, 'gzip', reader.maxBytes) : all;
    const looked = await readAhead(plain, LOOK_BYTES);
    return {
      kind: kindOf(looked.head, first.url, first.headers['content-type']),
      url: first.url,
      etag: pinned,
      bytes: Number.isSafeInteger(length) ? length : null,
      body: looked.all,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

type Answer = Awaited<ReturnType<ReadOutside>>;

async function getFirst(
  reader: SourceReader,
  url: string,
  etag: string | null,
  watch: SourceWatch,
  patience: Patience,
): Promise<Answer> {
  for (;;) {
    try {
      const answer = await get(reader, url, etag === null ? {} : { 'If-Match': etag }, watch, 200);
      const now = strongTag(answer.headers.etag);
      if (etag === null || now === null || now === etag) return answer;
      // The host does not know If-Match.
      answer.end();
      throw new SourceFailure('changed', 'changed while it was read');
    } catch (error) {
      await patience.after(failureOf(error));
    }
  }
}

/** Lists the objects of a pattern in a bucket. Throws SourceFailure. */
export async function listBucket(
  reader: SourceReader,
  pattern: BucketAddress,
  watch: SourceWatch,
): Promise<readonly BucketObject[]> {
  const patience = new Patience(reader, watch);
  const { signal } = watch;
  const tried: Try = async (ask) => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        await patience.after(failureOf(error));
      }
    }
  };
  const asked = { kind: 'load', limits: limitsOf(reader), signal } as const;
  return reader.bucketDoor!.list(pattern, asked, tried);
}

/** Yields the body as it is sent, over as many connections as it takes. */
async function* goOn(
  reader: SourceReader,
  url: string,
  etag: string | null,
  first: OutboundStream,
  watch: SourceWatch,
  patience: Patience,
): AsyncGenerator<Uint8Array, void, undefined> {
  let answer = first;
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
        return;
      } catch (error) {
        const failure = failureOf(error);
        // Without a tag, the rest may be of another object.
        if (etag === null || failure.reason !== 'passing') throw failure;
        if (sinceBreak >= PROGRESS_BYTES) patience.reset();
        sinceBreak = 0;
        answer = await getRest(reader, url, etag, at, watch, patience, failure);
      }
    }
  } finally {
    answer.end();
  }
}

async function getRest(
  reader: SourceReader,
  url: string,
  etag: string,
  at: number,
  watch: SourceWatch,
  patience: Patience,
  broken: SourceFailure,
): Promise<Answer> {
  for (let failure = broken; ; ) {
    await patience.after(failure);
    try {
      const answer = await get(reader, url, { 'If-Match': etag, Range: `bytes=${at}-` }, watch, 206);
      const { etag: now, 'content-range': range } = answer.headers;
      if (strongTag(now) === etag && range?.startsWith(`bytes ${at}-`)) return answer;
      answer.end();
      throw new SourceFailure('changed', 'changed while it was read');
    } catch (error) {
      failure = failureOf(error);
    }
  }
}

/** Throws SourceFailure and OutboundError. */
async function get(
  reader: SourceReader,
  url: string,
  headers: Readonly<Record<string, string>>,
  { signal }: SourceWatch,
  wanted: 200 | 206,
): Promise<Answer> {
  const asked = { kind: 'load', url, headers, redirects: REDIRECTS, signal } as const;
  const answer = await reader.read({ ...asked, limits: limitsOf(reader) });
  const { status } = answer;
  if (status === wanted) return answer;
  answer.end();
  const says = `answers ${status}`;
  if (status === 404 || status === 410) throw new SourceFailure('missing', says);
  if (status === 412) throw new SourceFailure('changed', 'changed while it was read');
  if (status === 408 || status === 429 || status >= 500) {
    throw new SourceFailure('passing', says, retryAfterMs(answer.headers['retry-after']));
  }
  // A host that does not know Range sends the whole object. It is read again from its beginning.
  if (status === 200 || status === 416)
    throw new SourceFailure('changed', 'cannot be read from where its connection broke');
  throw new SourceFailure('refused', says);
}

function limitsOf({ idleMs, maxBytes }: SourceReader): StreamLimits {
  return { headMs: HEAD_MS, idleMs, bytesPerSecond: BYTES_PER_SECOND, maxBytes };
}

/** Returns the failure of an object. Throws all other errors. */
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
