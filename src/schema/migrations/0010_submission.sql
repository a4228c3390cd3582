-- Up Migration

-- Whether the domain's changed URLs are submitted (docs/decisions/0026).
ALTER TABLE domains ADD COLUMN index_now boolean NOT NULL DEFAULT false;

-- A host of pages, and the key that proves that its owner agrees.
CREATE TABLE indexnow_hosts (
  domain_id    text NOT NULL REFERENCES domains ON DELETE CASCADE,
  -- In lower case, with its port if that is not the scheme's own.
  host         text NOT NULL,
  account_id   text NOT NULL,
  scheme       text NOT NULL CHECK (scheme IN ('http', 'https')),
  key          text NOT NULL,
  -- Whether site.json names the key.
  is_in_site   boolean NOT NULL DEFAULT false,
  -- Null until the host has the key file. Nothing is submitted before.
  verified_at  timestamptz,
  -- What was wrong at the last check, for people.
  problem      text,
  -- The next check of the key file, or the next request. Null while there is nothing to do.
  due_at       timestamptz DEFAULT now(),
  -- Why `due_at` is late: failures, or the budget of the day.
  paused_until timestamptz,
  -- Checks and requests that failed, since the last request that succeeded.
  failures     integer NOT NULL DEFAULT 0,
  -- The URLs that were submitted on this day, in UTC.
  sent_on      date,
  sent_urls    integer NOT NULL DEFAULT 0,
  last_status  integer,
  last_submitted_at timestamptz,
  -- Whoever works on it holds the lease. The fence rises with each lease, so a former holder changes nothing.
  leased_until timestamptz,
  fence        bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (domain_id, host)
);
CREATE INDEX indexnow_hosts_due_at ON indexnow_hosts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX indexnow_hosts_leased_until ON indexnow_hosts (leased_until) WHERE leased_until IS NOT NULL;

-- The changed URLs of one upload. It goes with its last batch.
CREATE TABLE indexnow_submissions (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  domain_id      text NOT NULL REFERENCES domains ON DELETE CASCADE,
  upload_id      text NOT NULL,
  sitemap_name   text NOT NULL,
  batches_left   integer NOT NULL,
  urls_submitted bigint NOT NULL DEFAULT 0,
  urls_refused   bigint NOT NULL DEFAULT 0,
  urls_failed    bigint NOT NULL DEFAULT 0
);
CREATE INDEX indexnow_submissions_domain_id ON indexnow_submissions (domain_id);

-- URLs that wait. A batch that ends is deleted.
CREATE TABLE indexnow_batches (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  submission_id bigint NOT NULL REFERENCES indexnow_submissions ON DELETE CASCADE,
  domain_id     text NOT NULL,
  host          text NOT NULL,
  -- The URLs are in this object: `url_count` from `first`, which begins at 0. Halves of a batch share the object.
  object        text NOT NULL,
  first         integer NOT NULL,
  url_count     integer NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  attempts      integer NOT NULL DEFAULT 0,
  -- Requests whose answer nobody recorded, because the process died.
  unanswered    integer NOT NULL DEFAULT 0,
  FOREIGN KEY (domain_id, host) REFERENCES indexnow_hosts ON DELETE CASCADE
);
CREATE INDEX indexnow_batches_host ON indexnow_batches (domain_id, host, attempts, created_at DESC, id);
CREATE INDEX indexnow_batches_submission_id ON indexnow_batches (submission_id);
CREATE INDEX indexnow_batches_object ON indexnow_batches (object);
