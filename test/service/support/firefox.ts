/** The Firefox of the system, by puppeteer. Playwright drives only its own build of it. */
import { type ElementHandle, launch, type Page } from 'puppeteer-core';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { SOON } from '../../support/soon.ts';

/** Call it at the top of a suite. It ends with it. Errors in the console of the page fail the test. */
export async function useFirefox(): Promise<Page> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    timeout: SOON.timeout,
    // Puppeteer does not listen to requests, so Firefox handles a large body as it does for people.
    networkEnabled: false,
    // Nothing is asked of the network on its own account. A release ignores `services.settings.server` without this.
    env: { ...process.env, MOZ_REMOTE_SETTINGS_DEVTOOLS: '1' },
    extraPrefsFirefox: {
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      'app.normandy.enabled': false,
    },
  });
  const problems: string[] = [];
  afterEach(() => expect(problems.splice(0), 'what Firefox complains about').toEqual([]));
  afterAll(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(SOON.timeout);
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  return page;
}

/** Waits until the page shows an element of this selector: of CSS, or of puppeteer, as `h1::-p-text(Overview)`. */
export async function find(page: Page, selector: string): Promise<ElementHandle> {
  return (await page.waitForSelector(selector, { visible: true }))!;
}

/** The page may move under the mouse, as when a preview appears. So what counts is that the element was clicked. */
export async function click(page: Page, selector: string): Promise<void> {
  const element = await find(page, selector);
  await vi.waitFor(async () => {
    const aim = await element.evaluateHandle((target) => ({
      hit: new Promise((yes) => target.addEventListener('click', () => yes(true), { capture: true })),
    }));
    await element.click();
    const isHit = aim.evaluate(({ hit }) => Promise.race([hit, new Promise((no) => setTimeout(no, 1000))]));
    expect(await isHit, `a click on ${selector}`).toBe(true);
  }, SOON);
}
