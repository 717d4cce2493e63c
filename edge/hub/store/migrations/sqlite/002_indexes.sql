-- +goose Up
DROP INDEX handshakes_due;
CREATE INDEX handshakes_due ON handshakes (attempts, next_attempt);
DROP INDEX handshakes_host;
CREATE INDEX handshakes_host ON handshakes (mode, host);
