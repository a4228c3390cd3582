/** Serves Express routes over HTTP, on a server with our defaults. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { createWebComplaints } from '../../src/core/web/complaints.ts';
import { createWebServer } from '../../src/core/web/create-web-server.ts';
import { collectLog } from './collect-log.ts';
import { atEndOfFile } from './end-of-file.ts';

export interface RouteAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  readonly json: any;
}

/** Sends a request, as in `call('POST /dashboard/api/keys', body)`. */
type Call = (
  route: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<RouteAnswer>;

export interface ServedRoutes {
  readonly origin: string;
  readonly call: Call;
}

const started: Server[] = [];
atEndOfFile(() => {
  for (const server of started.splice(0)) server.close().closeAllConnections();
});

/** Starts the server. It closes at the end of the test file. */
export async function serveRoutes(routes: readonly RequestHandler[]): Promise<ServedRoutes> {
  const server = createWebServer(
    {
      complain: createWebComplaints(collectLog()),
      reports: { answered: () => {}, refused: () => {} },
      trustedProxies: 0,
      checkHealth: async () => {},
    },
    routes,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  started.push(server);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call: Call = async (route, body, headers = {}) => {
    const [method, path] = route.split(' ') as [string, string];
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(origin + path, {
      method,
      headers: { ...headers, ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, json: await answer.json() };
  };
  return { origin, call };
}
