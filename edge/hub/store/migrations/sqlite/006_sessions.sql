-- +goose Up
CREATE TABLE secrets (
  name  text PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE ended_sessions (
  id         text PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ended_sessions_expiring ON ended_sessions (expires_at);
