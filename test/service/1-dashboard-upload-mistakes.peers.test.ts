/** Spec D38: mistakes by cause, all at once, as CSV with the original rows, and mended with one click. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { fetchEntries } from './support/crawler.ts';
import { customerWith } from './support/customer.ts';
import { card, heading, signInByLink, useDashboard } from './support/dashboard.ts';
import { useFiles } from './support/files.ts';
import { inAllLooks } from './support/in-all-looks.ts';
import { cli } from './support/waypost.ts';

const ROWS = 12_000;
const PAGE = 'https://www.example.com/women';
/** Rows by their lines. The file has more than one batch. */
const MISTAKES: Readonly<Record<number, string>> = {
  120: `${PAGE}/coats;2026-13-23;"Coat; ""wool"""`,
  4410: 'www.example.com/women/sale;2026-11-02;Sale',
  9000: `${PAGE}/short;2026-11-02`,
  11000: `${PAGE}/${'x'.repeat(2048)};2026-11-02;Long`,
  11998: `${PAGE}/a b ;soon;"two\nlines"`,
};

function* table(row: (line: number) => string): Generator<string> {
  yield 'Address;Last Modified;Title\n';
  for (let line = 2; line < ROWS + 2; line++) yield `${row(line)}\n`;
}
const plain = (line: number) => `${PAGE}/${line};2026-11-${10 + (line % 20)};Title ${line}`;

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard({ SITE_FRESH_MS: '100' });
  const { visit } = await useChromium();
  const files = await useFiles();
  const demo = customerWith(waypost, 'demo', waypost.demoKey);
  const fiveWrong = await files.write(
    'women.csv',
    table((line) => MISTAKES[line] ?? plain(line)),
  );
  const american = await files.write(
    'us.csv',
    table((line) => `${PAGE}/${line};${1 + (line % 12)}/${1 + (line % 28)}/2026 10:00;x`),
  );
  const unclear = await files.write('unclear.csv', ['Address,Changed at\n', `${PAGE},3/4/2026\n`]);
  const twoUrls = await files.write('two.csv', ['URL,Link\n', `${PAGE}/a,${PAGE}/b\n`]);

  /** Opens the form for a sitemap of a new domain: a test may run twice on one Waypost. */
  async function open(sitemap: string) {
    const domain = await demo.verifiedDomain();
    const page = await visit({ timezoneId: 'Europe/Berlin' });
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}&sitemap=${sitemap}`);
    await heading(page, 'Upload').waitFor();
    const entries = () => fetchEntries(waypost, domain.hostname, `/sitemap-${sitemap}.xml`);
    return { page, domain, entries };
  }

  async function choose(page: Page, path: string): Promise<void> {
    await page.getByLabel('Drop a file here, or choose one').setInputFiles(path);
    await page.getByText('Detected from the first rows').waitFor();
  }

  async function downloadCsv(page: Page, name: string): Promise<string> {
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download CSV')]);
    expect(download.suggestedFilename()).toBe(name);
    return readFile((await download.path())!, 'utf8');
  }

  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

  test('five mistakes: all at once, a CSV of 5 original rows, and published without them by one click', async () => {
    const { page, domain, entries } = await open('five');
    await choose(page, fiveWrong);
    await press(page, /^Publish/);
    await heading(page, '5 of 12,000 rows have mistakes').waitFor();
    const mistakes = card(page, 'Mistakes');
    for (const title of [
      "The date can't be read",
      'The URL has no https://',
      'Address must not begin or end with white space',
      'Address is longer than 2,048 characters',
      'The row has 2 cells instead of 3',
    ])
      await mistakes.getByText(title).first().waitFor();
    const text = await downloadCsv(page, 'women-mistakes.csv');
    for (const row of ['Address;Last Modified;Title', ...Object.values(MISTAKES)])
      expect(text).toContain(row);
    for (const line of Object.keys(MISTAKES)) expect(text).toMatch(new RegExp(`^${line};"`, 'm'));
    // A row has two lines.
    expect(text.trim().split('\n')).toHaveLength(1 + 5 + 1);
    await press(page, 'Publish without these 5');
    await heading(page, '11,995 URLs published').waitFor();
    expect(await entries()).toHaveLength(11_995);

    // The refusal and the check that found all mistakes are one upload.
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/uploads`);
    const uploads = card(page, 'Uploads');
    await uploads.getByText("Row 120: The date can't be read, and 5 more mistakes").waitFor();
    expect(await uploads.getByRole('rowheader', { name: 'five' }).count()).toBe(2);
    expect(await uploads.getByText('Only checked').count()).toBe(0);
    await uploads.getByText('In the API').click();
    await uploads.getByText('VALIDATION_ERROR').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await uploads.getByRole('link', { name: 'See the mistakes' }).click();
    await heading(page, '5 of 12,000 rows have mistakes').waitFor();
  });

  test('a refusal that is loaded again has its mistakes, and asks for the file', async () => {
    const { page } = await open('again');
    await choose(page, fiveWrong);
    await press(page, 'Check all rows first');
    await heading(page, '5 of 12,000 rows have mistakes').waitFor();
    await page.reload();
    await heading(page, '5 of 12,000 rows have mistakes').waitFor();
    await card(page, 'Mistakes').getByText('The URL has no https://').waitFor();
    await press(page, 'Choose the file again');
    await page.getByLabel('Drop a file here, or choose one').waitFor();
    expect(page.url()).not.toContain('refused');
  });

  test('“Upload” in the bar opens an empty form from a refusal, before and after a reload, and from an outcome', async () => {
    const { page, domain } = await open('bar');
    const bar = page.getByRole('link', { name: 'Upload', exact: true });
    const empty = page.getByLabel('Drop a file here, or choose one');
    const refusal = heading(page, '5 of 12,000 rows have mistakes');
    await choose(page, fiveWrong);
    await press(page, 'Check all rows first');
    await refusal.waitFor();
    await bar.click();
    await empty.waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.goBack();
    await refusal.waitFor();
    await bar.click();
    await choose(page, american);
    await page.getByLabel('Domain', { exact: true }).selectOption(domain.hostname);
    await press(page, 'Check all rows first');
    await heading(page, 'All 12,000 URLs are valid').waitFor();
    await bar.click();
    await empty.waitFor();
  });

  test('a cure mends all mistakes of a cause', async () => {
    const { page, entries } = await open('cured');
    await choose(page, american);
    expect(await page.getByLabel('Dates').inputValue()).toBe('mdy');
    // Somebody thinks otherwise.
    await page.getByLabel('Dates').selectOption('iso');
    await page.getByText('0 of 5 valid').waitFor();
    await press(page, /^Publish/);
    await heading(page, 'All 12,000 rows have mistakes').waitFor();
    await page.getByText('All 12,000 are valid as month/day/year, in the time of Berlin.').waitFor();
    expect(await page.getByRole('button', { name: /^Publish without/ }).count()).toBe(0);
    const text = await downloadCsv(page, 'us-mistakes.csv');
    expect(text.trim().split('\n')).toHaveLength(1 + ROWS);
    expect(text).toContain(`;${PAGE}/12001;`);
    await press(page, 'Read as month/day/year, in the time of Berlin, and publish');
    await heading(page, '12,000 URLs published').waitFor();
    expect((await entries())[0]).toEqual({ loc: `${PAGE}/2`, lastmod: '2026-03-03T10:00:00+01:00' });
  });

  test('a check says what a shorter list would take away', async () => {
    const { page } = await open('shorter');
    const list = (count: number) =>
      files.write(`${count}.csv`, ['loc\n', ...Array.from({ length: count }, (_, n) => `${PAGE}/${n}\n`)]);
    await choose(page, await list(20));
    await press(page, /^Publish/);
    await heading(page, '20 URLs published').waitFor();
    await press(page, 'Upload another file');
    await choose(page, await list(3));
    await press(page, 'Check all rows first');
    await page.getByText('At least 17 URLs would go: the sitemap has 20 now.').waitFor();
  });

  test('an option for one file is in sight, and gone for the next file', async () => {
    const { page } = await open('forced');
    await choose(page, twoUrls);
    await page.getByLabel('Use Link as').selectOption('loc');
    await page.getByText('More options').click();
    const force = page.getByLabel('Publish even if it removes many URLs');
    await force.check();
    await press(page, 'Check all rows first');
    await press(page, 'Back to the form');
    await force.waitFor();
    expect(await force.isChecked()).toBe(true);
    await press(page, /^Publish/);
    await press(page, 'Upload another file');
    await page.getByText('More options').click();
    await expect.poll(() => force.isChecked()).toBe(false);
  });

  test('what only a person knows is asked, and kept for the same header', async () => {
    const { page, entries } = await open('asked');
    await choose(page, twoUrls);
    await page.getByText('Choose the URL column').waitFor();
    expect(await page.getByRole('button', { name: /^Publish/ }).getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Use Link as').selectOption('loc');
    await press(page, 'Publish 1 URL');
    await heading(page, '1 URL published').waitFor();
    expect(await entries()).toEqual([{ loc: `${PAGE}/b` }]);
    await press(page, 'Upload another file');
    await choose(page, twoUrls);
    await page.getByRole('button', { name: 'Publish 1 URL' }).waitFor();
    expect(await page.getByLabel('Use Link as').inputValue()).toBe('loc');
    await page.getByLabel('Replace').setInputFiles(unclear);
    await page.getByText('3/4/2026 is in March or in April.').waitFor();
    await page.getByLabel('Dates').selectOption('dmy');
    await page.getByText('3 Apr 2026').waitFor();
  });

  test('a workbook is not sent, and the page says how to export it', async () => {
    const { page } = await open('book');
    const book = await files.write('urls.xlsx', ['PK\u0003\u0004…']);
    await page.getByLabel('Drop a file here, or choose one').setInputFiles(book);
    await page.getByText('This is a workbook. Save the sheet with the URLs as CSV.').waitFor();
    expect(await page.getByRole('button', { name: /^Publish/ }).getAttribute('aria-disabled')).toBe('true');
  });

  test('each state is for everybody', async () => {
    const { page } = await open('looks');
    const judge = async (state: string) => {
      await page.waitForLoadState('networkidle');
      await inAllLooks(page, state, async () => {
        const primary = await page.locator('main .primary').count();
        return primary === 1 ? [] : [`${primary} filled buttons`];
      });
    };
    await judge('empty');
    await choose(page, twoUrls);
    await judge('two URL columns');
    await page.getByLabel('Replace').setInputFiles(unclear);
    await page.getByText('3/4/2026 is in March or in April.').waitFor();
    await judge('unclear dates');
    await page.getByLabel('Replace').setInputFiles(fiveWrong);
    await page.getByText('5 of 5 valid').waitFor();
    await judge('chosen');
    await press(page, /^Publish/);
    await heading(page, '5 of 12,000 rows have mistakes').waitFor();
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
    await judge('refused');
    await press(page, 'Publish without these 5');
    await heading(page, '11,995 URLs published').waitFor();
    await judge('published');
  });
});
