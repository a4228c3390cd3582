/**
 * D38: every page, in all looks, for a new account and for one with the longest and strangest texts: no
 * mistake that axe finds, one heading, a title, and nothing that is wider than the window.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { dashboardRoutes } from '../support/dashboard-routes.ts';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { useChromium } from './support/chromium.ts';
import { signInByProvider, useDashboardWithProvider } from './support/dashboard.ts';
import { problemsByLook } from './support/in-all-looks.ts';
import { fillAccount, LONG_SITEMAP, NAUGHTY } from './support/nasty-account.ts';

const FOR_STRANGERS = ['/dashboard/sign-in', '/dashboard/invitation'];
/** Of a domain, or of a sitemap of a domain. */
const OF_DOMAIN = /:id/;

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const { waypost, provider } = await useDashboardWithProvider({
    DASHBOARD_REQUESTS_PER_MINUTE: '100000',
    PLANS: '{"enterprise":{"requestsPerMinute":100000}}',
  });
  const { visit } = await useChromium();

  test('the list of pages is whole', () => {
    expect(dashboardRoutes().length).toBeGreaterThan(12);
    expect(dashboardRoutes()).toEqual(expect.arrayContaining([...FOR_STRANGERS, '/dashboard/upload']));
  });

  test('the judge sees mistakes', async () => {
    const page = await visit();
    await page.goto(`${waypost.apiUrl}/dashboard/sign-in`);
    await isThere(page);
    await page.evaluate(`
      const image = Object.assign(new Image(500, 10), { src: '/dashboard/mark.svg' });
      document.querySelector('main').append(document.createElement('h1'), image);
      document.title = '';`);
    const found = Object.values(await problemsByLook(page, 'mistakes', textProblems))
      .flat()
      .join('\n');
    for (const mistake of ['2 headings', 'its title is ""', 'px wide, in 320', 'image-alt'])
      expect(found).toContain(mistake);
  });

  test('a new account', async () => {
    const page = await visit();
    const paths = dashboardRoutes().filter((route) => !OF_DOMAIN.test(route));
    const strangers = await judge(page, FOR_STRANGERS);
    provider.person = { sub: 'new', name: 'Neu' };
    await signInByProvider(page, waypost);
    expect({ ...strangers, ...(await judge(page, paths)) }).toEqual({});
  });

  // It visits some seventy pages.
  const PATIENTLY = { timeout: 1_800_000 };
  test('1,000 domains, a hostname of 253 characters, and naughty strings', PATIENTLY, async () => {
    provider.person = { sub: 'old', name: `${NAUGHTY.german} ${NAUGHTY.japanese}` };
    const page = await visit();
    await signInByProvider(page, waypost);
    const ids = await fillAccount(waypost, page);
    const paths = dashboardRoutes().flatMap((route) =>
      ids.map((id) => route.replace(':id', id).replace(':name', LONG_SITEMAP)),
    );
    expect(await judge(page, new Set(paths))).toEqual({});
  });

  /** Problems by path. */
  async function judge(page: Page, paths: Iterable<string>): Promise<Record<string, object>> {
    const problems: Record<string, object> = {};
    for (const path of paths) {
      await page.goto(waypost.apiUrl + path);
      await isThere(page);
      const found = await problemsByLook(page, path.replaceAll('/', ' '), textProblems);
      if (Object.keys(found).length > 0) problems[path] = found;
    }
    return problems;
  }
});

/** Waits until all is loaded. Then opens what is folded. */
async function isThere(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('h1').first().waitFor();
  await vi.waitFor(async () => expect(await page.getByText('Loading …').count()).toBe(0), SOON);
  await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
  await page.waitForLoadState('networkidle');
}

async function textProblems(page: Page): Promise<string[]> {
  const headings = await page.locator('h1').count();
  const title = await page.title();
  return [
    ...(headings === 1 ? [] : [`${headings} headings of the first level`]),
    ...(/^.+ · Waypost$/.test(title) ? [] : [`its title is "${title}"`]),
  ];
}
