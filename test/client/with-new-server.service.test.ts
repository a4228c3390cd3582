/** The client against a running Waypost: forms, guards, generations and idempotency keys. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { Waypost } from '../../client/src/client.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { fetchLocs } from '../service/support/crawler.ts';
import { createCustomer, uniqueHostname } from '../service/support/customer.ts';
import { useWaypost } from '../service/support/use-waypost.ts';
import { collect } from '../support/collect.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { runClient, startCommandLine } from './support/run-client.ts';

const files = await createTemporaryFolder();
const waypost = await useWaypost();
const url = waypost.apiUrl;
const { key } = await createCustomer(waypost);
const library = new Waypost({ apiKey: key, url });

const runCommand = startCommandLine();
const run = (args: readonly string[], stdin?: string) =>
  stdin === undefined ? runCommand(args, { url, key }) : runClient(args, { url, key, stdin });
const locs = (count: number) => Array.from({ length: count }, (_, n) => `https://www.example.com/${n}`);

async function verifiedDomain(): Promise<string> {
  const { hostname } = await library.createDomain(uniqueHostname());
  expect(await library.verifyDomain(hostname)).toMatchObject({ status: 'verified' });
  return hostname;
}

async function servedIs(hostname: string, expected: readonly string[], path = '/sitemap.xml'): Promise<void> {
  await vi.waitFor(async () => expect(await fetchLocs(waypost, hostname, path)).toEqual(expected), SOON);
}

async function inFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(files, name);
  await writeFile(path, content);
  return path;
}

const entriesOf = (count: number) => locs(count).map((loc) => ({ loc }));
const csvOf = (all: readonly string[]) => `loc\n${all.map((loc) => `${loc}\n`).join('')}`;

describe('every form is served', () => {
  const all = locs(50);
  const contents = {
    'urls.csv.gz': gzipSync(csvOf(all)),
    'urls.txt.br': brotliCompressSync(`${all.join('\n')}\n`),
    'urls.ndjson': all.map((loc) => `${JSON.stringify({ loc })}\n`).join(''),
    'urls.json': JSON.stringify({ urls: entriesOf(50) }),
    'urls.xml': `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${all.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`,
  };

  test.for(Object.entries(contents))('%s', async ([name, content]) => {
    const hostname = await verifiedDomain();
    const path = await inFile(name, content);
    const uploaded = await run(['upload', path, '--domain', hostname, '--expect', '50', '--json', '--quiet']);
    expect(uploaded).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(uploaded.stdout)).toMatchObject({ urlCount: 50, generation: 1 });
    await servedIs(hostname, all);
  });
});

test('several CSV files are one upload', async () => {
  const hostname = await verifiedDomain();
  const first = await inFile('1.csv', csvOf(locs(50).slice(0, 20)));
  const second = await inFile('2.csv.gz', gzipSync(csvOf(locs(50).slice(20))));
  expect(await run(['upload', first, second, '--domain', hostname])).toMatchObject({ code: 0 });
  await servedIs(hostname, locs(50));
});

test('parts of many tasks are one list in the order of their numbers, without those that the commit does not name', async () => {
  const hostname = await verifiedDomain();
  const opened = await run([
    'sessions',
    'open',
    '--domain',
    hostname,
    '--idempotency-key',
    'run-1',
    '--expect',
    '50',
  ]);
  expect(opened).toMatchObject({ code: 0, stderr: '' });
  const id = opened.stdout.trim();
  const again = await run([
    'sessions',
    'open',
    '--domain',
    hostname,
    '--idempotency-key',
    'run-1',
    '--expect',
    '50',
  ]);
  expect(again.stdout.trim()).toBe(id);
  const put = (part: number, from: number, to: number) =>
    run(['sessions', 'put', id, String(part), '-', '--form', 'csv'], csvOf(locs(60).slice(from, to)));
  const second = await put(2, 20, 50);
  const first = await put(1, 0, 20);
  expect(await put(3, 50, 60)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3:/) });
  expect(await run(['sessions', 'commit', id, '--all'])).toMatchObject({ code: 1 });

  const shown = await run(['sessions', 'show', id, '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    status: 'open',
    urlCount: 60,
    parts: [{ part: 1 }, { part: 2 }, { part: 3 }],
  });
  const commit = () => run(['sessions', 'commit', id, '-', '--json'], first.stdout + second.stdout);
  const committed = await commit();
  expect(JSON.parse(committed.stdout)).toMatchObject({ urlCount: 50, generation: 1 });
  await servedIs(hostname, locs(50));
  expect((await commit()).stdout).toBe(committed.stdout);
  expect(await run(['sessions', 'show', id])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('committed'),
  });
});

test('a session that is ended takes no parts, and a commit must name some', async () => {
  const hostname = await verifiedDomain();
  const id = (await run(['sessions', 'open', '--domain', hostname])).stdout.trim();
  for (const parts of [[], ['1'], ['1:a', '--all']]) {
    expect(await run(['sessions', 'commit', id, ...parts])).toMatchObject({ code: 2, stdout: '' });
  }
  expect(await run(['sessions', 'end', id])).toMatchObject({ code: 0, stdout: `${id}: aborted\n` });
  const late = await run(['sessions', 'put', id, '1', '-', '--form', 'csv'], csvOf(locs(1)));
  expect(late).toMatchObject({ code: 1, stdout: '' });
});

describe('files of other programs', () => {
  const table =
    'URL;Status Code;Changed\nhttps://www.example.com/0;200;15.01.2026\nhttps://www.example.com/1;404;16.01.2026\n';

  test('preview prints the entries, and the command that works', async () => {
    const hostname = await verifiedDomain();
    const path = await inFile('crawl of May.csv', table);
    const first = await run(['preview', path]);
    expect(first).toMatchObject({ code: 1 });
    expect(first.stdout).toContain('Refused: URL: is not known here');
    const suggested = first.stdout.split('waypost preview ')[1]!.trim();
    expect(suggested).toBe(`'${path}' --columns loc:URL --dates dmy`.replace(' --dates dmy', ''));
    const options = ['--columns', 'loc:URL,lastmod:Changed', '--where', 'Status Code:200', '--dates', 'dmy'];
    const second = await run(['preview', path, ...options]);
    expect(second).toMatchObject({ code: 0 });
    expect(second.stdout).toMatch(/LINE +LOC +LASTMOD\n +2 +https:\/\/www.example.com\/0 +2026-01-15/);
    const command = second.stdout.split('waypost upload ')[1]!.trim();
    expect(command).toBe(
      `'${path}' --domain … --columns loc:URL,lastmod:Changed --where 'Status Code:200' --dates dmy`,
    );
    expect(await run(['upload', path, '--domain', hostname, ...options])).toMatchObject({ code: 0 });
    await servedIs(hostname, ['https://www.example.com/0']);
  });

  test('preview prints no command that would be refused', async () => {
    const table = await inFile('table.csv', '"url" "name"\n"https://www.example.com/" "a"\n');
    const refused = await run(['preview', table]);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('Refused: line: must name') });
    expect(refused.stdout).not.toContain('waypost');
    const damaged = await run([
      'preview',
      await inFile('damaged.csv', 'loc\nhttps://www.example.com/\n/a\n'),
    ]);
    expect(damaged).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('When that is corrected, upload'),
    });
  });

  test('a stream without a header is read by position, in a pipe too', async () => {
    const hostname = await verifiedDomain();
    const rows = 'https://www.example.com/0|2026-01-15 10:00:00+00\nhttps://www.example.com/1|\n';
    const options = ['--form', 'csv', '--no-header', '--delimiter', 'pipe', '--columns', 'loc,lastmod'];
    expect(await run(['preview', '-', ...options], rows)).toMatchObject({ code: 0 });
    expect(await run(['upload', '-', '--domain', hostname, ...options], rows)).toMatchObject({ code: 0 });
    await servedIs(hostname, ['https://www.example.com/0', 'https://www.example.com/1']);
  });

  test('several files without headers are one upload', async () => {
    const hostname = await verifiedDomain();
    const one = await inFile('part-1.csv', 'https://www.example.com/0,a\n');
    const two = await inFile('part-2.csv.gz', gzipSync('https://www.example.com/1,b\n'));
    const args = ['upload', one, two, '--domain', hostname, '--no-header', '--columns', 'loc,-'];
    expect(await run(args)).toMatchObject({ code: 0 });
    await servedIs(hostname, ['https://www.example.com/0', 'https://www.example.com/1']);
  });

  test('the library takes the parameters as options', async () => {
    const hostname = await verifiedDomain();
    const options = {
      columns: { loc: 'URL', lastmod: 'Changed' },
      where: ['Status Code:200'],
      dates: 'dmy',
    } as const;
    const preview = await library.preview(Buffer.from(table), { form: 'csv', ...options });
    expect(preview.rows).toMatchObject([{ entry: { lastmod: '2026-01-15' } }]);
    async function* body() {
      yield Buffer.from(table);
    }
    const uploaded = await library.uploadStream(hostname, () => body(), { form: 'csv', ...options });
    expect(uploaded).toMatchObject({ urlCount: 1, dialect: { delimiter: 'semicolon', filtered: 1 } });
  });
});

test('a producer that dies publishes nothing', async () => {
  const hostname = await verifiedDomain();
  const died = ['upload', '--from', '(echo https://www.example.com/; exit 3) | cat', '--form', 'text'];
  expect(await run([...died, '--domain', hostname])).toMatchObject({ code: 5 });
  expect(await collect(library.listSitemaps(hostname))).toEqual([]);
});

test('invalid entries are skipped, and written down', async () => {
  const hostname = await verifiedDomain();
  const path = await inFile(
    'some.csv',
    csvOf(['https://www.example.com/0', 'x', 'https://www.example.com/1', 'y']),
  );
  const rejects = join(files, 'rejects.ndjson');
  const args = [
    'upload',
    path,
    '--domain',
    hostname,
    '--skip-invalid',
    '--rejects',
    rejects,
    '--max-rejected',
  ];
  const refused = await run([...args, '1', '--json']);
  expect(refused).toMatchObject({ code: 1 });
  const { details } = JSON.parse(refused.stdout).error;
  expect(details).toMatchObject({ field: 'urls', rejected: 2, uploadId: expect.any(String) });
  const published = await run([...args, '2', '--json']);
  expect(published).toMatchObject({ code: 0 });
  const { uploadId, rejected, urlCount } = JSON.parse(published.stdout);
  expect({ rejected, urlCount }).toEqual({ rejected: 2, urlCount: 2 });
  expect(await collect(library.listRejects(uploadId))).toMatchObject([
    { line: 3, index: 1, field: 'loc', value: 'x' },
    { line: 5, index: 3, field: 'loc', value: 'y' },
  ]);
});

test('a dry run publishes nothing, and has all faults', async () => {
  const hostname = await verifiedDomain();
  const path = await inFile('dry.csv', csvOf(locs(3)));
  const dry = await run(['upload', path, '--domain', hostname, '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('Dry run: 3 URLs') });
  expect(await collect(library.listSitemaps(hostname))).toEqual([]);
  const wrong = await inFile('wrong.csv', csvOf(['x', ...locs(3), 'y']));
  const { code, stderr } = await run(['upload', wrong, '--domain', hostname, '--dry-run', '--quiet']);
  expect(stderr).toMatch(/^waypost: line 2, loc: .*\nwaypost: {3}2 × loc: .* \(line 2: "x"; line 6: "y"\)\n/);
  expect(code).toBe(1);
});

test('another number of URLs than expected is refused', async () => {
  const path = await inFile('three.csv', csvOf(locs(3)));
  const run4 = await run(['upload', path, '--domain', await verifiedDomain(), '--expect', '4']);
  expect(run4).toMatchObject({ code: 1, stderr: expect.stringContaining('expectedUrlCount') });
});

test('what the guard holds is published later, without sending it again', async () => {
  const hostname = await verifiedDomain();
  expect(await run(['domains', 'guard', hostname, '--max-removed-percent', '30'])).toMatchObject({ code: 0 });
  await library.upload(hostname, entriesOf(2000));
  const held = await run([
    'upload',
    await inFile('few.csv', csvOf(locs(10))),
    '--domain',
    hostname,
    '--json',
  ]);
  expect(held).toMatchObject({ code: 4 });
  const { uploadId } = JSON.parse(held.stdout).error.details;
  expect(await library.getUpload(uploadId)).toMatchObject({ outcome: 'held', urlCount: 10, form: 'csv' });
  expect(await library.getUploadChanges(uploadId)).toMatchObject({
    state: 'compared',
    added: 0,
    removed: 1990,
  });
  const changes = await run(['uploads', 'changes', uploadId]);
  const gone = changes.stdout.split('\n').filter((line) => line.includes('"change":"removed"'));
  expect({ code: changes.code, gone: gone.length }).toEqual({ code: 0, gone: 1990 });
  expect(await run(['uploads', 'publish', uploadId])).toMatchObject({ code: 4 });
  const published = await run(['uploads', 'publish', uploadId, '--force']);
  expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining('generation 2') });
  await servedIs(hostname, locs(10));
  const [newest, before] = await collect(library.listUploads(hostname));
  expect([newest, before]).toMatchObject([
    { outcome: 'published' },
    { outcome: 'published', form: 'ndjson' },
  ]);
});

test('a generation comes back', async () => {
  const hostname = await verifiedDomain();
  await library.upload(hostname, entriesOf(3), { sitemapName: 'news' });
  await library.upload(hostname, entriesOf(5), { sitemapName: 'news', ifGeneration: 1 });
  const rolledBack = await run(['rollback', hostname, 'news', '--to', '1', '--if-generation', '2']);
  expect(rolledBack).toMatchObject({ code: 0, stdout: expect.stringContaining('generation 3') });
  await servedIs(hostname, locs(3), '/sitemap-news.xml');
  expect(await collect(library.listGenerations(hostname, 'news'))).toMatchObject([
    { generation: 3, kind: 'rollback', restores: 1, live: true },
    { generation: 2, kind: 'upload', live: false },
    { generation: 1, kind: 'upload' },
  ]);
  const late = library.upload(hostname, entriesOf(1), { sitemapName: 'news', ifGeneration: 2 });
  await expect(late).rejects.toMatchObject({ code: 'CONFLICT', isHeld: false });
});

describe('a delta', () => {
  const page = (n: number) => `https://www.example.com/${n}`;

  test('of the command line changes what it names, and says so', async () => {
    const hostname = await verifiedDomain();
    await library.upload(hostname, entriesOf(5), { sitemapName: 'news' });
    const gone = await inFile('gone.txt', `${page(1)}\n${page(99)}\n`);
    const changed = await inFile('changed.ndjson', `{"loc":"${page(0)}","priority":0.1}\n`);
    const args = [
      'delta',
      '-',
      '--remove',
      gone,
      '--upsert',
      changed,
      '--domain',
      hostname,
      '--name',
      'news',
    ];
    const stdin = `{"upsert":{"loc":"${page(5)}"}}\n{"upsert":{"loc":"${page(2)}"}}\n`;
    expect((await run([...args, '--dry-run'], stdin)).stdout).toMatch(/^Dry run: 1 of 1 file would change\./);
    const { code, stdout } = await run([...args, '--if-generation', '1'], stdin);
    expect(stdout).toMatch(
      /^Changed 1 of 1 file, generation 2\.\nADDED .*\n +1 +1 +1 +1 +1 +5\nhttps?:.*\/sitemap-news\.xml\n$/,
    );
    expect(code).toBe(0);
    await servedIs(hostname, [0, 2, 3, 4, 5].map(page), '/sitemap-news.xml');
    expect(await collect(library.listGenerations(hostname, 'news'))).toMatchObject([
      { generation: 2, kind: 'delta', live: true },
      { generation: 1, kind: 'upload' },
    ]);
    const failed = await run([...args, '--on-missing', 'fail'], stdin);
    expect(failed.stderr).toContain(`waypost:   ${page(1)}\nwaypost:   ${page(99)}\n`);
    expect(failed.code).toBe(1);
    const again = await run([...args, '--json', '--quiet'], stdin);
    expect(JSON.parse(again.stdout)).toMatchObject({
      unchanged: 3,
      missing: 2,
      generation: 2,
      filesChanged: 0,
    });
  });

  test('that the guard refuses is not held', async () => {
    const hostname = await verifiedDomain();
    expect(await run(['domains', 'guard', hostname, '--max-removed-percent', '30'])).toMatchObject({
      code: 0,
    });
    await library.upload(hostname, entriesOf(2000));
    const args = ['delta', '--remove', '-', '--domain', hostname];
    const most = `${locs(1500).join('\n')}\n`;
    const refused = await run([...args, '--json'], most);
    expect(refused.code).toBe(1);
    const { code, details } = JSON.parse(refused.stdout).error;
    expect({ code, details }).toEqual({
      code: 'CONFLICT',
      details: { removed: 1500, former: 2000, percent: 75, generation: expect.any(Number) },
    });
    expect(await run([...args, '--force'], most)).toMatchObject({ code: 0 });
    await servedIs(hostname, locs(2000).slice(1500));
    const all = await run([...args, '--force'], `${locs(2000).join('\n')}\n`);
    expect(all).toMatchObject({ code: 1, stderr: expect.stringContaining('Delete the sitemap instead') });
  });

  test('names the line of a fault in its file, also of a later portion', async () => {
    const hostname = await verifiedDomain();
    await library.upload(hostname, entriesOf(1));
    const first = await inFile('good.ndjson', `{"upsert":{"loc":"${page(0)}"}}\n`.repeat(100_000));
    const second = await inFile('bad.ndjson', `{"upsert":{"loc":"${page(1)}"}}\n\n{"upsert":{"loc":"x"}}\n`);
    const { code, stderr } = await run(['delta', first, second, '--domain', hostname]);
    expect(stderr).toContain('The first 100,000 operations are published, in a delta: generation 1.\n');
    expect(stderr).toContain(`waypost: ${second}, line 3, upsert.loc: must be`);
    expect(code).toBe(1);
  });

  test('of the library is one document, or operations in portions that nobody comes between', async () => {
    const hostname = await verifiedDomain();
    await library.upload(hostname, entriesOf(3));
    const changes = { upsert: [{ loc: page(3) }], remove: [page(0)] };
    expect(await library.delta(hostname, changes, { idempotencyKey: hostname })).toMatchObject({
      ...{ added: 1, removed: 1, urlCount: 3, generation: 2 },
    });
    const repeated = await library.delta(hostname, changes, { idempotencyKey: hostname });
    expect(repeated).toMatchObject({ added: 1, generation: 2 });
    const count = 150_000;
    function* operations() {
      for (let n = 0; n < count; n++) yield { upsert: { loc: page(n) } };
      yield { remove: page(count - 1) };
    }
    const applied = await library.delta(hostname, operations(), { ifGeneration: 2 });
    expect(applied).toMatchObject({
      unchanged: 3,
      removed: 0,
      missing: 1,
      urlCount: count - 1,
      generation: 4,
    });
    expect(applied.deltaIds).toHaveLength(2);
    expect(await library.getUpload(applied.deltaIds[1]!)).toMatchObject({
      outcome: 'published',
      generation: 4,
    });
    const late = library.delta(hostname, operations(), { ifGeneration: 2 });
    await expect(late).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { field: 'ifGeneration', generation: 4 },
    });
    const both = library.delta(hostname, { upsert: [{ loc: page(1) }], remove: [page(1)] });
    await expect(both).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

test('connections are set, listed and deleted', async () => {
  const keys = { accessKeyId: 'A'.repeat(20), secretAccessKey: 'b'.repeat(40) };
  const settings = { kind: 's3', region: 'auto', endpoint: 'https://s3.example.net', ...keys } as const;
  await library.setConnection('lake', { ...settings, buckets: ['exports'] });
  expect(await collect(library.listConnections())).toMatchObject([{ name: 'lake', usable: true }]);
  await library.deleteConnection('lake');
  expect(await run(['connections'])).toEqual({ code: 0, stdout: '', stderr: 'There are none.\n' });
});

test('lists of crawls, schedules and sessions may be empty', async () => {
  const hostname = await verifiedDomain();
  for (const list of [
    library.crawls(hostname, { file: 'sitemap.xml', crawler: 'Googlebot' }),
    library.crawlErrors(hostname, { status: 404 }),
    library.listSchedules(hostname),
    library.listSessions(hostname, { status: 'open', sitemapName: 'news' }),
  ]) {
    expect(await collect<unknown>(list)).toEqual([]);
  }
});

test('one idempotency key publishes once', async () => {
  const hostname = await verifiedDomain();
  const args = [
    'upload',
    await inFile('once.csv', csvOf(locs(3))),
    '--domain',
    hostname,
    '--json',
    '--quiet',
  ];
  const first = await run([...args, '--idempotency-key', hostname]);
  expect(await run([...args, '--idempotency-key', hostname])).toEqual(first);
  expect(JSON.parse(first.stdout)).toMatchObject({ generation: 1 });
});

test('the Python example', needs('python3'), async () => {
  const hostname = await verifiedDomain();
  const program = ['python3', join(PROJECT, 'client/examples/upload.py')];
  const stdin = locs(3).join('\n');
  expect(await runClient([hostname], { program, url, key, stdin })).toMatchObject({ code: 0, stderr: '' });
  await servedIs(hostname, locs(3));
});

test('parts of many writers are published by one commit, however often it is repeated', async () => {
  const hostname = await verifiedDomain();
  const session = await library.session(hostname, { expectedUrlCount: 90, idempotencyKey: 'one-run' });
  expect(await library.session(hostname, { expectedUrlCount: 90, idempotencyKey: 'one-run' })).toEqual(
    session,
  );
  const { id } = session;
  const all = entriesOf(90);
  const send = (part: number) =>
    library.part(id, part, () => all.slice((part - 1) * 30, part * 30), { gzip: part === 2 });
  // The third one is sent twice at once.
  const answers = await Promise.all([3, 1, 2, 3].map(send));
  expect(answers[3]).toEqual(answers[0]);
  async function* broken() {
    yield* all.slice(0, 5);
    throw new Error('the source is gone');
  }
  await expect(library.part(id, 2, broken())).rejects.toThrow('the source is gone');
  expect(await library.getSession(id)).toMatchObject({ status: 'open', parts: 3, urlCount: 90 });
  const parts = await collect(library.listParts(id));
  expect(parts.map(({ part }) => part)).toEqual([1, 2, 3]);
  expect(await library.commit(id, parts, { dryRun: true })).toMatchObject({ dryRun: true });
  const published = await library.commit(id, parts);
  expect(published).toMatchObject({ generation: 1, urlCount: 90 });
  expect(await library.commit(id, parts)).toEqual(published);
  await servedIs(hostname, locs(90));
  const other = await library.session(hostname);
  expect(await library.abort(other.id)).toMatchObject({ status: 'aborted' });
});
