-- Every query of the store, for both databases. Three words are put in by the
-- dialect: {{outcomes …}} is the JSON array $1 as the table a with these columns,
-- {{list $n}} a JSON array's elements, {{skip locked}} keeps two hubs from waiting for each other's claims.

-- name: publish
INSERT INTO topics (topic, version, sha256, sequence, changed_at)
VALUES ($1, 1, $2, $3, $4)
ON CONFLICT (topic) DO UPDATE
SET version = topics.version + 1, sha256 = excluded.sha256, sequence = excluded.sequence, changed_at = excluded.changed_at
WHERE excluded.sequence > topics.sequence AND excluded.sha256 <> topics.sha256
RETURNING version

-- name: topics
SELECT topic, version, sha256, sequence, changed_at FROM topics

-- name: pending of host
SELECT count(*) FROM handshakes WHERE host = $1 AND NOT (topic = $2 AND callback = $3)

-- name: subscribed
SELECT count(*) FROM subscriptions WHERE topic = $1 AND callback = $2 AND expires_at > $3

-- name: request
INSERT INTO handshakes (token, topic, callback, endpoint, host, mode, lease_seconds, secret, version, requested_at, next_attempt)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
ON CONFLICT (topic, callback) DO UPDATE
SET token = excluded.token, mode = excluded.mode, lease_seconds = excluded.lease_seconds, secret = excluded.secret,
  reason = '', version = excluded.version, requested_at = excluded.requested_at, attempts = 0,
  next_attempt = excluded.next_attempt, claimed_by = NULL

-- name: version
-- A topic without a row will have version 1: its first content is news to nobody.
SELECT coalesce(max(version), 1) FROM topics WHERE topic = $1

-- name: claim handshakes
UPDATE handshakes SET claimed_by = $1, claimed_until = $2
WHERE token IN (
  SELECT h.token FROM handshakes AS h
  WHERE h.next_attempt <= $3
    AND (h.claimed_by IS NULL OR h.claimed_until <= $3 OR h.claimed_by NOT IN (SELECT owner FROM owners WHERE alive_until > $3))
    AND h.endpoint NOT IN ({{list $4}})
  ORDER BY h.next_attempt
  LIMIT $5 {{skip locked h}})
RETURNING token, topic, callback, endpoint, host, mode, lease_seconds, secret, reason, attempts, requested_at, next_attempt

-- name: end handshake
DELETE FROM handshakes WHERE token = $1 RETURNING version

-- name: subscribe
INSERT INTO subscriptions (topic, callback, endpoint, secret, lease_seconds, created_at, renewed_at, expires_at, delivered_version)
VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)
ON CONFLICT (topic, callback) DO UPDATE
SET secret = excluded.secret, lease_seconds = excluded.lease_seconds,
  renewed_at = excluded.renewed_at, expires_at = excluded.expires_at,
  -- One whose lease has ended is none any more: the row begins anew.
  created_at = CASE WHEN subscriptions.expires_at <= $6 THEN excluded.created_at ELSE subscriptions.created_at END,
  delivered_version = CASE WHEN subscriptions.expires_at <= $6 THEN excluded.delivered_version ELSE subscriptions.delivered_version END,
  failures = CASE WHEN subscriptions.expires_at <= $6 THEN 0 ELSE subscriptions.failures END,
  next_attempt = CASE WHEN subscriptions.expires_at <= $6 THEN 0 ELSE subscriptions.next_attempt END,
  last_error = CASE WHEN subscriptions.expires_at <= $6 THEN '' ELSE subscriptions.last_error END
RETURNING id

-- name: unsubscribe
DELETE FROM subscriptions WHERE topic = $1 AND callback = $2 RETURNING id

-- name: postpone
UPDATE handshakes SET attempts = $2, next_attempt = $3, claimed_by = NULL WHERE token = $1

-- name: claim deliveries
UPDATE subscriptions SET claimed_by = $1, claimed_until = $2
WHERE id IN (
  SELECT s.id FROM subscriptions AS s
  WHERE s.topic = $3
    AND s.delivered_version < (SELECT version FROM topics WHERE topic = $3 AND sha256 = $4)
    AND s.next_attempt <= $5 AND s.expires_at > $5
    AND (s.claimed_by IS NULL OR s.claimed_until <= $5 OR s.claimed_by NOT IN (SELECT owner FROM owners WHERE alive_until > $5))
    AND s.endpoint NOT IN ({{list $6}})
  ORDER BY s.delivered_version, s.next_attempt
  LIMIT $7 {{skip locked s}})
