/**
 * Chromium on a running Waypost. Whatever it complains about fails the test: errors of the console and of pages, breaches
 * of the page's policy, answers of 5xx, and requests that leave loopback.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect, onTestFailed } from 'vitest';
import { SOON } from '../../support/soon.ts';

export interface Chromium {
  /** A page in a browser of its own: no cookie is shared with other visits. */
  visit(options?: BrowserContextOptions): Promise<Page>;
}

/** A refusal is an answer that we intend. Chromium writes it to the console all the same. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;
const LOOPBACK = /^(127(\.\d+){3}|localhost|.+\.localhost|\[::1\])$/;

const TELL_BREACHES = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('policy: ' + violatedDirective + ' ' + blockedURI))`;

/** The messages of the console if no answer comes. */
export const NO_ANSWER = /net::ERR_/;

export interface ChromiumOptions {
  /** Complaints that the tests provoke. */
  readonly expects?: RegExp;
}

/** Call it at the top of a file or a suite. It ends with it. */
export async function useChromium({ expects }: ChromiumOptions = {}): Promise<Chromium> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const problems: string[] = [];
  afterEach(() => expect(problems.splice(0), 'what the browser complains about').toEqual([]));
  // The pages of earlier tests would go on asking for changes, and the requests of a person are limited. Close them here and not after
  // their test, because a failed test takes a picture last.
  beforeEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(() => browser.close());
  return {
    async visit(options) {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      context.setDefaultTimeout(SOON.timeout);
      await context.addInitScript(TELL_BREACHES);
      const page = await context.newPage();
      watch(page, (problem) => {
        if (!expects?.test(problem)) problems.push(problem);
      });
      showOnFailure(page);
      return page;
    },
  };
}

function watch(page: Page, complain: (problem: string) => void): void {
  page.on('console', (message) => {
    const isBad = message.type() === 'error' || message.type() === 'warning';
    if (isBad && !REFUSAL.test(message.text())) complain(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complain(`page error: ${error.stack}`));
  page.on('response', (response) => {
    if (response.status() >= 500) complain(`${response.status()} from ${response.url()}`);
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && !LOOPBACK.test(hostname)) complain(`left for ${request.url()}`);
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the faults for people with disabilities, by axe. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
    );
  });
}

/** If the test fails, its error shows the text of the page, and a picture of the page is kept. */
function showOnFailure(page: Page): void {
  onTestFailed(async ({ task }) => {
    const text = await page.locator('body').innerText();
    for (const error of task.result?.errors ?? []) error.message += `\nThe page at ${page.url()}:\n${text}`;
    const path = join(tmpdir(), `waypost-${task.id}-${Date.now()}.png`);
    await page.screenshot({ path, fullPage: true });
    console.error(`the page at the end of "${task.name}": ${path}`);
  });
}
