/** The commands beside `upload`. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { API_KEY, type Reply, startFakeWaypost } from './support/fake-waypost.ts';
import { PUBLISHED } from './support/published.ts';
import { runClient, startCommandLine } from './support/run-client.ts';

const folder = await createTemporaryFolder();
const waypost = await startFakeWaypost();
const runCommand = startCommandLine();
const DOMAIN = {
  id: 'domain_1',
  hostname: 'maps.example.com',
  status: 'active',
  sslStatus: 'active',
  cnameTarget: 'abc.cname.example.net',
  urlCount: 1234567,
  sitemapCount: 25,
  lastUpdated: '2026-01-15T10:00:00Z',
  createdAt: '2026-01-15T10:00:00Z',
};
const ATTEMPT = {
  id: 'upload_1',
  domain: 'maps.example.com',
  sitemapName: 'default',
  outcome: 'held',
  startedAt: '2026-01-15T10:00:00Z',
  endedAt: '2026-01-15T10:00:02Z',
  durationMs: 2000,
  form: 'csv',
  encoding: 'gzip',
  bytesReceived: 12_345_678,
  urlCount: 1000,
  filesGenerated: 1,
  rejected: 2,
  generation: null,
  code: 'CONFLICT',
  message: 'It removes 90 %.',
  errors: [{ line: 3, field: 'loc', value: 'x', message: 'must be a URL' }],
  errorCount: 2,
  userAgent: null,
  keyId: 'key_1',
};
const GENERATION = {
  generation: 41,
  kind: 'rollback',
  uploadId: 'upload_1',
  urlCount: 1000,
  filesGenerated: 1,
  gzipBytes: 5000,
  publishedAt: '2026-01-15T10:00:00Z',
  live: true,
  restores: 39,
  canRollBack: true,
};

const FIND = 'GET /api/find';
const PLACE = {
  domain: 'maps.example.com',
  sitemapName: 'news',
  generation: 41,
  file: { n: 2, url: 'https://maps.example.com/sitemap-news.2.xml', lastmod: '2026-01-15T10:00:00Z' },
  entry: '<url><loc>https://a.example/1</loc></url>',
};
const PAST = { generation: 39, publishedAt: '2026-01-10T10:00:00Z', by: 'Nightly export', others: 3 };
const FOUND = {
  url: 'https://a.example/1',
  found: false,
  places: [],
  near: [],
  removed: null,
  hasMore: false,
  complete: true,
  filesLeft: 0,
  filesUnreadable: 0,
  sitemapsLeft: 0,
};

/** `replies`: by route. The list of domains is always there. */
async function run(args: string, replies: Readonly<Record<string, Reply>> = {}) {
  const all: Record<string, Reply> = { 'GET /api/domains': { data: [DOMAIN] }, ...replies };
  const bodies: string[] = [];
  waypost.play(async (seen, request) => {
    await request.whole();
    if (seen.bytes > 0) bodies.push(seen.body.toString());
    return all[seen.route] ?? { status: 404, error: { code: 'NOT_FOUND', message: `No ${seen.route}.` } };
  });
  const ended = await runCommand(args.split(' '), { url: waypost.url });
  return {
    ...ended,
    routes: waypost.seen.map(({ route }) => route),
    queries: waypost.seen.map(({ query }) => query),
    bodies,
  };
}

const ON_DOMAIN = '/api/domains/domain_1';

