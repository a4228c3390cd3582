/** Sends requests to one server with one key, with retries. All attempts of a POST have the same idempotency key. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { badSetting, WaypostError } from '../waypost-error.ts';
import { BegunBody } from './begun-body.ts';
import { type Exchange, exchange } from './exchange.ts';
import { type Answer, isSuccess, readAnswer } from './read-answer.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import type { Server } from './server.ts';

export interface ApiRequest extends RetryOptions {
  /** A value that is sent as JSON. */
  readonly body?: unknown;
  /** A list becomes a repeated parameter. */
  readonly query?:
    | Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>
    | undefined;
  /** Default: a new key for each POST. */
  readonly idempotencyKey?: string | undefined;
}

export interface StreamRequest extends ApiRequest {
  /** A Uint8Array is sent whole, over a connection that stays open. */
  readonly body: RepeatableBody | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** A body that may be read more than once. */
export interface RepeatableBody {
  open(): AsyncIterable<Uint8Array>;
  canOpen(): boolean;
}

const TIMEOUT_MS = 60_000;
/** A server may be silent for long during large uploads: it waits for a slow store, and publishes at the end. */
const STREAM_TIMEOUT_MS = 600_000;
const LIST_PAGE = 100;

export class Connection {
  readonly #server: Server;
  readonly #userAgent: string;
  readonly #defaults: RetryOptions;

  constructor(server: Server, userAgent: string, defaults: RetryOptions) {
    this.#server = server;
    this.#userAgent = userAgent;
    this.#defaults = defaults;
  }

  /** `route`: as in `GET /api/domains`. Resolves with `data` of the answer. */
  async call<Data>(route: string, request: ApiRequest = {}): Promise<Data> {
    const { data } = await this.#answer(route, request);
    return data as Data;
  }

  /** Deletes something. NOT_FOUND after a lost answer means that it is deleted. */
  async delete(path: string): Promise<void> {
    const { onRetry } = this.#defaults;
    let mayBeDone = false;
    try {
      await this.#answer(`DELETE ${path}`, {
        onRetry(retry) {
          const { status = 500 } = retry.error;
          if (status >= 500) mayBeDone = true;
          onRetry?.(retry);
        },
      });
    } catch (error) {
      if (!(mayBeDone && error instanceof WaypostError && error.code === 'NOT_FOUND')) throw error;
    }
  }

  /** Streams the body at the pace of the server. */
  async send<Data>(route: string, request: StreamRequest): Promise<Data> {
    const { body } = request;
    const [method, url] = this.#target(route, request);
    const headers = { ...this.#headers(method, request), ...request.headers };
    const stream = body instanceof Uint8Array ? undefined : new BegunBody(body);
    const signal = request.signal ?? this.#defaults.signal;
    try {
      const { data } = await withRetries(
        async () => {
          const content = body instanceof Uint8Array ? body : await stream!.open(signal);
          return readAnswer(await exchange(this.#exchange(method, url, headers, request, content)));
        },
        this.#retries(request),
        () => stream?.canOpen() ?? true,
      );
      return data as Data;
    } finally {
      await stream?.close();
    }
  }

  /** Yields the rows of all pages of a list. */
  async *list<Row>(route: string, request: ApiRequest = {}): AsyncGenerator<Row, void, undefined> {
    let cursor: string | undefined;
    do {
      const query = { limit: LIST_PAGE, ...request.query, cursor };
      const { data, pagination } = await this.#answer(route, { ...request, query });
      yield* data as Row[];
      cursor = pagination?.hasMore ? pagination.cursor : undefined;
    } while (cursor !== undefined);
  }

  /** Opens the answer as a stream, for lists that are sent as lines. */
  async open(route: string, request: ApiRequest = {}): Promise<IncomingMessage> {
    const [method, url] = this.#target(route, request);
    const headers = { ...this.#headers(method, request), Accept: 'application/x-ndjson' };
    return withRetries(async () => {
      const response = await exchange(this.#exchange(method, url, headers, request));
      if (!isSuccess(response)) await readAnswer(response);
      return response;
    }, this.#retries(request));
  }

  async #answer(route: string, request: ApiRequest): Promise<Answer> {
    const [method, url] = this.#target(route, request);
    const json = request.body === undefined ? undefined : JSON.stringify(request.body);
    const type = json === undefined ? undefined : { 'Content-Type': 'application/json' };
    const headers = { ...this.#headers(method, request), ...type };
    return withRetries(
      async () => readAnswer(await exchange(this.#exchange(method, url, headers, request, json))),
      this.#retries(request),
    );
  }

  /** An option of the request that is undefined leaves that of the client. */
  #retries({ retries, signal, onRetry }: RetryOptions): RetryOptions {
    const { retries: usual, signal: usualSignal, onRetry: tell } = this.#defaults;
    return { retries: retries ?? usual, signal: signal ?? usualSignal, onRetry: onRetry ?? tell };
  }

  #exchange(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    { signal }: ApiRequest,
    body?: Exchange['body'],
  ): Exchange {
    const timeoutMs = typeof body === 'object' ? STREAM_TIMEOUT_MS : TIMEOUT_MS;
    return { method, url, headers, body, signal: signal ?? this.#defaults.signal, timeoutMs };
  }

  #target(route: string, { query = {} }: ApiRequest): [method: string, url: URL] {
    const [method = '', path = ''] = route.split(' ');
    const url = new URL(path.slice(1), this.#server.base);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue;
      for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each));
    }
    return [method, url];
  }

  #headers(method: string, { idempotencyKey }: ApiRequest): Record<string, string> {
    // Node refuses other characters later, with an error that looks like one of the network.
    if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
      throw badSetting(
        'An idempotency key has 1 to 255 letters, digits and signs of ASCII, and neither spaces nor line breaks.',
      );
    }
    return {
      Authorization: this.#server.authorization,
      'User-Agent': this.#userAgent,
      Accept: 'application/json',
      ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey ?? randomUUID() }),
    };
  }
}
