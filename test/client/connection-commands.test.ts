/** `waypost connections`, against a server that plays them. */
import { expect, test } from 'vitest';
import { startFakeWaypost } from './support/fake-waypost.ts';
import { startCommandLine } from './support/run-client.ts';

const waypost = await startFakeWaypost();
const runCommand = startCommandLine();
const CONNECTION = {
  ...{ name: 'lake', kind: 's3', endpoint: 'https://s3.example.net', region: 'auto' },
  ...{ buckets: ['a', 'b'], changedAt: '2026-01-15T10:30:00Z', usable: true },
};
const KEYS = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'very-secret' };

const run = (environment: Readonly<Record<string, string>>, ...args: string[]) =>
  runCommand(['connections', ...args], { url: waypost.url, environment });

function play(data: unknown): void {
  waypost.play(async (_, { whole }) => {
    await whole();
    return { data };
  });
}

test('the keys of a connection come from the environment, and nothing prints them', async () => {
  play(CONNECTION);
  const where = ['--region', 'auto', '--endpoint', 'https://s3.example.net'];
  const buckets = ['--bucket', 'a', '--bucket', 'b'];
  const { code, stdout, stderr } = await run(KEYS, 'set', 'lake', ...where, ...buckets);
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: 'The connection lake may read a, b at https://s3.example.net.\n',
  });
  const [asked] = waypost.seen;
  expect(asked!.route).toBe('PUT /api/connections/lake');
  expect(JSON.parse(String(asked!.body))).toEqual({
    ...{ kind: 's3', region: 'auto', endpoint: 'https://s3.example.net', buckets: ['a', 'b'] },
    ...{ accessKeyId: 'AKID', secretAccessKey: 'very-secret' },
  });
});

test('without keys and without a terminal, nothing is asked', async () => {
  play(CONNECTION);
  const { code, stderr } = await run(
    { AWS_ACCESS_KEY_ID: 'AKID' },
    'set',
    'lake',
    '--region',
    'auto',
    '--bucket',
    'a',
  );
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('AWS_SECRET_ACCESS_KEY') });
  expect(waypost.seen).toEqual([]);
});

test('a test says what each bucket answers, and its exit code whether all can be listed', async () => {
  const fine = { bucket: 'a', problem: null };
  play({ buckets: [fine] });
  expect(await run({}, 'test', 'lake')).toMatchObject({ code: 0, stdout: 'BUCKET  ANSWER\na       fine\n' });
  expect(waypost.seen[0]!.route).toBe('POST /api/connections/lake/test');
  play({ buckets: [fine, { bucket: 'b', problem: 'answers 403 AccessDenied' }] });
  const { code, stdout } = await run({}, 'test', 'lake');
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('answers 403 AccessDenied') });
});

test('connections are listed, and deleted when that is confirmed', async () => {
  waypost.play(async ({ route }, { whole }) => {
    await whole();
    return {
      data: route.startsWith('DELETE')
        ? { name: 'lake', deleted: true }
        : [CONNECTION, { ...CONNECTION, name: 'old', usable: false }],
    };
  });
  const { stdout } = await run({});
  expect(stdout).toMatch(
    /^NAME +ENDPOINT +REGION +BUCKETS +CHANGED\nlake .* a, b +2026-01-15T10:30:00Z\nold .* its keys are lost/,
  );
  expect((await run({}, 'delete', 'lake')).code).toBe(2);
  expect(await run({}, 'delete', 'lake', '--yes')).toMatchObject({
    code: 0,
    stdout: 'The connection lake is deleted.\n',
  });
});
