/** `waypost load` and the methods behind it, against a server that plays loads. */
import { expect, test, vi } from 'vitest';
import { Waypost } from '../../client/src/client.ts';
import { SOON } from '../support/soon.ts';
import { API_KEY, type Reply, startFakeWaypost } from './support/fake-waypost.ts';
import { startClient, startCommandLine } from './support/run-client.ts';

const waypost = await startFakeWaypost();
const runCommand = startCommandLine();
const LOAD = {
  objects: { total: 3, done: 1, skipped: 0 },
  bytes: { total: null, done: 2_500_000 },
  ...{ current: 'https://www.example.com/2.xml', retries: 0, nextTryAt: null },
};
const ATTEMPT = {
  id: 'upload_1',
  ...{ outcome: 'running', code: null, message: null, errors: [], errorCount: 0 },
  ...{ urlCount: 1000, rejected: 0, generation: null, load: LOAD },
};
const PUBLISHED = {
  ...ATTEMPT,
  ...{ outcome: 'published', urlCount: 3000, generation: 7 },
  load: {
    ...LOAD,
    objects: { total: 3, done: 2, skipped: 1 },
    warnings: ['2.csv: 1 column is ignored: Title.'],
  },
};

/** Answers the looks at the load one after the other, and the last one again and again. */
function play(...looks: object[]): void {
  let next = 0;
  waypost.play(async ({ route }, { whole }): Promise<Reply> => {
    await whole();
    if (route === 'POST /api/sitemap/load') {
      return {
        status: 202,
        data: { uploadId: 'upload_1', status: 'queued', statusUrl: '/api/uploads/upload_1' },
      };
    }
    if (route.startsWith('DELETE ')) return { data: { uploadId: 'upload_1', status: 'canceled' } };
    return { data: looks[Math.min(next++, looks.length - 1)] };
  });
}

const run = (...args: string[]) => runCommand(['load', ...args], { url: waypost.url });

test('thresholds need --skip-invalid, as for uploads', async () => {
  play(PUBLISHED);
  for (const threshold of ['--max-rejected', '--max-rejected-percent']) {
    const { code, stdout, stderr } = await run('www.example.com', '-d', 'maps.example.com', threshold, '50');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('need --skip-invalid');
  }
  expect(waypost.seen).toEqual([]);
});

test('a load is asked for, followed and printed', async () => {
  play(ATTEMPT, PUBLISHED);
  const { code, stdout, stderr } = await run(
    ...[
      'www.example.com',
      'https://files.example.com/a.csv',
      '--domain',
      'maps.example.com',
      '--name',
      'all',
    ],
    ...[
      '--form',
      'csv',
      '--columns',
      'loc:url',
      '--skip-missing',
      '--allow-host',
      'cdn.example.net',
      '--force',
    ],
    ...['--idempotency-key', 'nightly'],
  );
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'Published 3,000 URLs from 2 objects, generation 7.\n',
  });
  expect(stderr).toContain('1 of 3 objects, 1,000 URLs, 2.5 MB');
  expect(stderr).toContain('1 were missing, and are left out.');
  expect(stderr).toContain('2.csv: 1 column is ignored: Title.');
  const [asked] = waypost.seen;
  expect(asked!.headers['idempotency-key']).toBe('nightly');
  expect(JSON.parse(String(asked!.body))).toEqual({
    domain: 'maps.example.com',
    sitemapName: 'all',
    sources: ['https://www.example.com/robots.txt', 'https://files.example.com/a.csv'],
    ...{ form: 'csv', columns: 'loc:url', onMissing: 'skip', allowHosts: ['cdn.example.net'], force: true },
  });
});

test.each([
  ['refused', 1, { code: 'VALIDATION_ERROR', message: 'sources: https://a/ answers 404' }, 'answers 404'],
  ['held', 4, { code: 'CONFLICT', message: 'It removes 90 %.' }, 'waypost uploads publish upload_1 --force'],
  ['canceled', 1, {}, 'The load ended: canceled.'],
])('a load that is %s has the exit code %i', async (outcome, exitCode, members, message) => {
  play({ ...ATTEMPT, outcome, ...members });
  const { code, stderr } = await run('https://www.example.com/a.xml', '--domain', 'maps.example.com');
  expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringContaining(message) });
});

test('a server that is gone meanwhile does not hide which load goes on', async () => {
  waypost.play(async ({ route }, { whole }) => {
    await whole();
    return route.startsWith('GET ') ? 'drop' : { status: 202, data: { uploadId: 'upload_1' } };
  });
  for (const options of [[], ['--quiet']]) {
    const args = ['https://a.example.com/', '-d', 'maps.example.com', '--retries', '0', ...options];
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('waypost uploads show upload_1\n'),
    });
  }
});

test('Ctrl+C before the answer says that the load may go on', async () => {
  waypost.play(() => new Promise<never>(() => {}));
  const args = ['load', 'https://a.example.com/', '-d', 'maps.example.com'];
  const { child, ended } = startClient(args, { url: waypost.url });
  await vi.waitFor(() => expect(waypost.seen).toHaveLength(1), SOON);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('The load may have begun') });
});

test('without waiting, only the id is printed', async () => {
  play(ATTEMPT);
  const { code, stdout } = await run('https://a.example.com/', '--domain', 'maps.example.com', '--no-wait');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'upload_1\n' });
  expect(waypost.seen.map(({ route }) => route)).toEqual(['POST /api/sitemap/load']);
});

test('the library waits until a load has ended, and cancels it', async () => {
  const client = new Waypost({ url: waypost.url, apiKey: API_KEY });
  play(ATTEMPT, ATTEMPT, PUBLISHED);
  const { uploadId } = await client.load('maps.example.com', ['https://www.example.com/robots.txt']);
  const seen: string[] = [];
  const onProgress = ({ outcome }: { readonly outcome: string }) => void seen.push(outcome);
  expect(await client.waitForLoad(uploadId, { pollMs: 1, onProgress })).toMatchObject({ generation: 7 });
  expect(seen).toEqual(['running', 'running', 'published']);
  await client.cancelLoad(uploadId);
  expect(waypost.seen.at(-1)!.route).toBe('DELETE /api/uploads/upload_1');
  play(ATTEMPT);
  const stop = AbortSignal.abort(new Error('enough'));
  await expect(client.waitForLoad(uploadId, { signal: stop })).rejects.toThrow('enough');
});
