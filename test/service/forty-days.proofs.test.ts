/** All in one stops for 40 days, by the clock of its Postgres too. Its certificates of 45 days have been due for 10. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { withClock } from '../support/faketime.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { type Customer, createCustomer, customerWith, type Domain } from './support/customer.ts';
import { createFolder, startWaypost } from './support/waypost.ts';

const DOMAINS = 20;
const DAY_MS = 24 * 3_600_000;
const SLEPT_MS = 40 * DAY_MS;

/** The certificate of a handshake, whatever its dates are. */
function certificateOf(port: number, { hostname }: Domain): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: hostname, rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(socket.getPeerX509Certificate()!);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const describedBy = (customer: Customer, domains: readonly Domain[]) =>
  Promise.all(domains.map(async ({ id }) => (await customer.call(`GET /api/domains/${id}`)).json.data));

test(
  'every certificate is renewed at once, and the next renewals are spread',
  needs('faketime'),
  async () => {
    await using folder = await createFolder();
    const securePort = await freePort();
    const settings = { HOSTING_TLS_PORT: String(securePort), SITE_FRESH_MS: '100' };
    const domains: Domain[] = [];
    const certificates = () => Promise.all(domains.map((domain) => certificateOf(securePort, domain)));
    let before: { customer: Customer; certificates: X509Certificate[] };
    {
      await using waypost = await startWaypost(settings, folder.path);
      const customer = await createCustomer(waypost);
      for (let n = 0; n < DOMAINS; n++) domains.push(await customer.verifiedDomain());
      await vi.waitFor(async () => {
        for (const domain of await describedBy(customer, domains)) expect(domain.status).toBe('active');
      }, SOON);
      before = { customer, certificates: await certificates() };
    }

    await using waypost = await startWaypost({ ...settings, ...withClock('+40d') }, folder.path);
    const { publicKey } = new X509Certificate(await readFile(join(folder.path, 'ca.pem')));
    await vi.waitFor(async () => {
      for (const [i, certificate] of (await certificates()).entries()) {
        expect(certificate.fingerprint256).not.toBe(before.certificates[i]!.fingerprint256);
        expect(certificate.verify(publicKey)).toBe(true);
        expect(Date.parse(certificate.validTo) - Date.now()).toBeGreaterThan(SLEPT_MS + 40 * DAY_MS);
      }
    }, SOON);
    const { accountId, key } = before.customer;
    const after = await describedBy(customerWith(waypost, accountId, key), domains);
    for (const domain of after) {
      expect(domain).toMatchObject({
        status: 'active',
        sslStatus: 'active',
        certificate: { lastError: null },
      });
    }
    const renewals = after.map(({ certificate }) => Date.parse(certificate.renewAt)).sort();
    expect(renewals.at(-1)! - renewals[0]!).toBeGreaterThan(DAY_MS / 8);
    expect(waypost.process.stderr()).toBe('');
  },
);
