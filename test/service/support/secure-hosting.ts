/** A site with a certificate of a test authority, and hosting servers of their own that serve it over HTTPS. */
import { Agent } from 'node:https';
import { afterAll, expect } from 'vitest';
import { freePort } from '../../../tools/free-port.ts';
import { createTestAuthority } from '../../../tools/test-certificates.ts';
import { fetchFile } from './crawler.ts';
import { createCustomer, uniqueHostname } from './customer.ts';
import { entries } from './entries.ts';
import { type Hosting, startHosting } from './hosting.ts';
import type { Environment } from './processes.ts';
import { send } from './send.ts';
import { startLoad } from './steady-load.ts';
import { CERTIFICATE_KEYS, storeCertificate } from './stored-certificate.ts';
import { useWaypost } from './use-waypost.ts';
import { runCli } from './waypost.ts';

export const PATH = '/sitemap.xml';

/** Call it at the top of a file. */
export async function useSecureSite() {
  const authority = await createTestAuthority();
  afterAll(() => authority[Symbol.dispose]());
  /** Lends its stored files to the hosting processes of these tests. */
  const lender = await useWaypost();
  const customer = await createCustomer(lender);

  /** Below a name for which the lender issues no certificates of its own. */
  async function secureDomain() {
    const domain = await customer.createDomain(uniqueHostname('customer.org'));
    const forced = await runCli(lender.settings, 'domain', 'verify', '--force', domain.hostname);
    expect(forced).toMatchObject({ code: 0 });
    await customer.publish({ domain: domain.hostname, urls: entries(3000) });
    await storeCertificate(lender.dataDir, domain.hostname, await authority.issue(domain.hostname));
    return domain;
  }
  const { hostname } = await secureDomain();
  const { body: whole } = await fetchFile(lender, hostname, PATH);

  return {
    authority,
    lender,
    customer,
    hostname,
    /** The file at PATH. */
    whole,
    secureDomain,

    async startSecureHosting(environment: Environment = {}): Promise<Hosting & { securePort: number }> {
      const securePort = await freePort();
      const secure = { CERTIFICATE_KEYS, HOSTING_TLS_PORT: String(securePort), SITE_FRESH_MS: '100' };
      const hosting = await startHosting(lender, { ...secure, ...environment }, 'listening for HTTPS');
      return { ...hosting, securePort };
    },

    loadOn: ({ securePort }: { securePort: number }) =>
      startLoad({
        url: `https://127.0.0.1:${securePort}${PATH}`,
        headers: { Host: hostname },
        secure: { ca: authority.ca, servername: hostname },
        connections: 32,
        judge: ({ status, body }) => expect([status, body.equals(whole)]).toEqual([200, true]),
      }),

    async statusOf(securePort: number, host: string): Promise<number> {
      const agent = new Agent({ ca: authority.ca, servername: host });
      const url = `https://127.0.0.1:${securePort}${PATH}`;
      return (await send(url, { headers: { Host: host }, agent })).status;
    },
  };
}
