/** Spec 4.5 and D38: uploads by drag and drop, their progress, their mistakes, and the way back. */
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { SOON, soon } from '../support/soon.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { fetchFile, fetchLocs } from './support/crawler.ts';
import { customerWith } from './support/customer.ts';
import { card, heading, signInByLink, useDashboard } from './support/dashboard.ts';
import { entries } from './support/entries.ts';
import { csv, plainLine, useFiles } from './support/files.ts';
import { cli } from './support/waypost.ts';

const URLS = 1_000_000;
const DROP_ZONE = 'Drop a file here, or choose one';
const SLOW_BYTES_PER_SECOND = 8_000_000;

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard({ SITE_FRESH_MS: '100' });
  const { visit } = await useChromium();
  const files = await useFiles();
  const large = await files.write('alle seiten 全部.csv', csv(URLS));
  const small = await files.write('klein.csv', csv(3));
  const wrong = await files.write(
    'wrong.csv',
    csv(200, (index) => (index % 100 === 99 ? 'not an address,2026-11-22,0.5\n' : plainLine(index))),
  );
  const demo = customerWith(waypost, 'demo', waypost.demoKey);
  const domain = await demo.verifiedDomain();

  async function liveUrls(): Promise<number> {
    const { status, body } = await fetchFile(waypost, domain.hostname, '/sitemap.xml');
    expect({ status, type: body.toString().includes('<sitemap') }).toEqual({ status: 200, type: true });
    return (await demo.call(`GET /api/domains/${domain.id}`)).json.data.urlCount;
  }

  async function openUploads(): Promise<Page> {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    await heading(page, 'Upload').waitFor();
    return page;
  }

  async function choose(page: Page, path: string) {
    await page.getByLabel(DROP_ZONE).setInputFiles(path);
    await publish(page).click();
  }

  test('a million URLs by drag and drop, with the progress that the server sees', async () => {
    const page = await openUploads();
    await drop(page, large);
    await page.getByText('Detected from the first rows.').waitFor();
    const slow = await slowDown(page);
    const live = await holdBack(page, /\/dashboard\/api\/live/);
    await publish(page).click();
    const cancel = page.getByRole('button', { name: 'Cancel the upload' });
    await cancel.focus();
    live.release();
    const first = await progressAbove(page, 0);
    expect(await cancel.and(page.locator(':focus')).count()).toBe(1);
    const second = await progressAbove(page, first);
    expect(second).toBeLessThan(1);
    expect(await page.title()).toMatch(/^\d+% · Upload/);
    await slow.end();
    await heading(page, '1,000,000 URLs published').waitFor();
    expect(await liveUrls()).toBe(URLS);
  });

  test('Enter before the page knows the domain and the file takes effect when it knows them', async () => {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    const domains = await holdBack(page, /\/dashboard\/api\/(overview\/)?domains\b/);
    await page.addInitScript(HOLD_READING);
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    await page.getByLabel(DROP_ZONE).setInputFiles(wrong);
    await publish(page).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'One moment' }).and(page.locator(':focus')).waitFor();
    domains.release();
    await page.getByLabel('Domain', { exact: true }).waitFor();
    await page.evaluate('release()');
    await heading(page, '2 of 200 rows have mistakes').waitFor();
  });

  test('Enter in the search for a domain publishes nothing', async () => {
    const [first] = await Promise.all(Array.from({ length: 16 }, () => demo.createDomain()));
    const page = await openUploads();
    await page.getByLabel(DROP_ZONE).setInputFiles(small);
    const search = page.getByLabel('Search domains');
    await search.fill('nowhere');
    await page.getByText('No domain has “nowhere” in its name.').waitFor();
    await search.fill(first!.hostname);
    await search.press('Enter');
    await expect
      .poll(() => page.getByLabel('Domain', { exact: true }).getByRole('option').allInnerTexts())
      .toEqual([domain.hostname, expect.stringContaining(first!.hostname)]);
    expect(await search.and(page.locator(':focus')).count()).toBe(1);
    await publish(page).waitFor();
  });

  test.for(['Sign out', 'Sign out everywhere'])('“%s” asks first during an upload', async (name) => {
    const page = await openUploads();
    let warnings = 0;
    page.on('dialog', (warning) => {
      warnings++;
      void warning.accept();
    });
    await holdBack(page, /sitemap\/generate/);
    await choose(page, small);
    const sending = page.getByRole('button', { name: 'Cancel the upload' });
    const signOut = page.getByRole('button', { name, exact: true });
    const press = async () => {
      await sending.waitFor();
      await page.getByRole('button', { name: /^You, / }).click();
      if (name !== 'Sign out') await page.getByRole('link', { name: 'You', exact: true }).click();
      await signOut.click();
    };
    await press();
    const asked = page.getByRole('dialog', { name: 'Cancel the upload and sign out?' });
    await asked.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    expect(await signOut.and(page.locator(':focus')).count()).toBe(1);
    await page.getByRole('link', { name: 'Upload', exact: true }).click();
    await press();
    await asked.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(warnings).toBe(0);
  });

  test('a list goes on although it is read again meanwhile; the next key finds the focus', async () => {
    const { id, hostname } = await demo.verifiedDomain();
    for (let n = 0; n < 21; n++)
      await demo.publish({ domain: hostname, urls: [{ loc: `https://a.example/${n}` }] });
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${id}/uploads`);
    const next = await holdBack(page, /\/uploads\?limit=20&cursor=/);
    await page.getByRole('button', { name: 'Show more uploads' }).click();
    await next.hasCome;
    // The page reads the list again after any change.
    const isReadAgain = page.waitForResponse(/\/uploads\?limit=20$/);
    await demo.publish({ domain: hostname, urls: [{ loc: 'https://a.example/21' }] });
    await isReadAgain;
    next.release();
    await vi.waitFor(
      async () => expect(await card(page, 'Uploads').getByRole('row').count()).toBe(1 + 22),
      SOON,
    );
    await page.getByRole('link', { name: 'Settings' }).last().click();
    const percent = page.getByLabel('Percent of its URLs');
    await percent.fill('40');
    await percent.press('Enter');
    await page.getByText('The guard is saved.').waitFor();
    expect(await percent.and(page.locator(':focus')).inputValue()).toBe('40');
    expect(await page.evaluate(atOnce('button.danger', '!!document.querySelector(":modal")'))).toBe(true);
    expect(await page.evaluate(atOnce('a.brand', 'document.activeElement.tagName'))).toBe('H1');
  });

  test('the guard holds a file that lacks most URLs; a generation that was replaced comes back', async () => {
    const page = await openUploads();
    await choose(page, small);
    const held = page.getByText('It would lose 999,997 URLs');
    await held.waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('klein.csv').waitFor();
    const [discarded] = (await demo.call(`GET /api/domains/${domain.id}/uploads`)).json.data;
    const { status } = await demo.call(`POST /api/uploads/${discarded.id}/publish`, {
      body: { force: true },
    });
    expect(status).toBe(409);
    await publish(page).click();
    await held.waitFor();
    await page.getByRole('button', { name: 'Publish anyway' }).click();
    await heading(page, '3 URLs published').waitFor();
    await page.getByRole('link', { name: 'See the sitemap' }).click();
    await page
      .getByRole('button', { name: /Roll back to version/ })
      .first()
      .click();
    await page.getByText('It has 1,000,000 URLs').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /Roll back to 1/ })
      .getByText('Live')
      .waitFor();
    expect(await liveUrls()).toBe(URLS);
  });

  test('a held list does not replace one that was published after the page showed it', async () => {
    const { hostname, id } = await demo.verifiedDomain();
    await demo.publish({ domain: hostname, urls: entries(1200) });
    const page = await openUploads();
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${id}`);
    await choose(page, small);
    await page.getByText('It would lose 1,197 URLs').waitFor();
    await demo.publish({ domain: hostname, urls: entries(1300) });
    await page.getByRole('button', { name: 'Publish anyway' }).click();
    await page.getByText('Another list of this sitemap was published meanwhile').waitFor();
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(1300);
  });

  test('deltas stand among the uploads and the generations, and one can go back to before them', async () => {
    const { id, hostname } = await demo.verifiedDomain();
    await demo.publish({ domain: hostname, urls: entries(5) });
    const upsert = [{ loc: 'https://www.example.com/new' }];
    for (const filesChanged of [1, 0]) {
      const { json } = await demo.call('POST /api/sitemap/delta', { body: { domain: hostname, upsert } });
      expect(json.data).toMatchObject({ generation: 2, filesChanged });
    }
    const page = await openUploads();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${id}/uploads`);
    const uploads = card(page, 'Uploads').getByRole('row');
    await uploads.filter({ hasText: 'Partial update, JSON' }).filter({ hasText: 'Published' }).waitFor();
    await uploads.filter({ hasText: 'The sitemap was already as the update says' }).waitFor();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/${id}/sitemaps/default`);
    const generations = card(page, 'Versions');
    await generations
      .getByRole('row', { name: /^2\s*Partial update/ })
      .getByText('Live')
      .waitFor();
    await generations.getByRole('button', { name: 'Roll back to version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await generations
      .getByRole('row', { name: /^3\s*Roll back to 1/ })
      .getByText('Live')
      .waitFor();
  });
});

