/** D38: somebody signs in for the first time, adds a domain and sees it become active, without a reload. */
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { isHere, needs } from '../support/needs.ts';
import { startPebble } from '../support/pebble.ts';
import { useChromium } from './support/chromium.ts';
import { card, heading, signInByProvider, useDashboardWithProvider } from './support/dashboard.ts';

describe('spec D38 in Chromium', needs('chromium', 'pebble'), async () => {
  if (!isHere('chromium') || !isHere('pebble')) return;
  const hostingPort = await freePort();
  const pebble = await startPebble({ httpPort: hostingPort, retryAfterSeconds: 0 });
  afterAll(() => pebble[Symbol.asyncDispose]());
  const { waypost, provider } = await useDashboardWithProvider({
    ...{ ACME_DIRECTORY: pebble.directoryUrl, NODE_EXTRA_CA_CERTS: pebble.caFile },
    ...{ DNS_SERVERS: pebble.dnsServer, CHALLENGE_PORT: String(hostingPort) },
    ...{ HOSTING_PORT: String(hostingPort), CNAME_BASE: 'cname.waypost.example.net' },
  });
  const { visit } = await useChromium();

  test('from the first sign-in to a domain with HTTPS', async () => {
    const page = await visit();
    provider.person = { sub: 'jürgen', name: 'Jürgen 山田', email: 'j@example.net', email_verified: true };
    await signInByProvider(page, waypost);
    await page.getByText('Three steps to your first sitemap').waitFor();
    await page.getByRole('link', { name: 'Jürgen 山田' }).waitFor();

    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('link', { name: 'How it works' }).click();
    await heading(page, 'How it works').waitFor();
    await page.goBack();

    await page.getByRole('link', { name: 'Add your first domain' }).click();
    await page.getByRole('textbox', { name: 'Host for your sitemaps' }).fill('not a hostname');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('alert').waitFor();
    const hostname = 'sitemaps.shop.example.com';
    await page.getByRole('textbox', { name: 'Host for your sitemaps' }).fill(hostname);
    await page.getByRole('button', { name: 'Add domain' }).click();
    await heading(page, hostname).waitFor();

    // DNS has an address for every name, as with a wildcard.
    const dns = card(page, 'Add one DNS record');
    await dns.getByRole('button', { name: 'Check now' }).click();
    await dns.getByText('Checked just now. Not found yet').waitFor();
    await dns.getByText('*.shop.example.com answers for this name.').waitFor();
    const target = await dns
      .getByRole('row', { name: /^Value/ })
      .getByRole('code')
      .first()
      .textContent();
    await pebble.dns.cname(hostname, target!);
    const loads: string[] = [];
    page.on('load', () => loads.push(page.url()));
    await dns.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Points to Waypost').waitFor();
    await page.getByText(/^Pebble Intermediate.*, renewed for you$/).waitFor();
    await page.getByText('Crawlers find nothing here until your first upload.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(loads).toEqual([]);
  });
});
