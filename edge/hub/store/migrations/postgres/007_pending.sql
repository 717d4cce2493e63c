-- +goose Up
-- Pending requests are counted by index, up to the caps: rows of counts, which every
-- request updates, would have requests committed one after another.
DROP TRIGGER pending_insert ON handshakes;
DROP TRIGGER pending_update ON handshakes;
DROP TRIGGER pending_delete ON handshakes;
DROP FUNCTION count_pending;
-- The table stays, empty, for hubs of the previous version that still run.
DELETE FROM pending;
CREATE INDEX handshakes_network ON handshakes (network, mode);
