/** An existing sitemap is imported from its address on the upload page. */
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { BUCKET, startBucketHost } from '../support/bucket-host.ts';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { indexOf, sitemapOf, startSourceHost } from '../support/source-host.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { fetchLocs } from './support/crawler.ts';
import { createCustomer, customerWith } from './support/customer.ts';
import { heading, signInByLink, useDashboard } from './support/dashboard.ts';
import { entries } from './support/entries.ts';
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

  test('a press on Import waits until the page has the domain of its address', async () => {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    const answers = Promise.withResolvers<void>();
    await page.route(/\/dashboard\/api\/(domains|overview\/domains)/, async (route) => {
      await answers.promise;
      await route.continue();
    });
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    await page.getByLabel('Or import from an address').fill('ftp://www.example.com/sitemap.xml');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('button', { name: 'One moment …' }).waitFor();
    answers.resolve();
    await page.getByText('must be addresses that begin with https://').waitFor();
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
    const posted: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && posted.push(request.url()));
    const readAgain = page.waitForResponse('**/dashboard/api/connections', { timeout: 60_000 });
    await demo.publish({ domain: domain.hostname, sitemapName: 'other', urls: entries(1) });
    await readAgain;
    expect(posted).toEqual([]);
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

  test('a new account says where its sitemap is today, and has it below a name of its own', async () => {
    host.objects.set('/robots.txt', `Sitemap: ${host.origin}/today.xml`);
    host.objects.set('/today.xml', sitemapOf('https://www.example.com/1', 'https://www.example.com/2'));
    const page = await visit();
    const { accountId } = await createCustomer(waypost);
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in', '--account', accountId));
    const today = page.getByLabel('Where is your sitemap today?');
    expect(await accessibilityProblems(page)).toEqual([]);
    await today.fill(`${host.origin}/robots.txt`);
    await today.press('Enter');
    const name = page.getByRole('textbox', { name: 'Host for your sitemaps' });
    await page.getByText(`Then Waypost imports ${host.origin}/robots.txt.`).waitFor();
    await name.fill('imported.localhost');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await heading(page, 'imported.localhost').waitFor();
    await page
      .getByRole('row', { name: /default/ })
      .getByText('Published')
      .waitFor();
  });

  test('a schedule is made for a sitemap that does not exist yet, with a hook that is shown once', async () => {
    host.objects.set('/new.xml', sitemapOf('https://www.example.com/new'));
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/sitemaps`);
    await page.getByRole('button', { name: 'Load on a schedule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the sitemap').fill('brand-new');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await page.getByText("This sitemap doesn't exist yet.").waitFor();
    await page.getByRole('button', { name: 'Make schedule' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill(`${host.origin}/new.xml`);
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await page.getByRole('button', { name: 'Make hook' }).click();
    await dialog.getByRole('button', { name: 'Make hook' }).click();
    await dialog.getByText("The hook's address").waitFor();
    const address = await dialog.locator('.copyable code').first().innerText();
    await dialog.getByText('Google Cloud Storage').click();
    await dialog.getByText(`--push-endpoint=${address}`).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    // The address cannot be shown again, so it stays while the page reads, and while the sitemap is made.
    await demo.publish({
      domain: domain.hostname,
      sitemapName: 'brand-new',
      urls: [{ loc: 'https://www.example.com/first' }],
    });
    await page.locator('text=1 URL').first().waitFor({ state: 'attached' });
    expect(await dialog.locator('.copyable code').first().innerText()).toBe(address);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    const called = await fetch(address, { method: 'POST' });
    expect(called.status).toBe(202);
    expect(await called.json()).toMatchObject({ data: { status: 'queued' } });
    await page.getByRole('button', { name: 'Delete hook' }).click();
    await dialog.getByRole('button', { name: 'Delete hook' }).click();
    await page.getByRole('button', { name: 'Make hook' }).waitFor();
    expect((await fetch(address, { method: 'POST' })).status).toBe(404);

    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('region', { name: 'Schedule', exact: true }).getByText('Published').waitFor();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/sitemaps`);
    await page.getByRole('region', { name: 'Schedules' }).getByRole('link', { name: 'brand-new' }).waitFor();
  });

  test('a long Parquet file is checked as a whole, and published with the names of its columns', async () => {
    const pages = Array.from({ length: 6000 }, (_, n) => `https://www.example.com/${n * 7919}/${n ** 3}`);
    const file = Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'url', data: pages, type: 'STRING' },
          { name: 'day', data: pages.map(() => '2026-01-15'), type: 'STRING' },
        ],
        codec: 'UNCOMPRESSED',
      }),
    );
    expect(file.length).toBeGreaterThan(64 * 1024);
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}&sitemap=columnar`);
    const name = 'products.parquet';
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: file });
    await page.getByText('They stand at the end of a Parquet file').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Check all rows first' }).click();
    await page
      .getByText(/column/)
      .first()
      .waitFor();
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}&sitemap=columnar`);
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: file });
    await page.getByLabel('URL column').fill('url');
    await page.getByLabel('Date column').fill('day');
    await page.getByRole('button', { name: 'Publish' }).click();
    await vi.waitFor(
      async () =>
        expect(await fetchLocs(waypost, domain.hostname, '/sitemap-columnar.xml')).toHaveLength(pages.length),
      SOON,
    );
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
    const card = page.getByRole('region', { name: 'Schedule', exact: true });
    await card.getByText('Every day at 06:00 Europe/Berlin').waitFor();
    expect(await card.getByRole('time').count()).toBe(3);

    await card.getByRole('button', { name: 'Run now' }).click();
    await card.getByText('Published').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await card.getByRole('button', { name: 'Pause' }).click();
    await card.getByText('Paused.').waitFor();
    await card.getByRole('button', { name: 'Change schedule' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill(`${host.origin}/corrected.xml`);
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await card.getByText('/corrected.xml').waitFor();
    await card.getByText('Paused.').waitFor();
    await card.getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click();
    await card.getByRole('button', { name: 'Make schedule' }).waitFor();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/uploads`);
    await page.getByRole('row', { name: /again/ }).getByText('its schedule').waitFor();
  });

  test('a schedule without times gets none when its address is corrected', async () => {
    const path = `/api/domains/${domain.id}/sitemaps/by-hook/schedule`;
    const load = { sources: [`${host.origin}/wrong.xml`] };
    await demo.call(`PUT ${path}`, { body: { load } });
    await demo.publish({
      domain: domain.hostname,
      sitemapName: 'by-hook',
      urls: [{ loc: 'https://www.example.com/0' }],
    });
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${domain.id}/sitemaps/by-hook`);
    const card = page.getByRole('region', { name: 'Schedule', exact: true });
    await card.getByText('When its hook is called').waitFor();
    await card.getByRole('button', { name: 'Change schedule' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill(`${host.origin}/right.xml`);
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await card.getByText('/right.xml').waitFor();
    await card.getByText('When its hook is called').waitFor();
    expect((await demo.call(`GET ${path}`)).json.data).toMatchObject({ cron: null, enabled: true });
  });
});
