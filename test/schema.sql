CREATE SEQUENCE site_generations;

CREATE TABLE account_bytes (
  account_id text NOT NULL,
  bytes bigint NOT NULL,
  is_whole boolean NOT NULL DEFAULT false,
  CONSTRAINT account_bytes_pkey PRIMARY KEY (account_id)
) WITH (fillfactor=50);

CREATE TABLE accounts (
  id text NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  suspended_at timestamp with time zone,
  external_ref text,
  CONSTRAINT accounts_pkey PRIMARY KEY (id)
);
CREATE INDEX accounts_created_at ON public.accounts USING btree (created_at, id);
CREATE INDEX accounts_plan ON public.accounts USING btree (plan, created_at, id);
CREATE INDEX accounts_suspended ON public.accounts USING btree (created_at, id) WHERE (suspended_at IS NOT NULL);
CREATE UNIQUE INDEX accounts_external_ref_is_unique ON public.accounts USING btree (external_ref) WHERE (external_ref IS NOT NULL);

CREATE TABLE acme_accounts (
  directory text NOT NULL,
  key jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  order_tokens double precision NOT NULL,
  tokens_at timestamp with time zone NOT NULL DEFAULT now(),
  paused_until timestamp with time zone,
  CONSTRAINT acme_accounts_pkey PRIMARY KEY (directory)
);

CREATE TABLE api_keys (
  id text NOT NULL,
  account_id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  key_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_four text,
  creator_id text,
  creator_name text,
  scope jsonb,
  ends_with_creator boolean NOT NULL DEFAULT false,
  CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_scope_check CHECK ((jsonb_typeof(scope) = 'object'::text))
) WITH (fillfactor=90);
CREATE INDEX api_keys_account_id ON public.api_keys USING btree (account_id);

CREATE TABLE attempts (
  id text NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  domain_id text NOT NULL,
  sitemap_name text,
  outcome text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL DEFAULT now(),
  form text NOT NULL,
  encoding text,
  bytes_received bigint NOT NULL,
  url_count bigint NOT NULL,
  file_count integer NOT NULL,
  rejected bigint NOT NULL,
  seq integer,
  code text,
  message text,
  errors json NOT NULL DEFAULT '[]'::json,
  error_count bigint NOT NULL DEFAULT 0,
  user_agent text,
  key_id text,
  user_id text,
  dialect json,
  kinds json,
  CONSTRAINT attempts_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT attempts_outcome_check CHECK ((outcome = ANY (ARRAY['published'::text, 'unchanged'::text, 'refused'::text, 'held'::text, 'failed'::text, 'abandoned'::text, 'dry_run'::text, 'canceled'::text]))) NOT VALID,
  CONSTRAINT attempts_pkey PRIMARY KEY (id)
);
CREATE INDEX attempts_by_domain ON public.attempts USING btree (domain_id, "position" DESC) INCLUDE (ended_at, outcome, url_count);
CREATE INDEX attempts_ended_at ON public.attempts USING btree (ended_at);

CREATE TABLE audit_events (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  account_id text NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  action text NOT NULL,
  subject text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  user_id text,
  key_id text,
  actor_name text NOT NULL,
  address text,
  CONSTRAINT audit_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT audit_events_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_events_account_id ON public.audit_events USING btree (account_id, id DESC);
CREATE INDEX audit_events_action ON public.audit_events USING btree (account_id, action, id DESC);
CREATE INDEX audit_events_at ON public.audit_events USING btree (at);

CREATE TABLE backfills (
  name text NOT NULL,
  after text NOT NULL DEFAULT ''::text,
  rows bigint NOT NULL DEFAULT 0,
  missed bigint NOT NULL DEFAULT 0,
  added_at timestamp with time zone NOT NULL DEFAULT now(),
  done_at timestamp with time zone,
  CONSTRAINT backfills_pkey PRIMARY KEY (name)
);

CREATE TABLE certificates (
  account_id text NOT NULL,
  hostname text NOT NULL,
  domain_id text,
  chain text,
  key jsonb,
  directory text,
  issuer text,
  not_before timestamp with time zone,
  not_after timestamp with time zone,
  ari_id text,
  renew_at timestamp with time zone,
  ari_check_at timestamp with time zone,
  order_directory text,
  order_url text,
  order_key jsonb,
  due_at timestamp with time zone,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  last_error text,
  leased_until timestamp with time zone,
  fence bigint NOT NULL DEFAULT 0,
  priority smallint NOT NULL DEFAULT 1,
  CONSTRAINT certificates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT certificates_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE SET NULL,
  CONSTRAINT certificates_domain_id_key UNIQUE (domain_id),
  CONSTRAINT certificates_pkey PRIMARY KEY (account_id, hostname)
);
CREATE INDEX certificates_ari_check_at ON public.certificates USING btree (ari_check_at);
CREATE INDEX certificates_due_at ON public.certificates USING btree (due_at);
CREATE INDEX certificates_ending ON public.certificates USING btree (account_id, not_after) WHERE (domain_id IS NOT NULL);
CREATE INDEX certificates_failing ON public.certificates USING btree (domain_id) WHERE (last_error IS NOT NULL);
CREATE INDEX certificates_first_due ON public.certificates USING btree (priority, due_at) WHERE ((chain IS NULL) AND (due_at IS NOT NULL));
CREATE INDEX certificates_key_id ON public.certificates USING btree (((key ->> 'keyId'::text)));
CREATE INDEX certificates_not_after ON public.certificates USING btree (not_after) WHERE (domain_id IS NOT NULL);
CREATE INDEX certificates_order_key_id ON public.certificates USING btree (((order_key ->> 'keyId'::text))) WHERE (order_key IS NOT NULL);
CREATE INDEX certificates_unwell ON public.certificates USING btree (account_id) WHERE (failures > 0);

CREATE TABLE changed_entries (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  domain_id text NOT NULL,
  sitemap_name text NOT NULL,
  seq integer NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  left_out text,
  content bytea,
  name text,
  bytes integer NOT NULL DEFAULT 0,
  CONSTRAINT changed_entries_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT changed_entries_left_out_check CHECK ((left_out = ANY (ARRAY['first'::text, 'unknown'::text, 'xml-version'::text, 'many-changes'::text, 'limit'::text]))),
  CONSTRAINT changed_entries_pkey PRIMARY KEY (id),
  CONSTRAINT changed_entries_place_check CHECK ((num_nonnulls(left_out, content, name) = 1))
);
CREATE INDEX changed_entries_by_domain ON public.changed_entries USING btree (domain_id, id);

CREATE TABLE comparisons (
  upload_id text NOT NULL,
  former_upload_id text,
  state text NOT NULL,
  added bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  removed bigint NOT NULL DEFAULT 0,
  samples jsonb NOT NULL DEFAULT '{"added": [], "changed": [], "removed": []}'::jsonb,
  parts integer NOT NULL DEFAULT 0,
  origins jsonb,
  seconds double precision NOT NULL,
  ended_at timestamp with time zone NOT NULL DEFAULT now(),
  list bytea,
  added_origins jsonb,
  CONSTRAINT comparisons_pkey PRIMARY KEY (upload_id),
  CONSTRAINT comparisons_state_check CHECK ((state = ANY (ARRAY['compared'::text, 'first'::text, 'unknown'::text, 'rewritten'::text]))) NOT VALID,
  CONSTRAINT comparisons_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id) ON DELETE CASCADE
);

