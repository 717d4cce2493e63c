-- +goose Up
CREATE TABLE secrets (
  name  text PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE ended_sessions (
  id         text PRIMARY KEY,
  expires_at bigint NOT NULL
);
CREATE INDEX ended_sessions_expiring ON ended_sessions (expires_at);
