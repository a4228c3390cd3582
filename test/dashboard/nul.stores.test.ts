/**
 * Postgres takes no NUL. Every query parameter and member that a route knows has one here; the refusals say
 * which there are.
 */
import { expect, test } from 'vitest';
import { addAccount } from '../support/accounts.ts';
import { fillAccount } from './filled-account.ts';
import { bodyOf, NEED_SESSION, shown, type TableRoute } from './route-table.ts';
import { runDashboard } from './running-dashboard.ts';

const { database, askWith, signIn } = await runDashboard();
const accountId = await addAccount(database);
const ask = askWith(await signIn(accountId));
const [attempt] = await fillAccount(database, accountId, ask, 'zebra');

const NUL = 'a\0b';
/** A value with NUL for parameters that may also be an id. */
const NUL_IN_ID = 'domain_\0';
const UNKNOWN = 'qqqqqqqqqqqqqqqq';
const LISTED = /expected one of ([\w, ]+)/;
const THING = /^\/dashboard\/api\/(\w+)\/:id/;
const PARAMETER = /:\w+/g;

/** The table of each id in a path. The account is the only one. */
const TABLES: Readonly<Record<string, string>> = {
  domains: 'domains',
  uploads: 'uploads',
  webhooks: 'webhook_endpoints',
};

/** With ids that exist, so that routes go on to what they read after the path. */
async function pathOf({ path }: TableRoute): Promise<string> {
  const table = TABLES[THING.exec(path)?.[1] ?? ''];
  const { rows } = table === undefined ? { rows: [] } : await database.query(`SELECT id FROM ${table}`);
  const values: Readonly<Record<string, string>> = {
    ':id': rows[0]?.id,
    ':name': 'default',
    ':token': attempt!,
  };
  return path.replaceAll(PARAMETER, (parameter) => values[parameter] ?? 'x');
}

function namesIn(text: string): string[] {
  return LISTED.exec(text)?.[1]?.split(', ') ?? [];
}

test.each(NEED_SESSION.map((route) => [shown(route), route] as const))(
  '%s refuses NUL in every parameter',
  async (_, route) => {
    const asked = `${route.method} ${await pathOf(route)}`;
    const known = namesIn((await ask(`${asked}?${UNKNOWN}=1`, bodied(route))).text);
    for (const name of known) {
      for (const value of [NUL, NUL_IN_ID]) {
        const { status, text } = await ask(`${asked}?${name}=${encodeURIComponent(value)}`, bodied(route));
        // A preview shows what an upload would be refused for.
        if (status === 200) expect(JSON.parse(text).data.refusal?.field).toBe(name);
        else expect({ name, status, text }).toEqual({ name, status: expect.toSatisfy(isRefusal), text });
      }
    }
  },
);

const withBodies = NEED_SESSION.filter((route) => bodyOf(route) !== undefined);
test.each(withBodies.map((route) => [shown(route), route] as const))(
  '%s refuses NUL in every member',
  async (_, route) => {
    const asked = `${route.method} ${await pathOf(route)}`;
    const whole = bodyOf(route)!;
    const known = namesIn((await ask(asked, { body: { ...whole, [UNKNOWN]: 1 } })).text);
    for (const name of known) {
      const { status, text } = await ask(asked, { body: { ...whole, [name]: NUL } });
      // A preview shows what an upload would be refused for, but it looks for no domain.
      if (status === 200 && name === 'domain' && asked.endsWith('/preview')) continue;
      if (status === 200) expect(JSON.parse(text).data.refusal?.field).toBe(name);
      else expect({ name, status, text }).toEqual({ name, status: expect.toSatisfy(isRefusal), text });
    }
  },
);

test('the refusals name parameters and members', async () => {
  expect(namesIn((await ask(`GET /dashboard/api/overview/domains?${UNKNOWN}=1`)).text)).toEqual([
    'search',
    'filter',
    'order',
    'limit',
    'cursor',
  ]);
  expect(namesIn((await ask('POST /dashboard/api/keys', { body: { [UNKNOWN]: 1 } })).text)).toEqual([
    'name',
    'expiresAt',
    'actions',
    'domain',
    'sitemaps',
    'fromRanges',
    'endsWithCreator',
  ]);
});

function bodied(route: TableRoute) {
  const body = bodyOf(route);
  return body && { body };
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