CREATE TABLE connections (
  account_id text NOT NULL,
  name text NOT NULL,
  endpoint text NOT NULL,
  region text NOT NULL,
  buckets text[] NOT NULL,
  secrets jsonb,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT connections_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT connections_pkey PRIMARY KEY (account_id, name)
);
CREATE INDEX connections_sealed_by ON public.connections USING btree (((secrets ->> 'keyId'::text))) WHERE (secrets IS NOT NULL);

CREATE TABLE counts (
  name text NOT NULL,
  value jsonb NOT NULL,
  counted_at timestamp with time zone NOT NULL,
  seconds double precision NOT NULL,
  CONSTRAINT counts_pkey PRIMARY KEY (name)
);

CREATE TABLE crawl_imports (
  object text NOT NULL,
  imported_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT crawl_imports_pkey PRIMARY KEY (object)
);
CREATE INDEX crawl_imports_imported_at ON public.crawl_imports USING btree (imported_at);

CREATE TABLE crawls (
  domain_id text NOT NULL,
  day date NOT NULL,
  crawler text NOT NULL,
  status smallint NOT NULL,
  requests bigint NOT NULL,
  CONSTRAINT crawls_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT crawls_pkey PRIMARY KEY (domain_id, day, crawler, status)
);
CREATE INDEX crawls_day ON public.crawls USING btree (day);

CREATE TABLE domains (
  id text NOT NULL,
  account_id text NOT NULL,
  hostname text NOT NULL,
  status text NOT NULL,
  ssl_status text NOT NULL,
  cname_target text NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  generation bigint NOT NULL DEFAULT nextval('site_generations'::regclass),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  verified_at timestamp with time zone,
  stored_bytes bigint NOT NULL DEFAULT 0,
  failure text,
  checked_at timestamp with time zone,
  dns_found jsonb,
  dns_problem text,
  check_at timestamp with time zone,
  wrong_checks integer NOT NULL DEFAULT 0,
  wrong_since timestamp with time zone,
  moved_at timestamp with time zone,
  index_now boolean NOT NULL DEFAULT false,
  has_warnings boolean NOT NULL DEFAULT false,
  page_hosts_asked_at timestamp with time zone,
  deleted_seq integer NOT NULL DEFAULT 0,
  max_removed_percent integer DEFAULT 50,
  wrong_at timestamp with time zone,
  counted_generation bigint,
  sitemap_count bigint NOT NULL DEFAULT 0,
  url_count bigint NOT NULL DEFAULT 0,
  file_count bigint NOT NULL DEFAULT 0,
  host_hash bytea,
  placement text NOT NULL DEFAULT 'stable'::text,
  recent_enabled boolean NOT NULL DEFAULT false,
  recent_hours smallint NOT NULL DEFAULT 72,
  dns_judgement json,
  website boolean,
  added_by text,
  past_days date[],
  past_urls bigint[],
  shrunk_at timestamp with time zone,
  CONSTRAINT domains_account_hostname_is_unique UNIQUE (account_id, hostname),
  CONSTRAINT domains_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT domains_max_removed_percent_check CHECK (((max_removed_percent >= 0) AND (max_removed_percent <= 100))),
  CONSTRAINT domains_pkey PRIMARY KEY (id),
  CONSTRAINT domains_placement_check CHECK ((placement = ANY (ARRAY['stable'::text, 'order'::text]))) NOT VALID,
  CONSTRAINT domains_position_key UNIQUE ("position"),
  CONSTRAINT domains_recent_hours_check CHECK (((recent_hours >= 1) AND (recent_hours <= 168))) NOT VALID,
  CONSTRAINT domains_ssl_status_check CHECK ((ssl_status = ANY (ARRAY['pending'::text, 'provisioning'::text, 'active'::text, 'failed'::text]))),
  CONSTRAINT domains_status_check CHECK ((status = ANY (ARRAY['pending_verification'::text, 'verified'::text, 'active'::text, 'failed'::text])))
) WITH (fillfactor=90);
CREATE INDEX domains_account_id ON public.domains USING btree (account_id, "position" DESC);
CREATE INDEX domains_doubted_check_at ON public.domains USING btree (check_at) WHERE ((status = ANY (ARRAY['verified'::text, 'active'::text])) AND (wrong_checks > 0));
CREATE INDEX domains_host_hash ON public.domains USING btree (host_hash) WHERE (status = ANY (ARRAY['verified'::text, 'active'::text]));
CREATE INDEX domains_host_shard ON public.domains USING btree (((get_byte(sha256((hostname)::bytea), 0) % 64))) WHERE (status = ANY (ARRAY['verified'::text, 'active'::text]));
CREATE INDEX domains_hostname ON public.domains USING btree (hostname);
CREATE INDEX domains_not_served ON public.domains USING btree (status, "position" DESC) WHERE (status = ANY (ARRAY['pending_verification'::text, 'failed'::text]));
CREATE INDEX domains_pending ON public.domains USING btree (created_at) WHERE (status = 'pending_verification'::text);
CREATE INDEX domains_pending_check_at ON public.domains USING btree (check_at) WHERE (status = 'pending_verification'::text);
CREATE INDEX domains_steady_check_at ON public.domains USING btree (check_at) WHERE ((status = ANY (ARRAY['verified'::text, 'active'::text])) AND (wrong_checks = 0));
CREATE INDEX domains_unhashed ON public.domains USING btree (hostname) WHERE (host_hash IS NULL);
CREATE INDEX domains_unwell ON public.domains USING btree (account_id) WHERE ((status = ANY (ARRAY['pending_verification'::text, 'failed'::text])) OR (wrong_checks > 0));
CREATE UNIQUE INDEX domains_served_hostname_is_unique ON public.domains USING btree (hostname) WHERE (status = ANY (ARRAY['verified'::text, 'active'::text]));

