/**
 * D38: every page, light, dark and 360 px wide, for a new account and for one with the longest and strangest texts: no
 * mistake that axe finds, one heading, a title, and nothing that is wider than the window.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { dashboardRoutes } from '../support/dashboard-routes.ts';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { signInByProvider, useDashboardWithProvider } from './support/dashboard.ts';
import { fillAccount, LONG_SITEMAP, NAUGHTY } from './support/nasty-account.ts';

const LOOKS: readonly (BrowserContextOptions & { readonly name: string })[] = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: '360 px', colorScheme: 'light', viewport: { width: 360, height: 740 } },
];
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
    const page = await visit(LOOKS[2]);
    await page.goto(`${waypost.apiUrl}/dashboard/sign-in`);
    await isThere(page);
    await page.evaluate(`
      const image = Object.assign(new Image(500, 10), { src: '/dashboard/mark.svg' });
      document.querySelector('main').append(document.createElement('h1'), image);
      document.title = '';`);
    const found = [...(await shapeProblems(page)), ...(await accessibilityProblems(page))].join('\n');
    for (const mistake of ['2 headings', 'its title is ""', 'px wide, in 360', 'image-alt'])
      expect(found).toContain(mistake);
  });

  test.each(LOOKS)('a new account: $name', async ({ name, ...look }) => {
    const page = await visit(look);
    const paths = dashboardRoutes().filter((route) => !OF_DOMAIN.test(route));
    const strangers = await judge(page, FOR_STRANGERS);
    provider.person = { sub: 'new', name: 'Neu' };
    await signInByProvider(page, waypost);
    expect({ ...strangers, ...(await judge(page, paths)) }).toEqual({});
  });

  // It visits some two hundred pages: four minutes, and more on a busy machine.
  const PATIENTLY = { timeout: 900_000 };
  test('1,000 domains, a hostname of 253 characters, and naughty strings', PATIENTLY, async () => {
    provider.person = { sub: 'old', name: `${NAUGHTY.german} ${NAUGHTY.japanese}` };
    const first = await visit();
    await signInByProvider(first, waypost);
    const ids = await fillAccount(waypost, first);
    const paths = dashboardRoutes().flatMap((route) =>
      ids.map((id) => route.replace(':id', id).replace(':name', LONG_SITEMAP)),
    );
    for (const { name, ...look } of LOOKS) {
      const page = await visit(look);
      await signInByProvider(page, waypost);
      expect({ name, problems: await judge(page, new Set(paths)) }).toEqual({ name, problems: {} });
    }
  });

  /** Problems by path. */
  async function judge(page: Page, paths: Iterable<string>): Promise<Record<string, readonly string[]>> {
    const problems: Record<string, readonly string[]> = {};
    for (const path of paths) {
      await page.goto(waypost.apiUrl + path);
      await isThere(page);
      const found = [...(await shapeProblems(page)), ...(await accessibilityProblems(page))];
      if (found.length > 0) problems[path] = found;
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

async function shapeProblems(page: Page): Promise<string[]> {
  const [headings, title, width, room, wide] = await page.evaluate<
    [number, string, number, number, string[]]
  >(`
    (() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      const isWide = (element) => element.getBoundingClientRect().right > clientWidth + 1;
      const wide = [...document.querySelectorAll('main *')].filter(isWide).map((each) => each.outerHTML.slice(0, 120));
      return [document.querySelectorAll('h1').length, document.title, scrollWidth, clientWidth, wide];
    })()`);
  return [
    ...(headings === 1 ? [] : [`${headings} headings of the first level`]),
    ...(/^.+ · Waypost$/.test(title) ? [] : [`its title is "${title}"`]),
    ...(width <= room ? [] : [`${width} px wide, in ${room}: ${wide.slice(0, 3).join('  ')}`]),
  ];
}