describe('domains', () => {
  test('list shows a table, or JSON', async () => {
    const { stdout } = await run('domains');
    expect(stdout).toMatch(/^HOSTNAME +STATUS .*\nmaps\.example\.com +active +active +1,234,567 +25 +2026/);
    expect(JSON.parse((await run('domains list --json')).stdout)).toEqual([DOMAIN]);
  });

  test('an answer from elsewhere says to check the address', async () => {
    for (const error of [{ code: 'NOT_FOUND', message: 'There is nothing at this path.' }, undefined]) {
      const reply = error === undefined ? { status: 200, text: '<html>' } : { status: 404, error };
      const { stderr } = await run('domains', { 'GET /api/domains': reply });
      expect(stderr).toContain('Check the address of the API, which ends before /api');
    }
  });

  test('add prints the record to make', async () => {
    const { code, stdout, bodies } = await run('domains add maps.example.com', {
      'POST /api/domains': { data: DOMAIN },
    });
    expect(code).toBe(0);
    expect(bodies).toEqual(['{"hostname":"maps.example.com"}']);
    expect(stdout).toContain('DNS record: maps.example.com CNAME abc.cname.example.net');
  });

  test.for([
    ['verified', 0],
    ['pending_verification', 1],
  ] as const)('verify of one that is then %s ends with %d', async ([status, exit]) => {
    const data = { ...DOMAIN, status, message: 'What was found.' };
    const { code, stdout } = await run('domains verify maps.example.com', {
      [`POST ${ON_DOMAIN}/verify`]: { data },
    });
    expect(stdout).toBe('What was found.\n');
    expect(code).toBe(exit);
  });

  test('delete needs --yes', async () => {
    expect(await run('domains delete maps.example.com')).toMatchObject({ code: 2, routes: [] });
    const reply = { [`DELETE ${ON_DOMAIN}`]: { data: {} } };
    expect(await run('domains delete MAPS.example.com. --yes', reply)).toMatchObject({
      code: 0,
      routes: ['GET /api/domains', `DELETE ${ON_DOMAIN}`],
    });
  });

  test.for([
    ['--max-removed-percent 30', '{"guard":{"maxRemovedPercent":30}}'],
    ['--max-removed-percent 0', '{"guard":{"maxRemovedPercent":0}}'],
    ['--off', '{"guard":null}'],
  ] as const)('guard %s', async ([options, body]) => {
    const reply = { [`PATCH ${ON_DOMAIN}`]: { data: DOMAIN } };
    expect(await run(`domains guard maps.example.com ${options}`, reply)).toMatchObject({
      code: 0,
      bodies: [body],
    });
  });

  test('guard needs to know what', async () => {
    expect(await run('domains guard maps.example.com')).toMatchObject({ code: 2, routes: [] });
    expect(await run('domains guard maps.example.com --off --max-removed-percent 3')).toMatchObject({
      code: 2,
    });
  });

  test.for([
    [
      'on --hours 24',
      { enabled: true, hours: 24 },
      'https://maps.example.com/sitemap-recent.xml lists what changed in the last 24 h',
    ],
    ['on', { enabled: true }, 'lists what changed in the last 72 h'],
    ['off', { enabled: false }, 'There is no sitemap of recent changes'],
  ] as const)('recent %s', async ([options, recent, said]) => {
    const data = { ...DOMAIN, recent: { hours: 72, ...recent } };
    const reply = { [`PATCH ${ON_DOMAIN}`]: { data } };
    expect(await run(`domains recent ${DOMAIN.id} ${options}`, reply)).toMatchObject({
      code: 0,
      bodies: [JSON.stringify({ recent })],
      stdout: expect.stringContaining(said),
    });
  });

  test('recent needs a state and a whole number of hours', async () => {
    for (const options of ['', 'yes', 'on --hours 0', 'on --hours 169', 'on --hours 1.5']) {
      expect(await run(`domains recent maps.example.com ${options}`)).toMatchObject({ code: 2, routes: [] });
    }
  });

  test('one that is not there', async () => {
    const { code, stderr } = await run('sitemaps other.example.com');
    expect(stderr).toBe('waypost: Your account has no domain other.example.com.\n');
    expect(code).toBe(1);
  });
});

describe('uploads', () => {
  test('list shows the newest', async () => {
    const data = Array.from({ length: 30 }, (_, n) => ({ ...ATTEMPT, id: `upload_${n}` }));
    const reply = { [`GET ${ON_DOMAIN}/uploads`]: { data } };
    const { stdout } = await run('uploads maps.example.com --limit 3', reply);
    expect(stdout.split('\n')).toHaveLength(5);
    expect(stdout).toMatch(/upload_2 +default +held +2026-01-15T10:00:00Z +2 +csv +12\.3 MB +1,000 +2\n/);
  });

  test('show has the violations', async () => {
    const { stdout, stderr } = await run('uploads show upload_1', {
      'GET /api/uploads/upload_1': { data: ATTEMPT },
    });
    expect(stdout).toContain('1 × loc: must be a URL (line 3: "x")');
    expect(stderr).toContain('waypost uploads publish upload_1 --force');
  });

  test('show has a message without a code', async () => {
    const data = { ...ATTEMPT, outcome: 'abandoned', code: null, message: 'It was discarded.', errors: [] };
    const { stdout } = await run('uploads show upload_1', { 'GET /api/uploads/upload_1': { data } });
    expect(stdout).toContain('\n  It was discarded.\n');
  });

  test('publish', async () => {
    const reply = { 'POST /api/uploads/upload_1/publish': { data: PUBLISHED } };
    const ended = await run('uploads publish upload_1 --force --if-generation 6', reply);
    expect(ended).toMatchObject({ code: 0, bodies: ['{"force":true,"ifGeneration":6}'] });
    expect(ended.stdout).toContain('generation 7');
  });

  test('rejects are lines of JSON, without controls', async () => {
    const text = '{"index":0,"field":"loc","value":"\u009b","message":"no"}\n';
    const { stdout } = await run('uploads rejects upload_1', {
      'GET /api/uploads/upload_1/rejects': { text },
    });
    expect(stdout).toBe('{"index":0,"field":"loc","value":"\\u009b","message":"no"}\n');
  });

  test('an id cannot leave its path', async () => {
    expect((await run('uploads show ../domains')).routes).toEqual(['GET /api/uploads/..%2Fdomains']);
  });
});

