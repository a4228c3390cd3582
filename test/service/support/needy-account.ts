/** An account of 14 domains, five of which need somebody, as rows: nobody waits for a certificate to end. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

interface Row {
  readonly name: string;
  readonly urls: number;
  readonly status?: 'pending_verification' | 'verified';
}

/** Oldest first. */
const DOMAINS: readonly Row[] = [
  ...['toys', 'music', 'sport', 'wine', 'art', 'auto'].map((name, n) => ({ name, urls: 1000 * (n + 1) })),
  { name: 'travel', urls: 48_211_907 },
  { name: 'garden', urls: 41_322 },
  { name: 'kids', urls: 6220, status: 'verified' },
  { name: 'legacy', urls: 0, status: 'pending_verification' },
  { name: 'books', urls: 250_000 },
  { name: 'news', urls: 8204 },
  { name: 'home', urls: 12_480 },
  { name: 'shop', urls: 12_400_312 },
];

export const hostnameOf = (name: string) => `sitemaps.acme-${name}.example`;
const idOf = (name: string) => `domain_${name.padEnd(22, '0')}`;
const uploadOf = (name: string) => `upload_${name.padEnd(22, '0')}`;

/** Fills the account. `dataDir`: of a Waypost with a database of its own. */
export async function fillNeedyAccount(dataDir: string, accountId: string): Promise<void> {
  const client = new pg.Client({
    connectionString: await readFile(join(dataDir, 'postgres', 'url'), 'utf8'),
  });
  await client.connect();
  try {
    await client.query(`UPDATE accounts SET name = 'Acme Retail', plan = 'enterprise' WHERE id = $1`, [
      accountId,
    ]);
    await client.query(`UPDATE api_keys SET name = 'Nightly export' WHERE account_id = $1`, [accountId]);
    for (const [n, row] of DOMAINS.entries()) await addDomain(client, accountId, row, n);
    await addNeeds(client, accountId);
  } finally {
    await client.end();
  }
}

async function addDomain(client: pg.Client, accountId: string, { name, urls, status }: Row, n: number) {
  const id = idOf(name);
  const ssl = status === 'verified' ? 'provisioning' : status === undefined ? 'active' : 'pending';
  await client.query(
    // No check of its DNS changes it meanwhile.
    `INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target, created_at, check_at)
     VALUES ($1, $2, $3, $4, $5, 'target.example.net', now() - interval '2 days', now() + interval '1 day')`,
    [id, accountId, hostnameOf(name), status ?? 'active', ssl],
  );
  if (urls === 0) return;
  const minutes = 12 + (DOMAINS.length - 1 - n) * 31;
  await client.query(
    `WITH live AS (
       INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, seq, published_at)
       VALUES ($1, $2, $3, $4::bigint, ($4::bigint / 50000 + 1)::integer, $4::bigint * 150, $4::bigint * 12, 1, now() - $5 * interval '1 minute') RETURNING *
     ), named AS (
       INSERT INTO sitemaps (domain_id, name, upload_id, updated_at) SELECT domain_id, sitemap_name, id, published_at FROM live
     )
     INSERT INTO attempts (id, domain_id, sitemap_name, outcome, started_at, ended_at, form, bytes_received, url_count, file_count, rejected, key_id)
     SELECT id, domain_id, sitemap_name, 'published', published_at, published_at, 'csv', 1, url_count, file_count, 0,
            (SELECT id FROM api_keys WHERE account_id = $6 LIMIT 1) FROM live`,
    [uploadOf(name), id, name === 'travel' ? 'hotels' : '', urls, minutes, accountId],
  );
  await client.query(
    `UPDATE domains SET url_count = $2, file_count = $2::bigint / 50000 + 1, sitemap_count = 1, counted_generation = generation WHERE id = $1`,
    [id, urls],
  );
  await client.query(
    `INSERT INTO upload_days (domain_id, day, published, refused, published_urls, refused_urls)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, 3, CASE WHEN n % 13 = $3 THEN 1 ELSE 0 END,
            ($2 * (0.1 + abs(sin(n * 12.98 + $3)) / 10))::bigint, 0 FROM generate_series(1, 29) AS n`,
    [id, urls, n],
  );
  await client.query(
    `INSERT INTO crawls (domain_id, day, crawler, status, requests)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, crawler, status, (requests * (1 + abs(sin(n * 7.1 + $2))))::bigint
       FROM generate_series(0, 29) AS n, (VALUES ('Googlebot', 200, 2200), ('Bingbot', 200, 700), ('OpenAI', 200, 320),
         ('Applebot', 200, 90), ('Yandex', 200, 60), ('Googlebot', 404, 1)) AS c (crawler, status, requests)`,
    [id, n],
  );
  await client.query(
    `INSERT INTO file_visits (domain_id, file, crawler, status, requests, last_at)
     VALUES ($1, 'sitemap.xml', 'Googlebot', 200, 9, now() - $2 * interval '1 minute')`,
    [id, 3 + n * 9],
  );
  await addCertificate(client, id, "not_after = now() + interval '70 days'");
}

