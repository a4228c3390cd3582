/**
 * The page of a domain (docs/decisions/0065): a website is warned about before anything is saved, each mistake in the DNS has a line
 * of its own, and what is corrected counts without a click.
 */
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';
import { isHere, needs } from '../support/needs.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { customerWith } from './support/customer.ts';
import { heading, oneSession, useDashboard } from './support/dashboard.ts';
import { entries } from './support/entries.ts';
import { inAllLooks } from './support/in-all-looks.ts';

const MAX_HEIGHT = 1200;
const ZONE = 'acme-legacy.com';
const FOREIGN = '198.51.100.7';

describe('a domain in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const dns = await startDnsServer();
  afterAll(() => dns[Symbol.asyncDispose]());
  const waypost = await useDashboard({
    DNS_SERVERS: dns.address,
    DASHBOARD_REQUESTS_PER_MINUTE: '100000',
    PLANS: '{"enterprise":{"domains":1000,"requestsPerMinute":100000}}',
    // Nothing listens there: no certificate is ordered, but its authority is known.
    SITE_FRESH_MS: '100',
  });
  const signedIn = oneSession(waypost, await useChromium());
  const demo = customerWith(waypost, 'demo', waypost.demoKey);
  dns.answers.set(ZONE, { ns: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] });

  async function open(path: string): Promise<Page> {
    const page = await signedIn();
    await page.goto(`${waypost.apiUrl}/dashboard${path}`);
    return page;
  }

  /** Judges the looks, and the height of the wide ones. */
  async function judge(path: string, name: string, isThere: (page: Page) => Promise<unknown>) {
    const page = await open(path);
    await isThere(page);
    await page.waitForLoadState('networkidle');
    await inAllLooks(page, name, async (_, look) => {
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      return look === '320 px' || height <= MAX_HEIGHT ? [] : [`${height} px high`];
    });
    await page.context().close();
  }

  const added = async () => (await demo.call('GET /api/domains?limit=100')).json.data.length;

  test.each<[string, string, RegExp, DnsAnswer?]>([
    ['www', 'https://www.acme-shop.com/shoes?page=2', /www\.acme-shop\.com is a name that websites have/],
    ['apex', 'acme-shop.com', /acme-shop\.com is a name that websites have/],
    ['live', 'katalog.acme-shop.com', /katalog\.acme-shop\.com is live at 198\.51\.100\.7/, { a: [FOREIGN] }],
  ])('%s is warned about before anything is saved', async (name, typed, warning, answer) => {
    if (answer) dns.answers.set(typed, answer);
    const before = await added();
    const page = await open('/domains/new');
    const field = page.getByRole('textbox', { name: 'Host for your sitemaps' });
    await field.fill(typed);
    // Press Enter before the pause of the check is over.
    await field.press('Enter');
    await page.getByText("This looks like your website. Don't change its DNS.").waitFor();
    await page.getByText(warning).waitFor();
    expect(await page.getByRole('button', { name: 'Add domain' }).count()).toBe(0);
    expect(await added()).toBe(before);
    await inAllLooks(page, `new ${name}`);
    await page.getByRole('button', { name: 'Use sitemaps.acme-shop.com' }).click();
    await page.getByRole('button', { name: 'Add domain' }).waitFor();
    expect(await field.inputValue()).toBe('sitemaps.acme-shop.com');
    expect(await added()).toBe(before);
  });

  test('whoever knows better adds a live name, and sees its records', async () => {
    const hostname = `alt.${ZONE}`;
    dns.answers.set(hostname, { a: [FOREIGN] });
    const page = await open('/domains/new');
    await page.getByRole('textbox', { name: 'Host for your sitemaps' }).fill(hostname);
    await page.getByRole('button', { name: "It isn't a website. Use it anyway" }).click();
    await heading(page, hostname).waitFor();
    await page.getByText(`The name leads to ${FOREIGN}. Remove that record, then add this one.`).waitFor();
  });

  test('a pasted address becomes its host, letters of all languages stay, and what is added already is said', async () => {
    const page = await open('/domains/new');
    const field = page.getByRole('textbox', { name: 'Host for your sitemaps' });
    await field.fill('sitemaps.bücher-müller.com');
    await page.getByText(/^In DNS: sitemaps\.xn--/).waitFor();
    await page.getByRole('button', { name: 'Add domain' }).click();
    await heading(page, 'sitemaps.bücher-müller.com').waitFor();
    await page.goto(`${waypost.apiUrl}/dashboard/domains/new`);
    await field.fill('https://sitemaps.bücher-müller.com/x');
    await page.getByText(/^You have added sitemaps\.xn--/).waitFor();
  });

  test('several are checked first, and only those that are free are added', async () => {
    dns.answers.set('live.acme-many.com', { a: [FOREIGN] });
    const page = await open('/domains/new?several');
    const field = page.getByRole('textbox', { name: 'Hosts, one per line' });
    await field.fill(
      'sitemaps.acme-many.com\nlive.acme-many.com\nwww.acme-many.com\nnot a host!\nmaps.acme-many.com',
    );
    await page.getByRole('button', { name: 'Check' }).click();
    await page
      .getByRole('row', { name: /live\.acme-many\.com Looks like your website Don't change its DNS/ })
      .waitFor();
    await inAllLooks(page, 'new several');
    const before = await added();
    await page.getByRole('button', { name: 'Add 2 domains' }).click();
    await page.getByRole('row', { name: /^maps\.acme-many\.com Added/ }).waitFor();
    expect(await added()).toBe(before + 2);
  });

  test.each<[string, (hostname: string, target: string) => Record<string, DnsAnswer>, string, string]>([
    ['nothing', () => ({}), 'Not found yet', 'New records can take a few minutes.'],
    [
      'wrong-target',
      (hostname) => ({ [hostname]: { cname: 'shops.example.org' } }),
      'Wrong target',
      'The record points to shops.example.org. Change its value.',
    ],
    [
      'added-twice',
      (hostname, target) => ({ [hostname]: { cname: `${target}.${ZONE}` } }),
      'Domain added twice',
      'Your provider added your domain. End the value with a dot.',
    ],
    [
      'name-twice',
      (hostname, target) => ({ [`${hostname}.${ZONE}`]: { cname: target } }),
      'Domain added twice',
      'Your provider added your domain to the name.',
    ],
    [
      'proxy',
      (hostname) => ({ [hostname]: { a: ['104.16.1.1'] } }),
      'Proxy is on',
      "Switch this record's orange cloud to grey.",
    ],
    [
      'no-answer',
      (hostname) => ({ [hostname]: 'server failure' }),
      "Couldn't check",
      "Your name servers don't answer.",
    ],
  ])('the DNS card: %s', async (name, zone, word, line) => {
    const { id, hostname, cnameTarget } = await demo.createDomain(`${name}.${ZONE}`);
    // Where DNS was slow at the registration, addresses that come later may be those of a website.
    await demo.call(`PATCH /api/domains/${id}`, { body: { website: false } });
    for (const [of, answer] of Object.entries(zone(hostname, cnameTarget))) dns.answers.set(of, answer);
    await demo.call(`POST /api/domains/${id}/verify`);
    await judge(`/domains/${id}`, name, async (page) => {
      await page.getByText(`The DNS of ${ZONE} is at Cloudflare.`).waitFor();
      await page.getByText(word, { exact: true }).first().waitFor();
      await page.getByText(line).waitFor();
      await page.getByText('Without the right DNS, this domain will be removed on').waitFor();
    });
  });

  test('a website that is registered all the same is left alone until somebody says that it is none', async () => {
    const hostname = `katalog.${ZONE}`;
    dns.answers.set(hostname, { cname: 'shops.example.org' });
    dns.answers.set('shops.example.org', { a: [FOREIGN] });
    const { id } = await demo.createDomain(hostname);
    await demo.call(`POST /api/domains/${id}/verify`);
    await judge(`/domains/${id}`, 'website', async (page) => {
      await page.getByText("This looks like your website. Don't change its DNS.").waitFor();
      expect(await page.getByText('Enter this').count()).toBe(0);
    });
    const page = await open(`/domains/${id}`);
    await page.getByRole('button', { name: "It isn't a website. Use it anyway" }).click();
    await page.getByText('The record points to shops.example.org. Change its value.').waitFor();
  });

  test('what is corrected counts without a click', async () => {
    const { id, hostname, cnameTarget } = await demo.createDomain(`soon.${ZONE}`);
    const page = await open(`/domains/${id}`);
    await page.getByText('Add one DNS record').waitFor();
    dns.answers.set(hostname, { cname: cnameTarget });
    await page.getByText('Points to Waypost, at Cloudflare').waitFor();
  });

  test('every tab of a domain that is live, and whose robots.txt cannot be read', async () => {
    const domain = await demo.verifiedDomain();
    for (const sitemapName of ['products', 'stories', 'categories'])
      await demo.publish({ domain: domain.hostname, sitemapName, urls: entries(30) });
    const there: Readonly<Record<string, string | RegExp>> = {
      '': 'At a glance',
      '/sitemaps': '/sitemap-products.xml',
      '/uploads': 'of the last 90 days',
      '/crawlers': 'Errors and missing files',
      '/settings': 'Delete this domain',
    };
    for (const [tab, text] of Object.entries(there))
      await judge(`/domains/${domain.id}${tab}`, `live${tab.replace('/', '-')}`, (page) =>
        page.getByText(text).first().waitFor(),
      );
    const page = await open(`/domains/${domain.id}`);
    for (const name of ['Sitemaps', 'Uploads', 'Crawlers', 'Settings', 'Overview']) {
      await page.getByRole('navigation', { name: 'Domain' }).getByRole('link', { name }).click();
      await page.waitForURL(
        name === 'Overview' ? /\/domains\/[^/]+$/ : new RegExp(`/${name.toLowerCase()}$`),
      );
    }
  });

  test('a held upload stands above all, and can be reviewed or discarded', async () => {
    const { id, hostname } = await demo.verifiedDomain();
    await demo.publish({ domain: hostname, urls: entries(1200) });
    await demo.upload({ domain: hostname, urls: entries(5) });
    const [need] = (await demo.call(`GET /api/needs?domain=${id}`)).json.data.needs;
    expect(need).toMatchObject({ kind: 'heldUpload', title: expect.stringContaining('would lose 1,195') });
    const said = `${need.title}.`;
    await judge(`/domains/${id}`, 'held', (page) => page.getByText(said).waitFor());
    const page = await open(`/domains/${id}`);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('1,195 URLs fewer, 100% of the sitemap.').waitFor();
    await page.getByText('These 1,195 would go').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText(said).waitFor({ state: 'detached' });
    expect((await demo.call(`GET /api/domains/${id}`)).json.data.urlCount).toBe(1200);
  });
});