/** The button, with the number of URLs if it is known. */
const publish = (page: Page) => page.getByRole('button', { name: /^Publish( [\d,]+ URLs?)?$/ });

/** A script for the page: each read of a file waits until the test calls `release`. */
const HOLD_READING = `{
  const { promise, resolve } = Promise.withResolvers();
  const { arrayBuffer } = Blob.prototype;
  Blob.prototype.arrayBuffer = function () { return promise.then(() => arrayBuffer.call(this)); };
  globalThis.release = resolve;
}`;

/** A script for the page: it clicks, and returns the value of `seen` before the browser paints or takes the next key. */
const atOnce = (clicked: string, seen: string) => `(async () => {
  document.querySelector('${clicked}').click();
  for (let step = 0; step < 10; step++) await undefined;
  return ${seen};
})()`;

/** Requests to this path wait. */
async function holdBack(page: Page, path: RegExp) {
  const came = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    came.resolve();
    await released.promise;
    await route.continue();
  });
  return { hasCome: came.promise, release: released.resolve };
}

/** Drops a file of the disk on the page, as a hand does. */
async function drop(page: Page, path: string): Promise<void> {
  const { x, y, width, height } = (await page.getByLabel(DROP_ZONE).boundingBox())!;
  const at = { x: x + width / 2, y: y + height / 2 };
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const devTools = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devTools.send('Input.dispatchDragEvent', { type, ...at, data });
  await devTools.detach();
}

/** A slow network, until `end`. */
async function slowDown(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  const limit = (uploadThroughput: number) =>
    devTools.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1 },
      uploadThroughput,
    });
  await limit(SLOW_BYTES_PER_SECOND);
  return { end: () => limit(-1) };
}

/** Waits until the share that the server has seen is larger, and returns it. */
async function progressAbove(page: Page, former: number): Promise<number> {
  const bar = page.locator('progress[value]');
  return vi.waitUntil(async () => {
    const [share = 0] = await bar.evaluateAll((all) =>
      all.map((each) => Reflect.get(each, 'position') as number),
    );
    return share > former && share;
  }, soon('progress'));
}