CREATE TABLE due_garbage (
  collect_after timestamp with time zone NOT NULL,
  prefix text NOT NULL
);
CREATE INDEX due_garbage_in_order ON public.due_garbage USING btree (collect_after, prefix);

CREATE TABLE due_url_indexes (
  upload_id text NOT NULL,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT due_url_indexes_pkey PRIMARY KEY (upload_id),
  CONSTRAINT due_url_indexes_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id) ON DELETE CASCADE
);
CREATE INDEX due_url_indexes_due_at ON public.due_url_indexes USING btree (due_at);

CREATE TABLE examinations (
  id text NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  hostname text,
  asked_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  result json,
  failure text,
  CONSTRAINT examinations_pkey PRIMARY KEY (id),
  CONSTRAINT examinations_position_key UNIQUE ("position")
);

CREATE TABLE file_errors (
  domain_id text NOT NULL,
  day date NOT NULL,
  file text NOT NULL,
  crawler text NOT NULL,
  status smallint NOT NULL,
  requests bigint NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT file_errors_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT file_errors_pkey PRIMARY KEY (domain_id, day, file, crawler, status)
);
CREATE INDEX file_errors_day ON public.file_errors USING btree (day);

CREATE TABLE file_visits (
  domain_id text NOT NULL,
  file text NOT NULL,
  crawler text NOT NULL,
  status smallint NOT NULL,
  requests bigint NOT NULL,
  last_at timestamp with time zone NOT NULL,
  last_day date NOT NULL DEFAULT ((last_at AT TIME ZONE 'UTC'::text))::date,
  CONSTRAINT file_visits_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT file_visits_pkey PRIMARY KEY (domain_id, file, crawler)
);
CREATE INDEX file_visits_last_day ON public.file_visits USING btree (last_day);

CREATE TABLE garbage (
  prefix text NOT NULL,
  collect_after timestamp with time zone NOT NULL,
  account_id text,
  bytes bigint NOT NULL DEFAULT 0,
  listed_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  trimmed_at timestamp with time zone,
  CONSTRAINT garbage_pkey PRIMARY KEY (prefix)
) WITH (fillfactor=90);
CREATE INDEX garbage_ended ON public.garbage USING btree (prefix) WHERE ((ended_at IS NOT NULL) AND (trimmed_at IS NULL));

CREATE TABLE held_uploads (
  id text NOT NULL,
  account_id text NOT NULL,
  domain_id text NOT NULL,
  hostname text NOT NULL,
  sitemap_name text NOT NULL,
  ping_search boolean NOT NULL,
  rejected bigint,
  files json,
  published json,
  held_at timestamp with time zone NOT NULL DEFAULT now(),
  print json,
  CONSTRAINT held_uploads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT held_uploads_pkey PRIMARY KEY (id)
);
CREATE INDEX held_uploads_account_id ON public.held_uploads USING btree (account_id);
CREATE INDEX held_uploads_held_at ON public.held_uploads USING btree (held_at);

CREATE TABLE idempotency_claims (
  account_id text NOT NULL,
  request text NOT NULL,
  holder text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  status integer,
  answer text,
  digest bytea,
  body_bytes bigint,
  CONSTRAINT idempotency_claims_pkey PRIMARY KEY (account_id, request)
);
CREATE INDEX idempotency_claims_expires_at ON public.idempotency_claims USING btree (expires_at);
CREATE INDEX idempotency_claims_newest ON public.idempotency_claims USING btree (account_id, expires_at DESC);

CREATE TABLE identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL,
  email text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_sign_in_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX identities_user_id ON public.identities USING btree (user_id);

