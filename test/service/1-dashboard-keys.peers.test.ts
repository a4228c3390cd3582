/** Spec 5 and D38: a key is made in the dashboard, shown once, used by curl, and refused as soon as it is revoked. */
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { curl, heading, printedLink, signInByLink, useDashboard } from './support/dashboard.ts';
import { cli } from './support/waypost.ts';

describe('spec D38 in Chromium', needs('chromium', 'curl'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard();
  const { visit } = await useChromium();

  test('a key is shown once, works, and is refused at once when it is revoked', async () => {
    const page = await visit();
    await signInByLink(page, await printedLink(waypost));
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading(page, 'API keys').waitFor();

    const { key, row } = await createKey(page, 'Nightly <build> & 夜間');
    expect((await curl(`${waypost.apiUrl}/api/domains`, key)).status).toBe(200);
    await page.reload();
    await row.getByText('Valid').waitFor();
    expect(await page.content()).not.toContain(key);

    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByText('so a program still needs it').waitFor();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await row.getByText('Revoked').waitFor();
    expect(await curl(`${waypost.apiUrl}/api/domains`, key)).toMatchObject({
      status: 401,
      body: expect.stringContaining('UNAUTHORIZED'),
    });
  });

  test('a key may do only what its maker chose, and the list says so', async () => {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    const { key, row } = await createKey(page, 'Products', async () => {
      await page.getByRole('checkbox', { name: 'Read' }).uncheck();
      await page.getByLabel('Sitemap', { exact: true }).fill('products');
      await page.getByLabel('Only from').fill('127.0.0.0/8, ::1/64');
      await page.getByLabel('Revoke it when I leave the account').check();
      expect(await accessibilityProblems(page)).toEqual([]);
    });
    await row.getByText('upload; sitemaps: products; from: 127.0.0.0/8, ::1/64').waitFor();
    await row.getByText('ends with them').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await curl(`${waypost.apiUrl}/api/domains`, key)).toMatchObject({
      status: 403,
      body: expect.stringContaining('This key lacks the action read. It has: upload.'),
    });
  });

  test('each action can be chosen; all of them are everything, and none is refused', async () => {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    const boxes = page.getByRole('group', { name: 'It may' }).getByRole('checkbox');
    const all = async (isChecked: boolean) => {
      for (const box of await boxes.all()) await box.setChecked(isChecked);
    };
    const { row } = await createKey(page, 'All', async () => {
      await all(false);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByText('Choose at least one.').waitFor();
      await all(true);
    });
    await row.getByText('everything').waitFor();
    const some = await createKey(page, 'Some', () =>
      page.getByRole('checkbox', { name: 'Roll back' }).check(),
    );
    await some.row.getByText('read, upload, roll back').waitFor();
  });

  test('a key that is being made is shown, whatever is pressed meanwhile, and its copy is said in the dialog', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    const answers = Promise.withResolvers<void>();
    await page.route('**/dashboard/api/keys', async (route) => {
      if (route.request().method() === 'POST') await answers.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Slow');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('button', { name: 'One moment …' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    // Playwright waits until a button is enabled, and this one is not.
    await dialog.getByRole('button', { name: 'Cancel' }).dispatchEvent('click');
    answers.resolve();
    const shown = page.getByRole('dialog', { name: 'Key “Slow”' });
    await shown.getByRole('button', { name: /^Copy/ }).click();
    await shown.getByRole('status').getByText('Copied the key.').waitFor();
    await shown.getByRole('button', { name: 'I have stored it' }).click();
  });

  test('a key that is shown and not copied keeps its page', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.getByRole('link', { name: 'Settings' }).click();
    const open = async (name: string) => {
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByLabel('Name').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      const shown = page.getByRole('dialog', { name: `Key “${name}”` });
      await shown.waitFor();
      return shown;
    };
    const shown = await open('Held');
    const asked = page.waitForEvent('dialog');
    const closing = page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await closing;
    await page.goBack();
    await shown.getByRole('alert').getByText("You haven't copied the key").waitFor();
    await page.goBack();
    await shown.getByText("You haven't copied the key").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await shown.getByRole('button', { name: 'Leave without it' }).click();
    await heading(page, 'Overview').waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    const copied = await open('Copied');
    await copied.getByRole('button', { name: 'Copy the key' }).click();
    // The browser copies in its own time.
    await copied.getByRole('status').getByText('Copied the key.').waitFor();
    await page.goBack();
    await heading(page, 'Overview').waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    await createKey(page, 'Stored');
    await page.goBack();
    await heading(page, 'Overview').waitFor();
  });

  test('the quick start makes a key for its own sitemap', async () => {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/quick-start`);
    const { key } = await createKey(page, 'Trial', undefined, 'Create a key');
    await vi.waitFor(async () => expect(await page.content()).toContain(key), SOON);
    // Without a domain, the key is for the sitemap of this name in any domain.
    const limit = 'upload; sitemaps: quick-start';
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    await page.getByRole('row', { name: 'Trial' }).getByText(limit).waitFor();
    expect((await curl(`${waypost.apiUrl}/api/domains`, key)).status).toBe(403);
  });

  test('the quick start has a new key until the page is loaded again', async () => {
    const page = await visit();
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await page.goto(`${waypost.apiUrl}/dashboard/settings/keys`);
    const { key } = await createKey(page, 'Fresh');
    await page.getByRole('link', { name: 'Quick start' }).first().click();
    await heading(page, 'Quick start').waitFor();
    await vi.waitFor(async () => expect(await page.content()).toContain(key), SOON);
    await page.reload();
    await page.getByText('$WAYPOST_KEY').first().waitFor();
    expect(await page.content()).not.toContain(key);
  });
});

/** On the page of the keys. */
async function createKey(page: Page, name: string, choose = async () => {}, opener = 'Create key') {
  await page.getByRole('button', { name: opener }).click();
  await page.getByLabel('Name').fill(name);
  await choose();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: `Key “${name}”` });
  const key = (await shown.locator('.copyable code').textContent())!;
  expect(key).toMatch(/^\w{20,}$/);
  // Only the button closes the dialog.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await shown.waitFor({ state: 'detached' });
  return { key, row: page.getByRole('row', { name }) };
}
