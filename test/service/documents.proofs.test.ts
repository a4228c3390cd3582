/** The examples of README.md and docs/api.md, as printed and in their order, on a server as `npm start` makes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { customerWith } from './support/customer.ts';
import { runProgram } from './support/real-program.ts';
import { startWaypost } from './support/waypost.ts';

/** The texts between fences of this language, oldest first. */
function examples(file: string, language: string): string[] {
  const text = readFileSync(join(PROJECT, file), 'utf8');
  return Array.from(text.matchAll(/^```(\w*)\n(.*?)^```$/gms)).flatMap(([, name, code]) =>
    name === language ? [code!] : [],
  );
}

const containing = (codes: readonly string[], text: string) => {
  const found = codes.filter((code) => code.includes(text));
  expect(found, text).toHaveLength(1);
  return found[0]!;
};

test('the examples of README.md publish, one after the other', needs('curl', 'python3'), async () => {
  // As its readers start it, with HTTPS.
  await using waypost = await startWaypost({ PUBLIC_ORIGIN: '' });
  const { apiUrl, hostingUrl, dataDir } = waypost;
  /** With the addresses and the folder of this server. */
  const placed = (code: string) =>
    code
      .replaceAll('http://127.0.0.1:3000', apiUrl)
      .replaceAll('localhost:8080', `localhost:${new URL(hostingUrl).port}`)
      .replaceAll('data/', `${dataDir}/`);
  const run = async (program: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runProgram(program, args, { cwd: PROJECT });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return stdout.toString();
  };
  const shells = examples('README.md', '');

  await run('npm', 'run', '-s', 'build', '--workspace', 'client');
  expect(await run('sh', '-ec', placed(containing(shells, 'waypost domains add')))).toContain(
    'Published 1 URL',
  );
  const shown = await run('sh', '-ec', placed(containing(shells, 'curl -s')));
  expect(shown.match(/<priority>0\.8</g)).toHaveLength(1);
  expect(await run('python3', '-c', placed(examples('README.md', 'python')[0]!))).toContain(
    '"urlCount":1000000',
  );
  const [script] = examples('README.md', 'js');
  expect(await run(process.execPath, '--input-type=module', '-e', placed(script!))).toContain(
    'urlCount: 1000000',
  );
  const index = placed('curl -sL --compressed --cacert data/ca.pem http://demo.localhost:8080/sitemap.xml');
  expect((await run('sh', '-ec', index)).match(/<sitemap>/g)).toHaveLength(20);
});

test('the Node example of docs/api.md publishes', async () => {
  await using waypost = await startWaypost();
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname } = await customer.createDomain('sitemaps.localhost');
  const script = containing(examples('docs/api.md', 'js'), 'CompressionStream').replaceAll(
    'sitemaps.example.com',
    hostname,
  );
  const environment = { WAYPOST: waypost.apiUrl, KEY: waypost.demoKey };
  const { code, stdout } = await runProgram(process.execPath, ['--input-type=module', '-e', script], {
    cwd: PROJECT,
    environment,
  });
  expect({ code, stdout: stdout.toString() }).toEqual({
    code: 0,
    stdout: expect.stringContaining('/sitemap-products.xml'),
  });
});

test('the examples of deltas in docs/api.md change a sitemap', needs('curl'), async () => {
  await using waypost = await startWaypost();
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname } = await customer.createDomain('sitemaps.localhost');
  const urls = ['a', 'b', 'c'].map((page) => ({ loc: `https://www.example.com/${page}` }));
  const publish = { domain: hostname, sitemapName: 'products', urls };
  const environment = { WAYPOST: waypost.apiUrl, KEY: waypost.demoKey };
  const shells = examples('docs/api.md', 'sh').filter((code) => code.includes('/api/sitemap/delta'));
  expect(shells).toHaveLength(2);
  for (const [i, code] of shells.entries()) {
    await customer.publish(publish);
    const script = code.replaceAll('sitemaps.example.com', hostname);
    const { stdout } = await runProgram('sh', ['-ec', script], { cwd: PROJECT, environment });
    expect(JSON.parse(stdout.toString())).toMatchObject({
      success: true,
      data: {
        ...{ sitemapName: 'products', generation: 2 * i + 2, urlCount: 2, filesChanged: 1 },
        ...{ added: 0, changed: 1, unchanged: 0, removed: 1, missing: 0 },
      },
    });
  }
});

/** Prints how many parts an example sends, in place of sending them. Each is a write, so a row in each costs half a minute. */
const COUNTED = `
  const count = async (parts) => {
    let n = 0;
    for await (const part of parts) n += part.length > 0 ? 1 : 0;
    console.log(n);
    process.exit();
  };
  ReadableStream.from = (parts) => ({ parts, pipeThrough() { return this; } });
  globalThis.fetch = (_url, { body }) => count(body.parts ?? body);
`;

test.each([
  ['README.md', 1_000_000],
  ['docs/api.md', 100_000],
])('the Node example of %s sends its %d rows in few parts', async (file, rows) => {
  const script = examples(file, 'js').find((code) => code.includes('async function*'))!;
  const key = "JSON.parse(await readFile('data/demo.json', 'utf8'))";
  const args = ['--input-type=module', '-e', COUNTED + script.replace(key, '{}')];
  const { stdout } = await runProgram(process.execPath, args, { cwd: PROJECT });
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(rows / 500);
});