CREATE TABLE incidents (
  account_id text NOT NULL,
  kind text NOT NULL,
  domain_id text NOT NULL,
  subject text NOT NULL,
  opened_at timestamp with time zone NOT NULL DEFAULT now(),
  told json,
  CONSTRAINT incidents_account_id_fkey FOREIGN KEY (account_id) REFERENCES told_accounts(account_id) ON DELETE CASCADE,
  CONSTRAINT incidents_pkey PRIMARY KEY (account_id, kind, domain_id, subject)
);

CREATE TABLE indexnow_batches (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  submission_id bigint NOT NULL,
  domain_id text NOT NULL,
  host text NOT NULL,
  object text NOT NULL,
  first integer NOT NULL,
  url_count integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  unanswered integer NOT NULL DEFAULT 0,
  together integer NOT NULL DEFAULT 500,
  CONSTRAINT indexnow_batches_domain_id_host_fkey FOREIGN KEY (domain_id, host) REFERENCES indexnow_hosts(domain_id, host) ON DELETE CASCADE,
  CONSTRAINT indexnow_batches_pkey PRIMARY KEY (id),
  CONSTRAINT indexnow_batches_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES indexnow_submissions(id) ON DELETE CASCADE
);
CREATE INDEX indexnow_batches_host ON public.indexnow_batches USING btree (domain_id, host, attempts, created_at DESC, id);
CREATE INDEX indexnow_batches_object ON public.indexnow_batches USING btree (object);
CREATE INDEX indexnow_batches_submission_id ON public.indexnow_batches USING btree (submission_id);

CREATE TABLE indexnow_hosts (
  domain_id text NOT NULL,
  host text NOT NULL,
  account_id text NOT NULL,
  scheme text NOT NULL,
  key text NOT NULL,
  is_in_site boolean NOT NULL DEFAULT false,
  verified_at timestamp with time zone,
  problem text,
  due_at timestamp with time zone DEFAULT now(),
  paused_until timestamp with time zone,
  failures integer NOT NULL DEFAULT 0,
  sent_on date,
  sent_urls integer NOT NULL DEFAULT 0,
  last_status integer,
  last_submitted_at timestamp with time zone,
  leased_until timestamp with time zone,
  fence bigint NOT NULL DEFAULT 0,
  sent_requests integer NOT NULL DEFAULT 0,
  refused_requests integer NOT NULL DEFAULT 0,
  refusals integer NOT NULL DEFAULT 0,
  CONSTRAINT indexnow_hosts_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT indexnow_hosts_pkey PRIMARY KEY (domain_id, host),
  CONSTRAINT indexnow_hosts_scheme_check CHECK ((scheme = ANY (ARRAY['http'::text, 'https'::text])))
);
CREATE INDEX indexnow_hosts_due_at ON public.indexnow_hosts USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX indexnow_hosts_leased_until ON public.indexnow_hosts USING btree (leased_until) WHERE (leased_until IS NOT NULL);

CREATE TABLE indexnow_refusals (
  account_id text NOT NULL,
  refused_on date NOT NULL,
  requests integer NOT NULL,
  CONSTRAINT indexnow_refusals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT indexnow_refusals_pkey PRIMARY KEY (account_id)
);

CREATE TABLE indexnow_submissions (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  domain_id text NOT NULL,
  upload_id text NOT NULL,
  sitemap_name text NOT NULL,
  batches_left integer NOT NULL,
  urls_submitted bigint NOT NULL DEFAULT 0,
  urls_refused bigint NOT NULL DEFAULT 0,
  urls_failed bigint NOT NULL DEFAULT 0,
  CONSTRAINT indexnow_submissions_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT indexnow_submissions_pkey PRIMARY KEY (id)
);
CREATE INDEX indexnow_submissions_domain_id ON public.indexnow_submissions USING btree (domain_id);

CREATE TABLE kept_bytes (
  account_id text NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT kept_bytes_pkey PRIMARY KEY (account_id)
);

CREATE TABLE kept_bytes_changes (
  account_id text NOT NULL,
  bytes bigint NOT NULL
);

CREATE TABLE load_objects (
  load_id text NOT NULL,
  n integer NOT NULL,
  url text NOT NULL,
  depth integer NOT NULL,
  etag text,
  bytes bigint,
  state text NOT NULL DEFAULT 'waiting'::text,
  CONSTRAINT load_objects_load_id_fkey FOREIGN KEY (load_id) REFERENCES loads(id) ON DELETE CASCADE,
  CONSTRAINT load_objects_pkey PRIMARY KEY (load_id, n),
  CONSTRAINT load_objects_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'skipped'::text, 'listed'::text])))
);
CREATE INDEX load_objects_waiting ON public.load_objects USING btree (load_id, n) WHERE (state = 'waiting'::text);

CREATE TABLE loads (
  id text NOT NULL,
  session_id text NOT NULL,
  account_id text NOT NULL,
  domain_id text NOT NULL,
  hostname text NOT NULL,
  sitemap_name text NOT NULL,
  asked json NOT NULL,
  key_id text,
  user_id text,
  user_session_id text,
  user_agent text,
  form text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  lease_until timestamp with time zone,
  fence bigint NOT NULL DEFAULT 0,
  begun integer NOT NULL DEFAULT 0,
  is_listed boolean NOT NULL DEFAULT false,
  objects integer NOT NULL DEFAULT 0,
  done integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  bytes_total bigint DEFAULT 0,
  progress json,
  ended_at timestamp with time zone,
  list_print text,
  schedule_id text,
  traceparent text,
  begun_at timestamp with time zone,
  CONSTRAINT loads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT loads_pkey PRIMARY KEY (id)
);
CREATE INDEX loads_due ON public.loads USING btree (created_at) WHERE (ended_at IS NULL);
CREATE INDEX loads_ended ON public.loads USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX loads_running ON public.loads USING btree (account_id) WHERE (ended_at IS NULL);

