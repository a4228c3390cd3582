/** Express routes over HTTP, on a server with our defaults. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { afterAll } from 'vitest';
import { createWebComplaints } from '../../src/web/complaints.ts';
import { createWebServer } from '../../src/web/create-web-server.ts';
import { collectLog } from './collect-log.ts';

export interface RouteAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  readonly json: any;
}

/** `call('POST /dashboard/api/keys', body)`. */
export type Call = (
  route: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<RouteAnswer>;

export async function serveRoutes(routes: readonly RequestHandler[]): Promise<Call> {
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
  afterAll(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return async (route, body, headers = {}) => {
    const [method, path] = route.split(' ') as [string, string];
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, json: await answer.json() };
  };
}
