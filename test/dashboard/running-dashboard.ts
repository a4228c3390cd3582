/**
 * The API with its dashboard, as the wiring of the programs makes it, and people who ask it as a browser
 * does.
 */
import { afterAll } from 'vitest';
import { openApi } from '../../src/compose/open-api.ts';
import { openLivePlans } from '../../src/compose/open-live-plans.ts';
import { readConfig } from '../../src/core/config/config.ts';
import { createSignInLink } from '../../src/features/accounts/create-sign-in-link.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { newId } from '../../src/platform/ids.ts';
import { newKeyRingText } from '../../src/platform/key-ring.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { CNAME_TARGETS } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';

const ENVIRONMENT = {
  API_PORT: '0',
  DASHBOARD_SECRET: 'for tests'.padEnd(32, '.'),
  DASHBOARD_REQUESTS_PER_MINUTE: '100000',
  AUTH_FAILURES_PER_MINUTE: '100000',
  RENDER_THREADS: '1',
  IDLE_GRACE_MS: '0',
  DNS_SERVERS: '127.0.0.1:9',
  CERTIFICATE_KEYS: newKeyRingText(),
  WEBHOOK_SECRET: 'for tests'.padEnd(32, '.'),
};

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
}

interface Asking {
  /** A plain object is sent as JSON. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `route`: as in GET /dashboard/api/session. */
export type Ask = (route: string, asking?: Asking) => Promise<Asked>;

/** Call it at the top of a file. It ends with the file. */
export async function runDashboard(environment: Readonly<Record<string, string>> = {}) {
  const { database } = await createTestDatabase();
  const scope = new AsyncDisposableStack();
  const log = collectLog();
  const config = readConfig({ ...ENVIRONMENT, ...environment });
  const port = await openApi({
    ...{ config, database, log, scope, metrics: createMetrics(), publicOrigin: 'https://{hostname}' },
    storage: await openFolderStorage(await createTemporaryFolder()),
    livePlans: await openLivePlans({ database, log, scope, defaults: readPlans(environment.PLANS) }),
    cnameTargets: CNAME_TARGETS,
    trialNames: ['localhost'],
    ownOrigin: (own) => `http://127.0.0.1:${own}`,
  });
  afterAll(() => scope.disposeAsync());
  const url = `http://127.0.0.1:${port}`;
  const origin = config.DASHBOARD_ORIGIN ?? url;
  const ask: Ask = (route, asking) => send(url, route, asking);
  /** Asks as a page of the dashboard does, with this cookie. */
  const askWith = (cookie: string): Ask => {
    const own = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
    return (route, { body, headers } = {}) =>
      ask(route, { headers: { ...own, ...headers }, ...(body && { body }) });
  };
  const linkToken = async (accountId: string) => {
    const link = await createSignInLink({ database, newId }, accountId, origin);
    return new URL(link!).hash.slice(1);
  };
  /** Signs in by a one-time link. Returns the cookie, as a browser sends it. */
  const signIn = async (accountId: string, cookie = '') => {
    const token = await linkToken(accountId);
    return cookieOf(await askWith(cookie)('POST /auth/link', { body: { token } }));
  };
  return { database, log, url, origin, ask, askWith, linkToken, signIn };
}

/** The cookie that the answer sets, as a browser sends it. */
export function cookieOf({ status, text, headers }: Asked): string {
  const [cookie, ...others] = headers.getSetCookie();
  if (status !== 200 || cookie === undefined || others.length > 0) throw new Error(`${status}: ${text}`);
  return cookie.slice(0, cookie.indexOf(';'));
}

async function send(url: string, route: string, { body, headers = {} }: Asking = {}): Promise<Asked> {
  const [method = '', path = ''] = route.split(' ');
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const received = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { ...type, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await received.text();
  const isJson = received.headers.get('content-type')?.startsWith('application/json');
  return { status: received.status, headers: received.headers, text, json: isJson && JSON.parse(text) };
}
