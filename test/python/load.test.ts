/** Loads in the package for Python: what is asked for, waited for and raised. The recipe of its page runs as printed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dialectQuery } from '../../client/src/upload/dialect-options.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { startFakeWaypost } from '../client/support/fake-waypost.ts';
import { runClient } from '../client/support/run-client.ts';
import { needs } from '../support/needs.ts';

const FOLDER = join(PROJECT, 'python');
const PAGE = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const RECIPE = PAGE.split('## Existing lists')[1]!.split('```python\n')[1]!.split('```')[0]!;
const waypost = await startFakeWaypost();

function run(script: string) {
  return runClient(['-c', script], {
    program: ['python3'],
    url: waypost.url,
    stdin: '',
    environment: { PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
  });
}

const UPLOAD = {
  id: 'upload_1',
  ...{ outcome: 'published', urlCount: 3, code: null, message: null, errors: [], errorCount: 0 },
  load: { objects: { total: 1, done: 1, skipped: 0 } },
};

function play(...looks: object[]): void {
  waypost.play(async ({ route }, request) => {
    await request.whole();
    if (route !== 'POST /api/sitemap/load') return { data: looks.shift() ?? {} };
    return {
      status: 202,
      data: { uploadId: 'upload_1', status: 'queued', statusUrl: '/api/uploads/upload_1' },
    };
  });
}

describe('a load', needs('python3'), () => {
  test('waits until it has ended, as the page says', async () => {
    play({ ...UPLOAD, outcome: 'running' }, UPLOAD);
    const quick = RECIPE.replace('on_missing="skip"', 'on_missing="skip", poll=0.01');
    expect(await run(quick)).toEqual({
      code: 0,
      stdout: "3 {'total': 1, 'done': 1, 'skipped': 0}\n",
      stderr: '',
    });
    expect(waypost.seen.map(({ route }) => route)).toEqual([
      'POST /api/sitemap/load',
      'GET /api/uploads/upload_1',
      'GET /api/uploads/upload_1',
    ]);
    expect(JSON.parse(String(waypost.seen[0]!.body))).toEqual({
      domain: 'sitemaps.example.com',
      sources: ['https://www.example.com/robots.txt'],
      onMissing: 'skip',
    });
    expect(waypost.seen[0]!.headers['idempotency-key']).toMatch(/^[\w-]{36}$/);
  });

  test('takes columns as an upload does; requests without members have no body', async () => {
    play(UPLOAD);
    const script = `
from waypost import Waypost
Waypost().load("https://a.example/", "a.example", form="csv", columns={"loc": "url", "lastmod": 'a "b", c'})
Waypost().cancel_load("upload_1")`;
    expect(await run(script)).toEqual({ code: 0, stdout: '', stderr: '' });
    const [asked, ...others] = waypost.seen;
    const { columns } = JSON.parse(String(asked!.body));
    expect(columns).toBe('loc:url,"lastmod:a ""b"", c"');
    expect(columns).toBe(dialectQuery({ columns: { loc: 'url', lastmod: 'a "b", c' } }).columns);
    expect(asked!.headers).toMatchObject({
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    expect(others.map(({ route }) => route)).toEqual([
      'GET /api/uploads/upload_1',
      'DELETE /api/uploads/upload_1',
    ]);
    for (const { headers } of others) {
      expect(headers).not.toHaveProperty('transfer-encoding');
      expect(headers).not.toHaveProperty('content-type');
    }
  });

  test('that is refused, held or canceled raises', async () => {
    const refused = {
      ...UPLOAD,
      outcome: 'refused',
      code: 'VALIDATION_ERROR',
      message: 'sources: a answers 404',
    };
    const held = { ...UPLOAD, outcome: 'held', code: 'CONFLICT', message: 'It removes 90 %.' };
    play(refused, held, { ...UPLOAD, outcome: 'canceled' });
    const script = `
from waypost import Waypost, WaypostError
for _ in range(3):
    try: Waypost().load(["https://a.example/"], "a.example", form="csv", columns="loc:url", name="x")
    except WaypostError as error: print(type(error).__name__, error)
wp = Waypost()
print(wp.load("https://a.example/", "a.example", wait=False)["status"])
wp.cancel_load("upload_1")
try: wp.load("https://a.example/", "a.example", dry_run=True)
except TypeError as error: print(str(error)[:32])`;
    const { code, stdout, stderr } = await run(script);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'Refused 422 VALIDATION_ERROR: sources: a answers 404',
        'Refused 409 CONFLICT: It removes 90 %.',
        'WaypostError The load ended: canceled.',
        'queued',
        'load() has no option dry_run; it',
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(waypost.seen.at(-1)!.route).toBe('DELETE /api/uploads/upload_1');
  });
});
