/** Starts page hosts: one server that answers at every address of 127.0.0.0/8. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

export interface PageHosts {
  readonly port: number;
  /** The origin of the n-th host. Each host has its own address. */
  origin(n: number): string;
  /** The robots.txt of each origin, or another answer. */
  readonly robots: Map<string, string | Answer>;
  /** The requested origins, in order. */
  readonly asked: string[];
  /** Cuts all connections, and so ends answers that hang. */
  cut(): void;
}

/** A host without an entry in `robots` has no robots.txt. The server closes at the end of the test file. */
export async function startRobots(): Promise<PageHosts> {
  const robots: PageHosts['robots'] = new Map();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    asked.push(origin);
    const answer = robots.get(origin);
    if (typeof answer === 'string') response.end(answer);
    else if (answer !== undefined) answer(response, request);
    else response.writeHead(404).end('Nothing here');
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    port,
    origin: (n) => `http://127.1.${Math.floor(n / 250)}.${(n % 250) + 1}:${port}`,
    robots,
    asked,
    cut: () => server.closeAllConnections(),
  };
}