describe('history', () => {
  const sitemap = `${ON_DOMAIN}/sitemaps/news`;

  test('find shows the places of a URL, with its entry', async () => {
    const { code, stdout, routes, queries } = await run(
      'find https://a.example/1 --domain maps.example.com --name news',
      {
        [FIND]: {
          data: {
            ...{ ...FOUND, found: true },
            places: [
              {
                ...{ ...PLACE, added: PAST, changed: null, knownSince: 39 },
                visits: [{ crawler: 'Googlebot', status: 304, lastVisitAt: '2026-01-16T00:00:00Z' }],
              },
            ],
          },
        },
      },
    );
    expect(code).toBe(0);
    expect(routes).toEqual([FIND]);
    expect(queries).toEqual([
      { url: 'https://a.example/1', domain: 'maps.example.com', sitemapName: 'news' },
    ]);
    expect(stdout).toMatch(
      /^DOMAIN +SITEMAP .*\nmaps\.example\.com +news +41 +https:\/\/maps\S+ +2026-01-15/,
    );
    expect(stdout).toContain(PLACE.entry);
    expect(stdout).toContain('Added by generation 39, 2026-01-10T10:00:00Z, by Nightly export.');
    expect(stdout).toContain('Its file was last fetched by Googlebot, 2026-01-16T00:00:00Z, with 304.');
    expect(stdout).not.toContain('Changed by');
    expect(stdout.split(PLACE.file.url)).toHaveLength(2);
    const two = { [FIND]: { data: { ...FOUND, found: true, places: [PLACE, PLACE] } } };
    expect((await run('find https://a.example/1', two)).stdout).toContain(
      `${PLACE.file.url}\n${PLACE.entry}`,
    );
    // An older server tells no past.
    const old = { [FIND]: { data: { ...FOUND, found: true, places: [PLACE] } } };
    expect(await run('find https://a.example/1', old)).toMatchObject({ code: 0 });
  });

  test('find that finds nothing ends with 1, and shows what is near, and what was not searched', async () => {
    const near = [{ loc: 'http://a.example/1/', differences: ['scheme', 'trailingSlash'], ...PLACE }];
    const removed = { ...PAST, domain: 'maps.example.com', sitemapName: 'news', formerGeneration: 38 };
    const data = { ...FOUND, near, removed, complete: false, filesLeft: 3 };
    const { code, stdout, stderr } = await run('find https://a.example/1', { [FIND]: { data } });
    expect(code).toBe(1);
    expect(stdout).toContain('https://a.example/1 is in no sitemap that was searched.');
    expect(stdout).toMatch(/http:\/\/a\.example\/1\/ +http or https, slash at the end +maps\.example\.com/);
    expect(stdout).toContain('Generation 39 of news on maps.example.com removed it');
    expect(stderr).toContain('3 files and 0 sitemaps were not searched.');
    expect(stderr).not.toContain('cannot be read');
    const unreadable = { ...data, filesUnreadable: 3 };
    const damaged = await run('find https://a.example/1', { [FIND]: { data: unreadable } });
    expect(damaged.stderr).toContain('Files that cannot be read, missing or damaged: 3.');
    expect(damaged.stderr).not.toContain('later');
    const json = await run('find https://a.example/1 --json', { [FIND]: { data } });
    expect(JSON.parse(json.stdout)).toEqual(data);
    expect(json.code).toBe(1);
  });

  test('needs lists what needs people, of all domains or of one', async () => {
    const need = {
      deadline: '2026-01-16T09:40:00Z',
      title: '“sale” would lose 9 of 10 URLs',
      detail: 'Held',
    };
    const data = { needs: [need, { ...need, deadline: null, title: 'Other' }], total: 3, counts: [] };
    const route = 'GET /api/needs';
    const { code, stdout, stderr, queries } = await run('needs maps.example.com', { [route]: { data } });
    expect(code).toBe(0);
    expect(queries).toEqual([{ domain: 'maps.example.com' }]);
    expect(stdout).toMatch(
      /^UNTIL .*\n2026-01-16T09:40:00Z +“sale” would lose 9 of 10 URLs +Held\n +Other +Held\n$/,
    );
    expect(stderr).toContain('And 1 more.');
    const none = await run('needs', { [route]: { data: { needs: [], total: 0, counts: [] } } });
    expect([none.stdout, none.stderr, none.queries]).toEqual(['', 'Nothing needs you.\n', [{}]]);
  });

  test('usage has a row for each day and the sums', async () => {
    const sums = {
      requests: 7,
      acceptedUrls: 1000,
      receivedBytes: 2_500_000,
      servedRequests: 3,
      servedBytes: 80,
    };
    const days = [
      { day: '2026-01-14', ...sums, hostedUrls: null, hostedBytes: null },
      { day: '2026-01-15', ...sums, hostedUrls: 900, hostedBytes: 12_000 },
    ];
    const data = { days, totals: { ...sums, requests: 14 } };
    const route = 'GET /api/usage';
    const { stdout, queries } = await run('usage --from 2026-01-14 --to 2026-01-15', { [route]: { data } });
    expect(queries).toEqual([{ from: '2026-01-14', to: '2026-01-15' }]);
    const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(rows.slice(0, 4)).toEqual([
      ['DAY', 'REQUESTS', 'URLS ACCEPTED', 'RECEIVED', 'URLS HOSTED', 'STORED', 'FETCHES', 'SERVED'],
      ['2026-01-14', '7', '1,000', '2.5 MB', '3', '80 bytes'],
      ['2026-01-15', '7', '1,000', '2.5 MB', '900', '12.0 kB', '3', '80 bytes'],
      ['All', '14', '1,000', '2.5 MB', '3', '80 bytes'],
    ]);
    const json = await run('usage --json', { [route]: { data } });
    expect(JSON.parse(json.stdout)).toEqual(data);
  });

  test('generations', async () => {
    const { stdout } = await run('generations maps.example.com news', {
      [`GET ${sitemap}/generations`]: { data: [GENERATION] },
    });
    expect(stdout).toMatch(/\n41 +2026-01-15T10:00:00Z +rollback to 39 +1,000 +1 +live\n$/);
  });

  test('rollback', async () => {
    const reply = { [`POST ${sitemap}/rollback`]: { data: PUBLISHED } };
    const ended = await run('rollback maps.example.com news --to 39 --if-generation 41', reply);
    expect(ended).toMatchObject({ code: 0, bodies: ['{"generation":39,"ifGeneration":41}'] });
    expect(await run('rollback maps.example.com news')).toMatchObject({ code: 2, routes: [] });
  });

  test('sitemaps expect', async () => {
    const sitemap = (freshUntil: string | null) => ({
      [`PATCH ${ON_DOMAIN}/sitemaps/news`]: { data: { name: 'news', freshUntil } },
    });
    const due = await run('sitemaps expect maps.example.com news 24', sitemap('2026-01-16T10:00:00Z'));
    expect(due).toMatchObject({ code: 0, bodies: ['{"expectEveryHours":24}'] });
    expect(due.stdout).toContain('every 24 h. The next one is due 2026-01-16T10:00:00Z.');
    const off = await run('sitemaps expect maps.example.com news off', sitemap(null));
    expect(off).toMatchObject({ code: 0, bodies: ['{"expectEveryHours":null}'] });
  });

  test('sitemaps delete', async () => {
    const reply = { [`DELETE ${sitemap}`]: { data: {} } };
    expect(await run('sitemaps delete maps.example.com news --yes', reply)).toMatchObject({ code: 0 });
    // As a segment of a path, these would lead to the domain.
    for (const name of ['.', '..']) {
      const { code, stderr, routes } = await run(`sitemaps delete maps.example.com ${name} --yes`, reply);
      expect({ code, routes }).toEqual({ code: 2, routes: ['GET /api/domains'] });
      expect(stderr).toContain(`“${name}” is no name`);
    }
  });
});

