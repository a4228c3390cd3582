/** D38: states of pages that come seldom: what a held upload takes away, dates that are proposed, an upload that is late. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { useChromium } from './support/chromium.ts';
import { customerWith } from './support/customer.ts';
import { card, heading, oneSession, useDashboard } from './support/dashboard.ts';
import { entries } from './support/entries.ts';
import { inAllLooks } from './support/in-all-looks.ts';

const URLS = 1200;

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard({ DASHBOARD_REQUESTS_PER_MINUTE: '100000' });
  const chromium = await useChromium({ expects: /^console: This page couldn't be shown:/ });
  const signedIn = oneSession(waypost, chromium);
  const demo = customerWith(waypost, 'demo', waypost.demoKey);
  const domain = await demo.verifiedDomain();
  await demo.publish({ domain: domain.hostname, urls: entries(URLS) });

  /** The form of uploads with this CSV chosen. */
  async function choose(page: Page, text: string): Promise<void> {
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('Drop a file here, or choose one').setInputFiles(file);
    await page.getByText('Detected from the first rows').waitFor();
  }

  test('the outcome of an upload that is held says which URLs would go', async () => {
    const page = await signedIn();
    await choose(page, 'loc\nhttps://www.example.com/new\n');
    await page.getByRole('button', { name: 'Publish 1 URL' }).click();
    await heading(page, 'Held until you decide').waitFor();
    await page.getByText(`These ${URLS.toLocaleString('en-US')} would go`).waitFor();
    await page.getByText('and 1,192 more').waitFor();
    await inAllLooks(page, 'a held upload');
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}`);
    await page.getByRole('button', { name: 'Review' }).first().click();
    const going = page.getByRole('dialog').locator('.going');
    await going.getByText('These 1,200 would go').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      going.getByRole('link', { name: 'Download all as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`held-${domain.hostname}-default.csv`);
  });

  test('a browser whose clock is two days ahead shows when an upload came, and offers what is held', async () => {
    const page = await signedIn();
    await page.clock.install({ time: Date.now() + 2 * 86_400_000 });
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/uploads`);
    const row = page.getByRole('row').filter({ hasText: 'Held' });
    expect(await row.locator('time').innerText()).toMatch(/ (?:sec|min) ago$|^now$/);
    await page.getByRole('button', { name: 'Review' }).waitFor();
  });

  test('a document that names its domain and its sitemap is said to go there, not to the domain of the address', async () => {
    const other = await demo.verifiedDomain();
    await demo.publish({ domain: other.hostname, sitemapName: 'shoes', urls: entries(URLS) });
    const page = await signedIn();
    const document = { domain: other.hostname.toUpperCase(), sitemapName: 'shoes', urls: entries(1) };
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    const buffer = Buffer.from(JSON.stringify(document));
    const file = { name: 'list.json', mimeType: 'application/json', buffer };
    await page.getByLabel('Drop a file here, or choose one').setInputFiles(file);
    await page.getByText('Replaces the 1,200 URLs').waitFor();
    await page.getByText('/sitemap-shoes.xml').waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await heading(page, 'Held until you decide').waitFor();
    await page.getByText(`list.json for “shoes” on ${other.hostname}`).waitFor();
    await page.getByRole('button', { name: 'Publish anyway' }).click();
    await heading(page, '1 URL published').waitFor();
    // A comparison has the lowest priority, so it takes minutes on a busy machine.
    await page.getByText('+0 added, 0 changed, −1,199 removed').waitFor({ timeout: 2 * SOON.timeout });
    await page.getByRole('link', { name: 'See the sitemap' }).click();
    await heading(page, 'Sitemap shoes').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/domains/${other.id}/sitemaps/shoes`);
  });

  test('a sitemap behind the first hundred of a domain is known, in the form and after a refusal', async () => {
    const many = await demo.verifiedDomain();
    const names = Array.from({ length: 101 }, (_, n) => `a-${n}`);
    await Promise.all(
      names.map((sitemapName) => demo.publish({ domain: many.hostname, sitemapName, urls: entries(1) })),
    );
    await demo.publish({ domain: many.hostname, sitemapName: 'zebra', urls: entries(URLS) });
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${many.id}&sitemap=zebra`);
    const buffer = Buffer.from('loc\nhttps://www.example.com/\nnowhere\n');
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer };
    await page.getByLabel('Drop a file here, or choose one').setInputFiles(file);
    await page.getByText('Replaces the 1,200 URLs').waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Crawlers still get the 1,200 URLs').waitFor();
  });

  test('many sitemaps of a domain can be searched by name', async () => {
    const many = await demo.verifiedDomain();
    const names = ['zebra', ...Array.from({ length: 10 }, (_, n) => `a-${n}`)];
    await Promise.all(
      names.map((sitemapName) => demo.publish({ domain: many.hostname, sitemapName, urls: entries(1) })),
    );
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${many.id}/sitemaps`);
    const rows = card(page, 'Sitemaps').getByRole('row');
    await expect.poll(() => rows.count()).toBe(12);
    const search = page.getByRole('searchbox', { name: 'Search sitemaps' });
    await search.fill('ZEB');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('link', { name: 'zebra' }).waitFor();
    await search.fill('nothing');
    await page.getByText('No sitemap contains “nothing”.').waitFor();
    await inAllLooks(page, 'a search without a result');
    await search.fill('');
    await expect.poll(() => rows.count()).toBe(12);
  });

  test('days without usage leave the choice of other days', async () => {
    const page = await signedIn();
    await page.route(/\/dashboard\/api\/usage\?/, async (route) => {
      const response = await route.fetch();
      const { data, ...envelope } = await response.json();
      const isShort = data.days.length <= 30;
      const days = data.days.map(({ day, ...numbers }: Record<string, number>) => ({
        ...Object.fromEntries(Object.entries(numbers).map(([name, n]) => [name, isShort ? 0 : n])),
        day,
      }));
      await route.fulfill({ response, json: { ...envelope, data: { ...data, days } } });
    });
    await page.goto(`${waypost.apiUrl}/dashboard/settings/plan`);
    const usage = card(page, 'Usage by day');
    await usage.getByText('Nothing in the last 30 days.').waitFor();
    await inAllLooks(page, 'no usage');
    await usage.getByLabel('Days of usage').selectOption('7');
    await usage.getByText('Nothing in the last 7 days.').waitFor();
    await usage.getByLabel('Days of usage').selectOption('90');
    await usage.getByRole('columnheader', { name: 'URLs accepted' }).waitFor();
  });

  test('the bar breaks no word, whatever the width and the name of the account', async () => {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/help`);
    await heading(page, 'How it works').waitFor();
    await page.evaluate(
      `document.querySelector('.top-account').textContent = 'Donaudampfschifffahrt'.repeat(4)`,
    );
    const line = { brand: 24, help: 32 };
    for (const width of [320, 768, 769, 820, 960, 961, 1100]) {
      await page.setViewportSize({ width, height: 600 });
      const heightOf = async (selector: string) => (await page.locator(selector).boundingBox())!.height;
      const seen = { brand: await heightOf('.brand'), help: await heightOf('.top-end .menu-opener') };
      expect({ width, ...seen }).toEqual({ width, ...line });
    }
    await page.setViewportSize({ width: 820, height: 600 });
    await page.keyboard.press('/');
    await heading(page, 'Find a URL').waitFor();
  });

  test('a page that stays open moves its times and reads its facts again', async () => {
    const page = await signedIn();
    await page.clock.install();
    // The page takes the time from answers, and the clock of the service stays as it is.
    await page.route('**/dashboard/api/**', async (route) => {
      const response = await route.fetch();
      const { date: _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/sitemaps/default`);
    const published = card(page, 'Versions').locator('time').first();
    await published.waitFor();
    await page.clock.fastForward('03:00:00');
    await expect.poll(() => published.innerText()).toBe('3 hr ago');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(`${waypost.apiUrl}/dashboard`);
    await page.getByText('Last upload').first().waitFor();
    const read = page.waitForRequest(/\/dashboard\/api\/overview$/);
    await page.clock.fastForward('01:00');
    await read;
  });

  test('a column of dates under an unknown name is proposed, and taken by one click', async () => {
    const page = await signedIn();
    await choose(page, 'url,Stand\nhttps://www.example.com/,2026-01-15\n');
    await page.getByText('“Stand” has dates. Do they say when each page changed?').waitFor();
    await inAllLooks(page, 'a column of dates');
    await page.getByRole('button', { name: 'Use as last modified' }).click();
    await page.getByText('has dates. Do they say').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Use Stand as').inputValue()).toBe('lastmod');
  });

  test('a sitemap whose upload is late says since when', async () => {
    const path = `sitemaps/default`;
    await demo.call(`PATCH /api/domains/${domain.id}/${path}`, { body: { expectEveryHours: 24 } });
    const page = await signedIn();
    // Nobody waits for a day.
    await page.route(new RegExp(`/dashboard/api/domains/[^/]+/${path}$`), async (route) => {
      const answer = await route.fetch();
      const { data, ...rest } = await answer.json();
      const late = { ...data, staleSince: data.freshUntil };
      await route.fulfill({ response: answer, json: { ...rest, data: late } });
    });
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/${path}`);
    await card(page, 'Expected uploads').getByText('No upload has come. It was due').waitFor();
    await inAllLooks(page, 'a late upload');
  });

  test('the page of a sitemap makes no request that is refused', async () => {
    const page = await signedIn();
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/sitemaps/default`);
    await card(page, 'Schedule').getByRole('button', { name: 'Make schedule' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(refused).toEqual([]);
  });

  test('a page that cannot show an answer says so, and the other pages work', async () => {
    const page = await signedIn();
    await page.route(`**/dashboard/api/domains/${domain.id}/uploads*`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replaceAll('"published"', '"newer"'),
      });
    });
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/uploads`);
    await heading(page, "This page couldn't be shown").waitFor();
    await page.unrouteAll();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page.getByRole('link', { name: domain.hostname }).first().click();
    await heading(page, domain.hostname).waitFor();
  });
});
