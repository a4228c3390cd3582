/** Judges a state of a page in each look: axe, one filled button, and nothing wider than the window. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityProblems } from './chromium.ts';

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  '390 px': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
};

/** `open`: brings a page of its own into the state. */
export async function inAllLooks(open: (look: BrowserContextOptions) => Promise<Page>): Promise<void> {
  for (const [name, look] of Object.entries(LOOKS)) {
    const page = await open(look);
    const problems = await accessibilityProblems(page);
    const [wide, filled] = await page.evaluate<[number, number]>(`[
      document.documentElement.scrollWidth - document.documentElement.clientWidth,
      document.querySelectorAll('main .primary').length]`);
    expect({ name, problems, wide, filled }).toEqual({
      ...{ name, problems: [], wide: 0 },
      filled: expect.toSatisfy((count: number) => count <= 1),
    });
    await page.context().close();
  }
}