RETURNING id, topic, callback, endpoint, secret, expires_at, failures, (SELECT version FROM topics WHERE topic = $3)

-- name: delivered
UPDATE subscriptions
SET delivered_version = CASE WHEN a.version > delivered_version THEN a.version ELSE delivered_version END,
  delivered_at = a.at, failures = 0, next_attempt = 0, last_error = '',
  -- True whoever holds the claim by now; but a claim that was taken over is the other's.
  claimed_by = CASE WHEN claimed_by = $2 THEN NULL ELSE claimed_by END
FROM {{outcomes id version at}}
WHERE subscriptions.id = a.id

-- name: failed
UPDATE subscriptions SET failures = a.failures, next_attempt = a.next, last_error = a.error, claimed_by = NULL
FROM {{outcomes id failures next error}}
WHERE subscriptions.id = a.id AND claimed_by = $2

-- name: released
UPDATE subscriptions SET claimed_by = NULL, next_attempt = CASE WHEN a.next > next_attempt THEN a.next ELSE next_attempt END
FROM {{outcomes id next}}
WHERE subscriptions.id = a.id AND claimed_by = $2

-- name: deny
-- Where a request is pending already, its answer will tell the subscriber more than a denial.
INSERT INTO handshakes (token, topic, callback, endpoint, host, mode, lease_seconds, reason, version, requested_at, next_attempt)
SELECT a.token, s.topic, s.callback, s.endpoint, a.host, 'denied', 0, a.reason, 0, a.at, a.at
FROM {{outcomes id token host reason at started}} JOIN subscriptions AS s ON s.id = a.id
WHERE s.claimed_by = $2 AND s.renewed_at <= a.started
ON CONFLICT (topic, callback) DO NOTHING

-- name: removed
-- A callback that was verified after the delivery began has not gone.
DELETE FROM subscriptions
WHERE claimed_by = $2 AND id IN (
  SELECT s.id FROM {{outcomes id started}} JOIN subscriptions AS s ON s.id = a.id WHERE s.renewed_at <= a.started)

-- name: beat
INSERT INTO owners (owner, alive_until) VALUES ($1, $2)
ON CONFLICT (owner) DO UPDATE SET alive_until = excluded.alive_until

-- name: leave
DELETE FROM owners WHERE owner = $1

-- name: dead owners
DELETE FROM owners WHERE alive_until <= $1

-- name: sweep
DELETE FROM subscriptions WHERE id IN (SELECT id FROM subscriptions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)

-- name: count topics
SELECT t.topic, t.changed_at, count(s.id),
  coalesce(sum(CASE WHEN s.failures > 0 THEN 1 ELSE 0 END), 0),
  coalesce(sum(CASE WHEN s.delivered_version < t.version THEN 1 ELSE 0 END), 0)
FROM topics AS t LEFT JOIN subscriptions AS s ON s.topic = t.topic AND s.expires_at > $1
GROUP BY t.topic, t.changed_at

-- name: count subscriptions
SELECT count(*) FROM subscriptions

-- name: count handshakes
SELECT mode, count(*) FROM handshakes GROUP BY mode

-- name: list
SELECT s.id, s.topic, s.callback, s.secret IS NOT NULL, s.lease_seconds, s.created_at, s.renewed_at, s.expires_at,
  s.delivered_at, coalesce(s.delivered_version < t.version, false), s.failures, s.next_attempt, s.last_error, s.claimed_by IS NOT NULL
FROM subscriptions AS s LEFT JOIN topics AS t ON t.topic = s.topic
WHERE s.id > $1 AND ($2 = '' OR s.topic = $2) AND ($3 = '' OR s.callback = $3)
  AND ($4 = 0 OR s.failures > 0)
  AND ($5 = '[]' OR CAST(s.id AS text) IN ({{list $5}}))
ORDER BY s.id
LIMIT $6

-- name: pending
SELECT token, topic, callback, endpoint, host, mode, lease_seconds, secret, reason, attempts, requested_at, next_attempt
FROM handshakes ORDER BY requested_at, token LIMIT $1

-- name: retry
UPDATE subscriptions SET next_attempt = 0, failures = 0 WHERE CAST(id AS text) IN ({{list $1}})

-- name: remove
DELETE FROM subscriptions WHERE CAST(id AS text) IN ({{list $1}})
