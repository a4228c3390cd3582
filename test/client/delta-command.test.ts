/** `waypost delta`, run against a server that only keeps what came. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { DELTA, playDeltas } from './support/fake-deltas.ts';
import { type Script, startFakeWaypost } from './support/fake-waypost.ts';
import { type ClientOptions, runClient, startClient, startCommandLine } from './support/run-client.ts';

const folder = await createTemporaryFolder();
const waypost = await startFakeWaypost();
const runCommand = startCommandLine();
const DOMAIN = ['--domain', 'maps.example.com'];
const LINES =
  '{"upsert":{"loc":"https://a.example/ü","priority":0.50}}\n{"remove":"https://a.example/2"}\n{"upsert":{"loc":"https://a.example/3"}}\n';

async function inFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function delta(
  args: readonly string[],
  {
    stdin,
    before,
  }: Pick<ClientOptions, 'stdin'> & { readonly before?: Readonly<Record<number, Script>> } = {},
) {
  playDeltas(waypost, before);
  const command = ['delta', ...args, ...DOMAIN];
  const { url } = waypost;
  const run = await (stdin === undefined ? runCommand(command, { url }) : runClient(command, { url, stdin }));
  return { ...run, seen: waypost.seen, body: waypost.seen[0]?.body.toString() };
}

const refuse =
  (status: number, code: string, message: string, details: object = {}): Script =>
  () => ({ status, error: { code, message, details } });

describe('the source', () => {
  test('is a file, and its lines are sent as they are', async () => {
    const { code, stdout, seen, body } = await delta([await inFile('changes.ndjson', LINES)]);
    expect(code).toBe(0);
    expect(seen).toMatchObject([{ route: DELTA, end: 'whole', query: { domain: 'maps.example.com' } }]);
    expect(seen[0]!.headers).toMatchObject({ 'content-type': 'application/x-ndjson' });
    expect(body).toBe(LINES);
    expect(stdout).toBe(
      'Changed 2 of 3 files, generation 8.\n' +
        'ADDED  CHANGED  UNCHANGED  REMOVED  MISSING  URLS\n' +
        '    2        0          0        1        0    11\n' +
        'https://maps.example.com/sitemap.xml\n',
    );
  });

  test('is standard input', async () => {
    expect(await delta(['-'], { stdin: LINES })).toMatchObject({ code: 0, body: LINES });
  });

  test.for([
    ['gz', gzipSync(LINES)],
    ['br', brotliCompressSync(LINES)],
  ] as const)('is compressed as .%s', async ([suffix, bytes]) => {
    expect(await delta([await inFile(`changes.ndjson.${suffix}`, bytes)])).toMatchObject({
      code: 0,
      body: LINES,
    });
  });

  test('is several files: removals first, then entries, then operations', async () => {
    const gone = await inFile('gone.txt', '\ufeffhttps://a.example/"1"\r\n\n https://a.example/ü \n');
    const changed = await inFile('changed.ndjson', '\ufeff{"loc":"https://a.example/3","priority":0.50}\r\n');
    const [first, last] = [await inFile('first.list', LINES), await inFile('last.jsonl', LINES)];
    const { code, body } = await delta([first, last, '--upsert', changed, '--remove', gone]);
    expect(code).toBe(0);
    expect(body).toBe(
      '{"remove":"https://a.example/\\"1\\""}\n\n{"remove":"https://a.example/ü"}\n' +
        `{"upsert":{"loc":"https://a.example/3","priority":0.50}}\n${LINES}${LINES}`,
    );
  });

  test('may be empty: then nothing is sent', async () => {
    const { code, stdout, stderr, seen } = await delta([await inFile('empty.ndjson', '\n'), '--json']);
    expect(stderr).toContain('There are no operations, so nothing was sent.');
    expect(JSON.parse(stdout)).toMatchObject({ added: 0, deltaIds: [] });
    expect(code).toBe(0);
    expect(seen).toEqual([]);
  });

  test.for([
    ['is cut', 'cut.ndjson', LINES.slice(0, -9), 'ends in the middle of a line'],
    ['is cut and compressed', 'cut.ndjson.gz', gzipSync(LINES).subarray(0, -9), 'unexpected end of file'],
    [
      'is not in UTF-8',
      'latin.ndjson',
      Buffer.from('{"remove":"https://a.example/ü"}\n', 'latin1'),
      'not in UTF-8',
    ],
  ] as const)('sends nothing if it %s', async ([, name, content, message]) => {
    const { code, stderr, seen } = await delta([await inFile(name, content)]);
    expect(stderr).toContain(message);
    expect(code).toBe(5);
    expect(seen).toEqual([]);
  });

  test('may lack its last line break, if that is said', async () => {
    const path = await inFile('partial.ndjson', LINES.trimEnd());
    expect(await delta([path, '--allow-partial-line'])).toMatchObject({ code: 0, body: LINES });
  });

  test('is whole on standard input too', async () => {
    const { code, stderr, seen } = await delta(['-'], { stdin: LINES.slice(0, -9) });
    expect(stderr).toContain('Standard input ends in the middle of a line');
    expect(code).toBe(5);
    expect(seen).toEqual([]);
  });
});

test('options become query parameters', async () => {
  const options =
    '--name news --if-generation 7 --on-missing fail --force --dry-run --gzip --idempotency-key mine ' +
    '--timezone +02:00 --dates dmy';
  const { code, stdout, seen } = await delta([await inFile('options.ndjson', LINES), ...options.split(' ')]);
  expect(code).toBe(0);
  expect(seen[0]!.query).toEqual({
    domain: 'maps.example.com',
    sitemapName: 'news',
    ifGeneration: '7',
    onMissing: 'fail',
    force: 'true',
    dryRun: 'true',
    timezone: '+02:00',
    dates: 'dmy',
  });
  expect(seen[0]!.headers).toMatchObject({ 'idempotency-key': 'mine', 'content-encoding': 'gzip' });
  expect(gunzipSync(seen[0]!.body).toString()).toBe(LINES);
  expect(stdout).toMatch(/^Dry run: 2 of 3 files would change. Nothing was changed.\nADDED .*\n.*\n$/);
});

describe('many operations', () => {
  const many = Array.from({ length: 250_000 }, (_, n) => `{"remove":"https://a.example/${n}"}\n`).join('');

  test('are several deltas, and --json prints their sum', async () => {
    const { code, stdout, stderr } = await delta([await inFile('many.ndjson', many), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ added: 0, removed: 250_000, generation: 10, deltaIds: ['delta_1', 'delta_2', 'delta_3'] },
    });
    // On a busy machine there is progress before it.
    expect(stderr).toMatch(/(?:^|\n)100 %, 9\.4 MB of 9\.4 MB sent, .*\n$/);
    expect(code).toBe(0);
  });

  test('of which a part is refused say what is published, and where the fault is', async () => {
    const [line, message] = [5, 'remove: must be a URL'];
    const errors = [{ line, index: 4, field: 'remove', value: 'x', message: 'must be a URL' }];
    const details = { line, field: 'remove', value: 'x', errors, errorCount: 1 };
    const first = await inFile('first.ndjson', many.slice(0, many.indexOf('150000"}\n') + 9));
    const second = await inFile('second.ndjson', many.slice(many.indexOf('150000"}\n') + 9));
    const { code, stderr } = await delta([first, second, '--quiet'], {
      before: { 3: refuse(422, 'VALIDATION_ERROR', `line ${line}, ${message}`, details) },
    });
    // The third portion begins at line 200,001 of all, and the second file after 150,001.
    expect(stderr).toBe(
      `waypost: ${second}, line 50004, ${message}\n` +
        `waypost:   1 × remove: must be a URL (${second}, line 50004: "x")\n`,
    );
    expect(code).toBe(1);
    const again = await delta([first, second], { before: { 3: refuse(422, 'VALIDATION_ERROR', 'No.') } });
    expect(again.stderr).toContain('The first 200,000 operations are published, in 2 deltas: generation 9.');
  });
});

test('the guard and missing URLs refuse it', async () => {
  const path = await inFile('refused.ndjson', LINES);
  const details = { removed: 900, former: 1000, percent: 90 };
  const guarded = await delta([path, '--json'], {
    before: { 1: refuse(409, 'CONFLICT', 'Too many.', details) },
  });
  expect(guarded).toMatchObject({ code: 1, stderr: expect.stringContaining('waypost: Too many.') });
  expect(JSON.parse(guarded.stdout)).toMatchObject({ error: { code: 'CONFLICT', status: 409, details } });
  const missing = { field: 'remove', missing: 2, samples: ['https://a.example/1', 'https://a.example/2'] };
  const failed = await delta([path], { before: { 1: refuse(409, 'CONFLICT', 'Two are missing.', missing) } });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('waypost:   https://a.example/1\nwaypost:   https://a.example/2\n');
});

test('a lost connection and a busy server are tried again', async () => {
  const before: Record<number, Script> = {
    1: async (_seen, request) => {
      await request.whole();
      return 'drop' as const;
    },
    2: () => ({
      status: 503,
      headers: { 'Retry-After': '0' },
      error: { code: 'SERVICE_UNAVAILABLE', message: 'An upload is being published.' },
    }),
  };
  const { code, stderr, seen } = await delta(['-'], { stdin: LINES, before });
  expect(stderr).toContain('An upload is being published. Trying again in');
  expect(code).toBe(0);
  expect(seen.map(({ body }) => body.toString())).toEqual([LINES, '', LINES]);
  expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('a refusal ends it while its producer goes on', async () => {
  playDeltas(waypost, { 1: refuse(422, 'VALIDATION_ERROR', 'No.') });
  const { child, ended } = startClient(['delta', '-', ...DOMAIN], { url: waypost.url });
  child.stdin!.write('{"remove":"https://a.example/1"}\n'.repeat(150_000));
  expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('waypost: No.') });
});

test('Ctrl+C ends it while it waits for its input', async () => {
  playDeltas(waypost);
  const { child, ended } = startClient(['delta', '-', ...DOMAIN], { url: waypost.url });
  child.stdin!.write('{"remove":"https://a.example/1"}\n'.repeat(100_000));
  await vi.waitFor(() => expect(waypost.seen[0]?.end).toBe('whole'), SOON);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('Stopped by SIGINT') });
});

describe('wrong use sends nothing', () => {
  test.for([
    [[], 'Give files'],
    [['-', '--remove', '-'], 'can be read once'],
    [['missing.ndjson'], 'Cannot read missing.ndjson: no such file or directory'],
    [['urls.csv'], 'urls.csv is csv, but must be JSON on each line'],
    [['--remove', 'urls.json'], 'urls.json is json, but must be a URL on each line'],
    [['urls.ndjson.zst'], 'zstd -dc'],
    [['-', '--on-missing', 'skip'], 'Allowed choices are'],
    [['-', '--if-generation', 'x'], 'Expected a whole number'],
    [['--upsert', '-', '--api-key-stdin'], 'Standard input has the key already'],
  ] as const)('%j', async ([args, message]) => {
    const { code, stderr, seen } = await delta(args);
    expect(stderr).toContain(message);
    expect(code).toBe(args[0] === 'missing.ndjson' ? 5 : 2);
    expect(seen).toEqual([]);
  });

  test('no domain', async () => {
    const { code, stderr } = await runCommand(['delta', '-'], { url: waypost.url });
    expect(stderr).toContain("required option '-d, --domain <hostname>' not specified");
    expect(code).toBe(2);
  });
});
