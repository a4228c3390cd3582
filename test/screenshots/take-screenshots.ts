/**
 * `npm run screenshots`: writes the pictures of the README. With a folder (`-- /tmp/pictures`) it writes every page there
 * too, light, dark and 360 px wide, for people to look at.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { startWaypost, type WaypostProcess } from '../../tools/waypost-process.ts';
import { dashboardRoutes } from '../support/dashboard-routes.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { beginUpload, fillExample } from './example-account.ts';

const PROJECT = join(import.meta.dirname, '../..');
const VIEWPORT = { width: 1280, height: 900 };
const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light', viewport: VIEWPORT },
  dark: { colorScheme: 'dark', viewport: VIEWPORT },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
};
const MAIN_DOMAIN = 'maps.acme-travel.example';

const [folder] = process.argv.slice(2);
// Its pages are opened faster than by a hand.
await using dns = await startDnsServer();
await using waypost = await startWaypost({
  DASHBOARD_REQUESTS_PER_MINUTE: '100000',
  DNS_SERVERS: dns.address,
});
const ids = await fillExample(waypost, dns);
using _upload = await beginUpload(waypost, MAIN_DOMAIN);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  for (const look of ['light', 'dark']) {
    const page = await signIn(browser, waypost, LOOKS[look]!);
    await settled(page);
    await page.screenshot({ path: join(PROJECT, `docs/images/dashboard-${look}.png`) });
  }
  if (folder !== undefined) for (const look of Object.keys(LOOKS)) await takeAll(folder, look);
} finally {
  await browser.close();
}

async function takeAll(into: string, look: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const page = await signIn(browser, waypost, LOOKS[look]!);
  for (const route of dashboardRoutes()) {
    const hostnames = route.includes(':id') ? ids.keys() : [MAIN_DOMAIN];
    for (const hostname of hostnames) {
      const path = route.replace(':id', ids.get(hostname)!).replace(':name', 'hotels');
      await page.goto(waypost.apiUrl + path);
      await settled(page);
      const name = route.replaceAll('/', '-').replaceAll(':', '').slice(1);
      const of = route.includes(':id') ? `-${hostname}` : '';
      await page.screenshot({ path: join(into, `${name}${of}-${look}.png`), fullPage: true });
    }
  }
}

async function signIn(
  browser: Browser,
  { apiUrl, dataDir }: WaypostProcess,
  look: BrowserContextOptions,
): Promise<Page> {
  const env = { ...process.env, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, ['src/cli.ts', 'sign-in'], {
    cwd: PROJECT,
    env,
  });
  const context = await browser.newContext({ locale: 'en-GB', ...look });
  const page = await context.newPage();
  await page.goto(stdout.trim());
  await page.waitForURL(`${apiUrl}/dashboard`);
  return page;
}

async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  // Charts wait for their data.
  await page.waitForLoadState('networkidle');
}