async function addCertificate(client: pg.Client, id: string, set: string) {
  await client.query(
    `INSERT INTO certificates (account_id, hostname, domain_id, not_before, not_after)
     SELECT account_id, hostname, id, now() - interval '20 days', now() + interval '70 days' FROM domains WHERE id = $1
     ON CONFLICT DO NOTHING`,
    [id],
  );
  await client.query(`UPDATE certificates SET ${set} WHERE domain_id = $1`, [id]);
}

async function addNeeds(client: pg.Client, accountId: string) {
  const held = uploadOf('held');
  await client.query(
    `INSERT INTO attempts (id, domain_id, sitemap_name, outcome, started_at, form, bytes_received, url_count, file_count, rejected, key_id)
     VALUES ($1, $2, 'sale', 'held', now(), 'csv', 1, 100, 1, 0, (SELECT id FROM api_keys WHERE account_id = $3 LIMIT 1))`,
    [held, idOf('shop'), accountId],
  );
  await client.query(
    `WITH sale AS (
       INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, seq)
       VALUES ($1, $2, 'sale', 5000, 1, 1, 1, 1) RETURNING *)
     INSERT INTO sitemaps (domain_id, name, upload_id) SELECT domain_id, sitemap_name, id FROM sale`,
    [uploadOf('sale'), idOf('shop')],
  );
  await client.query(
    `INSERT INTO garbage (prefix, collect_after) VALUES ('uploads/' || $1 || '/', now() + interval '20 hours')`,
    [held],
  );
  await client.query(
    `INSERT INTO held_uploads (id, account_id, domain_id, hostname, sitemap_name, ping_search) VALUES ($1, $2, $3, $4, 'sale', false)`,
    [held, accountId, idOf('shop'), hostnameOf('shop')],
  );
  await client.query(
    `INSERT INTO page_url_counts (domain_id, sitemap_name, origin, url_count) VALUES ($1, '', 'https://www.acme-home.example', 12480)`,
    [idOf('home')],
  );
  await client.query(
    `INSERT INTO page_hosts (domain_id, account_id, origin, state, state_since, due_at, message)
     VALUES ($1, $2, 'https://www.acme-home.example', 'unreachable', now() - interval '3 hours', now() + interval '1 day',
       'https://www.acme-home.example/robots.txt cannot be read: the status is 503. Crawlers that cannot read it stop crawling the host, and they cannot see whether it names your sitemaps. Make it answer.')`,
    [idOf('home'), accountId],
  );
  await addCertificate(
    client,
    idOf('news'),
    `not_before = now() - interval '84 days', not_after = now() + interval '6 days 1 hour', failures = 3,
     last_error = 'The CAA record of acme-news.example doesn''t allow letsencrypt.org.'`,
  );
  await client.query(
    `INSERT INTO refused_uploads (domain_id, sitemap_name, account_id, times, live_upload_id, last_at, attempt_id)
     VALUES ($1, '', $2, 3, $3, now() - interval '2 hours', 'upload_refused000000000000000')`,
    [idOf('books'), accountId, uploadOf('books')],
  );
  await client.query(
    `UPDATE domains SET dns_problem = 'x', dns_found = $2, checked_at = now() WHERE id = $1`,
    [
      idOf('legacy'),
      JSON.stringify([{ type: 'CNAME', name: hostnameOf('legacy'), value: 'shops.myshopify.com' }]),
    ],
  );
}