CREATE TABLE looks (
  name text NOT NULL,
  at timestamp with time zone NOT NULL,
  settled_at timestamp with time zone NOT NULL,
  CONSTRAINT looks_pkey PRIMARY KEY (name)
);

CREATE TABLE members (
  account_id text NOT NULL,
  user_id text NOT NULL,
  role text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  CONSTRAINT members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT members_pkey PRIMARY KEY (account_id, user_id),
  CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text]))),
  CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX members_user_id ON public.members USING btree (user_id);

CREATE TABLE migrations (
  id integer NOT NULL DEFAULT nextval('migrations_id_seq'::regclass),
  name character varying(255) NOT NULL,
  run_on timestamp without time zone NOT NULL,
  CONSTRAINT migrations_pkey PRIMARY KEY (id)
);

CREATE TABLE own_certificates (
  hostname text NOT NULL,
  chain text,
  key jsonb,
  directory text,
  issuer text,
  not_before timestamp with time zone,
  not_after timestamp with time zone,
  ari_id text,
  renew_at timestamp with time zone,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  ari_check_at timestamp with time zone,
  order_directory text,
  order_url text,
  order_key jsonb,
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  fence bigint NOT NULL DEFAULT 0,
  leased_until timestamp with time zone,
  CONSTRAINT own_certificates_pkey PRIMARY KEY (hostname)
);

CREATE TABLE paces (
  name text NOT NULL,
  per_second double precision NOT NULL,
  tokens double precision NOT NULL,
  tokens_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT paces_pkey PRIMARY KEY (name)
);

CREATE TABLE page_hosts (
  domain_id text NOT NULL,
  origin text NOT NULL,
  account_id text NOT NULL,
  state text NOT NULL DEFAULT 'unchecked'::text,
  state_since timestamp with time zone NOT NULL DEFAULT now(),
  message text,
  checked_at timestamp with time zone,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  warning text NOT NULL DEFAULT 'none'::text,
  CONSTRAINT page_hosts_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT page_hosts_pkey PRIMARY KEY (domain_id, origin),
  CONSTRAINT page_hosts_warning_check CHECK ((warning = ANY (ARRAY['none'::text, 'due'::text, 'given'::text])))
);
CREATE INDEX page_hosts_due_at ON public.page_hosts USING btree (due_at);
CREATE INDEX page_hosts_unwell ON public.page_hosts USING btree (account_id, domain_id) WHERE (state = ANY (ARRAY['partly'::text, 'missing'::text, 'disallowed'::text, 'unreachable'::text]));

CREATE TABLE page_url_counts (
  domain_id text NOT NULL,
  sitemap_name text NOT NULL,
  origin text NOT NULL,
  url_count bigint NOT NULL,
  CONSTRAINT page_url_counts_domain_id_sitemap_name_fkey FOREIGN KEY (domain_id, sitemap_name) REFERENCES sitemaps(domain_id, name) ON DELETE CASCADE,
  CONSTRAINT page_url_counts_pkey PRIMARY KEY (domain_id, sitemap_name, origin)
);
CREATE INDEX page_url_counts_origin ON public.page_url_counts USING btree (domain_id, origin);

CREATE TABLE plans (
  name text NOT NULL,
  requests_per_minute bigint,
  domains bigint,
  urls_per_upload bigint,
  stored_bytes bigint,
  sitemaps_per_domain bigint,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  changed_by text NOT NULL,
  CONSTRAINT plans_domains_check CHECK ((domains >= 1)),
  CONSTRAINT plans_pkey PRIMARY KEY (name),
  CONSTRAINT plans_requests_per_minute_check CHECK ((requests_per_minute >= 1)),
  CONSTRAINT plans_sitemaps_per_domain_check CHECK ((sitemaps_per_domain >= 1)),
  CONSTRAINT plans_stored_bytes_check CHECK ((stored_bytes >= 1)),
  CONSTRAINT plans_urls_per_upload_check CHECK ((urls_per_upload >= 1))
);

CREATE UNLOGGED TABLE rate_limits (
  key character varying(255) NOT NULL,
  points integer NOT NULL DEFAULT 0,
  expire bigint,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
);

CREATE TABLE rebuilds (
  id text NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  asked_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  after text NOT NULL DEFAULT ''::text,
  sites integer NOT NULL,
  written integer NOT NULL DEFAULT 0,
  removed integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  failures json NOT NULL DEFAULT '[]'::json,
  worked_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT rebuilds_pkey PRIMARY KEY (id),
  CONSTRAINT rebuilds_position_key UNIQUE ("position")
);
CREATE UNIQUE INDEX rebuilds_under_way ON public.rebuilds USING btree (((ended_at IS NULL))) WHERE (ended_at IS NULL);

CREATE TABLE recent_sitemaps (
  domain_id text NOT NULL,
  upload_id text,
  files json NOT NULL DEFAULT '[]'::json,
  feed json,
  url_count integer NOT NULL DEFAULT 0,
  updated_at timestamp with time zone,
  left_out json NOT NULL DEFAULT '[]'::json,
  due_at timestamp with time zone,
  leased_until timestamp with time zone,
  fence bigint NOT NULL DEFAULT 0,
  queue_account text,
  CONSTRAINT recent_sitemaps_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT recent_sitemaps_pkey PRIMARY KEY (domain_id)
);
CREATE INDEX recent_sitemaps_due_at ON public.recent_sitemaps USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX recent_sitemaps_queue ON public.recent_sitemaps USING btree (queue_account, due_at) WHERE (queue_account IS NOT NULL);
CREATE INDEX recent_sitemaps_unqueued ON public.recent_sitemaps USING btree (due_at) WHERE ((due_at IS NOT NULL) AND (queue_account IS NULL));