describe('login', () => {
  const path = join(folder, 'waypost', 'config.json');
  const login = (environment: Record<string, string> = {}) => ({
    environment: { XDG_CONFIG_HOME: folder, ...environment },
    stdin: `${API_KEY}\n`,
  });

  test('saves server and key for their owner, once they work', async () => {
    waypost.play(({ headers }) => {
      if (headers.authorization === `Bearer ${API_KEY}`) return { data: [DOMAIN] };
      return { status: 401, error: { code: 'UNAUTHORIZED', message: 'No.' } };
    });
    const args = ['login', '--url', waypost.url, '--api-key-stdin'];
    const wrong = await runClient(args, { ...login(), stdin: 'sk_live_wrong' });
    expect(wrong.code).toBe(1);
    await expect(stat(path)).rejects.toThrow('ENOENT');
    const { code, stdout, stderr } = await runClient(args, login());
    expect(code).toBe(0);
    expect(stdout).toBe(`Saved in ${path}.\n`);
    expect(stdout + stderr + wrong.stdout + wrong.stderr).not.toMatch(/sk_live_\w/);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ url: waypost.url, apiKey: API_KEY });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'waypost'))).mode & 0o777).toBe(0o700);
    expect((await runClient(['domains'], login())).stdout).toContain('maps.example.com');
  });

  test('a saved key is not sent to another server', async () => {
    const { code, stderr } = await runClient(['domains', '--url', 'https://127.0.0.1:9'], login());
    expect(stderr).toContain(`The saved API key is for ${waypost.url}.`);
    expect(code).toBe(2);
    expect(await runClient(['domains'], login({ WAYPOST_URL: 'https://127.0.0.1:9' }))).toMatchObject({
      code: 2,
    });
  });

  test('a damaged file is told without its content', async () => {
    const other = join(folder, 'damaged');
    await mkdir(join(other, 'waypost'), { recursive: true });
    await writeFile(join(other, 'waypost', 'config.json'), `{"apiKey": "${API_KEY}`);
    const { code, stderr } = await runClient(['domains'], login({ XDG_CONFIG_HOME: other }));
    expect(stderr).toMatch(/config\.json is damaged\. Run: waypost login\n$/);
    expect(stderr).not.toContain(API_KEY);
    expect(code).toBe(2);
    // A service may run in the home of another user, and needs nothing of it.
    expect(
      await runClient(['domains'], { ...login({ XDG_CONFIG_HOME: other }), url: waypost.url }),
    ).toMatchObject({
      code: 0,
    });
  });

  test('without a terminal the key must come by standard input', async () => {
    const { code, stderr } = await runClient(['login', '--url', waypost.url], login());
    expect(stderr).toContain('--api-key-stdin');
    expect(code).toBe(2);
  });
});

