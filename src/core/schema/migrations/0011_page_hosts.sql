-- Up Migration

-- The number of URLs of each live sitemap on each page host. An origin is scheme, host and port.
CREATE TABLE page_url_counts (
  domain_id    text NOT NULL,
  sitemap_name text NOT NULL,
  origin       text NOT NULL,
  url_count    bigint NOT NULL,
  PRIMARY KEY (domain_id, sitemap_name, origin),
  FOREIGN KEY (domain_id, sitemap_name) REFERENCES sitemaps ON DELETE CASCADE
);
CREATE INDEX page_url_counts_origin ON page_url_counts (domain_id, origin);

-- The page hosts whose robots.txt is checked (docs/decisions/0027): those of each domain with the most URLs. A row
-- without counts belongs to a deleted sitemap, and the next check deletes it.
CREATE TABLE page_hosts (
  domain_id   text NOT NULL REFERENCES domains ON DELETE CASCADE,
  origin      text NOT NULL,
  account_id  text NOT NULL,
  -- The state that the last check found, and the time since which it holds.
  state       text NOT NULL DEFAULT 'unchecked',
  state_since timestamptz NOT NULL DEFAULT now(),
  message     text,
  checked_at  timestamptz,
  -- When the next check is due. A process that takes the row moves this time on, so the check is due again if the
  -- process dies.
  due_at      timestamptz NOT NULL DEFAULT now(),
  -- Whether the answer to an upload has said that the line is missing.
  warning     text NOT NULL DEFAULT 'none' CHECK (warning IN ('none', 'due', 'given')),
  PRIMARY KEY (domain_id, origin)
);
CREATE INDEX page_hosts_due_at ON page_hosts (due_at);

ALTER TABLE domains
  -- Whether a page host may have a warning that is due. The next upload looks for it.
  ADD COLUMN has_warnings boolean NOT NULL DEFAULT false,
  -- When the account last asked for a check of all page hosts.
  ADD COLUMN page_hosts_asked_at timestamptz;
