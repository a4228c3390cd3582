/** The receivers of docs/webhooks.md, as they stand there, get real deliveries. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { createWebhookFixture } from './webhook-fixture.ts';

const hooks = await createWebhookFixture();
const page = readFileSync(join(PROJECT, 'docs/webhooks.md'), 'utf8');
const example = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;

const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());

test.each([
  ['node', 'js', [process.execPath, '--input-type=module', '-e']],
  ['python', 'python', ['python3', '-c']],
] as const)('in %s', needs('python3'), async (_, language, [program, ...args]) => {
  const port = await freePort();
  const endpoint = await hooks.addEndpoint({ url: `http://127.0.0.1:${port}/waypost` });
  const receiver = spawn(program, [...args, example(language)], {
    ...{ cwd: PROJECT, stdio: ['ignore', 'pipe', 'ignore'] as const },
    env: { PATH: process.env.PATH, SECRET: hooks.secretOf(endpoint), PORT: String(port) },
  });
  let printed = '';
  receiver.stdout!.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const ended = new Promise((resolve) => receiver.once('close', resolve));
  scope.defer(async () => {
    receiver.kill();
    await ended;
  });
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`http://127.0.0.1:${port}/waypost`, { method: 'POST', headers, body }).then(({ status }) => status);
  await vi.waitFor(async () => expect(await post({}, '{}')).toBe(400), SOON);

  // What Waypost sends, to be sent again, and changed.
  let sent = { headers: {} as Record<string, string>, body: '' };
  const ask: typeof hooks.options.ask = (request) => {
    sent = { headers: { ...request.headers }, body: String(request.body) };
    return hooks.options.ask(request);
  };
  await hooks.emit();
  await hooks.deliverDue({ ask });
  expect(await hooks.deliveries(endpoint)).toMatchObject([
    { lastStatus: 204, deliveredAt: expect.any(Date) },
  ]);
  const line = /^domain\.verified \{"domainId": ?"domain_1", ?"domain": ?"maps\.example\.com"\}$/gm;
  await vi.waitFor(() => expect(printed.match(line)).toHaveLength(1), SOON);

  expect(await post(sent.headers, sent.body)).toBe(204);
  expect(await post(sent.headers, `${sent.body} `)).toBe(400);
  const old = String(Number(sent.headers['webhook-timestamp']) - 600);
  expect(await post({ ...sent.headers, 'webhook-timestamp': old }, sent.body)).toBe(400);
  const twoSignatures = `v1,AAAA ${sent.headers['webhook-signature']}`;
  expect(await post({ ...sent.headers, 'webhook-signature': twoSignatures }, sent.body)).toBe(204);
  expect(printed.match(line)).toHaveLength(1);
  await hooks.database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
});
