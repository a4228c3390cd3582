/** A host with objects to load: with entity tags and ranges as object stores have them, and as badly as a test wants. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SourceHost extends AsyncDisposable {
  readonly origin: string;
  /** The contents of objects by path. */
  readonly objects: Map<string, string | Buffer>;
  /** The requests so far: path, and the range if there was one. */
  readonly requests: string[];
  /** Answers a path in its own way. */
  readonly behaviours: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
}

export async function startSourceHost(address = '127.0.0.3'): Promise<SourceHost> {
  const objects: SourceHost['objects'] = new Map();
  const behaviours: SourceHost['behaviours'] = new Map();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url!;
    const { range } = request.headers;
    requests.push(range === undefined ? path : `${path} ${range}`);
    const behave = behaviours.get(path);
    if (behave !== undefined) return behave(request, response);
    serveObject(objects.get(path), request, response);
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    ...{ objects, requests, behaviours },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** RFC 9110: If-Match, and a Range with one open end. */
export function serveObject(
  content: string | Buffer | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (content === undefined) return void response.writeHead(404).end();
  const bytes = Buffer.from(content);
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  const { range, 'if-match': wanted } = request.headers;
  if (wanted !== undefined && wanted !== etag) return void response.writeHead(412).end();
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const head = {
    ETag: etag,
    'Content-Length': bytes.length - from,
    ...(range !== undefined && { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
  };
  response.writeHead(range === undefined ? 200 : 206, head).end(bytes.subarray(from));
}

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** `urls`: addresses, or entries as XML. */
export function sitemapOf(...urls: string[]): string {
  const entries = urls.map((url) => `<url>${url.startsWith('<') ? url : `<loc>${url}</loc>`}</url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACE}>${entries.join('\n')}</urlset>`;
}

export function indexOf(...urls: string[]): string {
  const children = urls.map((url) => `<sitemap><loc>${url}</loc><lastmod>2020-01-01</lastmod></sitemap>`);
  return `<?xml version="1.0"?>\n<!-- made by a CMS -->\n<sitemapindex ${NAMESPACE}>${children.join('\n')}</sitemapindex>`;
}
