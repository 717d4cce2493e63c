-- +goose Up
ALTER TABLE owners ADD COLUMN since INTEGER NOT NULL DEFAULT 0; -- alive without a gap
