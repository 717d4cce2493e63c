-- +goose Up
-- Times are Unix milliseconds; 0 is never. Topics are whole URLs.

CREATE TABLE topics (
  topic      TEXT PRIMARY KEY,
  version    INTEGER NOT NULL, -- counts the changes, from 1
  sha256     TEXT NOT NULL,
  sequence   INTEGER NOT NULL, -- of its manifest
  changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE subscriptions (
  id                INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, so that a late outcome of a removed subscription affects no other
  topic             TEXT NOT NULL,
  callback          TEXT NOT NULL,
  endpoint          TEXT NOT NULL, -- host:port
  secret            BLOB,
  lease_seconds     INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  renewed_at        INTEGER NOT NULL,
  expires_at        INTEGER NOT NULL,
  delivered_version INTEGER NOT NULL,
  delivered_at      INTEGER NOT NULL DEFAULT 0,
  failures          INTEGER NOT NULL DEFAULT 0, -- in a row
  next_attempt      INTEGER NOT NULL DEFAULT 0,
  last_error        TEXT NOT NULL DEFAULT '',
  claimed_by        TEXT,
  claimed_until     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (topic, callback)
) STRICT;
CREATE INDEX subscriptions_due ON subscriptions (topic, delivered_version, next_attempt);
CREATE INDEX subscriptions_expiring ON subscriptions (expires_at);

CREATE TABLE handshakes (
  token         TEXT PRIMARY KEY, -- changes with every request
  topic         TEXT NOT NULL,
  callback      TEXT NOT NULL,
  endpoint      TEXT NOT NULL,
  host          TEXT NOT NULL,
  mode          TEXT NOT NULL, -- subscribe, unsubscribe, denied
  lease_seconds INTEGER NOT NULL,
  secret        BLOB,
  reason        TEXT NOT NULL DEFAULT '',
  version       INTEGER NOT NULL, -- of the topic at the request; later changes are delivered
  requested_at  INTEGER NOT NULL,
  attempts      INTEGER NOT NULL DEFAULT 0,
  next_attempt  INTEGER NOT NULL,
  claimed_by    TEXT,
  claimed_until INTEGER NOT NULL DEFAULT 0,
  UNIQUE (topic, callback)
) STRICT;
CREATE INDEX handshakes_due ON handshakes (next_attempt);
CREATE INDEX handshakes_host ON handshakes (host);

CREATE TABLE owners (
  owner       TEXT PRIMARY KEY,
  alive_until INTEGER NOT NULL
) STRICT;
