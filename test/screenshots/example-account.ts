/** An account as a shop has it after some months: domains in each state, a month of charts, and an upload under way. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { callApi } from '../../tools/http-exchange.ts';
import type { WaypostProcess } from '../../tools/waypost-process.ts';
import type { DnsServer } from '../support/dns-server.ts';

interface Example {
  readonly hostname: string;
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  readonly urls: number;
  readonly files: number;
  readonly problem?: string;
  /** The name that its CNAME record leads to, if it is not ours. */
  readonly leadsTo?: string;
  /** The state of the robots.txt of its pages. */
  readonly robots: 'found' | 'unreachable';
}

/** Oldest first. */
const DOMAINS: readonly Example[] = [
  {
    hostname: 'sitemaps.acme-shop.example',
    status: 'active',
    sslStatus: 'active',
    urls: 12_400_312,
    files: 249,
    robots: 'found',
  },
  {
    hostname: 'maps.acme-travel.example',
    status: 'active',
    sslStatus: 'active',
    urls: 48_211_907,
    files: 965,
    robots: 'unreachable',
  },
  {
    hostname: 'sitemaps.acme-news.example',
    status: 'verified',
    sslStatus: 'provisioning',
    urls: 8_204,
    files: 1,
    robots: 'found',
  },
  {
    ...{
      hostname: 'sitemaps.acme-legacy.example',
      status: 'failed',
      sslStatus: 'failed',
      urls: 310_022,
      files: 7,
    },
    robots: 'found',
    problem: 'The CAA records of acme-legacy.example do not allow letsencrypt.org to issue a certificate.',
  },
  {
    ...{
      hostname: 'sm.acme-outlet.example',
      status: 'pending_verification',
      sslStatus: 'pending',
      urls: 0,
      files: 0,
    },
    robots: 'found',
    problem: 'The CNAME record of sm.acme-outlet.example leads elsewhere.',
    leadsTo: 'shops.myshopify.com',
  },
];
const ROBOTS_MESSAGE = 'https://www.acme-travel.example/robots.txt cannot be read: 503. Make it answer.';
const DAYS = 90;
const CRAWLERS = { Googlebot: 9000, Bingbot: 2600, Applebot: 900, OpenAI: 1400, Yandex: 500, Ahrefs: 700 };

interface Registered {
  readonly id: string;
  readonly cnameTarget: string;
}

/** Returns the ids of the domains by hostname. `dns`: the server that Waypost asks. */
export async function fillExample(waypost: WaypostProcess, dns: DnsServer): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { hostname, urls, leadsTo } of DOMAINS) {
    const body = [Buffer.from(JSON.stringify({ hostname }))];
    const { id, cnameTarget } = await callApi<Registered>(`${waypost.apiUrl}/api/domains`, waypost.apiKey, {
      body,
    });
    ids.set(hostname, id);
    dns.answers.set(hostname, { cname: leadsTo ?? cnameTarget });
    dns.answers.set(hostname.slice(hostname.indexOf('.') + 1), {
      ns: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
    });
    await callApi(`${waypost.apiUrl}/api/domains/${id}/verify`, waypost.apiKey, { body: [] });
    if (urls > 0) for (const name of ['', 'hotels', 'flights']) await publish(waypost, hostname, name);
  }
  await holdOne(waypost, 'sitemaps.acme-shop.example');
  const connectionString = await readFile(join(waypost.dataDir, 'postgres', 'url'), 'utf8');
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(`UPDATE accounts SET name = 'Acme Retail' WHERE id = $1`, [waypost.accountId]);
    for (const example of DOMAINS) await age(client, ids.get(example.hostname)!, example);
  } finally {
    await client.end();
  }
  return ids;
}

/** The guard holds an upload that removes nearly all URLs of a sitemap. */
async function holdOne(waypost: WaypostProcess, domain: string): Promise<void> {
  await publish(waypost, domain, 'sale', 5000);
  await publish(waypost, domain, 'sale', 100).catch(() => {});
}

async function publish(
  { apiUrl, apiKey }: WaypostProcess,
  domain: string,
  name: string,
  count = 200,
): Promise<void> {
  const urls = Array.from({ length: count }, (_, index) => ({
    loc: `https://www.${domain.split('.').slice(1).join('.')}/hotels/lisbon/room-${index}`,
    lastmod: '2026-11-20',
  }));
  const body = [Buffer.from(JSON.stringify({ domain, ...(name && { sitemapName: name }), urls }))];
  await callApi(`${apiUrl}/api/sitemap/generate`, apiKey, { body });
}

