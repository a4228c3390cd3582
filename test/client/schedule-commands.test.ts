/** `waypost schedule`, against a server that plays one. */
import { expect, test } from 'vitest';
import { type Reply, startFakeWaypost } from './support/fake-waypost.ts';
import { startCommandLine } from './support/run-client.ts';

const waypost = await startFakeWaypost();
const runCommand = startCommandLine();
const SCHEDULE = {
  ...{ sitemapName: 'products', cron: '0 6 * * *', timezone: 'Europe/Berlin', enabled: true, hook: false },
  words: 'Every day at 06:00 Europe/Berlin',
  nextRuns: ['2026-01-16T05:00:00Z'],
  ...{ waiting: false, asked: false, uploadId: null, failures: 2 },
  runs: [{ beganAt: '2026-01-15T05:00:23Z', cause: 'time', outcome: 'refused', message: 'answers 404' }],
};
const PLACE = '/api/domains/domain_1/sitemaps/products/schedule';

waypost.play(async ({ route }, { whole }): Promise<Reply> => {
  await whole();
  if (route === 'GET /api/domains') {
    return { data: [{ id: 'domain_1', hostname: 'maps.example.com' }], pagination: { hasMore: false } };
  }
  if (route.startsWith('GET /api/domains/domain_1/schedules')) {
    return { data: [SCHEDULE], pagination: { hasMore: false } };
  }
  if (route.endsWith('/hook')) return { status: 201, data: { path: '/api/hooks/secret' } };
  if (route.endsWith('/run')) return { status: 202, data: { status: 'queued' } };
  return { data: route.startsWith('DELETE') ? { deleted: true } : SCHEDULE };
});

async function run(...args: string[]) {
  const before = waypost.seen.length;
  const ended = await runCommand(['schedule', ...args], { url: waypost.url });
  const asked = waypost.seen
    .slice(before)
    .filter(({ route }) => route !== 'GET /api/domains')
    .map(({ route, body }) => ({ route, body: body.length === 0 ? undefined : JSON.parse(body.toString()) }));
  return { ...ended, asked };
}

test('a schedule is set, with its hook', async () => {
  const { code, stdout, asked } = await run(
    ...['set', 'maps.example.com', 'products', '--cron', '0 6 * * *', '--cron-timezone', 'Europe/Berlin'],
    ...['--source', 'www.example.com', '-s', 'https://www.example.com/b.csv', '--skip-missing', '--hook'],
  );
  expect(code).toBe(0);
  const sources = ['https://www.example.com/robots.txt', 'https://www.example.com/b.csv'];
  expect(asked).toEqual([
    {
      route: `PUT ${PLACE}`,
      body: { cron: '0 6 * * *', timezone: 'Europe/Berlin', load: { sources, onMissing: 'skip' } },
    },
    { route: `POST ${PLACE}/hook`, body: undefined },
  ]);
  expect(stdout).toBe(
    'products: Every day at 06:00 Europe/Berlin, failed 2 times in a row\n' +
      `  2026-01-16T05:00:00Z\nHook: ${waypost.url}/api/hooks/secret\n`,
  );
});

test('schedules are listed, and one is shown with its runs', async () => {
  const listed = await run('list', 'maps.example.com');
  expect(listed.stdout).toContain('products  Every day at 06:00 Europe/Berlin  2026-01-16T05:00:00Z');
  const shown = await run('show', 'maps.example.com', 'products');
  expect(shown.stdout).toContain('2026-01-15T05:00:23Z  time   refused  answers 404');
});

test.each([
  ['run', [], [{ route: `POST ${PLACE}/run`, body: undefined }]],
  ['pause', [], [{ route: `PATCH ${PLACE}`, body: { enabled: false } }]],
  ['resume', [], [{ route: `PATCH ${PLACE}`, body: { enabled: true } }]],
  ['delete', ['--yes'], [{ route: `DELETE ${PLACE}`, body: undefined }]],
])('%s', async (verb, more, wanted) => {
  const { code, asked } = await run(verb, 'maps.example.com', 'products', ...more);
  expect({ code, asked }).toEqual({ code: 0, asked: wanted });
});
