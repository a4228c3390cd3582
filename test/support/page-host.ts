/** A web server with pages, on a loopback address. It has the key files of a test, and records visits. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageHostServer extends AsyncDisposable {
  /** For example 127.0.0.2:4711. */
  readonly host: string;
  readonly origin: string;
  /** The contents of files by path. */
  readonly files: Map<string, string>;
  /** The requested paths, oldest first. */
  readonly visits: string[];
  /** Answers all requests instead of `files`. */
  behaviour: RequestListener | undefined;
}

/** `address`: a loopback address of its own for each host, as in 127.0.0.2. */
export async function startPageHost(address: string): Promise<PageHostServer> {
  const files = new Map<string, string>();
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(request.url!);
    if (host.behaviour !== undefined) return host.behaviour(request, response);
    const content = files.get(request.url!);
    response
      .writeHead(content === undefined ? 404 : 200, { 'Content-Type': 'text/plain' })
      .end(content ?? '');
  });
  server.listen(0, address);
  await once(server, 'listening');
  const name = `${address}:${(server.address() as AddressInfo).port}`;
  const host: PageHostServer = {
    host: name,
    origin: `http://${name}`,
    files,
    visits,
    behaviour: undefined,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return host;
}
