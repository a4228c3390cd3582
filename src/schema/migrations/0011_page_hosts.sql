-- Up Migration

-- How many URLs of each live sitemap are on each host of pages. An origin is scheme, host and port.
CREATE TABLE page_url_counts (
  domain_id    text NOT NULL,
  sitemap_name text NOT NULL,
  origin       text NOT NULL,
  url_count    bigint NOT NULL,
  PRIMARY KEY (domain_id, sitemap_name, origin),
  FOREIGN KEY (domain_id, sitemap_name) REFERENCES sitemaps ON DELETE CASCADE
);
CREATE INDEX page_url_counts_origin ON page_url_counts (domain_id, origin);

-- The hosts of pages whose robots.txt is checked (docs/decisions/0027): of each domain those with the most URLs. A row
-- without counts is of a sitemap that was deleted, and goes with the next check.
CREATE TABLE page_hosts (
  domain_id   text NOT NULL REFERENCES domains ON DELETE CASCADE,
  origin      text NOT NULL,
  account_id  text NOT NULL,
  -- What the last check found, and since when.
  state       text NOT NULL DEFAULT 'unchecked',
  state_since timestamptz NOT NULL DEFAULT now(),
  message     text,
  checked_at  timestamptz,
  -- When the next check is due. Whoever takes it moves this on, so it is due again if its process dies.
  due_at      timestamptz NOT NULL DEFAULT now(),
  -- Whether the answer to an upload has said that the line is missing.
  warning     text NOT NULL DEFAULT 'none' CHECK (warning IN ('none', 'due', 'given')),
  PRIMARY KEY (domain_id, origin)
);
CREATE INDEX page_hosts_due_at ON page_hosts (due_at);

ALTER TABLE domains
  -- Whether some page host may have a warning that is due: the next upload looks.
  ADD COLUMN has_warnings boolean NOT NULL DEFAULT false,
  -- When a check of all page hosts was last asked for.
  ADD COLUMN page_hosts_asked_at timestamptz;
