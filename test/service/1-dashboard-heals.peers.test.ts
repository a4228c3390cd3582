/** Pages that lose Waypost, their code or their session: each heals by itself or says what to do, and none is white. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { NO_ANSWER, useChromium } from './support/chromium.ts';
import { customerWith } from './support/customer.ts';
import { heading, oneSession, signInByLink, useDashboard } from './support/dashboard.ts';
import { cli } from './support/waypost.ts';

const AWAY_MS = 9000;

describe('in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard();
  const signedIn = oneSession(waypost, await useChromium({ expects: NO_ANSWER }));

  test('a browser without a network says so, keeps the page, and goes on by itself', async () => {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    await heading(page, 'API keys').waitFor();
    await page.context().setOffline(true);
    await page.getByText("You're offline. Numbers from").waitFor();
    await page.getByRole('row', { name: /^demo/ }).waitFor();
    await page.context().setOffline(false);
    await page.getByText("You're offline").waitFor({ state: 'detached' });
  });

  test('a page whose code and data do not come for 9 s comes then', async () => {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard`);
    await heading(page, 'Overview').waitFor();
    await page.route('**', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.waitForTimeout(AWAY_MS);
    expect(await textOf(page)).not.toBe('');
    await page.unroute('**');
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    await page.getByText('Not connected').waitFor({ state: 'detached' });
  });

  test('code that fails once is loaded again, and the page comes', async () => {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard`);
    let failures = 0;
    await page.route('**/assets/quick-start-*.js', (route) =>
      failures++ === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole('link', { name: 'Quick start' }).first().click();
    await heading(page, 'Quick start').waitFor();
    await page.unrouteAll();
  });

  test('a dialog whose change is done closes, although the page cannot be read again', async () => {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Nightly');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Revoke Nightly' }).click();
    await page.route('**/dashboard/api/keys', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.unroute('**/dashboard/api/keys');
    await page.getByRole('row', { name: /^Nightly.*Revoked/ }).waitFor();
  });

  test('a session that ends keeps what was typed, and sends what was pressed after signing in again', async () => {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/new`);
    await page.getByRole('textbox', { name: 'Host for your sitemaps' }).fill('sitemaps.kept.example');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();

    const other = await page.context().newPage();
    await signInByLink(other, await cli(waypost.dataDir, 'sign-in'));
    await heading(page, 'sitemaps.kept.example').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await other.close();
  });

  test('a session that ends with a file chosen publishes it after signing in again', async () => {
    const domain = await customerWith(waypost, 'demo', waypost.demoKey).verifiedDomain();
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    const file = { name: 'kept.csv', mimeType: 'text/csv', buffer: Buffer.from(csvOf(3)) };
    await page.getByLabel('Drop a file here, or choose one').setInputFiles(file);
    await page.getByText('Detected from the first rows.').waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Publish 3 URLs' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();

    const other = await page.context().newPage();
    await signInByLink(other, await cli(waypost.dataDir, 'sign-in'));
    await heading(page, /Published|3 URLs/).waitFor();
    await other.close();
  });

  test.each([
    ['once', 1, 'URLs published'],
    ['for good', Number.POSITIVE_INFINITY, 'Published'],
  ])('an upload whose last page fails %s says its outcome', async (_, failures, title) => {
    const domain = await customerWith(waypost, 'demo', waypost.demoKey).verifiedDomain();
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${domain.id}`);
    let failed = 0;
    await page.route('**/assets/ended-*.js', (route) =>
      failed++ < failures ? route.fulfill({ status: 404 }) : route.continue(),
    );
    const file = { name: 'told.csv', mimeType: 'text/csv', buffer: Buffer.from(csvOf(3)) };
    await page.getByLabel('Drop a file here, or choose one').setInputFiles(file);
    await page.getByRole('button', { name: 'Publish 3 URLs' }).click();
    await heading(page, new RegExp(title)).waitFor();
    expect(failed).toBeGreaterThan(1);
    const said = page.getByText("The rest of this page couldn't be loaded.");
    expect(await said.count()).toBe(failures === 1 ? 0 : 1);
    await page.unrouteAll();
  });

  test('a session that ends on a page without input leads to the way in, which says so', async () => {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard/settings/plan`);
    await heading(page, /Plan/).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByText('Your session has ended. Sign in again.').waitFor();
    await expect.poll(() => page.url()).toContain(encodeURIComponent('/dashboard/settings/members'));
  });
});

const csvOf = (count: number) =>
  `loc\n${Array.from({ length: count }, (_, n) => `https://www.example.com/${n}\n`).join('')}`;

const textOf = (page: Page) => page.locator('main').innerText();
