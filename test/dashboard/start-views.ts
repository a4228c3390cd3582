/** A server with routes of the dashboard, for people whose account stands in a header. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { afterAll } from 'vitest';
import type { Person, SignedIn } from '../../src/dashboard/signed-in.ts';
import { createWebComplaints } from '../../src/web/complaints.ts';
import { createWebServer } from '../../src/web/create-web-server.ts';
import { requireKnownQuery } from '../../src/web/known-query.ts';
import { send } from '../service/support/send.ts';
import { type CollectedLog, collectLog } from '../support/collect-log.ts';

const ACCOUNT_HEADER = 'test-account';

const started: Server[] = [];
afterAll(() => {
  for (const server of started) server.close().closeAllConnections();
});

export interface StartedViews {
  readonly origin: string;
  readonly log: CollectedLog;
  /** `path`: below /dashboard/api/, with its query. */
  get(accountId: string, path: string): Promise<GotAnswer>;
}

interface GotAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  readonly json: any;
}

function personOf(accountId: string): Person {
  return {
    ...{ accountId, keyId: null, address: null, plan: 'business', isSuspended: false, role: 'owner' },
    session: { id: 'session_of_test', userId: 'user_of_test' },
  };
}

export async function startViews(
  routesFor: (signedIn: SignedIn) => readonly RequestHandler[],
): Promise<StartedViews> {
  const log = collectLog();
  const signedIn: SignedIn =
    (handle, { query = [] } = {}) =>
    async (request, response) => {
      requireKnownQuery(request, query);
      await handle(personOf(request.get(ACCOUNT_HEADER)!), request, response);
    };
  const web = { complain: createWebComplaints(log), trustedProxies: 0, checkHealth: async () => {} };
  const reports = { answered() {}, refused() {} };
  const server = createWebServer({ ...web, reports }, routesFor(signedIn)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  started.push(server);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    log,
    async get(accountId, path) {
      const headers = { [ACCOUNT_HEADER]: accountId };
      const { status, body } = await send(`${origin}/dashboard/api/${path}`, { headers });
      return { status, json: JSON.parse(body.toString()) };
    },
  };
}
