/** Rules for every route of the dashboard, with those of the customer's API. The routers tell which routes there are. */
import { describe, expect, test } from 'vitest';
import { newToken } from '../../src/features/accounts/secret-token.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';
import { everyRow } from '../support/every-row.ts';
import { sampleOf } from '../support/property-runs.ts';
import { fillAccount } from './filled-account.ts';
import {
  BODIES,
  bodyOf,
  isOurs,
  NEED_SESSION,
  PUBLIC,
  pathsWith,
  ROUTES,
  shown,
  type TableRoute,
} from './route-table.ts';
import { runDashboard } from './running-dashboard.ts';

const { database, origin, ask, askWith, signIn } = await runDashboard();

const OURS = ROUTES.filter(isOurs);
const UNSAFE = OURS.filter(({ method }) => method !== 'GET');

test('the table has the routes', () => {
  expect(OURS.length).toBeGreaterThan(30);
  expect(UNSAFE.length).toBeGreaterThan(15);
  expect(ROUTES.map(shown)).toEqual(expect.arrayContaining(PUBLIC));
});

/** Attempts of others are as those that never were. Each account has its own names of connections. */
const ANSWERS_ALL = ['/dashboard/api/attempts/:token', '/dashboard/api/connections/:name'];

test('every route that changes what its path names has a body here', () => {
  const changing = NEED_SESSION.filter(
    ({ method, path, isCustomers }) =>
      !isCustomers && path.includes(':') && ['PATCH', 'POST', 'PUT'].includes(method),
  );
  expect(changing.map(shown).sort()).toEqual(Object.keys(BODIES).sort());
});

const anyPath = (route: TableRoute) => pathsWith(route, ['x'])[0]!;

