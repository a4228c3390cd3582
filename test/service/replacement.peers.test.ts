/**
 * A version takes the place of the one before, in the order of docs/operating.md, behind a load balancer, while customers upload
 * and crawlers read. The version before is this one, or that of a commit:
 *
 *   FORMER=COMMIT npx vitest run --project peers test/service/replacement
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import type { Process } from '../../tools/start-command.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { checkOut } from '../upgrades/check-out.ts';
import { startHaproxy } from './support/haproxy.ts';
import { runProcess, startProcess, starts } from './support/processes.ts';
import { PublishedLists } from './support/published-lists.ts';
import { send } from './support/send.ts';
import { openBackend } from './support/separate-waypost.ts';
import { createFolder, runCli } from './support/waypost.ts';

const HOSTNAMES = ['one', 'two', 'three', 'four'].map((name) => `${name}.customer.example.com`);
/** Time for requests between two steps. */
const STEP_MS = 3000;

const BALANCING = [
  ...['mode http', 'option httpchk GET /readyz', 'option redispatch'],
  'default-server check inter 200ms fall 1 rise 1',
];

test('no upload is lost or refused, and no crawl fails', needs('haproxy'), async () => {
  await using scope = new AsyncDisposableStack();
  const { FORMER } = process.env;
  const former = FORMER === undefined ? undefined : scope.use(await checkOut(FORMER));
  const { path } = scope.use(await createFolder());
  const { settings, dns } = await openBackend(path, former?.tree);
  scope.use(dns);

  /** Two processes of each version, and the ports where the balancer finds them. */
  const servers = async (program: string, port: string) => {
    const ports = await Promise.all(
      Array.from({ length: 4 }, async () => ({ own: await freePort(), checks: await freePort() })),
    );
    const front = await freePort();
    const lines = ports.map(({ own, checks }) => `server s${own} 127.0.0.1:${own} check port ${checks}`);
    return {
      url: `http://127.0.0.1:${front}`,
      section: [`listen ${port}`, `bind 127.0.0.1:${front}`, ...lines],
      start: async (index: number, tree?: string) => {
        const { own, checks } = ports[index]!;
        const ownSettings = { ...settings, [port]: String(own), METRICS_PORT: String(checks) };
        const started = scope.use(startProcess(program, ownSettings, [], tree));
        const isReady = async () =>
          expect((await send(`http://127.0.0.1:${checks}/readyz`)).status).toBe(200);
        await starts(started, isReady);
        return started;
      },
    };
  };
  const api = await servers('src/api-server.ts', 'API_PORT');
  const hosting = await servers('src/hosting-server.ts', 'HOSTING_PORT');
  const startJobs = (tree?: string) => scope.use(startProcess('src/job-runner.ts', settings, [], tree));
  const before = {
    api: [await api.start(0, former?.tree), await api.start(1, former?.tree)],
    hosting: [await hosting.start(0, former?.tree), await hosting.start(1, former?.tree)],
    jobs: startJobs(former?.tree),
  };
  const balancer = scope.use(
    await startHaproxy(join(path, 'haproxy.cfg'), BALANCING, [api.section, hosting.section]),
  );
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(balancer.said());
  });

  const command = async (...args: string[]) =>
    (await runProcess('src/cli.ts', settings, args, former?.tree)).stdout.trim();
  const key = await command(
    'key',
    'create',
    await command('account', 'create', 'four', '--plan', 'enterprise'),
  );
  const call = async (route: string, body?: object) => {
    const [method = '', path] = route.split(' ');
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await send(api.url + path, { method, headers, body: body && JSON.stringify(body) });
    return JSON.parse(answer.body.toString()).data;
  };
  await vi.waitFor(async () => expect(await call('GET /api/domains')).toEqual([]), SOON);
  for (const hostname of HOSTNAMES) {
    const { id, cnameTarget } = await call('POST /api/domains', { hostname });
    dns.answers.set(hostname, { cname: cnameTarget });
    expect((await call(`POST /api/domains/${id}/verify`)).status).toBe('verified');
  }

  const lists = new PublishedLists({ apiUrl: api.url, hostingUrl: hosting.url }, key);
  for (const [index, hostname] of HOSTNAMES.entries()) await lists.begin(hostname, index % 2 === 1);
  const replace = async (old: Process, start: () => Process | Promise<Process>) => {
    await start();
    await sleep(STEP_MS);
    expect(await old.stop()).toEqual({ code: 0, signal: null });
    await sleep(STEP_MS);
  };
  await sleep(STEP_MS);
  expect(await runProcess('src/migrate.ts', settings)).toMatchObject({ code: 0 });
  for (const [index, old] of before.api.entries()) await replace(old, () => api.start(2 + index));
  await replace(before.jobs, () => startJobs());
  for (const [index, old] of before.hosting.entries()) await replace(old, () => hosting.start(2 + index));
  await lists.stop();

  expect({ refused: lists.refused, wrong: lists.wrong }).toEqual({ refused: [], wrong: [] });
  expect(lists.published).toBeGreaterThan(50);
  expect(lists.crawled).toBeGreaterThan(100);
  for (const hostname of HOSTNAMES)
    await vi.waitFor(async () => expect(await lists.read(hostname)).toBe(lists.last(hostname)), SOON);
  expect((await runCli(settings, 'doctor')).stdout).toContain('all is well');
  console.log(
    `${lists.published} uploads and ${lists.crawled} crawls, in place of ${former?.name ?? 'itself'}`,
  );
});