CREATE TABLE refused_uploads (
  domain_id text NOT NULL,
  sitemap_name text NOT NULL,
  account_id text NOT NULL,
  times integer NOT NULL,
  live_upload_id text,
  last_at timestamp with time zone NOT NULL DEFAULT now(),
  attempt_id text NOT NULL,
  CONSTRAINT refused_uploads_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT refused_uploads_pkey PRIMARY KEY (domain_id, sitemap_name)
);
CREATE INDEX refused_uploads_account_id ON public.refused_uploads USING btree (account_id) WHERE (times >= 3);

CREATE TABLE rejects (
  upload_id text NOT NULL,
  account_id text NOT NULL,
  prefix text NOT NULL,
  parts integer NOT NULL,
  CONSTRAINT rejects_pkey PRIMARY KEY (upload_id),
  CONSTRAINT rejects_prefix_fkey FOREIGN KEY (prefix) REFERENCES garbage(prefix) ON DELETE CASCADE,
  CONSTRAINT rejects_prefix_key UNIQUE (prefix)
);

CREATE UNLOGGED TABLE request_days (
  account_id text NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  points integer NOT NULL DEFAULT 0,
  ends_at bigint NOT NULL DEFAULT 0,
  most integer NOT NULL DEFAULT 0,
  CONSTRAINT request_days_pkey PRIMARY KEY (account_id, day)
);

CREATE TABLE schedule_runs (
  schedule_id text NOT NULL,
  n integer NOT NULL,
  cause text NOT NULL,
  planned_at timestamp with time zone,
  began_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  outcome text,
  upload_id text,
  code text,
  message text,
  CONSTRAINT schedule_runs_pkey PRIMARY KEY (schedule_id, n),
  CONSTRAINT schedule_runs_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id) ON DELETE CASCADE
);

CREATE TABLE schedules (
  id text NOT NULL,
  account_id text NOT NULL,
  domain_id text NOT NULL,
  sitemap_name text NOT NULL,
  cron text,
  timezone text NOT NULL,
  gap_minutes integer,
  spread_ms integer NOT NULL,
  asked json NOT NULL,
  terms json NOT NULL,
  is_enabled boolean NOT NULL,
  hook_hash bytea,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  planned_at timestamp with time zone,
  asked_at timestamp with time zone,
  asked_due_at timestamp with time zone,
  asked_by text,
  load_id text,
  runs integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  failed_since timestamp with time zone,
  waits_since timestamp with time zone,
  due_at timestamp with time zone,
  fence bigint NOT NULL DEFAULT 0,
  CONSTRAINT schedules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT schedules_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT schedules_domain_id_sitemap_name_key UNIQUE (domain_id, sitemap_name),
  CONSTRAINT schedules_pkey PRIMARY KEY (id)
);
CREATE INDEX schedules_account ON public.schedules USING btree (account_id);
CREATE INDEX schedules_connection ON public.schedules USING btree (account_id, ((asked ->> 'connection'::text))) WHERE ((asked ->> 'connection'::text) IS NOT NULL);
CREATE INDEX schedules_due ON public.schedules USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX schedules_failing ON public.schedules USING btree (account_id) WHERE (failures > 0);
CREATE INDEX schedules_waiting ON public.schedules USING btree (account_id, waits_since) WHERE (waits_since IS NOT NULL);
CREATE UNIQUE INDEX schedules_hook ON public.schedules USING btree (hook_hash) WHERE (hook_hash IS NOT NULL);
CREATE UNIQUE INDEX schedules_load ON public.schedules USING btree (load_id) WHERE (load_id IS NOT NULL);

CREATE TABLE sessions (
  id text NOT NULL,
  token_hash bytea NOT NULL,
  user_id text NOT NULL,
  account_id text NOT NULL,
  issuer text,
  subject text,
  sid text,
  id_token text,
  authenticated_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_seen_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  user_agent text,
  address text,
  CONSTRAINT sessions_account_id_user_id_fkey FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE,
  CONSTRAINT sessions_issuer_subject_fkey FOREIGN KEY (issuer, subject) REFERENCES identities(issuer, subject) ON DELETE CASCADE,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_token_hash_key UNIQUE (token_hash),
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_expires_at ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_identity ON public.sessions USING btree (issuer, subject);
CREATE INDEX sessions_member ON public.sessions USING btree (account_id, user_id);
CREATE INDEX sessions_user_id ON public.sessions USING btree (user_id);

CREATE TABLE sign_in_links (
  token_hash bytea NOT NULL,
  kind text NOT NULL,
  account_id text NOT NULL,
  user_id text,
  role text,
  note text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT sign_in_links_kind_check CHECK ((kind = ANY (ARRAY['sign_in'::text, 'invitation'::text]))),
  CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sign_in_links_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text]))),
  CONSTRAINT sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_links_account_id ON public.sign_in_links USING btree (account_id);
CREATE INDEX sign_in_links_expires_at ON public.sign_in_links USING btree (expires_at);
CREATE INDEX sign_in_links_user_id ON public.sign_in_links USING btree (user_id);

CREATE TABLE site_changes (
  hostname text NOT NULL,
  generation bigint NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT site_changes_pkey PRIMARY KEY (hostname)
);

