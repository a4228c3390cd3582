/** The first page: what needs somebody, the list of domains and its address, charts, and how much room all of that takes. */
import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { useChromium } from './support/chromium.ts';
import { card, printedLink, signInByLink, useDashboard } from './support/dashboard.ts';
import { inAllLooks, type Look } from './support/in-all-looks.ts';
import { fillNeedyAccount, hostnameOf } from './support/needy-account.ts';
import { cli } from './support/waypost.ts';

/** Two screens, or four of a narrow phone. */
const MAX_HEIGHT: Readonly<Record<Look, number>> = { light: 1700, dark: 1700, '320 px': 3800 };

describe('the overview in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard({ DASHBOARD_REQUESTS_PER_MINUTE: '100000' });
  const { visit } = await useChromium();
  let session: ReturnType<typeof signIn> | undefined;
  async function signIn() {
    const page = await visit();
    await signInByLink(page, await printedLink(waypost));
    return page.context().storageState();
  }
  /** The link works once. */
  const signedIn = () => (session ??= signIn());

  async function open(): Promise<Page> {
    const page = await visit({ storageState: await signedIn() });
    await page.goto(`${waypost.apiUrl}/dashboard`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.waitForLoadState('networkidle');
    return page;
  }

  test('an account without a domain sees three steps', async () => {
    const page = await open();
    await page.getByRole('heading', { name: 'Three steps to your first sitemap' }).waitFor();
    await judge(page, 'three steps');
  });

  describe('of an account with domains', () => {
    beforeAll(async () => {
      const [demo] = JSON.parse(await cli(waypost.dataDir, 'account', 'list', '--json'));
      await fillNeedyAccount(waypost.dataDir, demo.id);
    });

    test('five needs and eight domains fit on two screens, and on four of a narrow phone', async () => {
      const page = await open();
      await card(page, 'Needs you 5').waitFor();
      await page.locator('.plot .day').first().waitFor();
      await inAllLooks(page, 'five needs', async (_, look) => {
        const height = await page.evaluate<number>('document.documentElement.scrollHeight');
        return height <= MAX_HEIGHT[look] ? [] : [`${height} px high`];
      });
      for (const what of ['uploads', 'crawlers'])
        await page.getByRole('button', { name: `Table of ${what}` }).click();
      await page.getByRole('group', { name: 'URLs by day' }).waitFor();
      await judge(page, 'tables of charts');
    });

    test('needs come in order, with their words, their times, and the way to the cure', async () => {
      const page = await open();
      const needsYou = card(page, 'Needs you 5');
      await needsYou.waitFor();
      expect(await needsYou.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
        '“sale” would lose 4,900 of its 5,000 URLs',
        `The certificate of ${hostnameOf('news')} expires in 6 days`,
        '“default” was refused three times in a row',
        "www.acme-home.example/robots.txt can't be read",
        `${hostnameOf('legacy')} points to shops.myshopify.com`,
      ]);
      const [held, ...others] = await needsYou.locator('.when').allTextContents();
      expect(held).toMatch(/^Discarded to(day|morrow), \d\d:\d\d$/);
      expect(others.join('\n')).toMatch(
        /^Valid until .+\nLast try 2 hr ago\nSince .+\nWill be removed on .+$/,
      );
      await needsYou.getByRole('link', { name: /^Fix: www.acme-home/ }).click();
      await page.getByRole('heading', { level: 1, name: hostnameOf('home') }).waitFor();
    });

    test('the address has the filter, the order and the search, and keeps them', async () => {
      const page = await open();
      const rows = page.getByRole('group', { name: 'Domains' }).getByRole('rowheader');
      // The domains come after the page.
      await expect
        .poll(() => rows.allTextContents())
        .toEqual(['shop', 'news', 'books', 'home', 'legacy', 'kids', 'garden', 'travel'].map(hostnameOf));
      await page.getByText('8 of 14 domains, those to fix first').waitFor();
      await page.getByRole('link', { name: 'Show all' }).click();
      await expect.poll(() => rows.count()).toBe(14);
      await page.getByRole('link', { name: 'Live 8' }).click();
      await expect.poll(() => rows.count()).toBe(8);
      await page.getByRole('columnheader', { name: 'URLs' }).getByRole('link').click();
      await expect.poll(() => rows.first().textContent()).toBe(hostnameOf('travel'));
      expect(new URL(page.url()).search).toBe('?show=live&sort=urls');
      await page.getByRole('searchbox', { name: 'Search domains' }).fill('MUS');
      await expect.poll(() => rows.allTextContents()).toEqual([hostnameOf('music')]);
      await page.reload();
      await expect.poll(() => rows.allTextContents()).toEqual([hostnameOf('music')]);
      expect(new URL(page.url()).search).toBe('?search=MUS&show=live&sort=urls');
      await judge(page, 'a search');
      await page.getByRole('searchbox', { name: 'Search domains' }).fill('nowhere');
      await page.getByText('No domain of those that are live contains “nowhere”.').waitFor();
      await judge(page, 'nothing found');
      await page.goBack();
      await expect.poll(() => new URL(page.url()).search).toBe('?show=live');
      await expect.poll(() => page.getByRole('searchbox', { name: 'Search domains' }).inputValue()).toBe('');
    });

    test('a row says how far an upload is', async () => {
      const page = await open();
      const row = page.getByRole('row').filter({ hasText: hostnameOf('garden') });
      await row.getByText('Live').waitFor();
      const text = `loc\n${'https://www.acme-garden.example/roses\n'.repeat(2000)}`;
      const upload = request(`${waypost.apiUrl}/api/sitemap/generate?domain=${hostnameOf('garden')}`, {
        method: 'POST',
        headers: {
          'X-API-Key': waypost.demoKey,
          'Content-Type': 'text/csv',
          'Content-Length': text.length * 2,
        },
      });
      upload.on('error', () => {});
      upload.write(text);
      await row.getByText('Uploading “default”, 50%').waitFor({ timeout: 60_000 });
      await judge(page, 'an upload under way');
      upload.destroy();
      await row.getByText('Live').waitFor({ timeout: 60_000 });
    });

    test('a chart tells the numbers of a day in the places of the sums', async () => {
      const page = await open();
      const crawlers = card(page, 'Crawlers');
      const legend = crawlers.locator('.legend');
      await crawlers.locator('.plot .day').first().waitFor();
      await crawlers.getByText(/^\d+ errors$/).waitFor();
      await crawlers.locator('.lane').scrollIntoViewIfNeeded();
      const [before, sums] = [await legend.boundingBox(), await legend.textContent()];
      await crawlers.locator('.plot').hover();
      await crawlers.getByText(/ on \d+ \w+$/).waitFor();
      expect(await legend.boundingBox()).toEqual(before);
      expect(await legend.textContent()).not.toBe(sums);
      await page.mouse.move(0, 0);
      await expect.poll(() => legend.textContent()).toBe(sums);
    });
  });
});

/** Checks the looks, and that one button is filled. */
async function judge(page: Page, name: string): Promise<void> {
  await inAllLooks(page, name);
  expect(await page.locator('.primary').count()).toBe(1);
}
