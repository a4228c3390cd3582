/**
 * The matrix of all operations and all scopes. The operations are those of the API's description, so a new one joins by itself.
 * Requests name everything that two accounts have.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { KEY_ACTIONS } from '../../../src/features/accounts/key-actions.ts';
import type { KeyScope } from '../../../src/features/accounts/key-scope.ts';
import { newId } from '../../../src/platform/ids.ts';
import { type Ask, runDashboard } from '../../dashboard/running-dashboard.ts';
import { addAccount } from '../../support/accounts.ts';
import { createKey } from '../../support/create-key.ts';
import { everyRow } from '../../support/every-row.ts';
import { sampleOf } from '../../support/property-runs.ts';
import { ASKED_URL, KEY_OPERATIONS, type Named, requestsOf } from './described-requests.ts';
import { addConnection, addWebhook, type FilledDomain, fillDomain, WORDS } from './filled-world.ts';

const { database, ask } = await runDashboard({ PLANS: '{"enterprise":{"requestsPerMinute":1000000}}' });

const account = await addAccount(database, 'enterprise');
const stranger = await addAccount(database, 'enterprise');
const EVERYTHING: KeyScope = { actions: null, domainIds: null, sitemapNames: null, ranges: null };

async function keyOf(accountId: string, limits?: Partial<KeyScope>): Promise<Ask> {
  const scope = limits === undefined ? null : { ...EVERYTHING, ...limits };
  const made = await createKey(database, newId, accountId, 'matrix', { scope });
  const own = { 'X-API-Key': made!.key };
  return (route, { body, headers } = {}) =>
    ask(route, { headers: { ...own, ...headers }, ...(body && { body }) });
}

const full = await keyOf(account);
const first = await fillDomain(full, 'alpha', [WORDS.own, WORDS.ownOther]);
const second = await fillDomain(full, WORDS.second, [WORDS.second]);
const strangers = await keyOf(stranger);
const foreign = await fillDomain(strangers, WORDS.stranger, [WORDS.stranger]);
const webhooks = [await addWebhook(full, WORDS.second), await addWebhook(strangers, WORDS.stranger)];

const connections = [await addConnection(full, WORDS.second), await addConnection(strangers, WORDS.stranger)];

const domains = [first, second, foreign];
const sitemaps = domains.flatMap((domain) => domain.sitemaps);
const named: Named = {
  domains: domains.map(({ id }) => id),
  hostnames: domains.map(({ hostname }) => hostname),
  sitemaps: sitemaps.map(({ name }) => name),
  uploads: sitemaps.flatMap(({ uploads }) => uploads),
  sessions: sitemaps.map(({ session }) => session),
  webhooks,
  connections,
};

const operations = KEY_OPERATIONS.map((operation) => [operation.operationId, operation] as const);

/** All rows but those that count requests. */
const allRows = (except: readonly string[] = []) =>
  everyRow(database, {
    tables: ['rate_limits', 'request_days', ...except],
    columns: ['last_used_at'],
  });

/** Returns a check that all rows are as they were at its last call, or when the tests of the block began. */
function watchRows(except?: readonly string[]): () => Promise<void> {
  let rows: readonly string[];
  beforeAll(async () => {
    rows = await allRows(except);
  });
  return async () => {
    const before = rows;
    rows = await allRows(except);
    expect(rows).toEqual(before);
  };
}

test('every operation that takes a key says what the key needs', () => {
  expect(operations.length).toBeGreaterThan(40);
  const without = KEY_OPERATIONS.filter(({ access }) => access === undefined);
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
  const used = new Set(KEY_OPERATIONS.flatMap(({ access }) => access.actions));
  expect([...used].sort()).toEqual([...KEY_ACTIONS].sort());
});

