/**
 * A digest of a request: its query, the type and the encoding of its body, and the body as it was sent, compressed or not. `receiveBody`
 * adds the body. A request for which `digestRequest` is not called costs no hash.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Distinguishes a request from other requests with the same method and path. */
export interface RequestPrint {
  readonly digest: Buffer;
  /** Null if the body was not read to its end. Then the digest does not cover the body. */
  readonly bodyBytes: number | null;
}

export class RequestDigest {
  readonly #request: IncomingMessage;
  readonly #hash;
  readonly withoutBody: Buffer;
  #bytes = 0;

  constructor(request: IncomingMessage) {
    const { url = '', headers } = request;
    const query = url.slice(url.indexOf('?') + 1 || url.length);
    const head = [query, headers['content-type'] ?? null, headers['content-encoding'] ?? null];
    this.#request = request;
    this.#hash = createHash('sha256').update(`${JSON.stringify(head)}\n`);
    this.withoutBody = this.#hash.copy().digest();
  }

  /** Bytes of the body so far. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Returns the digest. If the route reads the body, call this after the body's end. */
  print(): RequestPrint {
    if (!this.#request.readableEnded) return { digest: this.withoutBody, bodyBytes: null };
    return { digest: this.#hash.copy().digest(), bodyBytes: this.#bytes };
  }
}

const digests = new WeakMap<IncomingMessage, RequestDigest>();

/** Begins the digest of a request. Call this before the body is opened. */
export function digestRequest(request: IncomingMessage): RequestDigest {
  const digest = new RequestDigest(request);
  digests.set(request, digest);
  return digest;
}

export function digestOf(request: IncomingMessage): RequestDigest | undefined {
  return digests.get(request);
}
