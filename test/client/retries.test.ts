/** The outcome of an upload when the server, the network or the user ends it. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type Script, startFakeWaypost } from './support/fake-waypost.ts';
import { PUBLISHED } from './support/published.ts';
import { runClient, startClient } from './support/run-client.ts';

const folder = await createTemporaryFolder();
const waypost = await startFakeWaypost();
const CONTENT = Array.from({ length: 100_000 }, (_, n) => `https://www.example.com/${n}\n`).join('');
const FILE = join(folder, 'urls.txt');
await writeFile(FILE, CONTENT);
const TO = ['--domain', 'maps.example.com'];
const STREAM = ['upload', '-', '--form', 'text', ...TO];

/** Each request gets the next script; the last one is for all that follow. */
function inTurn(...scripts: Script[]): void {
  let turn = 0;
  waypost.play((seen, request) => scripts[Math.min(turn++, scripts.length - 1)]!(seen, request));
}

const publish: Script = async (_seen, request) => {
  await request.whole();
  return { data: PUBLISHED };
};
const loseConnection: Script = async (_seen, request) => {
  await request.read(200_000);
  return 'drop' as const;
};
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}, details: object = {}): Script =>
  () => ({ status, headers, error: { code, message: 'No.', details } });

const later = (status: number, code: string) => refuse(status, code, { 'Retry-After': '0' });

describe('is sent again, whole and with the same key', () => {
  const sources = [
    ['a file', ['upload', FILE, ...TO], ''],
    ['standard input', STREAM, CONTENT],
    ['the output of a command', ['upload', '--from', `cat '${FILE}'`, '--form', 'text', ...TO], ''],
  ] as const;

  test.for(sources)('%s, after lost connections and a restart', async ([, args, stdin]) => {
    inTurn(loseConnection, later(503, 'SERVICE_UNAVAILABLE'), loseConnection, publish);
    const { code, stdout, stderr } = await runClient(args, { url: waypost.url, stdin });
    expect(stderr).toContain('Trying again in');
    expect(code).toBe(0);
    expect(stdout).toContain('Published 2 URLs');
    expect(waypost.seen).toHaveLength(4);
    expect(waypost.seen[3]!.body.toString() === CONTENT).toBe(true);
    const keys = new Set(waypost.seen.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^[\x21-\x7e]{1,255}$/);
  });

  test.for([
    [408, 'REQUEST_TIMEOUT'],
    [409, 'CONFLICT'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [500, 'INTERNAL_ERROR'],
    [503, 'SERVICE_UNAVAILABLE'],
  ] as const)('after %d %s', async ([status, code]) => {
    inTurn(later(status, code), publish);
    expect(await runClient(['upload', FILE, ...TO], { url: waypost.url })).toMatchObject({ code: 0 });
    expect(waypost.seen).toHaveLength(2);
  });

  test('after an answer of a proxy', async () => {
    inTurn(
      () => ({ status: 502, text: '<html>Bad gateway</html>', headers: { 'Retry-After': '0' } }),
      publish,
    );
    expect(await runClient(['upload', FILE, ...TO], { url: waypost.url })).toMatchObject({ code: 0 });
  });

  test('a stream without a temporary file, if it was refused before it began', async () => {
    inTurn(later(429, 'RATE_LIMIT_EXCEEDED'), publish);
    const run = await runClient([...STREAM, '--no-spool'], { url: waypost.url, stdin: CONTENT });
    expect(run).toMatchObject({ code: 0 });
    expect(waypost.seen[1]!.body.toString() === CONTENT).toBe(true);
  });
});

describe('is not sent again', () => {
  test('a stream without a temporary file, once it began', async () => {
    inTurn(loseConnection, publish);
    const run = await runClient([...STREAM, '--no-spool'], { url: waypost.url, stdin: CONTENT });
    expect(run.code).toBe(3);
    expect(waypost.seen).toHaveLength(1);
  });

  test.for([
    [422, 'VALIDATION_ERROR', 1],
    [401, 'UNAUTHORIZED', 1],
    [413, 'PAYLOAD_TOO_LARGE', 1],
    // A 503 without Retry-After means a feature that is off.
    [503, 'SERVICE_UNAVAILABLE', 1],
  ] as const)('after %d %s', async ([status, code, exit]) => {
    inTurn(refuse(status, code), publish);
    expect(await runClient(['upload', FILE, ...TO], { url: waypost.url })).toMatchObject({ code: exit });
    expect(waypost.seen).toHaveLength(1);
  });

  test('more often than --retries says', async () => {
    inTurn(later(503, 'SERVICE_UNAVAILABLE'));
    const run = await runClient(['upload', FILE, ...TO, '--retries', '2'], { url: waypost.url });
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('waypost: No.') });
    expect(waypost.seen).toHaveLength(3);
  });
});

test('an early answer is shown while the producer goes on', async () => {
  waypost.play(async (_seen, request) => {
    await request.read(100_000);
    const errors = [3, 7].map((line) => ({ line, field: 'loc', value: 'x', message: 'must be a URL' }));
    const details = { field: 'loc', value: 'x', errors, errorCount: 12 };
    return {
      status: 422,
      error: { code: 'VALIDATION_ERROR', message: 'line 3, loc: must be a URL', details },
    };
  });
  const endless = ['upload', '--from', `while cat '${FILE}'; do :; done`, '--form', 'text', ...TO];
  const { code, stderr } = await runClient(endless, { url: waypost.url });
  expect(code).toBe(1);
  expect(stderr).not.toContain('temporary file');
  expect(stderr).toMatch(
    /waypost: line 3, loc: must be a URL\nwaypost: {3}2 × loc: must be a URL \(line 3: "x"; line 7: "x"\)\nwaypost: {3}and 10 more/,
  );
});