describe('without a session', async () => {
  const accountId = await addAccount(database);
  const { key } = await createKey(database, newId, accountId, 'test');
  const port = new URL(origin).port;
  const strangers: Readonly<Record<string, Record<string, string>>> = {
    nothing: {},
    'a key': { 'X-API-Key': key, Authorization: `Bearer ${key}` },
    'an unknown token': { Cookie: `waypost-${port}=${newToken()}` },
    'the cookie of another port': { Cookie: (await signIn(accountId)).replace(port, '1') },
  };

  test.each(NEED_SESSION.map((route) => [shown(route), route] as const))('%s is 401', async (_, route) => {
    for (const [stranger, headers] of Object.entries(strangers)) {
      const answered = await ask(`${route.method} ${anyPath(route)}`, {
        headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
      });
      expect({ stranger, status: answered.status, code: answered.json.error?.code }).toEqual({
        ...{ stranger, status: 401, code: 'UNAUTHORIZED' },
      });
      expect(answered.headers.get('www-authenticate')).toBe('Cookie realm="waypost"');
      expect(answered.headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('from another page', async () => {
  const Cookie = await signIn(await addAccount(database));
  const otherPort = `http://127.0.0.1:${Number(new URL(origin).port) - 1}`;
  const pages: readonly Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://example.net' },
    { 'Sec-Fetch-Site': 'same-site', Origin: otherPort },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: otherPort },
    { Origin: 'null' },
    { Origin: origin.replace('127.0.0.1', 'localhost') },
    {},
  ];

  // Mail programs of others end mails by a POST (RFC 8058).
  const others = UNSAFE.filter((route) => shown(route) !== 'POST /auth/mail/stop');
  test.each(others.map((route) => [shown(route), route] as const))('%s is 403', async (_, route) => {
    for (const headers of pages) {
      // An object of type text/plain is what a form of another page may send.
      for (const type of ['application/json', 'text/plain']) {
        const answered = await ask(`${route.method} ${anyPath(route)}`, {
          headers: { Cookie, ...headers, 'Content-Type': type },
          ...(route.method !== 'DELETE' && { body: {} }),
        });
        expect({ headers, status: answered.status, code: answered.json.error?.code }).toEqual({
          ...{ headers, status: 403, code: 'FORBIDDEN' },
        });
      }
    }
    expect((await ask('GET /dashboard/api/session', { headers: { Cookie } })).status).toBe(200);
  });
});

/** Stands in everything that the other account has. */
const MARK = 'zebra';

describe('of another account', async () => {
  const [own, other] = [await addAccount(database), await addAccount(database)];
  const asOther = askWith(await signIn(other));
  const cookie = await signIn(own);
  const named = await fillAccount(database, other, asOther, MARK);
  const names = namesIn(await allRows(), other);
  const before = await rowsWith(names);
  const ids = before.flatMap((row) =>
    Array.from(row.matchAll(/"((?:[a-z]+_)[0-9A-Za-z]{22})"/g), ([, id]) => id!),
  );
  const values = [...new Set([...ids, ...named, 'default'])].filter((id) => id !== other);

  test('there is something to find', () => {
    const kinds = new Set(values.map((id) => id.split('_')[0]));
    expect([...kinds]).toEqual(
      expect.arrayContaining(['domain', 'upload', 'webhook', 'session', 'user', 'key', 'default']),
    );
  });

  /** With every id. Some need a query, too. A short run takes a part of the pairs whose first id is of another kind. */
  function requestsOf(route: TableRoute) {
    const body = bodyOf(route);
    const queries = route.method === 'GET' ? ['', '?file=1'] : [''];
    const paths = pathsWith(route, values);
    const isLikely = (path: string) => !/:.*:/.test(route.path) || /\/(domain|webhook)s\/\1_/.test(path);
    const unlikely = paths.filter((path) => !isLikely(path));
    return [...paths.filter(isLikely), ...sampleOf(unlikely)].flatMap((path) =>
      queries.map((query) => ({ asked: `${route.method} ${path}${query}`, asking: body && { body } })),
    );
  }

  test('its own people do find it', async () => {
    const found = [];
    for (const route of NEED_SESSION.filter(({ method, path }) => method === 'GET' && path.includes(':'))) {
      const answers = requestsOf(route).map(({ asked }) => asOther(asked));
      if ((await Promise.all(answers)).some(({ text }) => text.includes(MARK))) found.push(route.path);
    }
    expect(found).toEqual(
      expect.arrayContaining([
        '/dashboard/api/domains/:id',
        '/dashboard/api/attempts/:token',
        '/dashboard/api/domains/:id/sitemaps',
        '/dashboard/api/domains/:id/sitemaps/:name/files',
        '/dashboard/api/domains/:id/sitemaps/:name/urls',
        '/dashboard/api/uploads/:id',
        '/dashboard/api/webhooks/:id',
      ]),
    );
  });

  const withIds = NEED_SESSION.filter(({ path }) => path.includes(':'));
  test.each(withIds.map((route) => [shown(route), route] as const))(
    '%s shows and changes nothing',
    async (_, route) => {
      for (const { asked, asking } of requestsOf(route)) {
        const { status, text } = await askWith(cookie)(asked, asking);
        const isExpected = (code: number) =>
          (code >= 400 && code < 500) || (code === 200 && ANSWERS_ALL.includes(route.path));
        expect({ asked, status, text }).toEqual({
          asked,
          status: expect.toSatisfy(isExpected),
          text: expect.not.stringContaining(MARK),
        });
      }
      expect(await rowsWith(names)).toEqual(before);
    },
  );

  const withoutIds = NEED_SESSION.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
  test.each(withoutIds.map((route) => [shown(route), route] as const))(
    '%s shows nothing',
    async (_, { path }) => {
      const queries = ['', ...values.flatMap((id) => [`?domain=${id}`, `?search=${MARK}&cursor=${id}`])];
      for (const query of queries) {
        const { status, text } = await askWith(cookie)(`GET ${path}${query}`);
        // A refusal may repeat the asked value.
        if (status !== 422)
          expect({ path, query, text }).toEqual({ path, query, text: expect.not.stringContaining(MARK) });
      }
    },
  );
});

const allRows = () => everyRow(database, { tables: ['rate_limits'] });

/** The ids of the account and of all that belongs to it: a row that names an id of the account belongs to the account, too. */
function namesIn(rows: readonly string[], accountId: string): ReadonlySet<string> {
  const names = new Set([accountId]);
  for (let size = 0; size < names.size; ) {
    size = names.size;
    for (const row of rows.filter((row) => isOf(names, row))) {
      for (const [, id] of row.matchAll(
        /"((?:domain|upload|webhook|user|session|key|event)_[0-9A-Za-z]{22})"/g,
      ))
        names.add(id!);
    }
  }
  return names;
}

/** A new row of the account names the account, or something that it had before. */
const rowsWith = async (names: ReadonlySet<string>) => (await allRows()).filter((row) => isOf(names, row));

const isOf = (names: ReadonlySet<string>, row: string) => names.values().some((name) => row.includes(name));
