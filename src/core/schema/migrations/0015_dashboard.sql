-- Up Migration

-- People of the dashboard (docs/decisions/0035). They sign in with an identity of a provider, or with a one-time link.
CREATE TABLE users (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  -- The address that the provider gave at the last sign-in. It does not identify the user.
  email      text,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE identities (
  issuer          text NOT NULL,
  subject         text NOT NULL,
  user_id         text NOT NULL REFERENCES users ON DELETE CASCADE,
  email           text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user_id ON identities (user_id);

CREATE TABLE members (
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
  role       text NOT NULL CHECK (role IN ('owner', 'member')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, user_id)
);
CREATE INDEX members_user_id ON members (user_id);

-- A session is deleted with its user, with its membership, or with the identity that began it.
CREATE TABLE sessions (
  id               text PRIMARY KEY,
  -- SHA-256 of the token in the cookie.
  token_hash       bytea NOT NULL UNIQUE,
  user_id          text NOT NULL REFERENCES users ON DELETE CASCADE,
  account_id       text NOT NULL,
  -- Null for a session that a one-time link began.
  issuer           text,
  subject          text,
  -- The provider's name for its own session.
  sid              text,
  -- The sealed ID token, for signing out at the provider.
  id_token         text,
  authenticated_at timestamptz NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT now(),
  last_seen_at     timestamptz NOT NULL DEFAULT now(),
  expires_at       timestamptz NOT NULL,
  user_agent       text,
  address          text,
  FOREIGN KEY (account_id, user_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (issuer, subject) REFERENCES identities ON DELETE CASCADE
);
CREATE INDEX sessions_user_id ON sessions (user_id);
CREATE INDEX sessions_member ON sessions (account_id, user_id);
CREATE INDEX sessions_identity ON sessions (issuer, subject);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

-- Each link works once. A sign-in link begins a session of its user. An invitation makes the person who signs in with it
-- a member.
CREATE TABLE sign_in_links (
  token_hash bytea PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('sign_in', 'invitation')),
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The user of a sign-in link, or the inviter of an invitation. Null if the operator invites.
  user_id    text REFERENCES users ON DELETE CASCADE,
  -- The role that an invitation gives.
  role       text CHECK (role IN ('owner', 'member')),
  -- A note of the inviter about the invited person.
  note       text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_links_account_id ON sign_in_links (account_id);
CREATE INDEX sign_in_links_user_id ON sign_in_links (user_id);
CREATE INDEX sign_in_links_expires_at ON sign_in_links (expires_at);

-- Used logout tokens, none of which is accepted again (OpenID Connect Back-Channel Logout 1.0, section 2.6).
CREATE TABLE used_logout_tokens (
  issuer     text NOT NULL,
  jti        text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (issuer, jti)
);
CREATE INDEX used_logout_tokens_expires_at ON used_logout_tokens (expires_at);

-- The audit log: actor, action, address and time. Names remain when their owners are deleted.
CREATE TABLE audit_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  at         timestamptz NOT NULL DEFAULT now(),
  action     text NOT NULL,
  -- The object of the action: a hostname, or the name of a key or of a person.
  subject    text NOT NULL,
  details    jsonb NOT NULL DEFAULT '{}',
  -- The actor: a user or a key. Both are null for the operator.
  user_id    text,
  key_id     text,
  actor_name text NOT NULL,
  address    text
);
CREATE INDEX audit_events_account_id ON audit_events (account_id, id DESC);
CREATE INDEX audit_events_action ON audit_events (account_id, action, id DESC);
CREATE INDEX audit_events_at ON audit_events (at);

-- An upload from the dashboard has no key.
ALTER TABLE attempts ALTER COLUMN key_id DROP NOT NULL;
ALTER TABLE attempts ADD COLUMN user_id text;
CREATE INDEX attempts_by_day ON attempts (domain_id, ended_at) INCLUDE (outcome, url_count);

-- Counts of deleted attempts, by the day of their end in UTC. A domain with many attempts loses the oldest. The table has no
-- reference to domains: the deletion of a domain locks its row and waits for its attempts, and a reference locks in the other
-- order, which can deadlock.
CREATE TABLE upload_days (
  domain_id      text NOT NULL,
  day            date NOT NULL,
  published      bigint NOT NULL,
  refused        bigint NOT NULL,
  published_urls bigint NOT NULL,
  refused_urls   bigint NOT NULL,
  PRIMARY KEY (domain_id, day)
);

-- Answers to crawlers by day, in UTC (docs/decisions/0036).
CREATE TABLE crawls (
  domain_id text NOT NULL REFERENCES domains ON DELETE CASCADE,
  day       date NOT NULL,
  crawler   text NOT NULL,
  status    smallint NOT NULL,
  requests  bigint NOT NULL,
  PRIMARY KEY (domain_id, day, crawler, status)
);
CREATE INDEX crawls_day ON crawls (day);

-- Objects whose counts were added to `crawls`. The primary key keeps an object from being added twice.
CREATE TABLE crawl_imports (
  object      text PRIMARY KEY,
  imported_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX crawl_imports_imported_at ON crawl_imports (imported_at);