test('an upload that the guard holds ends with 4, and says how to publish it', async () => {
  const details = { removed: 900, former: 1000, percent: 90, uploadId: 'upload_9', generation: 7 };
  inTurn(refuse(409, 'CONFLICT', {}, details));
  const { code, stdout, stderr } = await runClient(['upload', FILE, ...TO, '--json'], { url: waypost.url });
  expect(code).toBe(4);
  expect(stderr).toContain('waypost uploads publish upload_9 --force --if-generation 7');
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'CONFLICT', status: 409, details } });
});

describe('--rejects', () => {
  const lines = '{"line":2,"index":0,"field":"loc","value":"x","message":"must be a URL"}\n';
  const rejectsUrl = '/api/uploads/upload_1/rejects';
  const path = join(folder, 'rejects.ndjson');
  const run = (first: Script) => {
    inTurn(first, (seen) => ({ text: lines, data: expect(seen.route).toBe(`GET ${rejectsUrl}`) }));
    return runClient(['upload', FILE, ...TO, '--skip-invalid', '--rejects', path], { url: waypost.url });
  };

  test('writes the rejected entries of a published upload', async () => {
    const published: Script = async (_seen, request) => {
      await request.whole();
      return { data: { ...PUBLISHED, rejected: 1, rejectsUrl } };
    };
    expect(await run(published)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Rejected 1 record'),
    });
    expect(await readFile(path, 'utf8')).toBe(lines);
  });

  test('writes them when they are too many', async () => {
    const details = { field: 'urls', value: null, rejected: 1, uploadId: 'upload_1', rejectsUrl };
    expect(await run(refuse(422, 'VALIDATION_ERROR', {}, details))).toMatchObject({ code: 1 });
    expect(await readFile(path, 'utf8')).toBe(lines);
  });

  test('leaves the upload published if they cannot be read, and says where they are', async () => {
    const published: Script = async (_seen, request) => {
      await request.whole();
      return { data: { ...PUBLISHED, rejected: 1, rejectsUrl } };
    };
    inTurn(published, refuse(500, 'INTERNAL_ERROR'));
    const args = ['upload', FILE, ...TO, '--rejects', path, '--retries', '0'];
    expect(await runClient(args, { url: waypost.url })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Published'),
      stderr: expect.stringContaining(
        'could not be saved (No.). To read them: waypost uploads rejects upload_1',
      ),
    });
  });

  test('leaves the upload published if the empty file cannot be written', async () => {
    const gone = join(folder, 'gone', 'rejects.ndjson');
    await mkdir(dirname(gone));
    inTurn(async (seen, request) => {
      await rm(dirname(gone), { recursive: true });
      return publish(seen, request);
    });
    expect(await runClient(['upload', FILE, ...TO, '--rejects', gone], { url: waypost.url })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Published'),
      stderr: expect.stringContaining('could not be saved'),
    });
  });

  test('leaves an empty file if there are none', async () => {
    expect(await run(publish)).toMatchObject({ code: 0 });
    expect(await readFile(path, 'utf8')).toBe('');
  });

  test.for(['/dev/null/folder/a', folder, '-'])('is refused at once if it is no file: %s', async (target) => {
    inTurn(publish);
    const run = await runClient(['upload', FILE, ...TO, '--rejects', target], { url: waypost.url });
    expect(run).toMatchObject({ code: 2 });
    expect(waypost.seen).toEqual([]);
  });
});

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s cuts the request and ends with %d', async ([signal, exit]) => {
  inTurn(publish);
  const { child, ended } = startClient(STREAM, { url: waypost.url });
  child.stdin!.write(CONTENT);
  await vi.waitFor(() => expect(waypost.seen[0]?.bytes).toBe(CONTENT.length), SOON);
  child.kill(signal);
  const { code, stderr } = await ended;
  expect(stderr).toContain(`Stopped by ${signal}`);
  expect(code).toBe(exit);
  await vi.waitFor(() => expect(waypost.seen[0]!.end).toBe('cut'), SOON);
});

test('Ctrl+C ends the wait before another attempt', async () => {
  inTurn(refuse(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '300' }));
  const { child, ended } = startClient(['upload', FILE, ...TO], { url: waypost.url });
  await new Promise((resolve) => child.stderr!.once('data', resolve));
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130 });
});

test('a server that is not there', async () => {
  const run = await runClient(['upload', FILE, ...TO, '--retries', '0'], { url: 'http://127.0.0.1:9' });
  expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('Cannot reach the server') });
});

test('texts of the server do not reach the terminal as controls', async () => {
  const evil = 'a\x1b]0;title\x07\u009b31m\u202eb';
  inTurn(() => ({
    status: 422,
    error: { code: 'VALIDATION_ERROR', message: evil, details: { field: evil } },
  }));
  for (const json of [[], ['--json']]) {
    const { stdout, stderr } = await runClient(['upload', FILE, ...TO, ...json], { url: waypost.url });
    expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    expect(stderr).toContain('a\\u001b]0;title\\u0007\\u009b31m\\u202eb');
    if (json.length > 0) expect(JSON.parse(stdout).error.message).toBe(evil);
  }
});
