-- The rows of a filled database (fill-database.ts). A part begins with a line "-- PART <name>"; `left` and `right` go at once.
-- :domains and the like are replaced by numbers. Rows that refer to each other derive their ids from the same numbers.

-- PART always
SET synchronous_commit = off;
SET client_min_messages = warning;
SET work_mem = '64MB';
SET jit = off;
CREATE OR REPLACE FUNCTION pg_temp.digit(i bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 1 + (i % 62)::integer, 1) $$;
-- As long as real ids, and in no order. (::text: || with a number is not immutable, so the function would not be inlined.)
CREATE OR REPLACE FUNCTION pg_temp.id(kind text, i bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT kind || '_' || substr(md5(kind || i::text), 1, 22) $$;
-- In the order of the seconds at which they were made, as the ids of frequent things are (src/platform/ids.ts).
CREATE OR REPLACE FUNCTION pg_temp.id_at(kind text, i bigint, at bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT kind || '_' || pg_temp.digit(at / 916132832) || pg_temp.digit(at / 14776336) || pg_temp.digit(at / 238328)
                    || pg_temp.digit(at / 3844) || pg_temp.digit(at / 62) || pg_temp.digit(at) || substr(md5(kind || i::text), 1, 16) $$;
CREATE OR REPLACE FUNCTION pg_temp.host(i bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT 'sitemaps.customer-' || i::text || '.example' || (i % 7)::text || '.com' $$;
-- Domain i: 97 % active, 1.5 % verified, 1 % pending, 0.5 % failed.
CREATE OR REPLACE FUNCTION pg_temp.status(i bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN i % 200 < 194 THEN 'active' WHEN i % 200 < 197 THEN 'verified'
                    WHEN i % 200 < 199 THEN 'pending_verification' ELSE 'failed' END $$;
-- Of generation g (0: the live one) of domain i. Each domain has one a day, at a time of its own.
CREATE OR REPLACE FUNCTION pg_temp.upload(i bigint, g bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT pg_temp.id_at('upload', i * 100 + g, :second - g * 86400 - i * 7919 % 86400) $$;
-- Event e, of the last 29 days.
CREATE OR REPLACE FUNCTION pg_temp.event(e bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT pg_temp.id_at('event', e, :second - e * 7919 % (29 * 86400)) $$;
-- Bytes that do not compress, to take pieces of.
CREATE TEMP TABLE IF NOT EXISTS noise AS
  SELECT decode(string_agg(md5('noise' || n), ''), 'hex') AS raw,
         replace(encode(decode(string_agg(md5('text' || n), ''), 'hex'), 'base64'), E'\n', '') AS base64
    FROM generate_series(1, 4000) AS n;

-- PART first
INSERT INTO accounts (id, name, external_ref, plan, created_at)
SELECT pg_temp.id('account', i), 'Account ' || i, CASE WHEN i % 2 = 0 THEN 'tenant-' || i END, CASE WHEN i % 10 < 6 THEN 'business' WHEN i % 10 < 8 THEN 'pro' ELSE 'free' END,
       now() - random() * interval '700 days'
  FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target, created_at, verified_at, stored_bytes,
                     checked_at, dns_found, check_at, generation, counted_generation, sitemap_count, url_count, file_count, past_days, past_urls, shrunk_at)
SELECT pg_temp.id('domain', i), pg_temp.id('account', i % :accounts), pg_temp.host(i), pg_temp.status(i),
       CASE pg_temp.status(i) WHEN 'active' THEN 'active' ELSE 'pending' END, substr(md5('target' || i), 1, 26) || '.cname.example.net',
       now() - random() * interval '700 days', CASE WHEN i % 200 < 197 THEN now() - random() * interval '600 days' END,
       CASE WHEN i % 200 < 197 THEN 9000 ELSE 0 END, now() - random() * interval '1 day',
       '[{"type":"CNAME","name":"sitemaps.customer.example.com","value":"abcdefghijklmnopqrstuvwxyz.cname.example.net"}]',
       CASE WHEN i % 200 < 197 THEN now() + random() * interval '1 day' END,
       i, i, (i % 200 < 197)::integer, CASE WHEN i % 200 < 197 THEN 1000 ELSE 0 END, (i % 200 < 197)::integer,
       CASE WHEN i % 2 = 0 THEN ARRAY[(now() AT TIME ZONE 'UTC')::date - 5] END, CASE WHEN i % 2 = 0 THEN ARRAY[900] END, CASE WHEN i % 3 = 0 THEN now() - random() * interval '90 days' END
  FROM generate_series(1, :domains) AS i;
SELECT setval('site_generations', :domains);

-- PART left
INSERT INTO schedules (id, account_id, domain_id, sitemap_name, cron, timezone, gap_minutes, spread_ms, asked, terms, is_enabled,
                       planned_at, due_at, runs)
SELECT pg_temp.id('schedule', i), pg_temp.id('account', i % :accounts), pg_temp.id('domain', i), '', '0 6 * * *', 'Europe/Berlin', 1440,
       30000, '{"sources":["https://www.example.com/sitemap.xml"]}', '{}', true, now() + interval '1 day', now() + interval '1 day', 1
  FROM generate_series(1, :domains) AS i;
INSERT INTO schedule_runs (schedule_id, n, cause, planned_at, began_at, ended_at, outcome)
SELECT pg_temp.id('schedule', i), 1, 'time', now(), now(), now(), 'published' FROM generate_series(1, :domains) AS i;
INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, published_at, replaced_at, seq, objects)
SELECT pg_temp.upload(i, g), pg_temp.id('domain', i), '', 1000, 1, 120000,
       CASE WHEN :small_file_bytes > 0 THEN :small_file_bytes ELSE 9000 END, now() - g * interval '1 day',
       CASE WHEN g > 0 THEN now() - (g - 1) * interval '1 day' END, :generations - g, CASE WHEN :small_file_bytes > 0 THEN 0 END
  FROM generate_series(1, :domains) AS i, generate_series(0, :generations - 1) AS g
 WHERE i % 200 < 197;
INSERT INTO garbage (prefix, collect_after, account_id, bytes, listed_at)
SELECT 'uploads/' || pg_temp.upload(i, g) || '/',
       CASE WHEN g < 10 THEN 'infinity' ELSE now() + (1 + random()) * interval '1 day' END, pg_temp.id('account', i % :accounts),
       CASE WHEN :small_file_bytes > 0 THEN :small_file_bytes ELSE 9000 END, now() - (g - 1) * interval '1 day'
  FROM generate_series(1, :domains) AS i, generate_series(1, :generations - 1) AS g
 WHERE i % 200 < 197;
INSERT INTO sitemaps (domain_id, name, upload_id, updated_at, compared_upload_id, compared_at, expect_every_hours, fresh_until, stale_since,
                      stale_account)
SELECT pg_temp.id('domain', i), '', pg_temp.upload(i, 0), now() - random() * interval '30 days', pg_temp.upload(i, 0), now(),
       CASE WHEN i % 4 = 0 THEN 24 END, CASE WHEN i % 400 = 0 THEN now() - interval '1 day' WHEN i % 4 = 0 THEN now() + random() * interval '1 day' END,
       CASE WHEN i % 400 = 0 THEN now() - interval '1 day' END, CASE WHEN i % 400 = 0 THEN pg_temp.id('account', i % :accounts) END
  FROM generate_series(1, :domains) AS i
 WHERE i % 200 < 197;
INSERT INTO comparisons (upload_id, former_upload_id, state, added, changed, removed, samples, parts, origins, seconds)
SELECT pg_temp.upload(i, g), pg_temp.upload(i, g + 1), 'compared', 2, 1, 1,
       '{"added":["https://www.example.com/a/b/c/1","https://www.example.com/a/b/c/2"],"changed":["https://www.example.com/a/b/c/3"],"removed":["https://www.example.com/a/b/c/4"]}',
       0, jsonb_build_object('https://www.customer-' || i || '.com', 1000), 0.1
  FROM generate_series(1, :domains) AS i, generate_series(0, least(:generations, 2) - 1) AS g
 WHERE i % 200 < 197;
INSERT INTO page_hosts (domain_id, origin, account_id, state, checked_at, due_at)
SELECT pg_temp.id('domain', i), 'https://www.customer-' || i || '.com', pg_temp.id('account', i % :accounts), 'named', now(),
       now() + random() * interval '1 day'
  FROM generate_series(1, :domains) AS i WHERE i % 200 < 197;
INSERT INTO page_url_counts (domain_id, sitemap_name, origin, url_count)
SELECT pg_temp.id('domain', i), '', 'https://www.customer-' || i || '.com', 1000
  FROM generate_series(1, :domains) AS i WHERE i % 200 < 197;
INSERT INTO webhook_endpoints (id, account_id, url, description, attempted_at)
SELECT pg_temp.id('webhook', i), pg_temp.id('account', i), 'https://hooks.example.com/' || i, '', now()
  FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO webhook_events (id, account_id, type, data, created_at)
SELECT pg_temp.event(e), pg_temp.id('account', e % :accounts), 'upload.published',
       json_build_object('domainId', pg_temp.id('domain', 1 + e % :domains), 'domain', pg_temp.host(1 + e % :domains), 'sitemapName', '',
                         'uploadId', pg_temp.id('upload', e), 'urlCount', 1000, 'fileCount', 1, 'more', repeat('x', 250)),
       now() - random() * interval '29 days'
  FROM generate_series(1, :domains) AS e;
INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, attempts, attempted_at, delivered_at, last_status)
SELECT pg_temp.event(e), pg_temp.id('webhook', e % :accounts), NULL, 1, now(), now(), 200
  FROM generate_series(1, :domains) AS e;
INSERT INTO indexnow_hosts (domain_id, host, account_id, scheme, key, is_in_site, verified_at, due_at)
SELECT pg_temp.id('domain', i), 'www.customer-' || i || '.com', pg_temp.id('account', i % :accounts), 'https', md5(i::text), true, now(), NULL
  FROM generate_series(10, :domains, 10) AS i WHERE i % 200 < 197;
UPDATE domains SET index_now = true WHERE id IN (SELECT domain_id FROM indexnow_hosts);

INSERT INTO attempts (id, domain_id, sitemap_name, outcome, started_at, ended_at, form, bytes_received, url_count, file_count,
                      rejected, seq, user_agent, key_id)
SELECT pg_temp.upload(i, g), pg_temp.id('domain', i), '', 'published', now() - g * interval '1 day', now() - g * interval '1 day',
       'json', 130000, 1000, 1, 0, :generations - g, 'fill-waypost/1', pg_temp.id('key', i % :accounts)
  FROM generate_series(1, :domains) AS i, generate_series(0, least(:generations, 5) - 1) AS g
 WHERE i % 200 < 197;

-- PART right
INSERT INTO sitemap_files (upload_id, upload_n, entries, bytes, gzip_bytes, etag, last_modified, domain_id, sitemap_name, n, from_seq, to_seq)
SELECT pg_temp.upload(i, g), 1, 1000, 120000, CASE WHEN :small_file_bytes > 0 THEN :small_file_bytes ELSE 9000 END,
       substr(md5('etag' || i || ' ' || g), 1, 22), now() - g * interval '1 day', pg_temp.id('domain', i), '', 1, :generations - g,
       CASE WHEN g > 0 THEN :generations - g + 1 END
  FROM generate_series(1, :domains) AS i, generate_series(0, :generations - 1) AS g
 WHERE i % 200 < 197;
INSERT INTO small_files (upload_id, n, content)
SELECT pg_temp.upload(i, g), 1, substr((SELECT raw || '' FROM noise), 1 + ((i * 31 + g) % 40000)::integer, :small_file_bytes)
  FROM generate_series(1, :domains) AS i, generate_series(0, :generations - 1) AS g
 WHERE i % 200 < 197 AND :small_file_bytes > 0;
INSERT INTO certificates (account_id, hostname, domain_id, chain, key, directory, issuer, not_before, not_after, ari_id, renew_at,
                          ari_check_at, due_at)
SELECT pg_temp.id('account', i % :accounts), pg_temp.host(i), pg_temp.id('domain', i),
       substr((SELECT base64 || '' FROM noise), 1 + (i % 60000)::integer, 3000),
       jsonb_build_object('keyId', 'filled', 'sealed', substr((SELECT base64 || '' FROM noise), 1 + (i % 70000)::integer, 330)),
       'https://acme.invalid/directory', 'Filled', now() - a.age, now() - a.age + interval '90 days',
       substr(md5(i::text), 1, 27) || '.' || substr(md5(i::text), 1, 24), now() - a.age + interval '60 days',
       now() + random() * interval '12 hours', now() - a.age + interval '60 days'
  FROM generate_series(1, :domains) AS i CROSS JOIN LATERAL (SELECT (i % 59) * interval '1 day' AS age) AS a
 WHERE i % 200 < 194 AND i % 100 < :certificates;
INSERT INTO api_keys (id, account_id, name, prefix, key_hash, last_used_at, last_four)
SELECT pg_temp.id('key', i), pg_temp.id('account', i), 'filled', 'wp_live_', sha256(('filled ' || i)::bytea), now(), 'abcd'
  FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO connections (account_id, name, endpoint, region, buckets, secrets)
SELECT pg_temp.id('account', i), 'warehouse', 'https://s3.eu-central-1.amazonaws.com', 'eu-central-1', ARRAY['exports'],
       jsonb_build_object('keyId', 'filled', 'bytes', substr((SELECT base64 || '' FROM noise), 1 + (i % 70000)::integer, 200))
  FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO users (id, name, email)
SELECT pg_temp.id('user', i), 'User ' || i, 'user' || i || '@example.com' FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO members (account_id, user_id, role, last_used_at)
SELECT pg_temp.id('account', i), pg_temp.id('user', i), 'owner', now() - random() * interval '30 days' FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO identities (issuer, subject, user_id)
SELECT 'https://accounts.example.com', i::text, pg_temp.id('user', i) FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO sessions (id, token_hash, user_id, account_id, issuer, subject, authenticated_at, last_seen_at, expires_at)
SELECT pg_temp.id('session', i), sha256(('session ' || i)::bytea), pg_temp.id('user', i), pg_temp.id('account', i),
       'https://accounts.example.com', i::text, now(), now() - random() * interval '11 hours', now() + interval '7 days'
  FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO audit_events (account_id, at, action, subject, details, user_id, actor_name, address)
SELECT pg_temp.id('account', e % :accounts), now() - random() * interval '390 days', 'domain.created',
       pg_temp.host(1 + e % :domains), '{}', pg_temp.id('user', e % :accounts), 'User', '192.0.2.1'
  FROM generate_series(1, 2 * :domains) AS e;
INSERT INTO crawls (domain_id, day, crawler, status, requests)
SELECT pg_temp.id('domain', i), current_date - day, crawler, 200, 100
  FROM generate_series(1, :domains, 10) AS i, generate_series(0, 9) AS day, unnest(ARRAY['google', 'bing', 'other']) AS crawler
 WHERE i % 200 < 197;
INSERT INTO upload_days (domain_id, day, published, refused, published_urls, refused_urls)
SELECT pg_temp.id('domain', i), current_date - day, 10, 0, 10000, 0
  FROM generate_series(1, :domains, 100) AS i, generate_series(0, 89) AS day;
INSERT INTO usage_days (account_id, day, requests, urls, bytes, served_requests, served_bytes, hosted_urls, hosted_bytes)
SELECT pg_temp.id('account', i), current_date - day, 100, 10000, 100000, 100, 1000000, 10000, 100000
  FROM generate_series(0, :accounts - 1) AS i, generate_series(1, 100) AS day;
INSERT INTO idempotency_claims (account_id, request, holder, expires_at, status, answer, digest, body_bytes)
SELECT pg_temp.id('account', e % :accounts), md5('request' || e), 'filled', now() + random() * interval '1 day', 200,
       substr((SELECT base64 || '' FROM noise), 1 + (e % 70000)::integer, 600), '\x00', 100
  FROM generate_series(1, :domains) AS e;
INSERT INTO indexnow_submissions (id, domain_id, upload_id, sitemap_name, batches_left)
OVERRIDING SYSTEM VALUE
SELECT i, pg_temp.id('domain', i), pg_temp.upload(i, 0), '', 1
  FROM generate_series(10, :domains, 10) AS i WHERE i % 200 < 197;
INSERT INTO indexnow_batches (submission_id, domain_id, host, object, first, url_count)
SELECT i, pg_temp.id('domain', i), 'www.customer-' || i || '.com', 'outbox/' || pg_temp.id('batch', i), 0, 100
  FROM generate_series(100, :domains, 100) AS i WHERE i % 200 < 197;
INSERT INTO upload_sessions (id, account_id, domain_id, hostname, sitemap_name, upload_id, terms, status, created_at, parts, url_count,
                             gzip_bytes, is_cleared, of_load)
SELECT pg_temp.id('session', i), pg_temp.id('account', i % :accounts), pg_temp.id('domain', i), pg_temp.host(i), '', pg_temp.upload(i, 0),
       '{}', 'committed', now() - random() * interval '13 days', 1, 1000, 9000, true, i % 2 = 0
  FROM generate_series(1, :domains) AS i WHERE i % 200 < 197;
INSERT INTO loads (id, session_id, account_id, domain_id, hostname, sitemap_name, asked, form, created_at, is_listed, objects, done, progress,
                   ended_at)
SELECT pg_temp.upload(i, 0), pg_temp.id('session', i), pg_temp.id('account', i % :accounts), pg_temp.id('domain', i), pg_temp.host(i), '',
       '{}', 'json', s.created_at, true, 1, 1, '{}', s.created_at + interval '1 minute'
  FROM generate_series(2, :domains, 2) AS i JOIN upload_sessions s ON s.id = pg_temp.id('session', i);
INSERT INTO held_uploads (id, account_id, domain_id, hostname, sitemap_name, ping_search, held_at)
SELECT pg_temp.id('held', i), pg_temp.id('account', i % :accounts), pg_temp.id('domain', i), pg_temp.host(i), '', false, now()
  FROM generate_series(1, :domains, 10) AS i WHERE i % 200 < 197;
INSERT INTO refused_uploads (domain_id, sitemap_name, account_id, times, live_upload_id, attempt_id)
SELECT pg_temp.id('domain', i), '', pg_temp.id('account', i % :accounts), 1 + i % 3, pg_temp.upload(i, 0), pg_temp.id('attempt', i)
  FROM generate_series(1, :domains, 10) AS i WHERE i % 200 < 197;
INSERT INTO told_accounts (account_id, due_at, looked_at)
SELECT pg_temp.id('account', i), now() + interval '1 day', now() FROM generate_series(0, :accounts - 1) AS i;
INSERT INTO incidents (account_id, kind, domain_id, subject)
SELECT pg_temp.id('account', i % :accounts), 'uploadsRefused', pg_temp.id('domain', i), ''
  FROM generate_series(1, :domains, 10) AS i WHERE i % 200 < 197;
INSERT INTO url_indexes (upload_id, name, head_bytes, files)
SELECT pg_temp.upload(i, 0), 'urls', 100, '{1}' FROM generate_series(1, :domains) AS i WHERE i % 200 < 197;
INSERT INTO recent_sitemaps (domain_id, upload_id, files, updated_at)
SELECT pg_temp.id('domain', i), pg_temp.id('upload', i), '[]', now() FROM generate_series(1, :domains) AS i WHERE i % 200 < 197;
INSERT INTO file_visits (domain_id, file, crawler, status, requests, last_at)
SELECT pg_temp.id('domain', i), 'sitemap.xml', crawler, 200, 100, now()
  FROM generate_series(1, :domains) AS i, unnest(ARRAY['google', 'bing', 'other']) AS crawler WHERE i % 200 < 197;
INSERT INTO file_errors (domain_id, day, file, crawler, status, requests, last_at)
SELECT pg_temp.id('domain', i), current_date - day, 'sitemap-9.xml', 'google', 404, 1, now()
  FROM generate_series(1, :domains, 10) AS i, generate_series(0, 9) AS day WHERE i % 200 < 197;
INSERT INTO crawl_imports (object, imported_at)
SELECT 'crawls/' || i, now() - random() * interval '1 day' FROM generate_series(1, :domains) AS i;