/** Gives a domain the state and the numbers of some months. */
async function age(client: pg.Client, id: string, example: Example) {
  const { status, sslStatus, urls, files, problem, robots } = example;
  await client.query(
    `UPDATE domains SET status = $2, ssl_status = $3, dns_problem = $4, created_at = now() - interval '200 days',
            verified_at = now() - interval '199 days', checked_at = now() - interval '3 hours',
            failure = CASE WHEN $2 = 'failed' THEN $4 END
      WHERE id = $1`,
    [id, status, sslStatus, problem ?? null],
  );
  if (status === 'active')
    await client.query(
      `INSERT INTO certificates (account_id, hostname, domain_id, issuer, not_before, not_after, renew_at)
       SELECT account_id, hostname, id, 'Let''s Encrypt', now() - interval '20 days', now() + interval '70 days',
              now() + interval '40 days' FROM domains WHERE id = $1
       ON CONFLICT (account_id, hostname) DO UPDATE
          SET issuer = excluded.issuer, not_before = excluded.not_before, not_after = excluded.not_after`,
      [id],
    );
  if (urls === 0) return;
  await client.query(
    `INSERT INTO page_hosts (domain_id, origin, account_id, state, message, state_since, checked_at, due_at)
     SELECT id, 'https://www.' || substr(hostname, strpos(hostname, '.') + 1), account_id, $2, $3,
            now() - interval '5 hours', now() - interval '40 minutes', now() + interval '20 minutes' FROM domains WHERE id = $1
     ON CONFLICT (domain_id, origin) DO UPDATE SET state = excluded.state, message = excluded.message,
        state_since = excluded.state_since, checked_at = excluded.checked_at, due_at = excluded.due_at`,
    [id, robots, robots === 'found' ? null : ROBOTS_MESSAGE],
  );
  await client.query(
    `UPDATE uploads SET url_count = CASE sitemap_name WHEN '' THEN $2::bigint - 2 * ($2 / 5) ELSE $2 / 5 END,
            file_count = CASE sitemap_name WHEN '' THEN $3::integer - 2 * ($3 / 5) ELSE $3 / 5 END WHERE domain_id = $1 AND sitemap_name <> 'sale'`,
    [id, urls, files],
  );
  await client.query(
    'UPDATE domains SET url_count = $2, file_count = $3, counted_generation = generation WHERE id = $1',
    [id, urls, files],
  );
  const sinceUpload = `${Math.round(wave(files, 1) * 300)} minutes`;
  await client.query(
    `WITH aged AS (UPDATE uploads SET published_at = published_at - $2::interval WHERE domain_id = $1)
     UPDATE sitemaps SET updated_at = updated_at - $2::interval WHERE domain_id = $1`,
    [id, sinceUpload],
  );
  await client.query(
    `UPDATE attempts SET started_at = started_at - $2::interval, ended_at = ended_at - $2::interval WHERE domain_id = $1`,
    [id, sinceUpload],
  );
  for (let day = 0; day < DAYS; day++) await insertDay(client, id, day, urls / 20_000_000);
}

async function insertDay(client: pg.Client, id: string, day: number, size: number): Promise<void> {
  const published = Math.round(size * wave(day, 3) * 6_000_000);
  const isBad = wave(day, 7) > 0.93;
  await client.query(
    `INSERT INTO upload_days (domain_id, day, published, refused, published_urls, refused_urls)
     VALUES ($1, (now() AT TIME ZONE 'UTC')::date - $2::integer, $3, $4, $5, $6)
     ON CONFLICT (domain_id, day) DO NOTHING`,
    [id, day, 3, isBad ? 1 : 0, published, isBad ? Math.round(published / 3) : 0],
  );
  for (const [crawler, requests] of Object.entries(CRAWLERS))
    await client.query(
      `INSERT INTO crawls (domain_id, day, crawler, status, requests)
       SELECT $1, (now() AT TIME ZONE 'UTC')::date - $2::integer, $3, status, requests
         FROM unnest($4::smallint[], $5::bigint[]) AS t (status, requests)`,
      [
        id,
        day,
        crawler,
        [200, 404],
        [Math.ceil(size * requests * wave(day, crawler.length)), day % 9 === 0 ? 40 : 1],
      ],
    );
}

/** Between 0.4 and 1, the same in each run, with its lows at weekends. */
function wave(day: number, seed: number): number {
  const noise = Math.abs(Math.sin(day * 12.9898 + seed * 78.233) * 43_758.5453) % 1;
  return (day % 7 < 2 ? 0.4 : 0.6) + noise * 0.4;
}

/** An upload that stays under way until it is disposed of. */
export async function beginUpload({ apiUrl, apiKey }: WaypostProcess, hostname: string): Promise<Disposable> {
  const line = (index: number) => `https://www.acme-travel.example/hotels/lisbon/room-${index},2026-11-20\n`;
  const text = `loc,lastmod\n${Array.from({ length: 400_000 }, (_, index) => line(index)).join('')}`;
  const outgoing = request(`${apiUrl}/api/sitemap/generate?domain=${hostname}&sitemapName=hotels`, {
    method: 'POST',
    headers: {
      'X-API-Key': apiKey,
      'Content-Type': 'text/csv',
      'Content-Length': String(Math.round(text.length * 2.5)),
    },
  });
  // The request is cut off in the end.
  outgoing.on('error', () => {});
  await new Promise<void>((resolve) => outgoing.write(text, () => resolve()));
  return { [Symbol.dispose]: () => outgoing.destroy() };
}
