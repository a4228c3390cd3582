/** D38: what a page costs somebody who opens it first: at most 60 kB of JavaScript, compressed. */
import { describe, expect, test } from 'vitest';
import { dashboardRoutes } from '../support/dashboard-routes.ts';
import { isHere, needs } from '../support/needs.ts';
import { useChromium } from './support/chromium.ts';
import { customerWith } from './support/customer.ts';
import { printedLink, signInByLink, useDashboard } from './support/dashboard.ts';
import { send } from './support/send.ts';

const MAX_BYTES = 60_000;

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const waypost = await useDashboard();
  const { visit } = await useChromium();
  const demo = customerWith(waypost, 'demo', waypost.demoKey);

  test('no page loads more', async () => {
    const { id, hostname } = await demo.verifiedDomain();
    await demo.publish({ domain: hostname, urls: [{ loc: 'https://www.example.com/' }] });
    const first = await visit();
    await signInByLink(first, await printedLink(waypost));
    const storageState = await first.context().storageState();
    const bytes = new Map<string, number>();
    for (const route of dashboardRoutes()) {
      const page = await visit({ storageState });
      await page.goto(waypost.apiUrl + route.replace(':id', id).replace(':name', 'default'));
      await page.waitForLoadState('networkidle');
      const scripts = await page.evaluate<string[]>(
        `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
      );
      const sizes = await Promise.all(scripts.map(compressedSize));
      bytes.set(
        route,
        sizes.reduce((sum, size) => sum + size, 0),
      );
      await page.context().close();
    }
    expect(Math.min(...bytes.values())).toBeGreaterThan(0);
    expect([...bytes].filter(([, size]) => size > MAX_BYTES)).toEqual([]);
  });
});

async function compressedSize(script: string): Promise<number> {
  const { status, headers, body } = await send(script, { headers: { 'Accept-Encoding': 'gzip' } });
  expect({ status, encoding: headers['content-encoding'] }).toEqual({ status: 200, encoding: 'gzip' });
  return body.length;
}
