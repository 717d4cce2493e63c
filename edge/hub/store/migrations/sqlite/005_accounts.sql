-- +goose Up
ALTER TABLE topics ADD COLUMN modified INTEGER NOT NULL DEFAULT 0; -- when the content last changed, as it is published

ALTER TABLE subscriptions ADD COLUMN host TEXT NOT NULL DEFAULT '';
UPDATE subscriptions SET host = ltrim(rtrim(rtrim(rtrim(endpoint, '0123456789'), ':'), ']'), '[');
CREATE INDEX subscriptions_host ON subscriptions (host);

ALTER TABLE handshakes ADD COLUMN network TEXT NOT NULL DEFAULT ''; -- of the client that sent the request
ALTER TABLE handshakes ADD COLUMN last_error TEXT NOT NULL DEFAULT '';

-- Numbers of pending requests: of a host, of a network, and of all. Triggers maintain them,
-- so that hubs of older versions do as well. Denials don't count.
CREATE TABLE pending (
  scope TEXT NOT NULL, -- host, network, all
  name  TEXT NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
) STRICT;
INSERT INTO pending SELECT 'host', host, count(*) FROM handshakes WHERE mode <> 'denied' GROUP BY host;
INSERT INTO pending SELECT 'network', '', count(*) FROM handshakes WHERE mode <> 'denied' HAVING count(*) > 0;
INSERT INTO pending SELECT 'all', '', count(*) FROM handshakes WHERE mode <> 'denied' HAVING count(*) > 0;

-- +goose StatementBegin
CREATE TRIGGER pending_insert AFTER INSERT ON handshakes WHEN new.mode <> 'denied' BEGIN
  INSERT INTO pending VALUES ('host', new.host, 1) ON CONFLICT (scope, name) DO UPDATE SET n = n + 1;
  INSERT INTO pending VALUES ('network', new.network, 1) ON CONFLICT (scope, name) DO UPDATE SET n = n + 1;
  INSERT INTO pending VALUES ('all', '', 1) ON CONFLICT (scope, name) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER pending_update AFTER UPDATE OF mode ON handshakes WHEN old.mode = 'denied' AND new.mode <> 'denied' BEGIN
  INSERT INTO pending VALUES ('host', new.host, 1) ON CONFLICT (scope, name) DO UPDATE SET n = n + 1;
  INSERT INTO pending VALUES ('network', new.network, 1) ON CONFLICT (scope, name) DO UPDATE SET n = n + 1;
  INSERT INTO pending VALUES ('all', '', 1) ON CONFLICT (scope, name) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER pending_delete AFTER DELETE ON handshakes WHEN old.mode <> 'denied' BEGIN
  UPDATE pending SET n = n - 1 WHERE scope = 'host' AND name = old.host;
  UPDATE pending SET n = n - 1 WHERE scope = 'network' AND name = old.network;
  UPDATE pending SET n = n - 1 WHERE scope = 'all' AND name = '';
END;
-- +goose StatementEnd

-- Subscriptions that have ended and verifications that have failed.
CREATE TABLE departed (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  topic           TEXT NOT NULL,
  callback        TEXT NOT NULL, -- without its query, which may hold a secret
  callback_sha256 TEXT NOT NULL, -- hex, of the whole callback
  proof_key       BLOB,          -- an HMAC of the secret
  cause           TEXT NOT NULL,
  error           TEXT NOT NULL,
  departed_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX departed_callback ON departed (callback_sha256);
