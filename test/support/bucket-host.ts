/** A store that speaks as much of S3 as loads need, and as badly as a test wants. It believes every signature. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create } from 'xmlbuilder2';
import { serveObject } from './source-host.ts';

export interface BucketHost extends AsyncDisposable {
  readonly endpoint: string;
  /** The contents of the one bucket by key. */
  readonly objects: Map<string, string | Buffer>;
  /** The requests so far, as in `GET /bucket/key`, lists as `LIST prefix`. */
  readonly requests: string[];
  /** The headers of the last request. */
  readonly lastHeaders: () => IncomingMessage['headers'];
  /** Answers in its own way, if it returns true. `query`: of a list; undefined for an object. */
  behave: (
    request: IncomingMessage,
    response: ServerResponse,
    about: { readonly key: string; readonly query: URLSearchParams | undefined },
  ) => boolean;
}

export const BUCKET = 'exports';
const PAGE_KEYS = 3;

export async function startBucketHost(): Promise<BucketHost> {
  const requests: string[] = [];
  const objects: BucketHost['objects'] = new Map();
  let headers: IncomingMessage['headers'] = {};
  const server = createServer((request, response) => {
    headers = request.headers;
    const { pathname, searchParams } = new URL(request.url!, 'http://host');
    const key = decodeURIComponent(pathname.slice(`/${BUCKET}/`.length));
    const query = pathname === `/${BUCKET}` ? searchParams : undefined;
    requests.push(query === undefined ? `GET ${key}` : `LIST ${query.get('prefix')}`);
    if (host.behave(request, response, { key, query })) return;
    if (query === undefined) return serveObject(objects.get(key), request, response);
    const keys = [...objects.keys()].filter((one) => one.startsWith(query.get('prefix')!)).sort();
    const from = Number(query.get('continuation-token') ?? 0);
    const next = from + PAGE_KEYS;
    const page = keys.slice(from, next).map((one): ListedEntry => [one, objects.get(one)!]);
    sendXml(response, 200, listOf(page, next < keys.length ? String(next) : undefined));
  });
  server.listen(0, '127.0.0.3');
  await once(server, 'listening');
  const host: BucketHost = {
    endpoint: `http://127.0.0.3:${(server.address() as AddressInfo).port}`,
    ...{ objects, requests, lastHeaders: () => headers, behave: () => false },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return host;
}

export type ListedEntry = readonly [key: string, content: string | Buffer];

/** A page of a list. `next`: the token of the next one. */
export function listOf(entries: readonly ListedEntry[], next?: string): object {
  return {
    ListBucketResult: {
      ...{ EncodingType: 'url', IsTruncated: String(next !== undefined) },
      ...(next !== undefined && { NextContinuationToken: next }),
      Contents: entries.map(([key, content]) => {
        const bytes = Buffer.from(content);
        const ETag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
        return { Key: encodeURIComponent(key), ETag, Size: bytes.length };
      }),
    },
  };
}

export function sendXml(response: ServerResponse, status: number, content: object): void {
  const xml = create(content).end();
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(xml) }).end(xml);
}

export function sendError(response: ServerResponse, status: number, code: string): void {
  sendXml(response, status, { Error: { Code: code, Message: 'the store says a secret' } });
}
