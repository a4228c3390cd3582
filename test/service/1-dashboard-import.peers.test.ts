/** An existing sitemap is imported from its address on the upload page. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { BUCKET, startBucketHost } from '../support/bucket-host.ts';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { indexOf, sitemapOf, startSourceHost } from '../support/source-host.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { fetchLocs } from './support/crawler.ts';
import { customerWith } from './support/customer.ts';
import { heading, signInByLink, useDashboard } from './support/dashboard.ts';
import { cli } from './support/waypost.ts';

describe('in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard({ SITE_FRESH_MS: '100', OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
  const host = await startSourceHost();
  afterAll(() => host[Symbol.asyncDispose]());
  const { visit } = await useChromium();
  const demo = customerWith(waypost, 'demo', waypost.demoKey);
  const domain = await demo.verifiedDomain();

  test('an index of sitemaps becomes a sitemap here, and a wrong address is said beside it', async () => {
    host.objects.set('/index.xml', indexOf(`${host.origin}/1.xml`, `${host.origin}/2.xml`));
    host.objects.set('/1.xml', sitemapOf('https://www.example.com/1'));
    host.objects.set('/2.xml', sitemapOf('https://www.example.com/2'));
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    const address = page.getByLabel('Or import from an address');
    await address.fill('ftp://www.example.com/sitemap.xml');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('must be addresses that begin with https://').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await address.fill(`${host.origin}/index.xml`);
    await address.press('Enter');
    await heading(page, domain.hostname).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/domains/${domain.id}/uploads`);
    await page
      .getByRole('row', { name: /default/ })
      .getByText('Published')
      .waitFor();
    await vi.waitFor(
      async () =>
        expect(await fetchLocs(waypost, domain.hostname, '/sitemap.xml')).toEqual([
          'https://www.example.com/1',
          'https://www.example.com/2',
        ]),
      SOON,
    );
  });

  test('a connection is added, tested, kept while a schedule reads by it, and deleted', async () => {
    await using store = await startBucketHost();
    store.objects.set('a.csv', 'loc\nhttps://www.example.com/a\n');
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/settings/connections`);
    await page.getByRole('button', { name: 'Add connection' }).click();
    const dialog = page.getByRole('dialog');
    const fill = (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text);
    await fill('Name', 'Ware house');
    await fill('Address of the store', store.endpoint);
    await fill('Region', 'auto');
    await fill('Buckets', `${BUCKET} elsewhere`);
    await fill('Access key ID', 'AKIDEXAMPLE');
    await fill('Secret access key', 'a-secret-that-nobody-sees');
    await dialog.getByRole('button', { name: 'Save connection' }).click();
    await dialog.getByText('1 to 32 lower-case letters').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await fill('Name', 'warehouse');
    await dialog.getByRole('button', { name: 'Save connection' }).click();
    const row = page.getByRole('row', { name: /^warehouse/ });
    await row.getByRole('button', { name: 'Test' }).click();
    await dialog.getByText('It can be read').waitFor();
    await dialog.getByText('The store answers 404').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await row.getByRole('button', { name: 'Replace' }).click();
    expect(await dialog.getByLabel('Secret access key').inputValue()).toBe('');
    expect(await dialog.getByLabel('Region').inputValue()).toBe('auto');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const place = `/api/domains/${domain.id}/sitemaps/kept/schedule`;
    const load = { sources: [`s3://${BUCKET}/*.csv`], form: 'csv', connection: 'warehouse' };
    await demo.call(`PUT ${place}`, { body: { load } });
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete connection' }).click();
    await dialog.getByText(`kept of ${domain.hostname}`).waitFor();
    await demo.call(`DELETE ${place}`);
    await dialog.getByRole('button', { name: 'Delete connection' }).click();
    await page.getByText('There is no connection yet').waitFor();
  });

  test('an open session is shown with its parts, and discarded', async () => {
    const body = { domain: domain.hostname, sitemapName: 'parted' };
    const { id } = (await demo.call('POST /api/upload-sessions', { body })).json.data;
    const urls = [{ loc: 'https://www.example.com/1' }];
    await demo.call(`PUT /api/upload-sessions/${id}/parts/1`, { body: { urls } });
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/uploads`);
    const card = page.getByRole('region', { name: 'Open sessions' });
    await card.getByRole('row', { name: /parted/ }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await card.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await card.waitFor({ state: 'detached' });
  });

  test('a sitemap is loaded again by its schedule, which is paused and deleted', async () => {
    host.objects.set('/again.xml', sitemapOf('https://www.example.com/1'));
    await demo.publish({
      domain: domain.hostname,
      sitemapName: 'again',
      urls: [{ loc: 'https://www.example.com/0' }],
    });
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/sitemaps/again`);
    await page.getByRole('button', { name: 'Make schedule' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill(`${host.origin}/again.xml`);
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await page.getByText('must be the name of a time zone').first().waitFor();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByText('Every day at 06:00 Europe/Berlin').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save schedule' }).click();
    const card = page.getByRole('region', { name: 'Schedule' });
    await card.getByText('Every day at 06:00 Europe/Berlin').waitFor();
    expect(await card.getByRole('time').count()).toBe(3);

    await card.getByRole('button', { name: 'Run now' }).click();
    await card.getByText('Published').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await card.getByRole('button', { name: 'Pause' }).click();
    await card.getByText('Paused.').waitFor();
    await card.getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click();
    await card.getByRole('button', { name: 'Make schedule' }).waitFor();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/uploads`);
    await page.getByRole('row', { name: /again/ }).getByText('its schedule').waitFor();
  });
});
