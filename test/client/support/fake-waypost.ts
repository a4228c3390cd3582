/**
 * A server of one file's tests, for what a real Waypost does seldom: it loses connections, answers early, holds uploads.
 * It keeps every request with the bytes that came. Like the real server, it refuses query parameters that an operation does not have.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { answerAndLinger } from '../../../src/platform/http/linger.ts';
import { unknownParameter } from './unknown-parameter.ts';

interface Seen {
  /** The method and path, as in `POST /api/sitemap/generate`. */
  readonly route: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** So far. */
  bytes: number;
  body: Buffer;
  /** `cut`: the connection ended before the last chunk. */
  end: 'open' | 'whole' | 'cut';
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: unknown;
  readonly pagination?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
  /** Instead of an envelope. */
  readonly text?: string;
}

/** Called when a request begins. Await `whole` for its body; `drop` ends the connection without an answer. */
export type Script = (seen: Seen, request: Incoming) => Promise<Reply | 'drop'> | Reply | 'drop';

interface Incoming {
  /** Reads the body to its end. */
  whole(): Promise<void>;
  /** Reads until `bytes` have come. */
  read(bytes: number): Promise<void>;
}

export interface FakeWaypost {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** How many were opened, also those without a request. */
  readonly connections: number;
  /** Plays the script for the requests from now on. Forgets all earlier requests and connections. */
  play(script: Script): void;
}

export const API_KEY = 'sk_live_0123456789abcdefghijABCDEFGHIJ01';

/** Starts the server. It ends with the test file. */
export async function startFakeWaypost({ keepsBodies = true } = {}): Promise<FakeWaypost> {
  const seen: Seen[] = [];
  let connections = 0;
  let script: Script = () => ({ data: {} });
  const server = createServer((request, response) => void answer(request, response));
  server.on('connection', () => connections++);
  server.on('checkContinue', (request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
    const one: Seen = {
      route: `${request.method} ${pathname}`,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      bytes: 0,
      body: Buffer.alloc(0),
      end: 'open',
    };
    seen.push(one);
    const unknown = unknownParameter(request.method ?? '', pathname, searchParams.keys());
    const reply =
      unknown === undefined
        ? await script(one, readerOf(request, response, one, keepsBodies))
        : refused(`${unknown}: is not known here`);
    if (reply === 'drop') return void request.socket.destroy();
    const { status = 200, headers = {}, data, pagination, error, text } = reply;
    const envelope = error ? { success: false, error } : { success: true, data, pagination };
    const body = text ?? JSON.stringify(envelope);
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': 'request-1',
      ...headers,
    });
    // Reads on after the answer like the real server, so that the client gets the answer.
    answerAndLinger(request, response, body);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get connections() {
      return connections;
    },
    play(next) {
      seen.length = 0;
      connections = 0;
      script = next;
    },
  };
}

function refused(message: string): Reply {
  return { status: 422, error: { code: 'VALIDATION_ERROR', message } };
}

function readerOf(
  request: IncomingMessage,
  response: ServerResponse,
  one: Seen,
  keepsBodies: boolean,
): Incoming {
  const parts: Buffer[] = [];
  request.on('close', () => {
    if (one.end === 'open' && !request.complete) one.end = 'cut';
  });
  const begin = () => {
    if (request.headers.expect !== undefined && one.bytes === 0) response.writeContinue();
    if (request.listenerCount('data') > 0) return request.resume();
    request.on('error', () => {}); // The handler of `end` reports it.
    request.on('end', () => {
      one.end = 'whole';
    });
    return request.on('data', (part: Buffer) => {
      one.bytes += part.length;
      if (keepsBodies) parts.push(part);
    });
  };
  const until = (isThere: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isThere() && one.end === 'open') return;
        one.body = Buffer.concat(parts);
        resolve();
      };
      for (const event of ['data', 'end', 'close']) request.on(event, look);
      look();
    });
  return {
    async whole() {
      begin();
      await until(() => one.end !== 'open');
    },
    async read(bytes) {
      begin();
      await until(() => one.bytes >= bytes);
      request.pause();
    },
  };
}
