-- +goose Up
DROP INDEX handshakes_due;
CREATE INDEX handshakes_due ON handshakes (attempts, next_attempt);
DROP INDEX handshakes_host;
CREATE INDEX handshakes_host ON handshakes (mode, host);

-- A claim changes no column of an index: with room on its page it writes none.
ALTER TABLE subscriptions SET (fillfactor = 50);
-- Sweeps are rare and may read the table; acknowledgements would write this index.
DROP INDEX subscriptions_expiring;
