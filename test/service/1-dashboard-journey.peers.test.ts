/**
 * D38: an empty account, and at the end its exports and its sitemap XML are published, robots.txt is right, and the first crawler was
 * here. Whoever wants to look at each step names a folder: `PICTURES=/tmp/journey npx vitest run --project peers journey`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { startDnsServer } from '../support/dns-server.ts';
import { EXPORTS, isHere, needs } from '../support/needs.ts';
import { startRobots } from '../support/start-robots.ts';
import { useChromium } from './support/chromium.ts';
import { fetchFile } from './support/crawler.ts';
import { card, heading, signInByLink, useDashboard } from './support/dashboard.ts';
import { inAllLooks } from './support/in-all-looks.ts';
import { cli } from './support/waypost.ts';

const HOSTNAME = 'sitemaps.acme-shop.com';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('spec D38 in Chromium', needs('chromium', 'the exports of tools'), async () => {
  if (!isHere('chromium') || !isHere('the exports of tools')) return;
  const dns = await startDnsServer();
  afterAll(() => dns[Symbol.asyncDispose]());
  const website = await startRobots();
  const origin = website.origin(0);
  const waypost = await useDashboard({
    ...{ DNS_SERVERS: dns.address, OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' },
    ...{ SITE_FRESH_MS: '100', CRAWL_COUNTS_MS: '250' },
  });
  const { visit } = await useChromium();
  const connectionString = await readFile(join(waypost.dataDir, 'postgres', 'url'), 'utf8');
  const database = new pg.Pool({ connectionString, max: 1 });
  afterAll(() => database.end());
  dns.answers.set('acme-shop.com', { ns: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] });

  test('from an empty account to the first crawler', { timeout: 600_000 }, async () => {
    const page = await visit({ viewport: { width: 1280, height: 900 }, timezoneId: 'Europe/Berlin' });
    const step = createSteps(page);
    await signInByLink(page, await cli(waypost.dataDir, 'sign-in'));
    await step('empty');

    await page.getByRole('link', { name: 'Add your first domain' }).click();
    await page.getByRole('textbox', { name: 'Host for your sitemaps' }).fill(`https://${HOSTNAME}/`);
    await step('a name');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await heading(page, HOSTNAME).waitFor();
    const record = card(page, 'Add one DNS record');
    const value = record
      .getByRole('row', { name: /^Value/ })
      .getByRole('code')
      .first();
    const cname = await value.innerText();
    await step('one DNS record');
    dns.answers.set(HOSTNAME, { cname: cname.replaceAll(/\s/g, '') });
    await record.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Points to Waypost, at Cloudflare').waitFor();
    await step('the certificate comes');
    // 1-dashboard-first-day has the authority, too.
    await issueCertificate();
    await page.getByText(/^Let's Encrypt, renewed for you$/).waitFor();
    await step('no upload yet');

    await page.getByRole('link', { name: 'Upload URLs' }).last().click();
    await heading(page, 'Upload').waitFor();
    await step('choose a file');
    await choose(page, 'internal_all.csv', await exportOf('modelled/screaming-frog-internal_all.csv'));
    await page.getByText('Detected from the first rows').waitFor();
    await step('export of Screaming Frog');
    await publish(page);
    await step('Screaming Frog is published');

    await page.getByRole('button', { name: 'Upload another file' }).click();
    await page.getByLabel('Sitemap', { exact: true }).fill('katalog');
    await choose(page, 'Katalog.csv', await exportOf('modelled/excel-de-csv-utf8.csv'));
    await page.getByText('Detected from the first rows').waitFor();
    await step('CSV of Excel');
    await publish(page);
    await step('Excel is published');

    await page.getByRole('button', { name: 'Upload another file' }).click();
    await page.getByLabel('Sitemap', { exact: true }).fill('blog');
    await choose(page, 'sitemap.xml', sitemapXml());
    await step('sitemap XML');
    await publish(page);
    await step('XML is published');

    await page.goto(`${waypost.apiUrl}/dashboard`);
    await page.getByText('Needs you').first().waitFor();
    await step('overview with a need');
    await page.getByRole('link', { name: /^Fix: .*robots/ }).click();
    const line = page.getByText(`Sitemap: http://${HOSTNAME}/sitemap-index.xml`).first();
    await line.waitFor();
    await step('a line for robots.txt');
    website.robots.set(origin, `User-agent: *\nAllow: /\n${await line.innerText()}\n`);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText(`Valid for ${new URL(origin).host}`).waitFor();
    await step('robots.txt is right');

    for (const path of ['/robots.txt', '/sitemap-index.xml', '/sitemap.xml', '/sitemap-blog.xml']) {
      const { status } = await fetchFile(waypost, HOSTNAME, path, { headers: { 'User-Agent': GOOGLEBOT } });
      expect({ path, status }).toEqual({ path, status: 200 });
    }
    await expect
      .poll(async () => {
        await database.query(
          `SELECT graphile_worker.add_job('crawls.import', job_key => 'crawls of a test')`,
        );
        // The file that was fetched last: a minute of counts may end between two of them.
        const visits = "SELECT FROM file_visits WHERE file LIKE '%sitemap-blog.xml'";
        return (await database.query(visits)).rowCount;
      })
      .toBe(1);
    await page.reload();
    await page.getByText('All 5 steps done').waitFor();
    await step('all is done');
    await page.getByRole('navigation', { name: 'Domain' }).getByRole('link', { name: 'Crawlers' }).click();
    await page.getByRole('row', { name: /sitemap-blog\.xml\s+Googlebot/ }).waitFor();
    await step('the first crawler');
    await page.goto(`${waypost.apiUrl}/dashboard`);
    await page.getByRole('row', { name: new RegExp(`^${HOSTNAME}.*Live`) }).waitFor();
    await step('overview at the end');
  });

  async function exportOf(file: string): Promise<Buffer> {
    const text = await readFile(new URL(file, EXPORTS), 'utf8');
    return Buffer.from(text.replaceAll('https://shop.example.com', origin));
  }

  function sitemapXml(): Buffer {
    const urls = ['autumn', 'winter'].map(
      (name) => `<url><loc>${origin}/blog/${name}</loc><lastmod>2026-11-20</lastmod></url>`,
    );
    return Buffer.from(
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`,
    );
  }

  async function issueCertificate(): Promise<void> {
    await database.query(
      `INSERT INTO certificates (account_id, hostname, domain_id, issuer, not_before, not_after, renew_at)
       SELECT account_id, hostname, id, 'Let''s Encrypt', now(), now() + interval '90 days', now() + interval '60 days'
         FROM domains WHERE hostname = $1
       ON CONFLICT (account_id, hostname) DO UPDATE SET issuer = excluded.issuer, not_before = excluded.not_before,
          not_after = excluded.not_after, last_error = NULL, failures = 0`,
      [HOSTNAME],
    );
    await database.query(
      `UPDATE domains SET status = 'active', ssl_status = 'active', generation = nextval('site_generations') WHERE hostname = $1`,
      [HOSTNAME],
    );
  }
});

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const file = { name, mimeType: 'application/octet-stream', buffer };
  await page.getByLabel('Drop a file here, or choose one').setInputFiles(file);
}

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Publish/ }).click();
  await heading(page, /\d URLs? published$/).waitFor();
}

/** Judges the page of each step. */
function createSteps(page: Page): (name: string) => Promise<void> {
  let n = 0;
  return async (name) => {
    await page.waitForLoadState('networkidle');
    await inAllLooks(page, `${String(++n).padStart(2, '0')} ${name}`);
  };
}
