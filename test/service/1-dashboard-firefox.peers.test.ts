/** D38 in Firefox: the way in, a domain, and an upload whose early refusal Firefox loses. */
import { describe, expect, test } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { customerWith } from './support/customer.ts';
import { printedLink, useDashboard } from './support/dashboard.ts';
import { csv, plainLine, useFiles } from './support/files.ts';
import { click, find, useFirefox } from './support/firefox.ts';

const LINES = 4_000_000;
const WRONG_LINE = 10;

describe('spec D38 in Firefox', needs('firefox-esr'), async () => {
  if (!isHere('firefox-esr')) return;
  const waypost = await useDashboard();
  const files = await useFiles();
  const page = await useFirefox();
  const demo = customerWith(waypost, 'demo', waypost.demoKey);

  test('a domain is added, and a large file with a mistake at its start is refused once', async () => {
    await page.goto(await printedLink(waypost));
    await find(page, 'h1::-p-text(Overview)');
    expect(await page.evaluate('location.hash')).toBe('');
    await click(page, 'a::-p-text(Add your first domain)');
    await (await find(page, '::-p-aria(Host for your sitemaps)')).type('firefox.localhost');
    await click(page, 'button::-p-text(Add domain)');
    await find(page, 'h1::-p-text(firefox.localhost)');
    const { id } = (await demo.call('GET /api/domains')).json.data[0];
    await demo.call(`POST /api/domains/${id}/verify`);

    const wrong = (index: number) =>
      index === WRONG_LINE ? 'not an address,2026-11-22,0.5\n' : plainLine(index);
    const path = await files.write('large.csv', csv(LINES, wrong));
    await page.goto(`${waypost.apiUrl}/dashboard/upload?domain=${id}`);
    await (await find(page, 'input[type=file]')).uploadFile(path);
    await click(page, 'button:enabled::-p-text(Publish)');
    await find(page, 'h1::-p-text(mistake)');
    await find(page, 'td::-p-text(not an address)');
    // Firefox may send the request again by itself, but the server has done it once.
    const { data } = (await demo.call(`GET /api/domains/${id}/uploads`)).json;
    expect(data).toMatchObject([{ outcome: 'refused', form: 'csv' }]);
  });
});
