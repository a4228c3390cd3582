/**
 * Object storage in an S3-compatible store, through the minio client. We use only the safe part of the client: whole
 * buffers of known size under known keys. Deadlines and retries are ours, because the client has no timeout and
 * retries hardly anything.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { Client, S3Error } from 'minio';
import pRetry from 'p-retry';
import { hasCode } from '../error-code.ts';
import { CONNECT_MS } from '../http/connect-ms.ts';
import type { Secret } from '../secret.ts';
import type { ByteRange, ObjectDescription, ObjectStorage, StoredObject, Version } from './object-storage.ts';

export interface S3Options {
  /** The origin of the store, as in https://s3.example.net. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: Secret;
  readonly secretKey: Secret;
}

export interface S3Deadlines {
  /** The limit of an attempt until its answer. A put gets more time, by MIN_PUT_BYTES_PER_SECOND. */
  readonly attemptTimeoutMs: number;
  /** The longest silence of a connection in ms, also while we read a body. */
  readonly stallTimeoutMs: number;
}

const DEADLINES: S3Deadlines = { attemptTimeoutMs: 15_000, stallTimeoutMs: 15_000 };
/**
 * Each of 32 concurrent puts gets this much from a connection of 1 MB/s to the store. Until the store answers, we cannot tell a slow put
 * from a put that hangs, because all its bytes may lie in buffers on the way.
 */
const MIN_PUT_BYTES_PER_SECOND = 32 * 1024;
/** Pauses of 0.1–0.2, 0.3–0.6 and 0.9–1.8 s before the second, third and fourth attempt. */
const RETRIES = { retries: 3, minTimeout: 100, factor: 3, randomize: true };
/** The most attempts at a store that hangs. They are fewer than RETRIES allows, because each such attempt takes its full time. */
const ATTEMPTS_THAT_HANG = 2;
/**
 * The largest object that S3 takes in one request. The client splits a larger object into parts, and also uses parts that an earlier,
 * unfinished upload to the same key has left behind.
 */
const PART_BYTES = 5 * 1024 ** 3;
/** The most deletions at once in a store that deletes objects one by one. */
const DELETES_AT_ONCE = 8;
/** S3's limit for one page of a list. */
const PAGE_KEYS = 1000;

/** Creates the store. It keeps connections open, so the caller disposes of it. */
export function createS3Storage(options: S3Options, deadlines = DEADLINES): ObjectStorage & Disposable {
  return new S3Storage(options, deadlines);
}

class S3Storage implements ObjectStorage, Disposable {
  readonly #bucket: string;
  readonly #client: Client;
  readonly #agent: http.Agent;
  readonly #attemptTimeoutMs: number;
  /** The attempt under way. Its signal is our only way to abort the client's requests. */
  readonly #attempt = new AsyncLocalStorage<Attempt>();
  /** Whether the store takes a request that deletes many objects, as far as we know. Google Cloud Storage takes none. */
  #deletesTogether = true;