CREATE TABLE sitemap_files (
  upload_id text NOT NULL,
  upload_n integer NOT NULL,
  entries integer NOT NULL,
  bytes integer NOT NULL,
  gzip_bytes integer NOT NULL,
  etag text NOT NULL,
  last_modified timestamp with time zone NOT NULL,
  domain_id text NOT NULL,
  sitemap_name text NOT NULL,
  n integer NOT NULL,
  from_seq integer NOT NULL,
  to_seq integer,
  CONSTRAINT sitemap_files_pkey PRIMARY KEY (domain_id, sitemap_name, from_seq, n),
  CONSTRAINT sitemap_files_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id)
) WITH (fillfactor=90);
CREATE INDEX sitemap_files_live ON public.sitemap_files USING btree (domain_id, sitemap_name) WHERE (to_seq IS NULL);
CREATE INDEX sitemap_files_upload_id ON public.sitemap_files USING btree (upload_id);

CREATE TABLE sitemaps (
  domain_id text NOT NULL,
  name text NOT NULL,
  upload_id text NOT NULL,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  compared_upload_id text,
  compared_at timestamp with time zone,
  comparing_until timestamp with time zone,
  compare_fence bigint NOT NULL DEFAULT 0,
  comparing_upload_id text,
  compare_attempts integer NOT NULL DEFAULT 0,
  compare_after timestamp with time zone,
  compare_at timestamp with time zone,
  compare_account text,
  compare_lane smallint,
  confirmed_at timestamp with time zone,
  placing_until timestamp with time zone,
  last_delta_seq integer,
  expect_every_hours integer,
  fresh_until timestamp with time zone,
  stale_since timestamp with time zone,
  stale_account text,
  CONSTRAINT sitemaps_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE,
  CONSTRAINT sitemaps_pkey PRIMARY KEY (domain_id, name),
  CONSTRAINT sitemaps_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id),
  CONSTRAINT sitemaps_upload_id_key UNIQUE (upload_id)
);
CREATE INDEX sitemaps_by_name ON public.sitemaps USING btree (domain_id, name COLLATE "C");
CREATE INDEX sitemaps_due_comparison ON public.sitemaps USING btree (compare_lane, compare_account, compare_at) WHERE (compare_at IS NOT NULL);
CREATE INDEX sitemaps_fresh_until ON public.sitemaps USING btree (fresh_until) WHERE ((stale_since IS NULL) AND (fresh_until IS NOT NULL));
CREATE INDEX sitemaps_stale ON public.sitemaps USING btree (fresh_until) WHERE (fresh_until > stale_since);
CREATE INDEX sitemaps_stale_account ON public.sitemaps USING btree (stale_account) WHERE (stale_since IS NOT NULL);
CREATE INDEX sitemaps_unqueued_comparison ON public.sitemaps USING btree (upload_id) WHERE ((compared_upload_id IS DISTINCT FROM upload_id) AND (compare_at IS NULL));

CREATE TABLE small_files (
  upload_id text NOT NULL,
  n integer NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT small_files_pkey PRIMARY KEY (upload_id, n),
  CONSTRAINT small_files_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id) ON DELETE CASCADE
);

CREATE TABLE storage_mark (
  mark uuid NOT NULL DEFAULT gen_random_uuid(),
  is_stored boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX storage_mark_one ON public.storage_mark USING btree ((true));

CREATE TABLE told_accounts (
  account_id text NOT NULL,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  looked_at timestamp with time zone,
  CONSTRAINT told_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT told_accounts_pkey PRIMARY KEY (account_id)
);
CREATE INDEX told_accounts_due_at ON public.told_accounts USING btree (due_at);

CREATE TABLE upload_days (
  domain_id text NOT NULL,
  day date NOT NULL,
  published bigint NOT NULL,
  refused bigint NOT NULL,
  published_urls bigint NOT NULL,
  refused_urls bigint NOT NULL,
  unchanged bigint NOT NULL DEFAULT 0,
  CONSTRAINT upload_days_pkey PRIMARY KEY (domain_id, day)
);

CREATE TABLE upload_session_parts (
  session_id text NOT NULL,
  part integer NOT NULL,
  writer_id text NOT NULL,
  digest text NOT NULL,
  url_count bigint NOT NULL,
  rejected bigint NOT NULL,
  gzip_bytes bigint NOT NULL,
  entries_digest bigint NOT NULL,
  files json NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT upload_session_parts_pkey PRIMARY KEY (session_id, part),
  CONSTRAINT upload_session_parts_session_id_fkey FOREIGN KEY (session_id) REFERENCES upload_sessions(id) ON DELETE CASCADE
);

CREATE TABLE upload_session_writers (
  session_id text NOT NULL,
  n integer NOT NULL,
  claimed integer NOT NULL,
  CONSTRAINT upload_session_writers_pkey PRIMARY KEY (session_id, n),
  CONSTRAINT upload_session_writers_session_id_fkey FOREIGN KEY (session_id) REFERENCES upload_sessions(id) ON DELETE CASCADE
);

CREATE TABLE upload_sessions (
  id text NOT NULL,
  account_id text NOT NULL,
  domain_id text NOT NULL,
  hostname text NOT NULL,
  sitemap_name text NOT NULL,
  upload_id text NOT NULL,
  terms json NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  parts integer NOT NULL DEFAULT 0,
  url_count bigint NOT NULL DEFAULT 0,
  gzip_bytes bigint NOT NULL DEFAULT 0,
  writers integer NOT NULL DEFAULT 0,
  committing_until timestamp with time zone,
  commit_fence bigint NOT NULL DEFAULT 0,
  published json,
  is_cleared boolean NOT NULL DEFAULT false,
  of_load boolean NOT NULL DEFAULT false,
  CONSTRAINT upload_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT upload_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT upload_sessions_status_check CHECK ((status = ANY (ARRAY['open'::text, 'committed'::text, 'held'::text, 'aborted'::text, 'expired'::text])))
);
CREATE INDEX upload_sessions_created_at ON public.upload_sessions USING btree (created_at);
CREATE INDEX upload_sessions_listed ON public.upload_sessions USING btree (domain_id, created_at DESC, id DESC, sitemap_name) WHERE (NOT of_load);
CREATE INDEX upload_sessions_open ON public.upload_sessions USING btree (account_id) WHERE (status = 'open'::text);
CREATE INDEX upload_sessions_uncleared ON public.upload_sessions USING btree (id) WHERE ((status <> 'open'::text) AND (NOT is_cleared));

CREATE UNLOGGED TABLE upload_slots (
  account_id text NOT NULL,
  n integer NOT NULL,
  holder text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  progress json,
  CONSTRAINT upload_slots_pkey PRIMARY KEY (account_id, n)
);

CREATE TABLE uploads (
  id text NOT NULL,
  domain_id text NOT NULL,
  sitemap_name text NOT NULL,
  url_count bigint NOT NULL,
  file_count integer NOT NULL,
  bytes bigint NOT NULL,
  gzip_bytes bigint NOT NULL,
  published_at timestamp with time zone NOT NULL DEFAULT now(),
  replaced_at timestamp with time zone,
  withdrawn boolean NOT NULL DEFAULT false,
  seq integer NOT NULL,
  kind text NOT NULL DEFAULT 'upload'::text,
  restores integer,
  objects integer,
  digest bigint,
  entries_per_file integer,
  xml_version smallint,
  delta_of text,
  list_print text,
  CONSTRAINT uploads_kind_check CHECK ((kind = ANY (ARRAY['upload'::text, 'rollback'::text, 'delta'::text]))) NOT VALID,
  CONSTRAINT uploads_pkey PRIMARY KEY (id)
) WITH (fillfactor=90);
CREATE INDEX uploads_withdrawn ON public.uploads USING btree (domain_id, sitemap_name COLLATE "C") WHERE withdrawn;
CREATE UNIQUE INDEX uploads_seq ON public.uploads USING btree (domain_id, sitemap_name, seq);

CREATE TABLE url_indexes (
  upload_id text NOT NULL,
  name text NOT NULL,
  head_bytes integer NOT NULL,
  files integer[] NOT NULL,
  CONSTRAINT url_indexes_pkey PRIMARY KEY (upload_id, name),
  CONSTRAINT url_indexes_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id) ON DELETE CASCADE
);

