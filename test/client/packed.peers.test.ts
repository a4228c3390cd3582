/** The client as customers get it: from the tarball of `npm pack`, on the oldest Node that it supports and on ours. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../client/package.json' with { type: 'json' };
import { findNode20 } from '../support/find-node-20.ts';
import { needs } from '../support/needs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { playDeltas } from './support/fake-deltas.ts';
import { startFakeWaypost } from './support/fake-waypost.ts';
import { installPackedClient } from './support/packed-client.ts';
import { PUBLISHED } from './support/published.ts';
import { type ClientOptions, runClient, startClient } from './support/run-client.ts';

const folder = await createTemporaryFolder();
const customer = installPackedClient(folder);
const installed = join(customer, 'node_modules/waypost');
const waypost = await startFakeWaypost({ keepsBodies: false });
const DOMAIN = 'maps.example.com';
const RECORDS = 2_000_000;
const LIBRARY_SCRIPT = `
import { Waypost, WaypostError } from 'waypost';
const waypost = new Waypost({ apiKey: process.env.WAYPOST_API_KEY, url: process.env.WAYPOST_URL });
async function* entries() {
  for (let n = 0; n < 1000; n++) yield { loc: \`https://www.example.com/\${n}\` };
}
const uploaded = await waypost.upload('${DOMAIN}', entries(), { gzip: true });
console.log(uploaded.urlCount, new WaypostError('A', 'b') instanceof Error);
`;
const TYPED_SCRIPT = `
import { type AppliedDeltas, type Entry, type Operation, type Upload, Waypost, WaypostError } from 'waypost';
const waypost = new Waypost({ apiKey: 'a', url: 'https://a.example' });
async function* entries(): AsyncGenerator<Entry> {
  yield { loc: 'https://www.example.com/', changefreq: 'daily', images: [{ loc: 'https://www.example.com/a.png' }] };
}
export const uploaded: Promise<Upload> = waypost.upload('maps.example.com', () => entries(), { sizeLimit: 'balanced' });
export const lists = waypost.delta('maps.example.com', { upsert: [{ loc: 'https://www.example.com/' }] }, { onMissing: 'fail' });
async function* operations(): AsyncGenerator<Operation> {
  yield { remove: 'https://www.example.com/' };
}
export const { removed, generation = 0 }: AppliedDeltas = await waypost.delta('maps.example.com', operations());
// @ts-expect-error: an operation is one of both.
export const neither = waypost.delta('maps.example.com', [{ loc: 'https://www.example.com/' }]);
// @ts-expect-error: a URL is required.
export const wrong = waypost.upload('maps.example.com', [{ priority: 1 }]);
for await (const { hostname } of waypost.listDomains()) console.log(hostname satisfies string);
export const code = (error: unknown) => error instanceof WaypostError && error.details.uploadId;
`;

function play(): void {
  waypost.play(async ({ route }, request) => {
    await request.whole();
    return { data: route.startsWith('GET') ? [] : PUBLISHED };
  });
}

test('the package has what it runs, and neither its source nor anything of the service', () => {
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'examples', 'package.json']);
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => /\.[^./]+$/.test(file) && !/\.(js|d\.ts)$/.test(file))).toEqual([]);
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    expect(readFileSync(join(installed, 'dist', file), 'utf8'), file).not.toMatch(/from '[^']*\.ts'/);
  }
});

test('the types serve a customer in strict mode', () => {
  writeFileSync(join(customer, 'typed.ts'), TYPED_SCRIPT);
  const types = join(process.cwd(), 'node_modules/@types');
  const options =
    '--strict --noEmit --exactOptionalPropertyTypes --module nodenext --target es2023 --types node --ignoreConfig';
  const args = ['tsc', ...options.split(' '), '--typeRoots', types, join(customer, 'typed.ts')];
  const { status, stdout } = spawnSync('npx', args, { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

describe.for([
  ['Node 20', findNode20() ?? 'node', needs('Node 20')],
  ['the Node of the service', process.execPath, {}],
] as const)('on %s', ([, node, options]) => {
  const run = (args: readonly string[], more: ClientOptions = {}) =>
    runClient(args, { program: [node, join(installed, 'dist/cli/waypost.js')], url: waypost.url, ...more });

  test('the program says its version, and lists', options, async () => {
    play();
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    expect(await run(['domains', '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test('the library uploads', options, async () => {
    play();
    const script = join(customer, 'upload.js');
    writeFileSync(script, LIBRARY_SCRIPT);
    const ended = await runClient([script], { program: [node], url: waypost.url, cwd: customer });
    expect(ended).toEqual({ code: 0, stdout: '2 true\n', stderr: '' });
    expect(waypost.seen[0]).toMatchObject({ end: 'whole', query: { domain: DOMAIN } });
  });

  test('2 million records of CSV on standard input take no more memory than a few', options, async () => {
    play();
    const { child, ended, peakBytes } = startMeasured(['upload', '-', '--form', 'csv']);
    const bytes = await writeRecords(child.stdin!);
    expect(await ended).toMatchObject({ code: 0 });
    expect(waypost.seen[0]).toMatchObject({ bytes, end: 'whole' });
    // The program itself takes some 90 MB.
    expect(bytes).toBeGreaterThan(200e6);
    expect(peakBytes()).toBeLessThan(180e6);
  });

  test('2 million operations on standard input take the memory of a portion', options, async () => {
    playDeltas(waypost);
    const { child, ended, peakBytes } = startMeasured(['delta', '-', '--json']);
    const bytes = await writeOperations(child.stdin!);
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).deltaIds).toHaveLength(RECORDS / 100_000);
    expect(waypost.seen.reduce((sum, one) => sum + one.bytes, 0)).toBe(bytes);
    expect(bytes).toBeGreaterThan(150e6);
    expect(peakBytes()).toBeLessThan(240e6);
  });

  function startMeasured(args: readonly string[]) {
    const peak = join(folder, 'peak');
    const tell = join(folder, 'tell-peak.mjs');
    writeFileSync(
      tell,
      `import { writeFileSync } from 'node:fs';
       process.on('exit', () => writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
    );
    const program = [node, '--import', tell, join(installed, 'dist/cli/waypost.js')];
    const started = startClient([...args, '--domain', DOMAIN], { program, url: waypost.url });
    return { ...started, peakBytes: () => Number(readFileSync(peak, 'utf8')) * 1024 };
  }
});

function writeRecords(stdin: NodeJS.WritableStream): Promise<number> {
  return writeLines(
    stdin,
    'loc,lastmod,changefreq,priority,image_title\n',
    (n) =>
      `https://www.example.com/category/${n % 100}/product/${n},2026-01-15,daily,0.8,"An image of it, with a title"\n`,
  );
}

function writeOperations(stdin: NodeJS.WritableStream): Promise<number> {
  return writeLines(
    stdin,
    '',
    (n) => `{"upsert":{"loc":"https://www.example.com/category/product/${n}","lastmod":"2026-01-15"}}\n`,
  );
}

async function writeLines(
  stdin: NodeJS.WritableStream,
  head: string,
  line: (n: number) => string,
): Promise<number> {
  let bytes = 0;
  const write = async (text: string) => {
    bytes += Buffer.byteLength(text);
    if (!stdin.write(text)) await new Promise<void>((resolve) => stdin.once('drain', resolve));
  };
  await write(head);
  for (let from = 0; from < RECORDS; from += 1000)
    await write(Array.from({ length: 1000 }, (_, n) => line(from + n)).join(''));
  stdin.end();
  return bytes;
}
