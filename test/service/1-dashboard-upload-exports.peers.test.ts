/** Spec D38: the files that people have are published as they are, with at most two choices. */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { EXPORTS, isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { useChromium } from './support/chromium.ts';
import { fetchEntries } from './support/crawler.ts';
import { customerWith } from './support/customer.ts';
import { heading, signInByLink, useDashboard } from './support/dashboard.ts';
import { cli } from './support/waypost.ts';

/** Files by tool; what a person has to choose, and the dates of the first entries. */
const FILES: Readonly<
  Record<string, { choose?: (page: Page) => Promise<void>; lastmods: (string | undefined)[] }>
> = {
  'modelled/screaming-frog-internal_all.csv': { lastmods: ['2026-01-15T10:00:00Z'] },
  'modelled/excel-de-csv-utf8.csv': { lastmods: ['2026-01-15T10:00:00+01:00', '2026-04-03'] },
  'modelled/excel-us.csv': { lastmods: ['2026-01-15T10:00:00+01:00', '2026-03-04T09:05:00+01:00'] },
  'modelled/excel-serial.csv': { lastmods: ['2026-01-15', '2026-01-15T10:00:00+01:00'] },
  'modelled/excel-sep-line.csv': { lastmods: ['2026-01-15'] },
  'modelled/duplicate-header-names.csv': {
    choose: (page) => use(page, 'url', 'URL'),
    lastmods: ['2026-01-15'],
  },
  'modelled/shopify-products.csv': {
    choose: (page) => website(page, 'https://shop.example.com/products/'),
    lastmods: [undefined],
  },
  'modelled/relative.csv': {
    choose: (page) => website(page, 'https://shop.example.com/'),
    lastmods: ['2026-01-15', '2026-01-16'],
  },
  'modelled/bigquery-extract.csv': { lastmods: ['2026-01-15T10:00:00.123Z'] },
  'modelled/athena-unload-textfile': { lastmods: ['2026-01-15T10:00:00.123+01:00'] },
  'pandas/to_csv.csv': { lastmods: ['2026-01-15T10:00:00.123000+00:00', '2026-01-15T10:00:00+00:00'] },
  'pandas/to_csv-na.csv': { lastmods: ['2026-01-15T10:00:00.123000+00:00'] },
  'pandas/to_json-records.json': { lastmods: ['2026-01-15T10:00:00.123Z', '2026-01-15T10:00:00Z'] },
  'pandas/to_json-lines.ndjson': { lastmods: ['2026-01-15T10:00:00.123Z'] },
  'postgres/psql-csv.csv': { lastmods: ['2026-01-15T10:00:00.123+00:00', '2026-01-15T10:00:00+00:00'] },
  'postgres/psql-At.txt': { lastmods: ['2026-01-15T10:00:00.123+00:00'] },
  'postgres/psql-csv-datestyle-german.csv': { lastmods: ['2026-01-15T10:00:00.123Z'] },
  'postgres/urls.txt': { lastmods: [undefined] },
  'sqlite/csv-header.csv': { lastmods: ['2026-01-15T10:00:00+01:00', '2026-01-15T10:00:00Z'] },
  'sqlite/csv.csv': { lastmods: ['2026-01-15T10:00:00+01:00'] },
  'sqlite/json.json': { lastmods: ['2026-01-15T10:00:00+01:00', '2026-01-15T10:00:00Z'] },
  'duckdb/copy.csv': { lastmods: ['2026-01-15T10:00:00.123+00:00'] },
  'spreadsheet/gnumeric-raw-semicolon.csv': { lastmods: ['2026-01-15T10:00:00+01:00'] },
  'spreadsheet/miller.json': { lastmods: ['2026-01-15T10:00:00.123000+01:00'] },
};

/** The zone of the person. It must differ from the zone of the machine. */
const TIMEZONE = 'Europe/Berlin';

describe('spec D38 in Chromium', needs('chromium', 'the exports of tools'), async () => {
  if (!isHere('chromium') || !isHere('the exports of tools')) return;
  const waypost = await useDashboard({ SITE_FRESH_MS: '100' });
  const { visit } = await useChromium();
  const demo = customerWith(waypost, 'demo', waypost.demoKey);

  test('everyday exports', { timeout: 300_000 }, async () => {
    // Each try has its own domain, where all lists are new.
    const domain = await demo.verifiedDomain();
    const page = await visit({ timezoneId: TIMEZONE });
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    const found: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    for (const [file, { choose, lastmods }] of Object.entries(FILES)) {
      const name = file.replaceAll(/\W/g, '-').slice(0, 64);
      await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}&sitemap=${name}`);
      await page
        .getByLabel('Drop a file here, or choose one')
        .setInputFiles(fileURLToPath(new URL(file, EXPORTS)));
      await page.getByText('Detected from the first rows').waitFor();
      await choose?.(page);
      await picture(page, name);
      await page.getByRole('button', { name: /^Publish/ }).click();
      await heading(page, /published$|mistake|Refused|can't|has no/).waitFor();
      const title = await heading(page, /./).innerText();
      const entries = title.endsWith('published')
        ? await vi.waitFor(() => fetchEntries(waypost, domain.hostname, `/sitemap-${name}.xml`), SOON)
        : [{ lastmod: title }];
      found[file] = entries.slice(0, lastmods.length).map((entry) => entry.lastmod);
      wanted[file] = lastmods;
    }
    expect(found).toEqual(wanted);
  });
});

async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES === undefined) return;
  await mkdir(process.env.PICTURES, { recursive: true });
  await page.screenshot({ path: `${process.env.PICTURES}/${name}.png`, fullPage: true });
}

async function use(page: Page, column: string, as: string): Promise<void> {
  await page.getByLabel(`Use ${column} as`).first().selectOption({ label: as });
  await page.getByText(/\d of \d valid/).waitFor();
}

async function website(page: Page, url: string): Promise<void> {
  await page.getByLabel('Website').fill(url);
  await renderAgain(page);
  await page.getByLabel('Website').press('Tab');
  await page.getByText(/\d of \d valid/).waitFor();
}

/** Lets the form render again: a file is dragged over the page, and away. */
async function renderAgain(page: Page): Promise<void> {
  for (const name of ['dragover', 'dragleave']) {
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([], 'urls.txt'));
      dispatchEvent(new DragEvent('${name}', { dataTransfer }));
      new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }`);
  }
}
