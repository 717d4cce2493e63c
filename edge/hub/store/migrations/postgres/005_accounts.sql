-- +goose Up
ALTER TABLE topics ADD COLUMN modified BIGINT NOT NULL DEFAULT 0; -- when the content last changed, as it is published

ALTER TABLE subscriptions ADD COLUMN host TEXT NOT NULL DEFAULT '';
UPDATE subscriptions SET host = ltrim(rtrim(rtrim(rtrim(endpoint, '0123456789'), ':'), ']'), '[');
CREATE INDEX subscriptions_host ON subscriptions (host);

ALTER TABLE handshakes ADD COLUMN network TEXT NOT NULL DEFAULT ''; -- of the client that sent the request
ALTER TABLE handshakes ADD COLUMN last_error TEXT NOT NULL DEFAULT '';

-- Numbers of pending requests: of a host, of a network, and of all. A trigger maintains
-- them, so that hubs of older versions do as well. Denials don't count.
CREATE TABLE pending (
  scope TEXT NOT NULL, -- host, network, all
  name  TEXT NOT NULL,
  n     BIGINT NOT NULL,
  PRIMARY KEY (scope, name)
) WITH (fillfactor = 50);
INSERT INTO pending SELECT 'host', host, count(*) FROM handshakes WHERE mode <> 'denied' GROUP BY host;
INSERT INTO pending SELECT 'network', '', count(*) FROM handshakes WHERE mode <> 'denied' HAVING count(*) > 0;
INSERT INTO pending SELECT 'all', '', count(*) FROM handshakes WHERE mode <> 'denied' HAVING count(*) > 0;

-- +goose StatementBegin
-- All transactions lock the rows in the same order: host, network, all.
CREATE FUNCTION count_pending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE pending SET n = n - 1 WHERE scope = 'host' AND name = OLD.host;
    UPDATE pending SET n = n - 1 WHERE scope = 'network' AND name = OLD.network;
    UPDATE pending SET n = n - 1 WHERE scope = 'all' AND name = '';
    RETURN OLD;
  END IF;
  INSERT INTO pending VALUES ('host', NEW.host, 1) ON CONFLICT (scope, name) DO UPDATE SET n = pending.n + 1;
  INSERT INTO pending VALUES ('network', NEW.network, 1) ON CONFLICT (scope, name) DO UPDATE SET n = pending.n + 1;
  INSERT INTO pending VALUES ('all', '', 1) ON CONFLICT (scope, name) DO UPDATE SET n = pending.n + 1;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER pending_insert AFTER INSERT ON handshakes FOR EACH ROW WHEN (NEW.mode <> 'denied') EXECUTE FUNCTION count_pending();
CREATE TRIGGER pending_update AFTER UPDATE OF mode ON handshakes FOR EACH ROW WHEN (OLD.mode = 'denied' AND NEW.mode <> 'denied') EXECUTE FUNCTION count_pending();
CREATE TRIGGER pending_delete AFTER DELETE ON handshakes FOR EACH ROW WHEN (OLD.mode <> 'denied') EXECUTE FUNCTION count_pending();

-- Subscriptions that have ended and verifications that have failed.
CREATE TABLE departed (
  id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic           TEXT NOT NULL,
  callback        TEXT NOT NULL, -- without its query, which may hold a secret
  callback_sha256 TEXT NOT NULL, -- hex, of the whole callback
  proof_key       BYTEA,         -- an HMAC of the secret
  cause           TEXT NOT NULL,
  error           TEXT NOT NULL,
  departed_at     BIGINT NOT NULL
);
CREATE INDEX departed_callback ON departed (callback_sha256);
