-- Up Migration

-- People of the dashboard (docs/decisions/0035). They sign in with an identity of a provider, or with a one-time link.
CREATE TABLE users (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  -- As the provider said at the last sign-in. It identifies nobody.
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

-- A session ends with what it stands on: its user, its membership, and the identity that began it.
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
  -- For signing out at the provider. Sealed.
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

-- Each works once. A sign-in link begins a session of its user; an invitation makes a member of whoever signs in with it.
CREATE TABLE sign_in_links (
  token_hash bytea PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('sign_in', 'invitation')),
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Of a sign-in link: whose it is. Of an invitation: who invites; null for the operator.
  user_id    text REFERENCES users ON DELETE CASCADE,
  -- Of an invitation.
  role       text CHECK (role IN ('owner', 'member')),
  -- For whom, in the inviter's words.
  note       text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_links_account_id ON sign_in_links (account_id);
CREATE INDEX sign_in_links_user_id ON sign_in_links (user_id);
CREATE INDEX sign_in_links_expires_at ON sign_in_links (expires_at);

-- Logout tokens that were used (OpenID Connect Back-Channel Logout 1.0, section 2.6).
CREATE TABLE used_logout_tokens (
  issuer     text NOT NULL,
  jti        text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (issuer, jti)
);
CREATE INDEX used_logout_tokens_expires_at ON used_logout_tokens (expires_at);

-- Who did what, from where, when. Names stay when their owners are gone.
CREATE TABLE audit_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  at         timestamptz NOT NULL DEFAULT now(),
  action     text NOT NULL,
  -- What it was done to: a hostname, the name of a key or of a person.
  subject    text NOT NULL,
  details    jsonb NOT NULL DEFAULT '{}',
  -- The user or the key; both null for the operator.
  user_id    text,
  key_id     text,
  actor_name text NOT NULL,
  address    text
);
CREATE INDEX audit_events_account_id ON audit_events (account_id, id DESC);
CREATE INDEX audit_events_action ON audit_events (account_id, action, id DESC);
CREATE INDEX audit_events_at ON audit_events (at);

-- An attempt of the dashboard has no key.
ALTER TABLE attempts ALTER COLUMN key_id DROP NOT NULL;
ALTER TABLE attempts ADD COLUMN user_id text;
CREATE INDEX attempts_by_day ON attempts (domain_id, ended_at) INCLUDE (outcome, url_count);

-- What became of the attempts that are deleted, because their domain has many, by the day of their end in UTC. No reference to
-- domains: whoever deletes a domain holds its row and waits for its attempts, and this would wait the other way round.
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

-- Objects with counts of hosting processes that were added to crawls. So none is added twice.
CREATE TABLE crawl_imports (
  object      text PRIMARY KEY,
  imported_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX crawl_imports_imported_at ON crawl_imports (imported_at);
