/** HTTPS hosting in rolling restarts, behind haproxy, and judged by testssl.sh. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { fetchFile } from './support/crawler.ts';
import { startHaproxy } from './support/haproxy.ts';
import { PATH, useSecureSite } from './support/secure-hosting.ts';
import { send } from './support/send.ts';
import { judgeByTestssl } from './support/testssl.ts';

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
    const forward = (name: string, from: number, to: number) => [
      ...[`listen ${name}`, `bind 127.0.0.1:${from}`, `server hosting 127.0.0.1:${to} ${option}`],
    ];
    const ports = [forward('plain', plain, hosting.port), forward('secure', secure, hosting.securePort)];
    await using _haproxy = await startHaproxy(join(folder, `${option}.cfg`), ['mode tcp'], ports);
    await vi.waitFor(() => send(`http://127.0.0.1:${plain}/healthz`), SOON);
    expect((await fetchFile({ hostingUrl: `http://127.0.0.1:${plain}` }, hostname, PATH)).status).toBe(200);
    const load = loadOn({ securePort: secure });
    await load.passes(500);
    await load.stop();
    expect({ ...load, answers: 0 }).toMatchObject({ lost: [], refused: [], wrong: [] });
    const bare = connect(hosting.port, '127.0.0.1').on('error', () => {});
    bare.write('GET /healthz HTTP/1.1\r\nHost: x.example\r\n\r\n');
    expect(Buffer.concat(await bare.toArray().catch(() => [])).toString()).toBe('');
  });
});

test('testssl.sh finds nothing above LOW', { ...needs('testssl'), timeout: 600_000 }, async () => {
  await using hosting = await startSecureHosting();
  const address = `${hostname}:${hosting.securePort}`;
  expect(await judgeByTestssl(address, authority.caFile)).toEqual({ whole: true, bad: [] });
});
