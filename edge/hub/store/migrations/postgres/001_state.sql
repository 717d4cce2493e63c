-- +goose Up
-- Times are Unix milliseconds; 0 is never. Topics are whole URLs.

CREATE TABLE topics (
  topic      TEXT PRIMARY KEY,
  version    BIGINT NOT NULL, -- counts the changes, from 1
  sha256     TEXT NOT NULL,
  sequence   BIGINT NOT NULL, -- of its manifest
  changed_at BIGINT NOT NULL
);

CREATE TABLE subscriptions (
  id                BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- never reused, so that a late outcome of a removed subscription affects no other
  topic             TEXT NOT NULL,
  callback          TEXT NOT NULL,
  endpoint          TEXT NOT NULL, -- host:port
  secret            BYTEA,
  lease_seconds     BIGINT NOT NULL,
  created_at        BIGINT NOT NULL,
  renewed_at        BIGINT NOT NULL,
  expires_at        BIGINT NOT NULL,
  delivered_version BIGINT NOT NULL,
  delivered_at      BIGINT NOT NULL DEFAULT 0,
  failures          BIGINT NOT NULL DEFAULT 0, -- in a row
  next_attempt      BIGINT NOT NULL DEFAULT 0,
  last_error        TEXT NOT NULL DEFAULT '',
  claimed_by        TEXT,
  claimed_until     BIGINT NOT NULL DEFAULT 0,
  UNIQUE (topic, callback)
);
CREATE INDEX subscriptions_due ON subscriptions (topic, delivered_version, next_attempt);
CREATE INDEX subscriptions_expiring ON subscriptions (expires_at);

CREATE TABLE handshakes (
  token         TEXT PRIMARY KEY, -- changes with every request
  topic         TEXT NOT NULL,
  callback      TEXT NOT NULL,
  endpoint      TEXT NOT NULL,
  host          TEXT NOT NULL,
  mode          TEXT NOT NULL, -- subscribe, unsubscribe, denied
  lease_seconds BIGINT NOT NULL,
  secret        BYTEA,
  reason        TEXT NOT NULL DEFAULT '',
  version       BIGINT NOT NULL, -- of the topic at the request; later changes are delivered
  requested_at  BIGINT NOT NULL,
  attempts      BIGINT NOT NULL DEFAULT 0,
  next_attempt  BIGINT NOT NULL,
  claimed_by    TEXT,
  claimed_until BIGINT NOT NULL DEFAULT 0,
  UNIQUE (topic, callback)
);
CREATE INDEX handshakes_due ON handshakes (next_attempt);
CREATE INDEX handshakes_host ON handshakes (host);

CREATE TABLE owners (
  owner       TEXT PRIMARY KEY,
  alive_until BIGINT NOT NULL
);
