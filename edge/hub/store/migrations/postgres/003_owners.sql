-- +goose Up
ALTER TABLE owners ADD COLUMN since BIGINT NOT NULL DEFAULT 0; -- alive without a gap
