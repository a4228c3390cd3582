/** client/examples/upload.py, as a program and as a module. */
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { API_KEY, type Script, startFakeWaypost } from './support/fake-waypost.ts';
import { PUBLISHED, UPLOAD } from './support/published.ts';
import { runClient } from './support/run-client.ts';

const waypost = await startFakeWaypost();
const EXAMPLES = join(PROJECT, 'client/examples');
const URLS = Array.from({ length: 5000 }, (_, n) => `https://www.example.com/${n}`);
const LINES = URLS.map((loc) => `${JSON.stringify({ loc })}\n`).join('');

function python(args: readonly string[], stdin = '') {
  return runClient(args, {
    program: ['python3'],
    url: waypost.url,
    stdin,
    environment: { PYTHONPATH: EXAMPLES, PYTHONDONTWRITEBYTECODE: '1' },
  });
}

const program = (...args: string[]) => python([join(EXAMPLES, 'upload.py'), ...args], URLS.join('\n'));

function inTurn(...scripts: Script[]): void {
  let turn = 0;
  waypost.play((seen, request) => scripts[Math.min(turn++, scripts.length - 1)]!(seen, request));
}

const publish: Script = async (_seen, request) => {
  await request.whole();
  return { data: PUBLISHED };
};

describe('upload.py', needs('python3'), () => {
  test('sends NDJSON, compressed, in chunks', async () => {
    inTurn(publish);
    const { code, stdout, stderr } = await program('maps.example.com', 'news');
    expect(stderr).toBe('');
    expect(stdout).toBe('Published 2 URLs: https://maps.example.com/sitemap.xml\n');
    expect(code).toBe(0);
    const [seen] = waypost.seen;
    expect(seen).toMatchObject({ route: UPLOAD, query: { domain: 'maps.example.com', sitemapName: 'news' } });
    expect(seen!.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
    expect(gunzipSync(seen!.body).toString()).toBe(LINES);
  });

  test('tries again with the same key', async () => {
    const lose: Script = async (_seen, request) => {
      await request.read(1000);
      return 'drop' as const;
    };
    const restart: Script = async (_seen, request) => {
      await request.whole();
      return {
        status: 503,
        headers: { 'Retry-After': '0' },
        error: { code: 'SERVICE_UNAVAILABLE', message: 'No.' },
      };
    };
    inTurn(lose, restart, publish);
    expect(await program('maps.example.com')).toMatchObject({ code: 0 });
    expect(waypost.seen).toHaveLength(3);
    expect(gunzipSync(waypost.seen[2]!.body).toString()).toBe(LINES);
    expect(new Set(waypost.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test.for(['<html>No server is there</html>', '{"error":"Bad Gateway"}', '"no"'])(
    'tries again after a 503 of a proxy: %s',
    async (text) => {
      inTurn(async (_seen, request) => {
        await request.whole();
        return { status: 503, text };
      }, publish);
      expect(await program('maps.example.com')).toMatchObject({ code: 0, stderr: '' });
      expect(waypost.seen).toHaveLength(2);
    },
  );

  test('says why it was refused', async () => {
    inTurn(() => ({
      status: 422,
      error: { code: 'VALIDATION_ERROR', message: 'line 3, loc: must be a URL' },
    }));
    const { code, stderr } = await program('maps.example.com');
    expect(stderr).toBe('422 VALIDATION_ERROR: line 3, loc: must be a URL\n');
    expect(code).toBe(1);
    expect(waypost.seen).toHaveLength(1);
  });

  test('a generator that raises publishes nothing', async () => {
    inTurn(publish);
    const script = `
import upload
def entries():
    for n in range(200000):
        yield {"loc": f"https://www.example.com/{n}-{hash(n * 7919)}"}
    raise RuntimeError("the database went away")
upload.upload("${waypost.url}", "${API_KEY}", "maps.example.com", entries, expectedUrlCount=3, dryRun=True)
`;
    const { code, stderr } = await python(['-c', script]);
    expect(stderr).toContain('RuntimeError: the database went away');
    expect(code).toBe(1);
    await vi.waitFor(() => expect(waypost.seen.map(({ end }) => end)).toEqual(['cut']), SOON);
    expect(waypost.seen[0]!.query).toMatchObject({ expectedUrlCount: '3', dryRun: 'true' });
  });
});