describe('a key without the action', async () => {
  const nothingHasChanged = watchRows();
  const keys = new Map<string, Ask>();
  for (const { access } of KEY_OPERATIONS) {
    const lacks = access.actions.join();
    const actions = KEY_ACTIONS.filter((action) => !access.actions.includes(action));
    if (!keys.has(lacks)) keys.set(lacks, await keyOf(account, { actions }));
  }

  test.each(operations)('%s refuses it before any effect', async (_, operation) => {
    // Whatever they name: a short run takes a part of the others.
    const [one, ...others] = requestsOf(operation, named);
    for (const { route, body } of [one!, ...sampleOf(others)]) {
      const headers =
        operation.method === 'POST'
          ? { 'Idempotency-Key': `matrix ${route}`.slice(0, 99).replaceAll(' ', '-') }
          : {};
      const answered = await keys.get(operation.access.actions.join())!(route, {
        ...(body && { body }),
        headers,
      });
      expect({ route, status: answered.status, error: answered.json.error }).toEqual({
        route,
        status: 403,
        error: {
          code: 'FORBIDDEN',
          message: expect.stringContaining('lacks the action'),
          details: { actions: operation.access.actions },
        },
      });
    }
    await nothingHasChanged();
  });
});

interface Limited {
  readonly limits: Partial<KeyScope>;
  /** The texts that answers to this key never show. */
  readonly unseen: readonly string[];
  /** The names and ids that this key may use. */
  readonly within: readonly string[];
}

const withinOf = ({ id, hostname, sitemaps: all }: FilledDomain, names: readonly string[]) => [
  ...[id, hostname],
  ...all.flatMap(({ name, uploads, session }) => (names.includes(name) ? [name, session, ...uploads] : [])),
];

const LIMITED: Readonly<Record<string, Limited>> = {
  'to a domain': {
    limits: { domainIds: [first.id] },
    unseen: [WORDS.second, WORDS.stranger],
    within: [...withinOf(first, [WORDS.own, WORDS.ownOther]), WORDS.second, WORDS.stranger],
  },
  'to a sitemap': {
    limits: { sitemapNames: [WORDS.own] },
    unseen: [WORDS.ownOther, WORDS.second, WORDS.stranger],
    within: [...withinOf(first, [WORDS.own]), second.id, second.hostname],
  },
  'to a sitemap of a domain': {
    limits: { domainIds: [first.id], sitemapNames: [WORDS.own] },
    unseen: [WORDS.ownOther, WORDS.second, WORDS.stranger],
    within: withinOf(first, [WORDS.own]),
  },
  'to uploads to a sitemap of a domain': {
    limits: { actions: ['upload'], domainIds: [first.id], sitemapNames: [WORDS.own] },
    unseen: [WORDS.ownOther, WORDS.second, WORDS.stranger],
    within: withinOf(first, [WORDS.own]),
  },
  'to a domain that is deleted': {
    limits: { domainIds: ['domain_0000000000000000000000'] },
    unseen: Object.values(WORDS),
    within: [],
  },
};

/** An upload of a key to a sitemap that is not its own is recorded as refused in the domain, for people to see. */
const RECORDS_OF_REFUSALS = ['attempts', 'upload_days', 'webhook_events', 'webhook_deliveries'];

describe.each(Object.entries(LIMITED))('a key that is limited %s', async (_, { limits, unseen, within }) => {
  const nothingElseHasChanged = watchRows(RECORDS_OF_REFUSALS);
  const asked = await keyOf(account, limits);
  /** Hides the names that the request or the scope has: an answer may repeat them. */
  const told = (text: string, names: readonly string[]) =>
    names.reduce((rest, name) => rest.replaceAll(name, '·'), text);

  test.each(operations)('%s shows and changes nothing else', async (_, operation) => {
    for (const { route, body, names } of requestsOf(operation, named)) {
      const { to } = operation.access;
      const isWithin = to === 'nothing' || (to !== 'account' && names.every((name) => within.includes(name)));
      if (isWithin && operation.method !== 'GET') continue;
      const { status, text } = await asked(route, { ...(body && { body }) });
      const news = told(text, [ASKED_URL, ...names, ...within.filter((name) => name.includes('.'))]);
      const shown = unseen.filter((word) => news.includes(word));
      expect({ route, shown, text }).toEqual({ route, shown: [], text });
      if (!isWithin) {
        expect({ route, status, text }).toEqual({ route, status: expect.toSatisfy(isRefused), text });
      }
    }
    await nothingElseHasChanged();
  });
});

const isRefused = (status: number) => status === 403 || status === 404;

