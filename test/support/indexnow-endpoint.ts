/**
 * A search engine that takes changed URLs and follows indexnow.org/documentation: it checks the request and fetches the key
 * file itself. A test scripts other answers, and reads the submissions.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A status with header fields, or no answer. `lost`: the request is checked and recorded, but its answer is never sent. */
export type ScriptedAnswer =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | 'hang'
  | 'reset'
  | 'lost'
  /** Makes this call, then goes on like `lost`. */
  | { readonly call: () => void };

interface Submission {
  readonly host: string;
  readonly urls: readonly string[];
  /** Undefined without an answer. */
  readonly status: number | undefined;
}

export interface IndexNowEndpoint extends AsyncDisposable {
  readonly url: string;
  /** All requests with a body that could be read, oldest first. */
  readonly submissions: readonly Submission[];
  /** Requests that break the protocol. */
  readonly faults: readonly string[];
  /** The most requests for one host at the same time. */
  readonly mostAtOnce: number;
  /** The URLs of requests that were accepted. */
  accepted(): string[];
  /** Sets the answers to the next requests, in order. After these, and for `undefined`, the endpoint decides itself. */
  script(...answers: readonly (ScriptedAnswer | undefined)[]): void;
  forgetScript(): void;
  /** The endpoint answers a request with one of these URLs by 422. */
  readonly badUrls: Set<string>;
  reset(): void;
}

const MAX_URLS = 10_000;

export async function startIndexNowEndpoint(): Promise<IndexNowEndpoint> {
  const endpoint = new Endpoint();
  await endpoint.listen();
  return endpoint;
}

class Endpoint implements IndexNowEndpoint {
  readonly submissions: Submission[] = [];
  readonly faults: string[] = [];
  readonly badUrls = new Set<string>();
  mostAtOnce = 0;
  #script: (ScriptedAnswer | undefined)[] = [];
  readonly #atOnce = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/indexnow`;
  }

  accepted(): string[] {
    return this.submissions
      .filter(({ status }) => status === 200 || status === 202)
      .flatMap(({ urls }) => urls);
  }

  script(...answers: readonly (ScriptedAnswer | undefined)[]): void {
    this.#script.push(...answers);
  }

  forgetScript(): void {
    this.#script = [];
  }

  reset(): void {
    this.submissions.length = 0;
    this.faults.length = 0;
    this.mostAtOnce = 0;
    this.#script = [];
    this.badUrls.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await request.toArray().catch(() => undefined);
    // The client went away while it sent.
    if (chunks === undefined) return;
    const parsed = this.#parse(request, Buffer.concat(chunks).toString());
    if (parsed === undefined) return void response.writeHead(400).end();
    const { host, urlList: urls } = parsed;
    const atOnce = (this.#atOnce.get(host) ?? 0) + 1;
    this.#atOnce.set(host, atOnce);
    this.mostAtOnce = Math.max(this.mostAtOnce, atOnce);
    try {
      const scripted = this.#script.shift();
      const record = (status: number | undefined) => this.submissions.push({ host, urls, status });
      if (scripted === 'hang') return void record(undefined);
      if (scripted === 'reset') {
        record(undefined);
        return void request.socket.resetAndDestroy();
      }
      if (typeof scripted === 'object' && 'status' in scripted) {
        record(scripted.status);
        return void response.writeHead(scripted.status, scripted.headers).end();
      }
      const status = await this.#judge(parsed);
      record(status);
      if (typeof scripted === 'object') scripted.call();
      if (scripted !== undefined) return void request.socket.resetAndDestroy();
      response.writeHead(status).end();
    } finally {
      this.#atOnce.set(host, this.#atOnce.get(host)! - 1);
    }
  }

  #parse(request: IncomingMessage, text: string): Body | undefined {
    const complain = (fault: string) => void this.faults.push(fault);
    if (request.method !== 'POST') return complain(`method ${request.method}`);
    const type = request.headers['content-type'];
    if (type !== 'application/json; charset=utf-8') return complain(`content type ${type}`);
    const body: Body = JSON.parse(text);
    const names = Object.keys(body).sort().join();
    if (names !== 'host,key,keyLocation,urlList') return complain(`members ${names}`);
    if (!/^[a-zA-Z0-9-]{8,128}$/.test(body.key)) return complain(`key ${body.key}`);
    if (new URL(body.keyLocation).host !== body.host)
      return complain(`key of another host ${body.keyLocation}`);
    if (body.urlList.length === 0 || body.urlList.length > MAX_URLS) {
      return complain(`${body.urlList.length} URLs`);
    }
    const stranger = body.urlList.find((url) => new URL(url).host !== body.host);
    if (stranger !== undefined) return complain(`${stranger} is not of ${body.host}`);
    return body;
  }

  async #judge({ key, keyLocation, urlList }: Body): Promise<number> {
    const file = await fetch(keyLocation, { redirect: 'manual' }).catch(() => undefined);
    const content = file?.status === 200 ? (await file.text()).trim() : undefined;
    if (content !== key) return 403;
    return urlList.some((url) => this.badUrls.has(url)) ? 422 : 200;
  }
}

interface Body {
  readonly host: string;
  readonly key: string;
  readonly keyLocation: string;
  readonly urlList: readonly string[];
}
