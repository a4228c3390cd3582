/**
 * Reads buckets of others through the one door to hosts of others. A signature holds for one address, so no redirect is followed.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { bucketFailure, MAX_FAILURE_BYTES } from '../../../platform/buckets/bucket-failure.ts';
import { isAddressable, signedGet } from '../../../platform/buckets/bucket-request.ts';
import {
  type BucketObject,
  MAX_PAGE_BYTES,
  pageQuery,
  readListPage,
} from '../../../platform/buckets/list-page.ts';
import type { ReadOutside, ReadRequest } from '../../../platform/http/read-outside.ts';
import { retryAfterMs } from '../../../platform/http/retry-after.ts';
import { shownText } from '../../../platform/shown-value.ts';
import type { ReachedStore } from '../../connections/open-connections.ts';
import { type BucketAddress, bucketAddress, matcherOf, prefixOf } from './bucket-address.ts';
import { MAX_OBJECTS } from './load.ts';
import type { Patience } from './open-source.ts';
import { refused, SourceFailure } from './source-failure.ts';

/** The most pages of a list. Without this limit, a pattern that matches none of the keys lists the whole bucket. */
const MAX_PAGES = 100;
/** The keys that are matched in one turn of the event loop. */
const KEYS_OF_TURN = 32;

type Asked = Pick<ReadRequest, 'limits' | 'signal' | 'headers'>;

export class BucketDoor {
  readonly #read: ReadOutside;
  readonly #store: ReachedStore;
  readonly #now: () => Date;

  constructor(read: ReadOutside, store: ReachedStore, now: () => Date) {
    this.#read = read;
    this.#store = store;
    this.#now = now;
  }

  /** The address of the store. It is part of the prints of lists (`confirm-list.ts`). */
  get endpoint(): string {
    return this.#store.endpoint;
  }

  /** Reads addresses of buckets with the connection, and addresses of the web without it. If a store refuses, throws SourceFailure. */
  readonly read: ReadOutside = async (request) => {
    const address = bucketAddress(request.url);
    return address === undefined ? await this.#read(request) : await this.#ask(address, request);
  };

  /** Lists the objects of a pattern, ordered by the bytes of their keys. Leaves empty objects out. Throws SourceFailure. */
  async list(
    pattern: BucketAddress,
    asked: Asked,
    patience: Pick<Patience, 'until'>,
  ): Promise<BucketObject[]> {
    const isMeant = matcherOf(pattern);
    const known = new Set<string>();
    const found: BucketObject[] = [];
    let token: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = pageQuery(prefixOf(pattern), token);
      const { objects, next } = await patience.until(() => this.#listPage(pattern.bucket, query, asked));
      for (const [i, object] of objects.entries()) {
        const { key, bytes } = object;
        // To match a long key takes up to a millisecond.
        if (i % KEYS_OF_TURN === 0) await turn();
        if (bytes === 0 || !isMeant(key)) continue;
        if (known.has(key)) throw refused('lists a key twice');
        known.add(key);
        if (!isAddressable(key))
          throw refused(`has the key ${JSON.stringify(shownText(key))}, which no address can have`);
        found.push(object);
        if (found.length > MAX_OBJECTS) throw refused(`means more than ${MAX_OBJECTS} objects, the limit`);
      }
      if (next === undefined) return found.sort(byKey);
      token = next;
    }
    throw refused(
      `has more than ${MAX_PAGES} pages of keys below its beginning; write more of it before the first *`,
    );
  }

  /** Asks for the first key of a bucket. Throws SourceFailure and OutboundError. */
  async look(bucket: string, asked: Asked): Promise<void> {
    await this.#listPage(bucket, { ...pageQuery('', undefined), 'max-keys': '1' }, asked);
  }

  async #listPage(bucket: string, query: Readonly<Record<string, string>>, asked: Asked) {
    const limits = { ...asked.limits, maxBytes: MAX_PAGE_BYTES };
    const answer = await this.#ask({ bucket }, { ...asked, limits }, query);
    try {
      if (answer.status !== 200) throw refused(`answers ${answer.status}`);
      return await readListPage(answer.body);
    } catch (error) {
      if (error instanceof RangeError) throw refused(error.message);
      throw error;
    } finally {
      answer.end();
    }
  }

  async #ask(
    target: { readonly bucket: string; readonly key?: string },
    { limits, signal, headers = {} }: Asked,
    query?: Readonly<Record<string, string>>,
  ): ReturnType<ReadOutside> {
    const { bucket, key } = target;
    // The credentials of a connection are only for its buckets. A source may name another bucket.
    if (!this.#store.buckets.includes(bucket)) throw refused('is in a bucket that the connection is not for');
    if (key !== undefined && !isAddressable(key)) throw refused('has a key that no address can have');
    const signed = signedGet(this.#store, target, this.#now(), query);
    const request = { kind: 'load', limits, signal, redirects: 0, url: signed.url } as const;
    const answer = await this.#read({ ...request, headers: { ...headers, ...signed.headers } });
    const { status } = answer;
    if (status < 300 || status === 412 || status === 416) return answer;
    throw await failureOf(answer);
  }
}

async function failureOf(answer: Awaited<ReturnType<ReadOutside>>): Promise<SourceFailure> {
  const { status, headers } = answer;
  const region = headers['x-amz-bucket-region'];
  const xml = await beginningOf(answer.body).finally(() => answer.end());
  const { code, cure } = bucketFailure(status, xml, typeof region === 'string' ? region : undefined);
  const says = `answers ${status}${code === undefined ? '' : ` ${code}`}${cure === undefined ? '' : `: ${cure}`}`;
  if (status === 404 && code !== 'NoSuchBucket') return new SourceFailure('missing', says);
  const isPassing = status === 408 || status === 429 || status >= 500;
  if (isPassing) return new SourceFailure('passing', says, retryAfterMs(headers['retry-after']));
  return refused(says);
}

/** Returns the beginning of the body. If the body breaks, returns the bytes that came before. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_FAILURE_BYTES) break;
    }
  } catch {
    // The body is only for the message, and the status says enough.
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_FAILURE_BYTES);
}

const byKey = (a: BucketObject, b: BucketObject) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
