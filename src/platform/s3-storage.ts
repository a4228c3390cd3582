/**
 * Object storage in an S3-compatible store, through the minio client. Of the client we use what is safe: whole
 * buffers of known size under known keys. Deadlines and retries are ours, for the client has no timeout and
 * retries hardly anything.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { Client, S3Error } from 'minio';
import pRetry from 'p-retry';
import type { ByteRange, ObjectDescription, ObjectStorage, StoredObject } from './object-storage.ts';
import type { Secret } from './secret.ts';

export interface S3Options {
  /** As in https://s3.example.net */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: Secret;
  readonly secretKey: Secret;
}

/** For one attempt to answer; a put of some MiB needs a part of a second. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** For a connection on which nothing moves, also while a body is being read. */
const STALL_TIMEOUT_MS = 15_000;
/** Attempts after about 0, 0.1–0.2, 0.3–0.6 and 0.9–1.8 s. */
const RETRIES = { retries: 3, minTimeout: 100, factor: 3, randomize: true };

export function createS3Storage(options: S3Options): ObjectStorage & Disposable {
  return new S3Storage(options);
}

class S3Storage implements ObjectStorage, Disposable {
  readonly #bucket: string;
  readonly #client: Client;
  readonly #agent: http.Agent;
  /** The signal of the attempt under way; the client gives us no other way to its requests. */
  readonly #attempt = new AsyncLocalStorage<AbortSignal>();

  constructor({ endpoint, region, bucket, accessKey, secretKey }: S3Options) {
    const url = new URL(endpoint);
    const isSecure = url.protocol === 'https:';
    const { Agent, request } = isSecure ? https : http;
    this.#bucket = bucket;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: STALL_TIMEOUT_MS });
    this.#client = new Client({
      endPoint: url.hostname,
      port: Number(url.port) || (isSecure ? 443 : 80),
      useSSL: isSecure,
      accessKey: accessKey.reveal(),
      secretKey: secretKey.reveal(),
      // Known, so that no request is spent on asking for it.
      region,
      retryOptions: { disableRetry: true },
      transportAgent: this.#agent,
      transport: {
        request: (parameters: http.RequestOptions, onResponse: (response: IncomingMessage) => void) => {
          const signal = this.#attempt.getStore();
          const outgoing = request({ ...parameters, ...(signal && { signal }) }, onResponse);
          return outgoing.setTimeout(STALL_TIMEOUT_MS, () => {
            outgoing.destroy(new Error('the object store does not answer'));
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
    );
  }

  /** S3 shows no object before it is whole in any case. */
  putNew(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.put(key, parts);
  }

  async get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    // The client takes a length of 0 for "to the end".
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
    // It has no body, and its end frees the connection.
    answer.resume();
    return 'unchanged';
  }

  async head(key: string): Promise<ObjectDescription | undefined> {
    const stat = await this.#retried(
      () => this.#client.statObject(this.#bucket, key),
      `look at object ${key}`,
    );
    return stat && { key, bytes: stat.size, modifiedAt: stat.lastModified };
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#retried(async () => {
      const failures = await this.#client.removeObjects(this.#bucket, [...keys]);
      if (failures.length > 0) throw new Error(`the store kept ${failures.length} objects`);
    }, `delete ${keys.length} objects`);
  }

  async *list(prefix: string): AsyncGenerator<ObjectDescription> {
    for await (const object of this.#client.listObjectsV2(this.#bucket, prefix, true)) {
      yield { key: object.name, bytes: object.size, modifiedAt: object.lastModified };
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** Undefined when the object does not exist. */
  async #retried<Result>(operation: () => Promise<Result>, purpose: string): Promise<Result | undefined> {
    try {
      return await pRetry(() => this.#attempted(operation), {
        ...RETRIES,
        shouldRetry: ({ error }) => !isRefused(error),
      });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw new Error(`could not ${purpose}`, { cause: error });
    }
  }

  async #attempted<Result>(operation: () => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const deadline = setTimeout(() => {
      controller.abort(new Error(`the object store did not answer within ${ATTEMPT_TIMEOUT_MS} ms`));
    }, ATTEMPT_TIMEOUT_MS);
    try {
      return await this.#attempt.run(controller.signal, operation);
    } finally {
      // A body that was opened may take longer; the stall timeout guards it.
      clearTimeout(deadline);
    }
  }
}

function storedObject(answer: IncomingMessage): StoredObject {
  const { 'content-length': bytes, etag } = answer.headers;
  return { bytes: Number(bytes), body: answer, version: etag };
}

function emptyRange(description: ObjectDescription | undefined): StoredObject | undefined {
  return description && { bytes: 0, body: Readable.from([]), version: undefined };
}

function isMissing(error: unknown): boolean {
  return error instanceof S3Error && (error.code === 'NoSuchKey' || error.code === 'NotFound');
}

/** The store understood the request and means its answer: another attempt would get the same. */
function isRefused(error: unknown): boolean {
  return (
    error instanceof S3Error &&
    error.code !== undefined &&
    !/^(SlowDown|InternalError|ServiceUnavailable|RequestTimeout)$/.test(error.code)
  );
}