CREATE TABLE usage_changes (
  account_id text NOT NULL,
  day date NOT NULL DEFAULT ((now() AT TIME ZONE 'UTC'::text))::date,
  requests bigint NOT NULL DEFAULT 0,
  urls bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  served_requests bigint NOT NULL DEFAULT 0,
  served_bytes bigint NOT NULL DEFAULT 0
);

CREATE TABLE usage_days (
  account_id text NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  urls bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  served_requests bigint NOT NULL DEFAULT 0,
  served_bytes bigint NOT NULL DEFAULT 0,
  hosted_urls bigint,
  hosted_bytes bigint,
  CONSTRAINT usage_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT usage_days_pkey PRIMARY KEY (account_id, day)
);
CREATE INDEX usage_days_day ON public.usage_days USING btree (day);

CREATE TABLE usage_readings (
  day date NOT NULL,
  after text
);

CREATE TABLE used_logout_tokens (
  issuer text NOT NULL,
  jti text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_logout_tokens_pkey PRIMARY KEY (issuer, jti)
);
CREATE INDEX used_logout_tokens_expires_at ON public.used_logout_tokens USING btree (expires_at);

CREATE TABLE users (
  id text NOT NULL,
  name text NOT NULL,
  email text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT users_pkey PRIMARY KEY (id)
);

CREATE TABLE webhook_deliveries (
  event_id text NOT NULL,
  endpoint_id text NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  due_at timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  attempted_at timestamp with time zone,
  delivered_at timestamp with time zone,
  last_status integer,
  last_error text,
  CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES webhook_events(id) ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (event_id, endpoint_id)
);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (endpoint_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_deliveries_endpoint_id ON public.webhook_deliveries USING btree (endpoint_id, "position" DESC);

CREATE TABLE webhook_endpoints (
  id text NOT NULL,
  account_id text NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  url text NOT NULL,
  description text NOT NULL,
  event_types text[],
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  secret_version integer NOT NULL DEFAULT 1,
  former_version integer NOT NULL DEFAULT 1,
  former_until timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_why text,
  leased_until timestamp with time zone,
  fence bigint NOT NULL DEFAULT 0,
  attempted_at timestamp with time zone,
  is_slow boolean NOT NULL DEFAULT false,
  failing_since timestamp with time zone,
  format text NOT NULL DEFAULT 'json'::text,
  user_id text,
  proven_at timestamp with time zone,
  digest_at timestamp with time zone,
  CONSTRAINT webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT webhook_endpoints_member FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE NOT VALID,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_endpoints_account_id ON public.webhook_endpoints USING btree (account_id, "position" DESC);
CREATE INDEX webhook_endpoints_digest_at ON public.webhook_endpoints USING btree (digest_at) WHERE (digest_at IS NOT NULL);
CREATE UNIQUE INDEX webhook_endpoints_member ON public.webhook_endpoints USING btree (account_id, user_id) WHERE (user_id IS NOT NULL);

CREATE TABLE webhook_events (
  id text NOT NULL,
  account_id text NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  traceparent text,
  CONSTRAINT webhook_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT webhook_events_pkey PRIMARY KEY (id)
) WITH (fillfactor=90);
CREATE INDEX webhook_events_account_id ON public.webhook_events USING btree (account_id);
CREATE INDEX webhook_events_created_at ON public.webhook_events USING btree (created_at);
CREATE INDEX webhook_events_proofs ON public.webhook_events USING btree (account_id, created_at) WHERE (type = 'mail.proof'::text);