  constructor(
    { endpoint, region, bucket, accessKey, secretKey }: S3Options,
    { attemptTimeoutMs, stallTimeoutMs }: S3Deadlines,
  ) {
    const url = new URL(endpoint);
    const isSecure = url.protocol === 'https:';
    const { Agent, request } = isSecure ? https : http;
    this.#bucket = bucket;
    this.#attemptTimeoutMs = attemptTimeoutMs;
    this.#agent = new Agent({
      ...{ keepAlive: true, maxSockets: 64, timeout: stallTimeoutMs },
      autoSelectFamilyAttemptTimeout: CONNECT_MS,
    });
    this.#client = new Client({
      endPoint: url.hostname,
      port: Number(url.port) || (isSecure ? 443 : 80),
      useSSL: isSecure,
      accessKey: accessKey.reveal(),
      secretKey: secretKey.reveal(),
      // Without the region, the client spends a request on finding it.
      region,
      partSize: PART_BYTES,
      retryOptions: { disableRetry: true },
      transportAgent: this.#agent,
      transport: {
        request: (parameters: http.RequestOptions, onResponse: (response: IncomingMessage) => void) => {
          const { signal, putMs = 0 } = this.#attempt.getStore() ?? {};
          const outgoing = request({ ...parameters, ...(signal && { signal }) }, onResponse);
          return outgoing.setTimeout(stallTimeoutMs + putMs, () => {
            outgoing.destroy(new NoAnswer(stallTimeoutMs + putMs));
          });
        },
      } as never,
    });
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const body = Buffer.concat(parts);
    await this.#retried(
      () => this.#client.putObject(this.#bucket, key, body, body.length),
      `store object ${key}`,
      body.length,
    );
  }

  /** S3 never shows an object before it is whole. */
  putNew(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.put(key, parts);
  }

  async putIfUnchanged(
    key: string,
    parts: readonly Uint8Array[],
    former: Version | undefined,
  ): Promise<boolean> {
    const body = Buffer.concat(parts);
    for (const condition of conditionsOf(former)) {
      if (await this.#putIf(condition, key, body)) return true;
    }
    // In a bucket with versions, Ceph (seen in 16.2) refuses each tag, also that of an unchanged object. If the versions are suspended, it
    // takes a deleted object for a stored one.
    if (!(await this.#isStill(key, former))) return false;
    await this.put(key, [body]);
    return true;
  }

  /** Whether the store still has the version. If `former` is undefined: whether it has no object. */
  async #isStill(key: string, former: Version | undefined): Promise<boolean> {
    if (former === undefined) return (await this.head(key)) === undefined;
    if (former.version === undefined) return false;
    const stored = await this.getIfChanged(key, former.version);
    if (stored === 'unchanged') return true;
    stored?.body.destroy();
    return false;
  }

  /** Puts the object if the condition holds. Returns whether the condition held. */
  async #putIf(condition: Record<string, string>, key: string, body: Buffer): Promise<boolean> {
    const request = { method: 'PUT', bucketName: this.#bucket, objectName: key };
    // A bucket whose objects are locked by default takes no put without it. The client adds it to other puts over HTTPS.
    const sum = { 'content-md5': createHash('md5').update(body).digest('base64') };
    const answer = await this.#retried(
      () =>
        this.#client.makeRequestAsync(
          { ...request, headers: { ...condition, ...sum } },
          body,
          [200, 412, 501],
        ),
      `store object ${key}`,
      body.length,
    );
    // Reading to the end frees the connection.
    answer?.resume();
    // 501 means that the store does not support conditional puts.
    if (answer?.statusCode === 501) await this.put(key, [body]);
    // `answer` is undefined for "no such key": some stores give this answer when no object exists that could match.
    return answer !== undefined && answer.statusCode !== 412;
  }

  async get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    // For the client, a length of 0 means "to the end".
    if (range?.length === 0) return emptyRange(await this.head(key));
    const body = (await this.#retried(
      () =>
        range === undefined
          ? this.#client.getObject(this.#bucket, key)
          : this.#client.getPartialObject(this.#bucket, key, range.offset, range.length),
      `read object ${key}`,
    )) as IncomingMessage | undefined;
    if (body === undefined) return undefined;
    const object = storedObject(body);
    if (range !== undefined && object.bytes !== range.length) {
      body.destroy();
      throw new RangeError(`range passes the end of object ${key}`);
    }
    return object;
  }

  async getIfChanged(key: string, version: string): Promise<StoredObject | 'unchanged' | undefined> {
    const request = {
      method: 'GET',
      bucketName: this.#bucket,
      objectName: key,
      headers: { 'if-none-match': version },
    };
    const answer = await this.#retried(
      () => this.#client.makeRequestAsync(request, '', [200, 304]),
      `read object ${key}`,
    );
    if (answer?.statusCode !== 304) return answer && storedObject(answer);
    // A 304 has no body, but reading to the end frees the connection.
    answer.resume();
    return 'unchanged';
  }

  async head(key: string): Promise<ObjectDescription | undefined> {
    return this.#retried(async () => {
      try {
        const { size, lastModified } = await this.#client.statObject(this.#bucket, key);
        return { key, bytes: size, modifiedAt: lastModified };
      } catch (error) {
        if (!hasCode(error, 'NotFound')) throw error;
        // An answer to HEAD has no body, so it does not say whether the object or the bucket is missing. GET does.
        const body = (await this.#client.getObject(this.#bucket, key)) as IncomingMessage;
        body.destroy();
        const { 'content-length': bytes, 'last-modified': modifiedAt = '' } = body.headers;
        return { key, bytes: Number(bytes), modifiedAt: new Date(modifiedAt) };
      }
    }, `look at object ${key}`);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    if (this.#deletesTogether) {
      try {
        return await this.#deleteTogether(keys);
      } catch (error) {
        if (!hasCode((error as Error).cause, 'NotImplemented', 'MethodNotAllowed')) throw error;
        this.#deletesTogether = false;
      }
    }
    const left = keys.values();
    const deleteNext = async () => {
      for (const key of left) {
        await this.#retried(() => this.#client.removeObject(this.#bucket, key), `delete object ${key}`);
      }
    };
    await Promise.all(Array.from({ length: DELETES_AT_ONCE }, deleteNext));
  }

  async #deleteTogether(keys: readonly string[]): Promise<void> {
    await this.#retried(async () => {
      const failures = (await this.#client.removeObjects(this.#bucket, [...keys])) as NotDeleted[];
      if (failures.length === 0) return;
      const codes = [...new Set(failures.map(({ Code }) => Code))].join(', ');
      throw new Error(`the store did not delete ${failures.length} objects (${codes})`);
    }, `delete ${keys.length} objects`);
  }

  async *list(prefix: string): AsyncGenerator<ObjectDescription> {
    const purpose = `list objects ${prefix}`;
    let token = '';
    for (;;) {
      const page = await this.#retried(
        () => this.#client.listObjectsV2Query(this.#bucket, prefix, token, '', PAGE_KEYS, ''),
        purpose,
      );
      const { objects = [], isTruncated, nextContinuationToken } = page ?? {};
      if (isTruncated && !nextContinuationToken) {
        throw new Error(
          `could not ${purpose}: the list is truncated, but the store gave no continuation token`,
        );
      }
      for (const { name, size, lastModified } of objects as ListedObject[]) {
        yield { key: name, bytes: size, modifiedAt: lastModified };
      }
      if (!isTruncated) return;
      // The client's XML parser turns a token of digits into a number.
      token = String(nextContinuationToken);
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** Retries a request. Returns undefined if the object does not exist. */
  async #retried<Result>(
    operation: () => Promise<Result>,
    purpose: string,
    putBytes = 0,
  ): Promise<Result | undefined> {
    try {
      return await pRetry(() => this.#attempted(operation, putBytes), {
        ...RETRIES,
        shouldRetry: ({ error, attemptNumber }) =>
          !isRefused(error) && !(error instanceof NoAnswer && attemptNumber >= ATTEMPTS_THAT_HANG),
      });
    } catch (error) {
      if (hasCode(error, 'NoSuchKey')) return undefined;
      throw new Error(`could not ${purpose}`, { cause: error });
    }
  }

  async #attempted<Result>(operation: () => Promise<Result>, putBytes: number): Promise<Result> {
    const controller = new AbortController();
    const putMs = Math.ceil((putBytes / MIN_PUT_BYTES_PER_SECOND) * 1000);
    const timeoutMs = this.#attemptTimeoutMs + putMs;
    const deadline = setTimeout(() => {
      controller.abort(new NoAnswer(timeoutMs));
    }, timeoutMs);
    try {
      return await this.#attempt.run({ signal: controller.signal, putMs }, operation);
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      // The client leaves answers like 503 unread. If we do not abort, these answers hold their connections.
      if (!(error instanceof S3Error)) controller.abort(error);
      throw error;
    } finally {
      // Reading the body may take longer. The stall timeout guards the reading.
      clearTimeout(deadline);
    }
  }
}

