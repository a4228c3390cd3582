/** Schedules and lists in the package for Python: what is asked for and returned. The recipe of its page runs as printed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { type Reply, startFakeWaypost } from '../client/support/fake-waypost.ts';
import { runClient } from '../client/support/run-client.ts';
import { needs } from '../support/needs.ts';

const FOLDER = join(PROJECT, 'python');
const PAGE = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const RECIPE = PAGE.split('## Schedules')[1]!.split('```python\n')[1]!.split('```')[0]!;
const PLACE = '/api/domains/domain_1/sitemaps/products/schedule';
const waypost = await startFakeWaypost();

const DOMAINS = [
  { id: 'domain_0', hostname: 'other.example.com' },
  { id: 'domain_1', hostname: 'sitemaps.example.com' },
  { id: 'domain_2', hostname: 'xn--mnchen-3ya.example.com' },
];
const SCHEDULE = {
  ...{ sitemapName: 'products', words: 'Every day at 06:00 Europe/Berlin' },
  nextRuns: ['2026-01-16T05:00:00Z'],
};

/** Whether the service is of a version that refuses `hostname` in the list of domains. */
let isFormer = false;

/** Lists come in pages of one row, by the cursor, which is the number of the row. */
function pageOf(rows: readonly unknown[], cursor: string | undefined): Reply {
  const at = Number(cursor ?? 0);
  const hasMore = at + 1 < rows.length;
  const pagination = { hasMore, ...(hasMore && { cursor: String(at + 1) }) };
  return { data: rows.slice(at, at + 1), pagination };
}

waypost.play(async ({ route, query }, { whole }): Promise<Reply> => {
  await whole();
  const path = route.split('?')[0]!;
  if (isFormer && query.hostname !== undefined) {
    const message = 'hostname: is not known here';
    return {
      status: 422,
      error: { code: 'VALIDATION_ERROR', message, details: { field: 'hostname', value: query.hostname } },
    };
  }
  if (path === 'GET /api/domains') return pageOf(DOMAINS, query.cursor);
  if (path.endsWith('/upload-sessions'))
    return pageOf([{ id: 'session_1' }, { id: 'session_2' }], query.cursor);
  if (path.endsWith('/parts')) return pageOf([{ part: 1 }, { part: 2 }, { part: 3 }], query.cursor);
  if (path.endsWith('/schedules'))
    return pageOf([SCHEDULE, { ...SCHEDULE, sitemapName: 'blog' }], query.cursor);
  if (path.endsWith('/hook')) return { status: 201, data: { path: '/api/hooks/secret' } };
  return { data: SCHEDULE };
});

async function run(script: string) {
  const before = waypost.seen.length;
  const ended = await runClient(['-c', script], {
    program: ['python3'],
    url: waypost.url,
    stdin: '',
    environment: { PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const asked = waypost.seen
    .slice(before)
    .filter(({ route }) => !route.startsWith('GET /api/domains?') && route !== 'GET /api/domains')
    .map(({ route, query, body }) => ({
      route: route.split('?')[0],
      ...(Object.keys(query).length > 0 && { query }),
      ...(body.length > 0 && { body: JSON.parse(String(body)) }),
    }));
  return { ...ended, asked };
}

const UUID = /^[\da-f-]{36}$/;

describe('the package', needs('python3'), () => {
  test('sets a schedule and lists all of them, as the page says', async () => {
    const { asked, ...ended } = await run(RECIPE);
    expect(ended).toEqual({
      ...{ code: 0, stderr: '' },
      stdout:
        "products Every day at 06:00 Europe/Berlin ['2026-01-16T05:00:00Z']\nblog Every day at 06:00 Europe/Berlin ['2026-01-16T05:00:00Z']\n",
    });
    expect(asked[0]).toEqual({
      route: `PUT ${PLACE}`,
      body: {
        ...{ cron: '0 6 * * *', timezone: 'Europe/Berlin' },
        load: { sources: ['https://www.example.com/robots.txt'], onMissing: 'skip' },
      },
    });
    expect(asked.slice(1).map(({ query }) => query)).toEqual([
      { limit: '100' },
      { limit: '100', cursor: '1' },
    ]);
  });

  test('pauses, runs and deletes a schedule, and makes its hook', async () => {
    const { asked, stdout, code } = await run(`
from waypost import Waypost
wp = Waypost()
wp.change_schedule("domain_1", "products", enabled=False)
wp.run_schedule("domain_1", "products")
print(wp.make_hook("domain_1", "products"))
wp.delete_schedule("domain_1", "products")
try:
    wp.set_schedule("https://a.example/", "domain_1", force=True)
except TypeError as error:
    print("force" in str(error))
try:
    wp.delete_schedule("domain_1", "..")
except ValueError as error:
    print(error)`);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${waypost.url}/api/hooks/secret\nTrue\n'..' is no name and no id.\n`,
    });
    expect(asked).toEqual([
      { route: `PATCH ${PLACE}`, body: { enabled: false } },
      { route: `POST ${PLACE}/run` },
      { route: `POST ${PLACE}/hook` },
      { route: `DELETE ${PLACE}` },
    ]);
    // Some proxies ask for it.
    const posts = waypost.seen.filter(({ route }) => route.startsWith('POST'));
    expect(posts.map(({ headers }) => headers['content-length'])).toEqual(['0', '0']);
    // An attempt after a lost answer must not run the schedule twice.
    const keys = posts.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('asks for all domains if the service cannot look for a hostname yet', async () => {
    isFormer = true;
    const { asked, stdout, stderr } = await run(`
from waypost import Waypost
print([one["id"] for one in Waypost().sessions("München.example.com")])`);
    isFormer = false;
    expect({ stdout, stderr }).toEqual({ stdout: "['session_1', 'session_2']\n", stderr: '' });
    expect(asked[0]!.route).toBe('GET /api/domains/domain_2/upload-sessions');
  });

  test('lists sessions and parts over all pages, of domains by any of their names', async () => {
    const { asked, stdout, stderr } = await run(`
from waypost import Waypost, Refused
wp = Waypost()
print([one["id"] for one in wp.sessions("München.example.com.", name="products", status="open")])
print([one["part"] for one in wp.parts("session_1")])
try:
    list(wp.sessions("nowhere.example.com"))
except Refused as error:
    print(error.code)`);
    expect({ stdout, stderr }).toEqual({
      stdout: "['session_1', 'session_2']\n[1, 2, 3]\nNOT_FOUND\n",
      stderr: '',
    });
    expect(asked[0]).toEqual({
      route: 'GET /api/domains/domain_2/upload-sessions',
      query: { sitemap: 'products', status: 'open', limit: '100' },
    });
  });
});
