/** D38: the keyboard alone does the first journey: sign in, add a domain, check it, upload a file. */
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { useChromium } from './support/chromium.ts';
import { heading, printedLink, signInByLink, useDashboard } from './support/dashboard.ts';
import { cli } from './support/waypost.ts';

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard();
  const { visit } = await useChromium();

  test('a domain is added, verified and gets its upload page by keys alone', async () => {
    const page = await visit();
    await signInByLink(page, await printedLink(waypost));
    await tabTo(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Add your first domain');
    await page.keyboard.press('Enter');
    await heading(page, 'Add domain').waitFor();
    await isFocused(page, 'Add domain');
    await tabTo(page, 'Host for your sitemaps');
    await page.keyboard.type('keys.localhost');
    await page.keyboard.press('Enter');
    await heading(page, 'keys.localhost').waitFor();
    await isFocused(page, 'keys.localhost');
    await tabTo(page, 'Check now');
    await page.keyboard.press('Space');
    await page.getByText('Waypost on this machine, renewed for you').waitFor();
    await tabTo(page, 'Upload URLs');
    await page.keyboard.press('Enter');
    await heading(page, 'Upload').waitFor();
    await tabTo(page, 'Drop a file here, or choose one');
    // The dialog that Enter opens is the browser's own.
    await page.locator('input[type=file]:focus').setInputFiles({
      name: 'one.txt',
      mimeType: '',
      buffer: Buffer.from('https://www.example.com/\n'),
    });
    await isFocused(page, 'Replace');
    await page.getByRole('button', { name: 'Publish 1 URL' }).waitFor();
    await tabTo(page, 'Publish 1 URL');
    await page.keyboard.press('Enter');
    await heading(page, '1 URL published').waitFor();
    await isFocused(page, '1 URL published');
  });

  test('after a dialog whose button is gone, the keyboard goes on at the heading', async () => {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    await page.getByRole('button', { name: 'Revoke demo' }).focus();
    await page.keyboard.press('Enter');
    await isFocused(page, 'Cancel');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /^demo.*Revoked/ }).waitFor();
    await isFocused(page, 'API keys');
  });
});

const MAX_STOPS = 60;

/** Presses Tab until what has this name has the focus, and can be seen to have it. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const focused = await focusedName(page);
    if (focused === name) return expect(await hasRing(page)).toBe(true);
    passed.push(focused);
  }
  throw new Error(`no way to "${name}" by Tab: ${passed.join(' | ')}`);
}

async function isFocused(page: Page, name: string): Promise<void> {
  await vi.waitFor(async () => expect(await focusedName(page)).toBe(name), SOON);
}

function focusedName(page: Page): Promise<string> {
  return page.evaluate(`(({ activeElement: element }) =>
    element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent.trim())(document)`);
}

function hasRing(page: Page): Promise<boolean> {
  return page.evaluate(`(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none')(
    getComputedStyle(document.activeElement))`);
}