class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(afterMs: number) {
    super(`the object store did not answer within ${afterMs} ms`);
  }
}

interface Attempt {
  readonly signal: AbortSignal;
  /** The extra time for the bytes of a put. */
  readonly putMs: number;
}

/** The types of the client say something else than the client returns. */
interface NotDeleted {
  readonly Code?: string;
}

interface ListedObject {
  readonly name: string;
  readonly size: number;
  readonly lastModified: Date;
}

/**
 * RFC 9110, section 13.1. Ceph (seen in 16.2) and stores built on it match an entity tag only without its quotation marks. Other stores
 * match a tag only with its quotation marks. So we try each form. A store that does not support conditional puts ignores the condition, or
 * says so.
 */
function conditionsOf(former: Version | undefined): Record<string, string>[] {
  if (former === undefined) return [{ 'if-none-match': '*' }];
  const { version } = former;
  if (version === undefined) return [{}];
  return [{ 'if-match': version }, { 'if-match': version.replaceAll('"', '') }];
}

function storedObject(answer: IncomingMessage): StoredObject {
  const { 'content-length': length, 'content-range': range, etag } = answer.headers;
  const bytes = Number(length);
  // As in bytes 0-99/1234 (RFC 9110, section 14.4).
  const objectBytes = range === undefined ? bytes : Number(range.slice(range.indexOf('/') + 1));
  return { bytes, objectBytes, body: answer, version: etag };
}

function emptyRange(description: ObjectDescription | undefined): StoredObject | undefined {
  return (
    description && { bytes: 0, objectBytes: description.bytes, body: Readable.from([]), version: undefined }
  );
}

/** The codes of a store that asks for another attempt. OVHcloud says `OperationAborted` for two puts of one object at once. */
const ASKS_AGAIN: ReadonlySet<string> = new Set([
  'ConditionalRequestConflict',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
]);

/** Whether the store understood and refused the request. Another attempt would get the same answer. */
function isRefused(error: unknown): boolean {
  return error instanceof S3Error && error.code !== undefined && !ASKS_AGAIN.has(error.code);
}