describe('help', () => {
  test.for(['', 'upload', 'uploads list', 'rollback', 'doctor-dns', 'login', 'completions', 'domains guard'])(
    'of "%s" has examples',
    async (command) => {
      const { code, stdout } = await run(`${command} --help`.trim());
      expect(code).toBe(0);
      expect(stdout).toMatch(/\n {2}\$ waypost /);
    },
  );

  test('an unknown command names the nearest one', async () => {
    expect(await run('uplaod')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean upload?'),
    });
  });

  test('a reader that has enough ends it in silence', async () => {
    const { code, stderr } = await runClient(['completions', 'fish'], {
      program: ['sh', '-c', '"$@" | true', 'sh', process.execPath, 'client/src/cli/waypost.ts'],
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.skipIf(!existsSync('/dev/full'))('a disk that is full is told', async () => {
    waypost.play(() => ({ data: [DOMAIN], pagination: { hasMore: false } }));
    const program = ['sh', '-c', '"$@" > /dev/full', 'sh', process.execPath, 'client/src/cli/waypost.ts'];
    expect(await runClient(['domains', '--json'], { program, url: waypost.url })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^waypost: Cannot write the result: ENOSPC.*\n$/),
    });
  });

  test('a slow reader of a pipe gets all of it', async () => {
    const domains = Array.from({ length: 2000 }, (_, n) => ({
      ...DOMAIN,
      hostname: `maps-${n}.example.com`,
    }));
    waypost.play(() => ({ data: domains, pagination: { hasMore: false } }));
    const program = [
      'sh',
      '-c',
      '"$@" | (sleep 1; cat)',
      'sh',
      process.execPath,
      'client/src/cli/waypost.ts',
    ];
    const { stdout } = await runClient(['domains', 'list', '--json'], { program, url: waypost.url });
    expect(stdout.length).toBeGreaterThan(500_000);
    expect(JSON.parse(stdout)).toEqual(domains);
  });
});
