/**
 * Makes the requests to one ACME server: signs them, keeps its directory and nonces, and throws answers that are errors. Every request
 * passes through here, so no document of the server can send us to another host.
 */
import { Agent } from 'node:https';
import type { z } from 'zod';
import { CONNECT_MS } from '../http/connect-ms.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { AccountKey } from './account-key.ts';
import { AcmeError, failureOf, problemSchema } from './acme-error.ts';
import { type Directory, directorySchema } from './acme-shapes.ts';
import { type AcmeAnswer, type AcmeRequest, exchange } from './https-exchange.ts';
import { NoncePool } from './nonce-pool.ts';
import { Remembered } from './remembered.ts';

export interface SessionOptions {
  readonly directoryUrl: string;
  readonly accountKey: AccountKey;
  readonly userAgent: string;
  /** The time limit of one request, with its repetitions for bad nonces. */
  readonly timeoutMs: number;
}

export interface Signed {
  /** The payload. A request without it is a POST-as-GET. */
  readonly payload?: object;
  /** The URL of the account. A request without it carries the account's public key. */
  readonly account?: string;
  /** The media type that we accept. */
  readonly accept?: string;
}

/** The most nonces that a call tries. If a server refuses half of all nonces, one call in 65,536 has 16 refused ones in a row. */
const NONCE_TRIES = 16;
/** The time for which the directory is remembered. */
const DIRECTORY_MS = 60 * 60_000;
const MAX_URL_LENGTH = 2048;
/**
 * The time after which we close an idle connection. Servers keep idle connections open for longer, so we never send a request on a
 * connection that the server is closing.
 */
const IDLE_MS = 5000;

export class AcmeSession implements Disposable {
  readonly #options: SessionOptions;
  readonly #agent = new Agent({
    ...{ keepAlive: true, maxSockets: 32, timeout: IDLE_MS },
    autoSelectFamilyAttemptTimeout: CONNECT_MS,
  });
  readonly #nonces = new NoncePool();
  readonly #directory = new Remembered(() => this.#readDirectory(), DIRECTORY_MS);

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  directory(): Promise<Directory> {
    return this.#directory.get();
  }

  /** Sends an unsigned GET, and returns a successful answer. `attempt`: the action for the message of an error. Throws AcmeError. */
  async get(url: string, attempt: string): Promise<AcmeAnswer> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    return succeeded(attempt, await this.#exchange({ method: 'GET', url, attempt }, signal));
  }

  /** Sends a signed POST, and returns a successful answer. Repeats the request only if its nonce was bad. Throws AcmeError. */
  async post(url: string, attempt: string, { payload, account, accept }: Signed): Promise<AcmeAnswer> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    const headers = { 'content-type': 'application/jose+json', ...(accept !== undefined && { accept }) };
    for (let tries = 1; ; tries++) {
      const nonce = this.#nonces.take() ?? (await this.#newNonce(signal));
      const body = await this.#options.accountKey.sign(payload, { url, nonce, account });
      const answer = await this.#exchange({ method: 'POST', url, attempt, body, headers }, signal);
      // An answer with an error has a nonce too. The next request uses this nonce, because it is the newest of the pool.
      this.#nonces.add(answer.headers['replay-nonce']);
      if (tries === NONCE_TRIES || !hasBadNonce(answer)) return succeeded(attempt, answer);
    }
  }

  /**
   * Returns an address that the server names, and that may be relative. Throws AcmeError unless the address is https, and on the host and
   * port of the directory, so that the server cannot make us ask other hosts.
   */
  ownUrl(address: string, attempt: string): URL {
    const { directoryUrl } = this.#options;
    const url = address.length > MAX_URL_LENGTH ? null : URL.parse(address, directoryUrl);
    const isOwn = url?.protocol === 'https:' && url.host === URL.parse(directoryUrl)?.host;
    if (isOwn && url.username === '' && url.password === '') return url;
    throw malformed(attempt, 'the server names an address that is not its own');
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #readDirectory(): Promise<Directory> {
    const attempt = 'read the directory';
    return readJson(attempt, await this.get(this.#options.directoryUrl, attempt), directorySchema);
  }

  async #newNonce(signal: AbortSignal): Promise<string> {
    const attempt = 'get a nonce';
    const { newNonce: url } = await this.directory();
    const answer = succeeded(attempt, await this.#exchange({ method: 'HEAD', url, attempt }, signal));
    this.#nonces.add(answer.headers['replay-nonce']);
    const nonce = this.#nonces.take();
    if (nonce === undefined) throw malformed(attempt, 'the answer has none');
    return nonce;
  }

  #exchange(
    { url, headers, ...rest }: Omit<AcmeRequest, 'url' | 'headers'> & { url: string; headers?: object },
    signal: AbortSignal,
  ): Promise<AcmeAnswer> {
    const request = {
      ...rest,
      url: this.ownUrl(url, rest.attempt),
      headers: { 'user-agent': this.#options.userAgent, 'accept-language': 'en', ...headers },
    };
    return exchange(request, this.#agent, signal);
  }
}

/** Returns the value of an answer. Throws AcmeError unless the answer is JSON of this shape. */
export function readJson<Schema extends z.ZodType>(
  attempt: string,
  { headers, body }: AcmeAnswer,
  schema: Schema,
): z.output<Schema> {
  if (mediaType(headers['content-type']) !== 'application/json') {
    throw malformed(attempt, 'the answer is not JSON by its content type');
  }
  const { data, error } = schema.safeParse(parseJson(body));
  if (error !== undefined) {
    const where = error.issues[0]?.path.join('.') ?? '';
    throw malformed(attempt, `the answer does not have the expected shape${where && ` (at ${where})`}`);
  }
  return data;
}

/** Returns the error for an answer that breaks the protocol. Its kind is `unavailable`, so that the caller may try another server. */
export function malformed(attempt: string, detail: string): AcmeError {
  return new AcmeError(attempt, { kind: 'unavailable', detail });
}

export function mediaType(field: string | undefined): string | undefined {
  return field?.split(';', 1)[0]?.trim().toLowerCase();
}

function succeeded(attempt: string, answer: AcmeAnswer): AcmeAnswer {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return answer;
  const problem = readProblem(answer);
  throw new AcmeError(attempt, {
    ...problem,
    kind: failureOf(status, problem.type),
    status,
    retryAfterMs: retryAfterMs(headers['retry-after']),
  });
}

const hasBadNonce = (answer: AcmeAnswer) => answer.status === 400 && readProblem(answer).type === 'badNonce';

/** Returns the problem of an answer. It is empty if the answer is no problem document. */
function readProblem({ headers, body }: AcmeAnswer) {
  const isProblem = mediaType(headers['content-type']) === 'application/problem+json';
  return problemSchema.parse(isProblem ? parseJson(body) : undefined);
}

/** Returns the value of a JSON text; undefined for any other text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
