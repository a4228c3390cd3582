/** docs/benchmarking.md: its commands as they stand there, at a hundredth of their time. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { fetchLocs } from './support/crawler.ts';
import { send } from './support/send.ts';
import { startWaypost, type Waypost } from './support/waypost.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(PROJECT, 'docs/benchmarking.md'), 'utf8');
const blocks = Array.from(page.matchAll(/^```sh\n(.*?)^```$/gms), ([, block]) => block!);
const [start = '', prepare = '', ...loads] = blocks;
const commands = loads.flatMap((block) => block.split(/^(?=npx )/m)).map((command) => command.trim());

let waypost: Waypost;
const shell = async (script: string) => {
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: PROJECT });
  return stdout;
};
/** On the folder and the ports of this test. */
const here = (script: string) =>
  script
    .replaceAll('data/bench', waypost.dataDir)
    .replaceAll('http://127.0.0.1:3000', waypost.apiUrl)
    .replaceAll('http://127.0.0.1:8080', waypost.hostingUrl);

// On a folder of its own.
beforeAll(async () => {
  // The shell reads the settings before `npm start`, and prints them instead.
  const printed = await shell(start.replace('npm start', 'env'));
  const names = Array.from(start.matchAll(/([A-Z_]+)=/g), ([, name]) => name!).slice(1);
  const settings = names.map((name) => [name, new RegExp(`^${name}=(.*)$`, 'm').exec(printed)![1]!]);
  expect(start).toMatch(/^DATA_DIR=data\/bench .* npm start\n$/);
  waypost = await startWaypost(Object.fromEntries(settings));
});
afterAll(() => waypost[Symbol.asyncDispose]());

test('the settings lift the limit of requests', async () => {
  const { headers } = await send(`${waypost.apiUrl}/api/domains`, {
    headers: { 'X-API-Key': waypost.demoKey },
  });
  expect(headers['ratelimit-limit']).toBe('1000000');
});

test('what is prepared', needs('curl'), async () => {
  await shell(here(prepare));
  expect(readFileSync(here('data/bench/body.json'), 'utf8')).toMatch(
    /^\{"urls":\[(\{[^{}]+\},?){100}\]\}\n$/,
  );
});

test.each(commands)('%s', needs('curl'), async (command) => {
  const key = /^KEY=.*$/m.exec(prepare)![0];
  const brief = command.replace(/ -d (\d+) /, (_, seconds) => ` -d ${seconds / 100} -j `);
  expect(brief).not.toBe(command);
  await vi.waitFor(async () => {
    const { '2xx': answered, non2xx, errors } = JSON.parse(await shell(`${here(key)}\n${here(brief)}`));
    expect({ non2xx, errors }).toEqual({ non2xx: 0, errors: 0 });
    // On a busy machine there may be none in so short a time.
    expect(answered).toBeGreaterThan(0);
  }, SOON);
});

test('the uploads are published', needs('curl'), async () => {
  expect(await fetchLocs(waypost, 'bench-20.localhost', '/sitemap.xml')).toHaveLength(100);
});
