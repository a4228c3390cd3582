/** From a verified domain to HTTPS, with separate processes, Pebble and its DNS. */
import https from 'node:https';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { isHere, needs } from '../support/needs.ts';
import { startPebble } from '../support/pebble.ts';
import { once, SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { uploadDocument } from './support/entries.ts';
import { logs } from './support/processes.ts';
import { startSeparately } from './support/separate-waypost.ts';
import { createFolder } from './support/waypost.ts';

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  await using scope = new AsyncDisposableStack();
  const [hostingPort, tlsPort] = [await freePort(), await freePort()];
  const pebble = scope.use(await startPebble({ httpPort: hostingPort, retryAfterSeconds: 0 }));
  const folder = scope.use(await createFolder());
  const sealingKey = Buffer.alloc(32, 'a key of tests').toString('base64');
  const waypost = scope.use(
    await startSeparately(
      {
        ...{ ACME_DIRECTORY: pebble.directoryUrl, NODE_EXTRA_CA_CERTS: pebble.caFile },
        ...{ DNS_SERVERS: pebble.dnsServer, CHALLENGE_PORT: String(hostingPort) },
        ...{ HOSTING_PORT: String(hostingPort), HOSTING_TLS_PORT: String(tlsPort) },
        ...{ PUBLIC_ORIGIN: 'https://{hostname}', CERTIFICATE_KEYS: `k1:${sealingKey}` },
        ...{ SITE_FRESH_MS: '100', LOG_LEVEL: 'debug' },
      },
      folder.path,
    ),
  );
  const running = scope.move();
  afterAll(() => running.disposeAsync());

  async function fetchSecurely(hostname: string, path: string) {
    const request = https.get({
      ...{ host: '127.0.0.1', port: tlsPort, servername: hostname, path, agent: false },
      ...{ headers: { Host: hostname }, ca: await pebble.root() },
    });
    const [answer] = await once(request, 'response');
    let body = '';
    for await (const chunk of answer.setEncoding('utf8')) body += chunk;
    return { status: answer.statusCode, body };
  }

  test('§3: a verified domain becomes active by itself; from then on HTTPS serves it, and HTTP redirects to HTTPS', async () => {
    const customer = await createCustomer(waypost);
    const { id, hostname, cnameTarget } = await customer.createDomain();
    await pebble.dns.cname(hostname, cnameTarget);
    const stateOf = async () => (await customer.call(`GET /api/domains/${id}`)).json.data;
    const startedAt = performance.now();
    const verified = await customer.call(`POST /api/domains/${id}/verify`);
    expect(verified.json.data).toMatchObject({ status: 'verified', sslStatus: 'provisioning' });
    await vi.waitFor(async () => {
      expect(await stateOf()).toMatchObject({ status: 'active', sslStatus: 'active' });
    }, SOON);
    console.log(`active after ${Math.round(performance.now() - startedAt)} ms`);
    await customer.publish(uploadDocument({ domain: hostname }, 3));
    await vi.waitFor(async () => {
      const { status, body } = await fetchSecurely(hostname, '/sitemap.xml');
      expect({ status, locs: body.match(/<loc>/g)?.length }).toEqual({ status: 200, locs: 3 });
    }, SOON);
    expect(await fetchFile(waypost, hostname, '/sitemap.xml')).toMatchObject({
      status: 301,
      headers: { location: `https://${hostname}/sitemap.xml` },
    });

    expect((await customer.call(`DELETE /api/domains/${id}`)).status).toBeLessThan(300);
    await vi.waitFor(() => expect(fetchSecurely(hostname, '/sitemap.xml')).rejects.toThrow(), SOON);
  });

  test('no key is in a log', async () => {
    await logs(waypost.process, 'certificate issued');
    const log = waypost.process.stderr() + waypost.process.stdout();
    expect(log).not.toMatch(/PRIVATE KEY|"d":/);
    expect(log).not.toContain(sealingKey);
  });
});
