/** D38: the places of a URL, its history, and the changes between two uploads, in each state and look. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { customerWith } from './support/customer.ts';
import { card, heading, printedLink, signInByLink, useDashboard } from './support/dashboard.ts';
import { inAllLooks } from './support/in-all-looks.ts';
import { cli } from './support/waypost.ts';

const FILES = 72;

const hotel = (n: number) => `https://www.acme-travel.com/hotels/portugal/lisbon/hotel-${n}`;
const page = (n: number) => `https://www.acme-travel.com/products/shoe-${n}`;

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard();
  const { visit } = await useChromium();
  const demo = customerWith(waypost, 'demo', waypost.demoKey);
  const { id, hostname } = await demo.verifiedDomain();
  const connectionString = await readFile(join(waypost.dataDir, 'postgres', 'url'), 'utf8');
  const database = new pg.Pool({ connectionString, max: 1 });
  afterAll(() => database.end());
  let storageState: BrowserContextOptions['storageState'];

  /** Opens a page, and judges it there. */
  async function judge(path: string, isThere: (opened: Page) => Promise<unknown>): Promise<void> {
    const opened = await visit({ ...(storageState && { storageState }) });
    await opened.goto(waypost.apiUrl + path);
    await isThere(opened);
    await inAllLooks(opened, `find ${path.replace(/\W+/g, ' ')}`);
    await opened.context().close();
  }

  const found = (url: string) => `/dashboard/find?${new URLSearchParams({ url })}`;
  const answer = (title: RegExp) => (opened: Page) =>
    opened.getByRole('heading', { level: 2, name: title }).waitFor();

  test('the focus stays in the form, search after search', async () => {
    const opened = await visit();
    await signInByLink(opened, await cli(waypost.dataDir, 'sign-in'));
    await opened.goto(`${waypost.apiUrl}/dashboard/find`);
    const field = opened.getByLabel('URL', { exact: true });
    for (const [typed, told] of [
      ['https://www.acme-travel.com/none', opened.getByRole('heading', { level: 2 })],
      ['www.acme-travel.com/other', opened.getByText(/Only whole URLs are found/)],
    ] as const) {
      await field.fill(typed);
      await field.press('Enter');
      await told.first().waitFor();
      expect(await field.and(opened.locator(':focus')).inputValue()).toBe(typed);
    }
  });

  test('three uploads, visits of crawlers, and the way in', async () => {
    const urls = Array.from({ length: FILES * 1000 - 1 }, (_, n) => ({
      loc: hotel(n),
      lastmod: '2026-01-12',
    }));
    await demo.publish({ domain: hostname, sitemapName: 'hotels', sizeLimit: 'gsc-optimized', urls });
    const image = (n: number) => ({ loc: `https://www.acme-travel.com/${n}.jpg` });
    await demo.publish({
      domain: hostname,
      sitemapName: 'products',
      urls: [
        ...[1, 2, 3, 4].map((n) => ({ loc: page(n), lastmod: '2026-01-12' })),
        { loc: page(5), images: [image(1)] },
        { loc: page(6) },
      ],
    });
    await compared('products');
    await demo.publish({
      domain: hostname,
      sitemapName: 'products',
      urls: [
        { loc: page(1), lastmod: '2026-01-20' },
        { loc: page(2) },
        { loc: page(5), images: [image(2)] },
        ...[3, 6, 7].map((n) => ({ loc: page(n), ...(n === 3 && { lastmod: '2026-01-12' }) })),
      ],
    });
    await compared('products');
    await compared('hotels');
    await database.query(
      `INSERT INTO file_visits (domain_id, file, crawler, status, requests, last_at)
       VALUES ($1, 'sitemap-hotels.72.xml', 'Googlebot', 200, 41, now() - interval '2 hours'),
              ($1, 'sitemap-hotels.72.xml', 'Bingbot', 304, 12, now() - interval '3 days')`,
      [id],
    );
    const first = await visit();
    await signInByLink(first, await printedLink(waypost));
    storageState = await first.context().storageState();
  });

  async function compared(sitemap: string): Promise<void> {
    await vi.waitFor(async () => {
      const { json } = await demo.call(`GET /api/domains/${id}/sitemaps/${sitemap}/changes`);
      expect(json.data.state).not.toBe('pending');
    }, SOON);
  }

  test('a URL in file 72 of 72 is found from the bar, with its history', async () => {
    const last = hotel(FILES * 1000 - 2);
    const opened = await visit({ ...(storageState && { storageState }) });
    await opened.goto(`${waypost.apiUrl}/dashboard`);
    await heading(opened, 'Overview').waitFor();
    await opened.keyboard.press('/');
    await opened.keyboard.type(last);
    await opened.keyboard.press('Enter');
    await answer(/^Yes, it's in “hotels”$/)(opened);
    await card(opened, 'Entry').getByText('sitemap-hotels.72.xml').waitFor();
    const history = card(opened, 'History');
    expect(await history.getByRole('listitem').count()).toBe(3);
    await history.getByText('Googlebot fetched the file').waitFor();
    await history.getByText('returned 304, unchanged').waitFor();
    await history.getByText('one of 71,999 new URLs').waitFor();
    await opened.getByText('Visits to the page itself are in your server logs').waitFor();
    await judge(found(last), answer(/^Yes/));
  });

  test('a link to a file beyond the first page of the list shows this file, or says that it is not there', async () => {
    const opened = await visit({ ...(storageState && { storageState }) });
    // Pages of 30 files instead of 1,000.
    await opened.route(/\/sitemaps\/hotels\/files/, async (route) => {
      const [address, cursor = 0] = route.request().url().split('?cursor=');
      const response = await route.fetch({ url: address! });
      const { data, ...envelope } = await response.json();
      const end = Number(cursor) + 30;
      const pagination = { hasMore: end < data.length, cursor: String(end) };
      await route.fulfill({
        response,
        json: { ...envelope, data: data.slice(Number(cursor), end), pagination },
      });
    });
    const path = `${waypost.apiUrl}/dashboard/domains/${id}/sitemaps/hotels`;
    await opened.goto(`${path}?file=72`);
    await card(opened, 'URLs of sitemap-hotels.72.xml').getByText('hotel-71000').waitFor();
    await opened.goto(`${path}?file=73`);
    await opened.getByText('This sitemap has no file 73.').waitFor();
    await card(opened, 'Files').getByRole('button', { name: 'Show URLs of file 2' }).click();
    await card(opened, 'URLs of sitemap-hotels.2.xml').waitFor();
  });

  test('a URL that was removed, with the way to what changed', async () => {
    const removed = found(page(4));
    await judge(removed, answer(/^No, removed on /));
    const opened = await visit({ ...(storageState && { storageState }) });
    await opened.goto(waypost.apiUrl + removed);
    await opened.getByText('Version 1 still has it.').waitFor();
    await opened.getByRole('link', { name: 'Compare 1 and 2' }).click();
    await heading(opened, 'What changed').waitFor();
    await opened.getByRole('link', { name: '/products/shoe-4' }).waitFor();
  });

  test('near URLs, part of a URL, a host of others, nothing at all', async () => {
    await judge(found(`http://acme-travel.com/products/shoe-1`), answer(/^No, but these are close$/));
    const opened = await visit({ ...(storageState && { storageState }) });
    await opened.goto(waypost.apiUrl + found(`${page(1)}/`));
    await card(opened, 'Close URLs').getByRole('cell', { name: 'No slash at the end' }).waitFor();
    await card(opened, 'Close URLs')
      .getByRole('link', { name: page(1), exact: true })
      .click();
    await answer(/^Yes, it's in “products”$/)(opened);

    await judge(found('www.acme-travel.com/products/shoe-1'), (part) =>
      part.getByText('Only whole URLs are found').waitFor(),
    );
    await opened.goto(waypost.apiUrl + found('www.acme-travel.com/products/shoe-1'));
    await opened.getByRole('link', { name: page(1) }).click();
    await answer(/^Yes/)(opened);

    await judge(found('https://www.example.com/'), (others) =>
      others.getByText('None of them has a URL on www.example.com').waitFor(),
    );
    await judge(found(page(99)), answer(/^No$/));
    await judge('/dashboard/find', (empty) => empty.getByText('Enter the whole URL of a page').waitFor());
  });

  test('the page looks again only while that may help, and says what was not searched', async () => {
    const opened = await visit({ ...(storageState && { storageState }) });
    let left = { filesLeft: 2, filesUnreadable: 1, sitemapsLeft: 0 };
    let lookUps = 0;
    await opened.route(/\/dashboard\/api\/find\?/, async (route) => {
      lookUps++;
      const response = await route.fetch();
      const { data, ...envelope } = await response.json();
      await route.fulfill({ response, json: { ...envelope, data: { ...data, complete: false, ...left } } });
    });
    await opened.clock.install();
    await opened.goto(waypost.apiUrl + found(page(99)));
    await answer(/^Not found yet$/)(opened);
    await opened.getByText('We look again every few seconds.').waitFor();
    left = { filesLeft: 1, filesUnreadable: 1, sitemapsLeft: 0 };
    await opened.clock.fastForward('00:05');
    await answer(/^Not found, but/)(opened);
    await opened.getByText("1 file can't be read: missing or damaged.").waitFor();
    // The answers of two other reads come after any look-up of the first minute.
    for (let minute = 0; minute < 2; minute++) {
      const other = opened.waitForResponse(/\/dashboard\/api\/live/);
      await opened.clock.fastForward('01:00');
      await other;
    }
    expect(lookUps).toBe(2);
  });

  test('two uploads are compared: counts, fields from and to, CSV of all, going back', async () => {
    const path = `/dashboard/domains/${id}/sitemaps/products/changes`;
    for (const kind of ['added', 'changed', 'removed'])
      await judge(`${path}?from=1&to=2&kind=${kind}`, (opened) => opened.getByRole('table').waitFor());
    const opened = await visit({ ...(storageState && { storageState }) });
    await opened.goto(waypost.apiUrl + path);
    const table = opened.getByRole('table');
    const rows = () => table.getByRole('row').allInnerTexts();
    await table.waitFor();
    expect((await rows()).map((row) => row.split(/\t\n?|\n/).join(' | ')).sort()).toEqual([
      '/products/shoe-1 | 12 Jan 2026 | 20 Jan 2026',
      '/products/shoe-2 | 12 Jan 2026 | No date',
      '/products/shoe-5 | 1 image | 1 other image',
      'URL on www.acme-travel.com | Version 1 | Version 2',
    ]);
    const downloading = opened.waitForEvent('download');
    await opened.getByRole('link', { name: 'Download CSV' }).click();
    const download = await downloading;
    const csv = parse(await readFile((await download.path())!), { columns: true }) as { change: string }[];
    // 1 added, 3 changed, 1 removed.
    expect(csv.map(({ change }) => change).sort()).toEqual([
      'added',
      'changed',
      'changed',
      'changed',
      'removed',
    ]);

    await opened.getByRole('link', { name: /^Removed/ }).click();
    await table.getByText('/products/shoe-4').waitFor();
    expect(new URL(opened.url()).searchParams.get('kind')).toBe('removed');
    await opened.getByRole('searchbox', { name: /^Filter the \d+ listed$/ }).fill('nothing');
    await opened.getByText(/^None of the \d+ listed here has “nothing”/).waitFor();
    await opened.getByRole('button', { name: 'Go back to version 1' }).click();
    await opened.getByRole('dialog').waitFor();
    expect(await accessibilityProblems(opened)).toEqual([]);
    await opened.keyboard.press('Escape');
    await opened.getByLabel('From').selectOption({ index: 0 });
    await opened.getByText('Nothing: all URLs are as they were.').waitFor();
  });

  test('crawlers: last visits, errors, missing files, by the address, and as CSV', async () => {
    await database.query(
      `INSERT INTO file_errors (domain_id, day, file, crawler, status, requests, last_at)
       VALUES ($1, current_date, 'sitemap-news.xml', 'Bingbot', 404, 3, now()),
              ($1, current_date, '', 'Tools', 404, 250, now()),
              ($1, current_date - 1, 'sitemap-hotels.xml', 'Googlebot', 503, 2, now())
       ON CONFLICT DO NOTHING`,
      [id],
    );
    const path = `/dashboard/domains/${id}/crawlers`;
    await judge(path, (opened) => opened.getByText('no such file').first().waitFor());
    await judge(`${path}?crawler=Naver&status=416`, (opened) =>
      opened.getByText('No visit of this kind yet.').waitFor(),
    );
    const opened = await visit({ ...(storageState && { storageState }) });
    await opened.goto(waypost.apiUrl + path);
    await opened.getByText('Anybody can say Googlebot').waitFor();
    const visits = card(opened, 'Last visits');
    await visits.getByText('304, unchanged').waitFor();
    expect(await visits.getByRole('row').count()).toBe(3);
    await visits.getByLabel('Crawler').selectOption('Googlebot');
    await expect.poll(() => visits.getByRole('row').count()).toBe(2);
    expect(new URL(opened.url()).searchParams.get('crawler')).toBe('Googlebot');
    const downloading = opened.waitForEvent('download');
    await visits.getByRole('link', { name: 'Download CSV' }).click();
    const csv = parse(await readFile((await (await downloading).path())!), { columns: true });
    expect(csv).toMatchObject([{ file: 'sitemap-hotels.72.xml', crawler: 'Googlebot', requests: '41' }]);

    const errors = card(opened, 'Errors and missing files');
    await errors.getByRole('link', { name: 'Missing files' }).click();
    await expect.poll(() => errors.getByRole('row').count()).toBe(3);
    await errors.getByText('Other names').waitFor();
  });

  test('a first upload, and one that is no longer kept', async () => {
    await judge(`/dashboard/domains/${id}/sitemaps/hotels/changes`, (opened) =>
      opened.getByText('This is the first upload of this sitemap').waitFor(),
    );
    await judge(`/dashboard/domains/${id}/sitemaps/products/changes?from=9&to=2`, (opened) =>
      opened.getByText('Choose another one').waitFor(),
    );
  });
});
