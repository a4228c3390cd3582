/** `waypost upload`, run against a server that only keeps what came. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startFakeWaypost } from './support/fake-waypost.ts';
import { PUBLISHED, UPLOAD } from './support/published.ts';
import { type ClientOptions, runClient } from './support/run-client.ts';

const folder = await createTemporaryFolder();
const waypost = await startFakeWaypost();
const DOMAIN = ['--domain', 'maps.example.com'];

async function inFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Runs an upload that is published. */
async function upload(args: readonly string[], options: ClientOptions = {}) {
  waypost.play(async (_seen, request) => {
    await request.whole();
    return { data: PUBLISHED };
  });
  const run = await runClient(['upload', ...args], { url: waypost.url, ...options });
  await vi.waitFor(() => expect(waypost.seen.map(({ end }) => end)).not.toContain('open'), SOON);
  return { ...run, seen: waypost.seen[0] };
}

describe('the form', () => {
  test.for([
    ['urls.csv', 'loc\nhttps://a.example/\n', 'text/csv'],
    ['urls.jsonl', '{"loc":"https://a.example/"}\n', 'application/x-ndjson'],
    ['urls.jl', '{"loc":"https://a.example/"}\n', 'application/x-ndjson'],
    ['URLS.TXT', 'https://a.example/\n', 'text/plain'],
    ['sitemap.xml', '<urlset/>', 'application/xml'],
    ['urls.json', '{"urls":[]}', 'application/json'],
  ] as const)('of %s is that of its suffix', async ([name, content, type]) => {
    const { code, seen, stdout } = await upload([await inFile(name, content), ...DOMAIN]);
    expect(code).toBe(0);
    expect(seen).toMatchObject({ route: UPLOAD, end: 'whole', query: { domain: 'maps.example.com' } });
    expect(seen!.headers).toMatchObject({ 'content-type': type });
    expect(seen!.headers['content-encoding']).toBeUndefined();
    expect(seen!.body.toString()).toBe(content);
    expect(stdout).toBe('Published 2 URLs in 1 file, generation 7.\nhttps://maps.example.com/sitemap.xml\n');
  });

  test('of a JSON document may name its domain itself', async () => {
    const { code, seen } = await upload([await inFile('own.json', '{"domain":"x.example","urls":[]}')]);
    expect(code).toBe(0);
    expect(seen!.query).toEqual({});
  });

  test.for([
    ['-', 'Which form? Give --form'],
    ['urls.list', 'Which form does'],
  ] as const)('of %s must be given', async ([name, message]) => {
    const path = name === '-' ? name : await inFile(name, 'https://a.example/\n');
    const { code, stderr, seen } = await upload([path, ...DOMAIN]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(seen).toBeUndefined();
  });
});

describe('compressed files', () => {
  const content = 'loc\nhttps://a.example/\n';

  test.for([
    ['gz', 'gzip', gzipSync(content)],
    ['br', 'br', brotliCompressSync(content)],
  ] as const)('.%s is sent as it is', async ([suffix, encoding, bytes]) => {
    const { code, seen } = await upload([await inFile(`urls.csv.${suffix}`, bytes), ...DOMAIN]);
    expect(code).toBe(0);
    expect(seen!.headers).toMatchObject({ 'content-type': 'text/csv', 'content-encoding': encoding });
    expect(seen!.body.equals(bytes)).toBe(true);
  });

  test('are decompressed when they are joined', async () => {
    const first = await inFile('1.csv.gz', gzipSync(content));
    const second = await inFile('2.csv', 'loc\nhttps://b.example/\n');
    const third = await inFile('3.csv.br', brotliCompressSync('loc\r\nhttps://c.example/'));
    const { code, seen } = await upload([first, second, third, ...DOMAIN]);
    expect(code).toBe(0);
    expect(seen!.headers['content-encoding']).toBeUndefined();
    expect(seen!.body.toString()).toBe('loc\nhttps://a.example/\nhttps://b.example/\nhttps://c.example/\n');
  });

  test('that are cut publish nothing when they are joined', async () => {
    const cut = await inFile('cut.csv.gz', gzipSync(content).subarray(0, -9));
    const { code, stderr, seen } = await upload([await inFile('whole.csv', content), cut, ...DOMAIN]);
    expect(stderr).toContain('cut.csv.gz: unexpected end of file');
    expect(code).toBe(5);
    expect(seen!.end).toBe('cut');
  });

  test('--gzip compresses on the way', async () => {
    const { code, seen } = await upload([await inFile('plain.csv', content), '--gzip', ...DOMAIN]);
    expect(code).toBe(0);
    expect(seen!.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(seen!.body).toString()).toBe(content);
  });
});

test('options become query parameters', async () => {
  const options =
    '--name news --size-limit balanced --placement order --expect 25 --skip-invalid --max-rejected 3 --max-rejected-percent 0.5 ' +
    '--dry-run --force --if-generation 0 --idempotency-key mine';
  const path = await inFile('options.csv', 'loc\nhttps://a.example/\n');
  const { code, seen } = await upload([path, ...DOMAIN, ...options.split(' ')]);
  expect(code).toBe(0);
  expect(seen!.query).toEqual({
    domain: 'maps.example.com',
    sitemapName: 'news',
    sizeLimit: 'balanced',
    placement: 'order',
    expectedUrlCount: '25',
    onInvalid: 'skip',
    maxRejected: '3',
    maxRejectedPercent: '0.5',
    dryRun: 'true',
    force: 'true',
    ifGeneration: '0',
  });
  expect(seen!.headers).toMatchObject({
    'idempotency-key': 'mine',
    'user-agent': expect.stringMatching(/^waypost-client\/\d/),
  });
});

describe('an input without its end publishes nothing', () => {
  const cut = 'loc\nhttps://a.example/\nhttps://b.exa';

  test('a file is refused before anything is sent', async () => {
    const { code, stderr, seen } = await upload([await inFile('cut.csv', cut), ...DOMAIN]);
    expect(stderr).toContain('ends in the middle of a line');
    expect(code).toBe(5);
    expect(seen).toBeUndefined();
  });

  test('standard input ends the request before its last chunk', async () => {
    const { code, seen } = await upload(['-', '--form', 'csv', ...DOMAIN], { stdin: cut });
    expect(code).toBe(5);
    expect(seen!.end).toBe('cut');
  });

  test('of a pipe is refused, too, and a whole pipe is sent', async () => {
    for (const [text, wanted] of [
      ['https://www.example.com/1\nhttps://www.example.com/2', 5],
      ['https://www.example.com/1\nhttps://www.example.com/2\n', 0],
    ] as const) {
      const path = join(folder, `pipe-${wanted}`);
      execFileSync('mkfifo', [path]);
      const writing = writeFile(path, text);
      const { code } = await upload([path, '--form', 'text', ...DOMAIN]);
      await writing;
      expect(code).toBe(wanted);
    }
  });

  test('--allow-partial-line accepts it', async () => {
    const path = await inFile('partial.csv', cut);
    const { code, seen } = await upload([path, '--allow-partial-line', ...DOMAIN]);
    expect(code).toBe(0);
    expect(seen!.body.toString()).toBe(cut);
  });

  test('--expect-end takes its line away', async () => {
    const args = ['-', '--form', 'csv', '--expect-end', '#end', ...DOMAIN];
    const { code, seen } = await upload(args, { stdin: 'loc\nhttps://a.example/\n#end\n' });
    expect(code).toBe(0);
    expect(seen!.body.toString()).toBe('loc\nhttps://a.example/\n');
  });

  test('--expect-end without its line', async () => {
    const args = ['-', '--form', 'csv', '--expect-end', '#end', ...DOMAIN];
    const { code, seen } = await upload(args, { stdin: 'loc\nhttps://a.example/\n' });
    expect(code).toBe(5);
    expect(seen!.end).toBe('cut');
  });
});

describe('--from', () => {
  const from = (command: string) => upload(['--from', command, '--form', 'text', ...DOMAIN]);

  test('sends what the command writes', async () => {
    const { code, seen } = await from("printf 'https://a.example/\\n'; printf 'https://b.example/\\n'");
    expect(code).toBe(0);
    expect(seen!.body.toString()).toBe('https://a.example/\nhttps://b.example/\n');
  });

  test.for([
    ['fails', 'echo https://a.example/; exit 3', 'ended with exit code 3', 'cut'],
    ['is killed', 'echo https://a.example/; kill -KILL $$', 'ended by SIGKILL', 'cut'],
    // Without a first row, no request begins.
    ['is not there', 'no-such-program', 'ended with exit code 127', undefined],
    // With bash; this is what `set -o pipefail` is for.
    [
      'fails inside of a pipeline',
      '(echo https://a.example/; exit 4) | cat',
      'ended with exit code 4',
      'cut',
    ],
  ] as const)('publishes nothing if the command %s', async ([, command, message, end]) => {
    const { code, stderr, seen } = await from(command);
    expect(stderr).toContain(message);
    expect(code).toBe(5);
    expect(seen?.end).toBe(end);
  });
});

describe('wrong use sends nothing', () => {
  test.for([
    [[], 'Give files'],
    [['-', '--from', 'true', '--form', 'csv'], 'Give files'],
    [['-', 'a.csv', '--form', 'csv'], 'Standard input cannot be joined'],
    [['missing.csv'], 'Cannot read missing.csv: no such file or directory'],
    [['-', '--form', 'csv', '--max-rejected', '3'], 'need --skip-invalid'],
    [['-', '--form', 'csv', '--expect', '1e3'], 'Expected a whole number'],
    [['-', '--form', 'yaml'], 'Allowed choices are'],
    [['-', '--form', 'csv', '--gzip', '--encoding', 'gzip'], 'not compressed'],
    [['-', '--form', 'csv', '--idempotency-key', 'список'], 'An idempotency key has'],
  ] as const)('%j', async ([args, message]) => {
    const { code, stderr, seen } = await upload([...args, ...DOMAIN]);
    expect(stderr).toContain(message);
    expect(code).toBe(args[0] === 'missing.csv' ? 5 : 2);
    expect(seen).toBeUndefined();
  });

  test('no domain', async () => {
    const { code, stderr } = await upload(['-', '--form', 'csv']);
    expect(stderr).toContain('Which domain?');
    expect(code).toBe(2);
  });
});
