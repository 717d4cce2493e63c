-- +goose Up
DROP INDEX handshakes_due;
CREATE INDEX handshakes_due ON handshakes (attempts, next_attempt);
DROP INDEX handshakes_host;
CREATE INDEX handshakes_host ON handshakes (mode, host);

-- A claim changes no indexed column: with free space on its page it writes no index.
ALTER TABLE subscriptions SET (fillfactor = 50);
-- Sweeps are rare and may scan the table; acknowledgements would have to write this index.
DROP INDEX subscriptions_expiring;
