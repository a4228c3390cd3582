-- Up Migration

CREATE TABLE recent_sitemaps (
  domain_id    text        PRIMARY KEY REFERENCES domains ON DELETE CASCADE,
  -- Its objects begin with uploads/<upload_id>/. Null: none was written yet.
  upload_id    text,
  files        json        NOT NULL DEFAULT '[]',
  -- The feed of changes. Null: there is none.
  feed         json,
  url_count    integer     NOT NULL DEFAULT 0,
  updated_at   timestamptz,
  -- Sitemaps with changes that are missing, each with the reason and the time when these changes leave the window.
  left_out     json        NOT NULL DEFAULT '[]',
  -- Null: there is nothing to do.
  due_at       timestamptz,
  leased_until timestamptz,
  fence        bigint      NOT NULL DEFAULT 0
);
CREATE INDEX recent_sitemaps_due_at ON recent_sitemaps (due_at) WHERE due_at IS NOT NULL;

-- What generations changed in their sitemaps, until it is in the recent sitemap.
CREATE TABLE changed_entries (
  id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  domain_id    text        NOT NULL REFERENCES domains ON DELETE CASCADE,
  sitemap_name text        NOT NULL,
  -- The generation of the sitemap.
  seq          integer     NOT NULL,
  changed_at   timestamptz NOT NULL DEFAULT now(),
  -- Why the changes are missing. Null: they are here (`content`), or in an object (`name`).
  left_out     text        CHECK (left_out IN ('first', 'unknown', 'xml-version', 'many-changes', 'limit')),
  content      bytea,
  name         text,
  bytes        integer     NOT NULL DEFAULT 0,
  CONSTRAINT changed_entries_place_check CHECK (num_nonnulls(left_out, content, name) = 1)
);
CREATE INDEX changed_entries_by_domain ON changed_entries (domain_id, id);

-- The sitemap of recent changes (docs/decisions/0057): whether a domain has one, and for how many hours a change stays in it.
ALTER TABLE domains ADD COLUMN recent_enabled boolean NOT NULL DEFAULT false, ADD COLUMN recent_hours smallint NOT NULL DEFAULT 72;
ALTER TABLE domains ADD CONSTRAINT domains_recent_hours_check CHECK (recent_hours BETWEEN 1 AND 168) NOT VALID;
