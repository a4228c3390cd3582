/**
 * Judges a page in each look: no mistake that axe finds, at most one filled button, and nothing wider than the window. The page is opened
 * once, and its look changes while it is open: a page that loads again for each look takes three times as long.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityProblems } from './chromium.ts';

const WIDE = { width: 1280, height: 900 };
const LOOKS = [
  { look: 'light', colorScheme: 'light', viewport: WIDE },
  { look: 'dark', colorScheme: 'dark', viewport: WIDE },
  { look: '320 px', colorScheme: 'light', viewport: { width: 320, height: 640 } },
] as const;
/** The folder for pictures, if a person wants to look at them. */
const PICTURES = process.env.PICTURES;

export type Look = (typeof LOOKS)[number]['look'];

/** Returns the problems of a page; none is a string. */
export type Judge = (page: Page, look: Look) => Promise<readonly string[]>;

export async function inAllLooks(page: Page, name: string, judge?: Judge): Promise<void> {
  const problems = await problemsByLook(page, name, judge);
  expect({ name, problems }).toEqual({ name, problems: {} });
}

/** Returns the looks that have problems. The page is wide and light afterwards. */
export async function problemsByLook(
  page: Page,
  name: string,
  judge: Judge = async () => [],
): Promise<Partial<Record<Look, readonly string[]>>> {
  const problems: Partial<Record<Look, readonly string[]>> = {};
  for (const { look, colorScheme, viewport } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await picture(page, `${name}, ${look}`);
    const found = [
      ...(await accessibilityProblems(page)),
      ...(await shapeProblems(page)),
      ...(await judge(page, look)),
    ];
    if (found.length > 0) problems[look] = found;
  }
  await page.setViewportSize(WIDE);
  return problems;
}

/** Returns the problems of the width and of the buttons. */
async function shapeProblems(page: Page): Promise<string[]> {
  const [width, room, wide, filled] = await page.evaluate<[number, number, string[], number]>(`
    (() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      const isWide = (element) => element.getBoundingClientRect().right > clientWidth + 1;
      const wide = [...document.querySelectorAll('main *')].filter(isWide).map((each) => each.outerHTML.slice(0, 120));
      return [scrollWidth, clientWidth, wide, document.querySelectorAll('main .primary').length];
    })()`);
  return [
    ...(width <= room ? [] : [`${width} px wide, in ${room}: ${wide.slice(0, 3).join('  ')}`]),
    ...(filled <= 1 ? [] : [`${filled} filled buttons`]),
  ];
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
