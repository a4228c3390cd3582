/** HTTPS hosting in rolling restarts, behind haproxy, and judged by testssl.sh. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { fetchFile } from './support/crawler.ts';
import { PATH, useSecureSite } from './support/secure-hosting.ts';
import { send } from './support/send.ts';

const run = promisify(execFile);
const folder = await createTemporaryFolder();
const { authority, hostname, loadOn, startSecureHosting } = await useSecureSite();

test('two processes are replaced in rolling restarts, and no request over HTTPS fails', async () => {
  await using hosting = await startSecureHosting({ HOSTING_PROCESSES: '2' });
  const load = loadOn(hosting);
  await load.passes(200);
  for (const restarts of [1, 2, 3]) {
    hosting.process.kill('SIGHUP');
    await vi.waitFor(() => expect(hosting.logged('rolling restart done')).toHaveLength(restarts), SOON);
    await load.passes(200);
  }
  await load.stop();
  expect({ ...load, answers: 0 }).toMatchObject({ lost: [], refused: [], wrong: [] });
  expect(await hosting.process.stop()).toEqual({ code: 0, signal: null });
});

describe.each(['send-proxy', 'send-proxy-v2'])('behind haproxy with %s', needs('haproxy'), (option) => {
  test('both ports are served, and a client without a header is not', async () => {
    const trusted = { HOSTING_PROXY_PROTOCOL: 'true', TRUSTED_PROXY_RANGES: '127.0.0.0/8' };
    await using hosting = await startSecureHosting({ ...trusted, HOSTING_CONNECTIONS_PER_CLIENT: '40' });
    const [plain, secure] = [await freePort(), await freePort()];
    const forward = (name: string, from: number, to: number) =>
      `listen ${name}\n  bind 127.0.0.1:${from}\n  server hosting 127.0.0.1:${to} ${option}\n`;
    const file = join(folder, `${option}.cfg`);
    const times = 'defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n';
    await writeFile(
      file,
      times + forward('plain', plain, hosting.port) + forward('secure', secure, hosting.securePort),
    );
    const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const exited = once(haproxy, 'exit');
    try {
      await vi.waitFor(() => send(`http://127.0.0.1:${plain}/healthz`), SOON);
      expect((await fetchFile({ hostingUrl: `http://127.0.0.1:${plain}` }, hostname, PATH)).status).toBe(200);
      const load = loadOn({ securePort: secure });
      await load.passes(500);
      await load.stop();
      expect({ ...load, answers: 0 }).toMatchObject({ lost: [], refused: [], wrong: [] });
      const bare = connect(hosting.port, '127.0.0.1').on('error', () => {});
      bare.write('GET /healthz HTTP/1.1\r\nHost: x.example\r\n\r\n');
      expect(Buffer.concat(await bare.toArray().catch(() => [])).toString()).toBe('');
    } finally {
      haproxy.kill();
      await exited;
    }
  });
});

test('testssl.sh finds nothing above LOW', { ...needs('testssl'), timeout: 600_000 }, async () => {
  await using hosting = await startSecureHosting();
  const file = join(folder, 'testssl.json');
  const options = ['--jsonfile', file, '--ip', '127.0.0.1', '--nodns', 'none', '--warnings', 'off'];
  const what = ['--protocols', '--server-defaults', '--server-preference', '--std', '--vulnerable'];
  const trust = ['--add-ca', authority.caFile];
  // Its exit code is the number of findings.
  const scan = [...options, ...trust, ...what, `${hostname}:${hosting.securePort}`];
  await run('testssl', scan, { maxBuffer: 2 ** 24 }).catch(() => {});
  const found: { id: string; severity: string; finding: string }[] = JSON.parse(await readFile(file, 'utf8'));
  const all = new Map(found.map(({ id, severity }) => [id, severity]));
  // The scan was whole: these come from its first and its last part.
  expect([all.get('TLS1_3'), all.get('RC4')]).toEqual(['OK', 'OK']);
  const bad = found.filter(({ severity }) => ['MEDIUM', 'HIGH', 'CRITICAL', 'FATAL'].includes(severity));
  expect(bad).toEqual([]);
});
