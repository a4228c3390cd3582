/**
 * All in one with certificates that live a minute, from Pebble, under handshakes from first to last. Each client
 * verifies the chain, so a renewal that comes late, or a key beside another chain, fails a handshake.
 */
import type { X509Certificate } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { createCustomer } from '../service/support/customer.ts';
import { startWaypost } from '../service/support/waypost.ts';
import { startAcmeFront } from '../support/acme-front.ts';
import { isHere, needs } from '../support/needs.ts';
import { startPebble } from '../support/pebble.ts';
import { SOON } from './support/running-service.ts';

const SECONDS = Number(process.env.HANDSHAKE_SECONDS ?? 300);
const LIFETIME_S = Number(process.env.LIFETIME ?? 60);
const PER_SECOND = 100;
const CLIENTS = 10;

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  await using scope = new AsyncDisposableStack();
  const [hostingPort, tlsPort] = [await freePort(), await freePort()];
  const profiles = { short: LIFETIME_S };
  const pebble = scope.use(await startPebble({ httpPort: hostingPort, retryAfterSeconds: 0, profiles }));
  const front = scope.use(await startAcmeFront(pebble.port));
  const waypost = scope.use(
    await startWaypost({
      ...{ ACME_DIRECTORY: front.directoryUrl, ACME_PROFILE: 'short', NODE_EXTRA_CA_CERTS: pebble.caFile },
      ...{ DNS_SERVERS: pebble.dnsServer, CHALLENGE_PORT: String(hostingPort) },
      ...{ HOSTING_PORT: String(hostingPort), HOSTING_TLS_PORT: String(tlsPort) },
      ...{
        CNAME_BASE: 'cname.waypost-service.net',
        PUBLIC_ORIGIN: 'https://{hostname}',
        SITE_FRESH_MS: '100',
      },
    }),
  );
  const running = scope.move();
  afterAll(() => running.disposeAsync());

  test(`handshakes for ${SECONDS} s never meet an expired certificate`, {
    timeout: SECONDS * 1000 + 120_000,
  }, async () => {
    const customer = await createCustomer(waypost);
    const { id, hostname, cnameTarget } = await customer.createDomain('maps.customer.com');
    await pebble.dns.cname(hostname, cnameTarget);
    await customer.call(`POST /api/domains/${id}/verify`);
    const ca = await pebble.root();
    const seen = new Map<string, X509Certificate>();
    const failures: string[] = [];
    let handshakes = 0;
    const shake = () =>
      new Promise<X509Certificate | undefined>((resolve, reject) => {
        const socket = tls.connect({ host: '127.0.0.1', port: tlsPort, servername: hostname, ca }, () => {
          resolve(socket.getPeerX509Certificate());
          socket.destroy();
        });
        socket.on('error', reject);
      });
    await vi.waitFor(shake, SOON);
    const startedAt = performance.now();
    const endsAt = startedAt + SECONDS * 1000;
    const client = async () => {
      while (performance.now() < endsAt) {
        const nextAt = performance.now() + (1000 * CLIENTS) / PER_SECOND;
        handshakes += 1;
        try {
          const leaf = (await shake())!;
          seen.set(leaf.serialNumber, leaf);
        } catch (error) {
          failures.push(`${Math.round(performance.now() - startedAt)} ms: ${error}`);
        }
        await delay(Math.max(0, nextAt - performance.now()));
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    // The begin of the next certificate, as a part of the lifetime. The last tenth is for failures.
    const lives = [...seen.values()].map(({ validFromDate, validToDate }) => [validFromDate, validToDate]);
    const parts = lives.slice(1).map(([from], i) => {
      const [begin, end] = lives[i]!.map(Number) as [number, number];
      return (Number(from) - begin) / (end - begin);
    });
    const ages = parts.map((part) => part.toFixed(2)).join(' ');
    console.log(
      `${handshakes} handshakes, ${failures.length} failed, ${seen.size} certificates, renewed at ${ages} of their ` +
        `lifetime, ${front.orders} orders\n${failures.slice(0, 5).join('\n')}`,
    );
    expect(failures).toEqual([]);
    expect(seen.size).toBeGreaterThanOrEqual(Math.floor(SECONDS / LIFETIME_S));
    for (const part of parts) {
      expect(part).toBeGreaterThan(0.1);
      // Times of certificates are whole seconds.
      expect(part).toBeLessThanOrEqual(0.9 + 3 / LIFETIME_S);
    }
  });
});
