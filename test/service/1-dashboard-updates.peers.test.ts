/** Pages whose code is not there: after an update, or without a network. */
import { describe, expect, test } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { useChromium } from './support/chromium.ts';
import { heading, printedLink, signInByLink, useDashboard } from './support/dashboard.ts';
import { send } from './support/send.ts';
import { writeStored } from './support/store.ts';

describe('in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard();
  const { visit } = await useChromium();

  test('a page that cannot be loaded is loaded again once, and then says so', async () => {
    const page = await visit();
    await signInByLink(page, await printedLink(waypost));
    let loads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads++;
    });
    await page.route('**/assets/settings-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading(page, "This page couldn't be loaded").waitFor();
    expect(loads).toBe(1);
    await page.getByRole('button', { name: 'Reload' }).click();
    await heading(page, "This page couldn't be loaded").waitFor();
    expect(loads).toBe(2);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Create key' }).waitFor();

    // It may happen again, after the next update.
    await page.route('**/assets/sitemap-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${waypost.apiUrl}/dashboard`);
    loads = 0;
    await page.goto(`${waypost.apiUrl}/dashboard/domains/x/sitemaps/y`);
    await heading(page, "This page couldn't be loaded").waitFor();
    expect(loads).toBe(2);
  });

  test('code of another version is served as long as that runs somewhere', async () => {
    await writeStored(waypost.dataDir, 'dashboard/assets/settings-12345678.js', 'export const version = 1;');
    const { status, headers, body } = await send(`${waypost.apiUrl}/dashboard/assets/settings-12345678.js`);
    expect({ status, body: body.toString(), type: headers['content-type'] }).toEqual({
      ...{ status: 200, body: 'export const version = 1;' },
      type: 'text/javascript; charset=utf-8',
    });
    expect(headers['cache-control']).toContain('immutable');
    expect((await send(`${waypost.apiUrl}/dashboard/assets/settings-00000000.js`)).status).toBe(404);
  });
});
