-- +goose Up
ALTER TABLE subscriptions ADD COLUMN pace INTEGER NOT NULL DEFAULT 1; -- 1 new, 2 quick, 3 slow
UPDATE subscriptions SET pace = 2 WHERE delivered_at > 0;
DROP INDEX subscriptions_due;
CREATE INDEX subscriptions_due ON subscriptions (topic, pace, delivered_version, next_attempt);
