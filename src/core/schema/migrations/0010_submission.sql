-- Up Migration

-- Whether the domain's changed URLs are submitted (docs/decisions/0026).
ALTER TABLE domains ADD COLUMN index_now boolean NOT NULL DEFAULT false;

-- A page host, and the key that proves the consent of its owner.
CREATE TABLE indexnow_hosts (
  domain_id    text NOT NULL REFERENCES domains ON DELETE CASCADE,
  -- The host is in lower case, with its port unless that is the default of the scheme.
  host         text NOT NULL,
  account_id   text NOT NULL,
  scheme       text NOT NULL CHECK (scheme IN ('http', 'https')),
  key          text NOT NULL,
  -- Whether site.json names the key.
  is_in_site   boolean NOT NULL DEFAULT false,
  -- Null until the host has the key file. No URL is submitted before.
  verified_at  timestamptz,
  -- The problem that the last check found, as a text for people.
  problem      text,
  -- The time of the next check of the key file, or of the next request. Null while no work is left.
  due_at       timestamptz DEFAULT now(),
  -- Failures or the budget of the day delay `due_at` until this time.
  paused_until timestamptz,
  -- The number of failed checks and requests since the last successful request.
  failures     integer NOT NULL DEFAULT 0,
  -- The number of URLs that were submitted on the day `sent_on`, in UTC.
  sent_on      date,
  sent_urls    integer NOT NULL DEFAULT 0,
  last_status  integer,
  last_submitted_at timestamptz,
  -- The process that works on the row holds its lease. The fence rises with each lease, so a former holder cannot
  -- change the row.
  leased_until timestamptz,
  fence        bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (domain_id, host)
);
CREATE INDEX indexnow_hosts_due_at ON indexnow_hosts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX indexnow_hosts_leased_until ON indexnow_hosts (leased_until) WHERE leased_until IS NOT NULL;

-- The changed URLs of one upload. The row is deleted with its last batch.
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

-- URLs that wait to be submitted. A batch is deleted when it has ended.
CREATE TABLE indexnow_batches (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  submission_id bigint NOT NULL REFERENCES indexnow_submissions ON DELETE CASCADE,
  domain_id     text NOT NULL,
  host          text NOT NULL,
  -- The object with the URLs of the batch: `url_count` of them from position `first`, counted from 0. If a batch is
  -- split, its halves share the object.
  object        text NOT NULL,
  first         integer NOT NULL,
  url_count     integer NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  attempts      integer NOT NULL DEFAULT 0,
  -- The number of requests whose answer was not recorded, because the process died.
  unanswered    integer NOT NULL DEFAULT 0,
  FOREIGN KEY (domain_id, host) REFERENCES indexnow_hosts ON DELETE CASCADE
);
CREATE INDEX indexnow_batches_host ON indexnow_batches (domain_id, host, attempts, created_at DESC, id);
CREATE INDEX indexnow_batches_submission_id ON indexnow_batches (submission_id);
CREATE INDEX indexnow_batches_object ON indexnow_batches (object);