test('a key is not admitted from elsewhere', async () => {
  const before = await allRows();
  const elsewhere = await keyOf(account, { ranges: ['192.0.2.0/24', '2001:db8::/32'] });
  for (const [, operation] of operations) {
    const { route, body } = requestsOf(operation, named)[0]!;
    const { status, json } = await elsewhere(route, { ...(body && { body }) });
    expect({ route, status, error: json.error }).toMatchObject({
      ...{ route, status: 403 },
      error: { message: 'This key may not be used from 127.0.0.1.' },
    });
  }
  expect((await allRows()).length).toBe(before.length + 1);
  const here = await keyOf(account, { ranges: ['192.0.2.0/24', '127.0.0.0/8'] });
  expect((await here('GET /api/domains')).status).toBe(200);
});

test('a key with a scope gets no answer that another key got', async () => {
  const body = {
    domain: first.hostname,
    sitemapName: 'retried',
    urls: [{ loc: 'https://www.example.com/' }],
  };
  const headers = { 'Idempotency-Key': 'the-same' };
  const replayed = async (by: Ask) =>
    (await by('POST /api/sitemap/generate', { body, headers })).headers.get('idempotency-replayed');
  const limited = await keyOf(account, { domainIds: [first.id] });
  const answers = [
    await replayed(full),
    await replayed(full),
    await replayed(limited),
    await replayed(limited),
  ];
  expect(answers).toEqual([null, 'true', null, 'true']);
  expect(await replayed(await keyOf(account, { domainIds: [first.id] }))).toBe(null);
});

test('a load from a bucket tells a limited key nothing about other domains', async () => {
  const limited = await keyOf(account, { domainIds: [first.id] });
  const load = async (domain: string) => {
    const body = { domain, connection: 'nowhere', sources: ['s3://lake/a.csv'] };
    return (await limited('POST /api/sitemap/load', { body })).json.error;
  };
  expect(await load(first.hostname)).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await load(second.hostname)).toEqual(await load('unknown.example.com'));
});

test('a key within its scope does its work', async () => {
  const scope = { domainIds: [first.id], sitemapNames: [WORDS.own] };
  const { session, uploads } = first.sitemaps[0]!;
  const uploader = await keyOf(account, { ...scope, actions: ['upload'] });
  const body = { domain: first.hostname, sitemapName: WORDS.own };
  const urls = [{ loc: 'https://www.example.com/' }];
  const path = `/api/domains/${first.id}/sitemaps/${WORDS.own}`;
  const statuses: Record<string, number> = {};
  const run = async (by: Ask, route: string, given?: object) => {
    statuses[route.replace(/_\w+/g, '')] = (await by(route, given && { body: given })).status;
  };
  await run(uploader, 'POST /api/sitemap/generate', { ...body, urls, force: true });
  await run(uploader, 'POST /api/sitemap/delta', { ...body, upsert: [{ loc: 'https://www.example.com/b' }] });
  await run(uploader, `GET /api/uploads/${uploads[0]}`);
  await run(uploader, `GET /api/uploads/${uploads[1]}/rejects`);
  // Many deltas may push the attempt of a held upload out of the list.
  await database.query('DELETE FROM attempts WHERE id = $1', [uploads[2]]);
  await run(uploader, `POST /api/uploads/${uploads[2]}/publish`, { force: true });
  await run(uploader, `PUT /api/upload-sessions/${session}/parts/3`, { urls });
  await run(uploader, `POST /api/upload-sessions/${session}/commit`, {
    partCount: 2,
    urlCount: 21,
    force: true,
  });
  const keeper = await keyOf(account, { ...scope, actions: ['read', 'rollback', 'delete'] });
  await run(keeper, `GET ${path}/generations`);
  await run(keeper, `GET /api/find?url=https://www.example.com/&domain=${first.hostname}`);
  await run(keeper, `POST ${path}/rollback`, { generation: 1 });
  await run(keeper, `DELETE ${path}`);
  const owner = await keyOf(account, { domainIds: [first.id], actions: ['domains'] });
  await run(owner, `PATCH /api/domains/${first.id}`, { placement: 'order' });
  expect(new Set(Object.values(statuses))).toEqual(new Set([200]));
});
