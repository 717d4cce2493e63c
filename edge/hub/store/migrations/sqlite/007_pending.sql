-- +goose Up
-- Pending requests are counted by index, up to the caps.
DROP TRIGGER pending_insert;
DROP TRIGGER pending_update;
DROP TRIGGER pending_delete;
DROP TABLE pending;
CREATE INDEX handshakes_network ON handshakes (network, mode);
