-- All queries of the store, for both databases, as templates. What is before the first query are their parts. Their
-- arguments are parameters such as $1, columns or an alias.
-- Limits have "+ 0" because SQLite reads a bare parameter while it plans, and then prepares
-- the statement again each time.

-- The JSON array $1 as the table a with some columns.
{{define "outcomes"}}{{if postgres -}}
json_to_recordset(CAST(CAST($1 AS text) AS json)) AS a(
  {{- range $i, $name := .}}{{if $i}}, {{end}}{{.}} {{if or (eq . "error") (eq . "reason") (eq . "token") (eq . "host")}}text{{else}}bigint{{end}}{{end}})
{{- else -}}
(SELECT {{range $i, $name := .}}{{if $i}}, {{end}}value->>'{{.}}' AS {{.}}{{end}} FROM json_each($1)) AS a
{{- end}}{{end}}

-- The strings of a JSON array.
{{define "strings"}}{{if postgres}}SELECT json_array_elements_text(CAST(CAST({{.}} AS text) AS json)){{else}}SELECT value FROM json_each({{.}}){{end}}{{end}}

-- Whether a number is in a JSON array.
{{define "among"}}{{if postgres}}= ANY (CAST(translate(CAST({{.}} AS text), '[]', '{}') AS bigint[])){{else}}IN (SELECT value FROM json_each({{.}})){{end}}{{end}}

-- Keeps hubs from waiting for each other's claims, by the alias of a table. SQLite has one writer at a time.
{{define "skipLocked"}}{{if postgres}}FOR UPDATE OF {{.}} SKIP LOCKED{{end}}{{end}}

-- The owners that an owner must treat as alive, by owner, now and since. Unless that owner itself has been alive without
-- a gap since then, these are all owners whose rows exist: all of them may have lost the database together.
{{define "living"}}SELECT owner FROM owners WHERE alive_until > {{index . 1}} OR NOT EXISTS (SELECT 1 FROM owners WHERE owner = {{index . 0}} AND alive_until > {{index . 1}} AND since <= {{index . 2}}){{end}}

-- The columns of a Verification.
{{define "verification"}}token, topic, callback, endpoint, host, mode, lease_seconds, secret, reason, version, attempts, requested_at, next_attempt, last_error{{end}}

-- The columns of a Subscription at a time, with its FROM.
{{define "subscription"}}s.id, s.topic, s.callback, s.secret, s.lease_seconds, s.created_at, s.renewed_at, s.expires_at,
  s.delivered_at, coalesce(s.delivered_version < t.version, false), s.failures, s.next_attempt, s.last_error, s.pace,
  CASE WHEN s.claimed_by IS NULL OR s.claimed_until <= {{.}} THEN false WHEN {{.}} = 0 THEN true
    ELSE s.claimed_by IN (SELECT owner FROM owners WHERE alive_until > {{.}}) END
FROM subscriptions AS s LEFT JOIN topics AS t ON t.topic = s.topic{{end}}

-- name: publish
-- Of two contents with one sequence the later modified one is newer: two edges may have
-- been given different builds of one second.
INSERT INTO topics (topic, version, sha256, sequence, changed_at, modified)
VALUES ($1, 1, $2, $3, $4, $5)
ON CONFLICT (topic) DO UPDATE
SET version = topics.version + 1, sha256 = excluded.sha256, sequence = excluded.sequence, changed_at = excluded.changed_at,
  modified = excluded.modified
WHERE excluded.sha256 <> topics.sha256
  AND (excluded.sequence > topics.sequence OR excluded.sequence = topics.sequence AND excluded.modified > topics.modified)
RETURNING version

-- name: same content
-- The newest content takes the higher sequence. Otherwise an edge that lags could bring
-- back content that was published in between.
UPDATE topics SET sequence = $3, modified = $4 WHERE topic = $1 AND sha256 = $2 AND sequence < $3

-- name: first content
INSERT INTO topics (topic, version, sha256, sequence, changed_at, modified) VALUES ($1, 1, $2, $3, $4, $5) ON CONFLICT (topic) DO NOTHING

-- name: topics
SELECT topic, sha256, sequence, modified FROM topics

-- name: admit
-- The number of the cap that refuses a request, 0 if none does. The counts end at the caps, of which 0 is none; denials are
-- sent by us, so they don't count. A request for a subscription passes all caps, and one that replaces a pending request
-- those of pending requests.
WITH refusal AS MATERIALIZED (SELECT CASE
  WHEN $6 > 0 AND $6 <= (SELECT count(*) FROM
    (SELECT 1 FROM handshakes WHERE mode IN ('subscribe', 'unsubscribe') AND host = $5 LIMIT $6 + 0) AS h) THEN 1
  WHEN $8 > 0 AND $7 <> '' AND $8 <= (SELECT count(*) FROM
    (SELECT 1 FROM handshakes WHERE mode IN ('subscribe', 'unsubscribe') AND network = $7 LIMIT $8 + 0) AS n) THEN 2
  WHEN $10 THEN 3
  WHEN $4 = 'subscribe' AND $9 > 0 AND $9 <= (SELECT count(*) FROM
    (SELECT 1 FROM subscriptions WHERE host = $5 LIMIT $9 + 0) AS s) THEN 4
  WHEN $4 = 'subscribe' AND $11 THEN 5
  ELSE 0 END AS cap)
SELECT CASE WHEN cap = 0 OR EXISTS (SELECT 1 FROM subscriptions WHERE topic = $1 AND callback = $2 AND expires_at > $3)
  OR cap <= 3 AND EXISTS (SELECT 1 FROM handshakes WHERE topic = $1 AND callback = $2 AND mode <> 'denied') THEN 0
  ELSE cap END FROM refusal

-- name: request
-- The version is the one that the topic has where it is served: the subscriber can fetch that, so every higher one is to
-- be delivered. An edge that lags, with the hash $9 and the sequence $10, has served older content. With 0 there is
-- nothing to fetch, and any content is a change.
INSERT INTO handshakes (token, topic, callback, endpoint, host, mode, lease_seconds, secret, version, requested_at, next_attempt, network)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
  coalesce((SELECT version - CASE WHEN $9 <> '' AND $9 <> sha256 AND $10 < sequence THEN 1 ELSE 0 END FROM topics WHERE topic = $2), 0),
  $11, $11, $12)
ON CONFLICT (topic, callback) DO UPDATE
-- The reason of a denial stays, in case this request fails.
SET token = excluded.token, mode = excluded.mode, lease_seconds = excluded.lease_seconds, secret = excluded.secret,
  version = excluded.version, requested_at = excluded.requested_at, attempts = 0,
  next_attempt = excluded.next_attempt, claimed_by = NULL, last_error = '',
  -- A pending request stays counted for the network that sent it first.
  network = CASE WHEN handshakes.mode = 'denied' THEN excluded.network ELSE handshakes.network END

-- name: claim verifications
UPDATE handshakes SET claimed_by = $1, claimed_until = $2
WHERE token IN (
  SELECT h.token FROM handshakes AS h
  WHERE h.next_attempt <= $3
    AND (h.claimed_by IS NULL OR h.claimed_until <= $3 OR h.claimed_by <> $1 AND h.claimed_by NOT IN ({{template "living" names "$1" "$3" "$4"}})
      OR h.claimed_by = $1 AND h.claimed_until BETWEEN $5 AND $6)
    AND h.endpoint NOT IN ({{template "strings" "$7"}})
  -- First attempts come before repeated ones.
  ORDER BY h.attempts, h.next_attempt
  LIMIT $8 + 0 {{template "skipLocked" "h"}})
RETURNING {{template "verification"}}

-- name: end verification
DELETE FROM handshakes WHERE token = $1 RETURNING version, CASE WHEN mode = 'denied' THEN '' ELSE reason END

-- name: deny later
-- Sends a denial that waited for a request, which has failed.
INSERT INTO handshakes (token, topic, callback, endpoint, host, mode, lease_seconds, reason, version, requested_at, next_attempt)
SELECT $1, $2, $3, $4, $5, 'denied', 0, $6, 0, $7, $7
WHERE NOT EXISTS (SELECT 1 FROM subscriptions WHERE topic = $2 AND callback = $3 AND expires_at > $7)
ON CONFLICT (topic, callback) DO NOTHING

-- name: newer request
SELECT 1 FROM handshakes WHERE topic = $1 AND callback = $2 AND mode <> 'denied'

-- name: subscribe
INSERT INTO subscriptions (topic, callback, endpoint, secret, lease_seconds, created_at, renewed_at, expires_at, delivered_version, host)
VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)
ON CONFLICT (topic, callback) DO UPDATE
SET secret = excluded.secret, lease_seconds = excluded.lease_seconds, endpoint = excluded.endpoint, host = excluded.host,
  renewed_at = excluded.renewed_at, expires_at = excluded.expires_at,
  -- The subscriber has just answered: waits and failures end. What it has received stays, also
  -- after the end of its lease, which a clock that is ahead may have seen too early.
  failures = 0, next_attempt = 0, last_error = ''
RETURNING id

-- name: unsubscribe
DELETE FROM subscriptions WHERE topic = $1 AND callback = $2 RETURNING id, topic, callback, secret, last_error

-- name: postpone
UPDATE handshakes SET attempts = $2, next_attempt = $3, last_error = $4, claimed_by = NULL WHERE token = $1

-- name: due
-- Includes claimed subscriptions. It is used to avoid claims that find nothing.
SELECT t.topic, p.pace
FROM topics AS t CROSS JOIN (SELECT 1 AS pace UNION ALL SELECT 2 UNION ALL SELECT 3) AS p
WHERE EXISTS (
  SELECT 1 FROM subscriptions AS s
  WHERE s.topic = t.topic AND s.pace = p.pace AND s.delivered_version < t.version
    AND s.next_attempt <= $1 AND s.expires_at > $1)
ORDER BY CASE p.pace WHEN 2 THEN 0 ELSE p.pace END, t.topic -- quick subscribers first

-- name: claim deliveries
UPDATE subscriptions SET claimed_by = $1, claimed_until = $2
WHERE id IN (
  SELECT s.id FROM subscriptions AS s
  WHERE s.topic = $9 AND s.pace = $11
    AND s.delivered_version < (SELECT version FROM topics WHERE topic = $9 AND sha256 = $10)
    AND s.next_attempt <= $3 AND s.expires_at > $3
    AND (s.claimed_by IS NULL OR s.claimed_until <= $3 OR s.claimed_by <> $1 AND s.claimed_by NOT IN ({{template "living" names "$1" "$3" "$4"}})
      OR s.claimed_by = $1 AND s.claimed_until BETWEEN $5 AND $6)
    AND s.endpoint NOT IN ({{template "strings" "$7"}})
  ORDER BY s.delivered_version, s.next_attempt
  LIMIT $8 + 0 {{template "skipLocked" "s"}})
RETURNING id, topic, callback, endpoint, secret, expires_at, failures, (SELECT version FROM topics WHERE topic = $9)

-- name: revalidate
SELECT secret, expires_at, failures FROM subscriptions AS s
WHERE id = $1 AND claimed_by = $2 AND $3 = (SELECT version FROM topics WHERE topic = s.topic)

-- name: delivered
UPDATE subscriptions
SET delivered_version = CASE WHEN a.version > delivered_version THEN a.version ELSE delivered_version END,
  delivered_at = a.at, failures = 0, next_attempt = 0, last_error = '',
  -- A slow subscriber must answer quickly twice to be quick.
  pace = CASE WHEN a.slow = 1 THEN 3 WHEN pace = 3 THEN 1 ELSE 2 END,
  -- The delivery counts whoever holds the claim, but only its holder releases it.
  claimed_by = CASE WHEN claimed_by = $2 THEN NULL ELSE claimed_by END
FROM {{template "outcomes" names "id" "version" "at" "slow"}}
WHERE subscriptions.id = a.id

-- name: failed
-- An operator may have reset its failures meanwhile. A subscription that was renewed since
-- the delivery began has proved that it answers: the failure doesn't count.
UPDATE subscriptions SET failures = subscriptions.failures + CASE WHEN renewed_at <= a.started THEN 1 ELSE 0 END,
  next_attempt = a.next, last_error = a.error, claimed_by = NULL,
  pace = CASE WHEN a.slow = 1 THEN 3 WHEN pace = 3 THEN 1 ELSE 2 END
FROM {{template "outcomes" names "id" "next" "error" "slow" "started"}}
WHERE subscriptions.id = a.id AND claimed_by = $2

-- name: released
UPDATE subscriptions SET claimed_by = NULL, next_attempt = CASE WHEN a.next > next_attempt THEN a.next ELSE next_attempt END,
  last_error = CASE WHEN a.error <> '' THEN a.error ELSE last_error END
FROM {{template "outcomes" names "id" "next" "error"}}
WHERE subscriptions.id = a.id AND claimed_by = $2

-- name: deny
-- Where a request is pending, the denial waits for its end, as a reason in its row.
INSERT INTO handshakes (token, topic, callback, endpoint, host, mode, lease_seconds, reason, version, requested_at, next_attempt)
SELECT a.token, s.topic, s.callback, s.endpoint, a.host, 'denied', 0, a.reason, 0, a.at, a.at
FROM {{template "outcomes" names "id" "token" "host" "reason" "at" "started" "failures"}} JOIN subscriptions AS s ON s.id = a.id
WHERE s.claimed_by = $2 AND s.renewed_at <= a.started AND s.failures = a.failures
ON CONFLICT (topic, callback) DO UPDATE SET reason = excluded.reason

-- name: removed
-- Except callbacks that were verified after the delivery began, and those whose failures
-- an operator has reset.
DELETE FROM subscriptions
WHERE claimed_by = $2 AND id IN (
  SELECT s.id FROM {{template "outcomes" names "id" "started" "failures"}} JOIN subscriptions AS s ON s.id = a.id
  WHERE s.renewed_at <= a.started AND (a.failures < 0 OR s.failures = a.failures))
RETURNING id, topic, callback, secret, coalesce(
  (SELECT a.error FROM {{template "outcomes" names "id" "error"}} WHERE a.id = subscriptions.id AND a.error <> ''), last_error)

-- name: heartbeat
INSERT INTO owners (owner, alive_until, since) VALUES ($1, $2, $3)
ON CONFLICT (owner) DO UPDATE SET alive_until = excluded.alive_until,
  since = CASE WHEN owners.alive_until <= $3 THEN $3 ELSE owners.since END

-- name: owners ahead
UPDATE owners SET alive_until = $1 WHERE alive_until > $2

-- name: leave
DELETE FROM owners WHERE owner = $1

-- name: dead owners
DELETE FROM owners WHERE alive_until <= $1

-- name: sweep
DELETE FROM subscriptions WHERE id IN (SELECT id FROM subscriptions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 + 0)
RETURNING id, topic, callback, secret, last_error

-- name: count topics
-- Due is since when one of those without the newest content could have had it.
SELECT t.topic, count(CASE WHEN s.failures = 0 THEN 1 END), coalesce(sum(CASE WHEN s.failures > 0 THEN 1 ELSE 0 END), 0),
  coalesce(sum(CASE WHEN s.delivered_version < t.version THEN 1 ELSE 0 END), 0),
  coalesce(min(CASE WHEN s.delivered_version < t.version AND s.next_attempt <= $1
    THEN CASE WHEN s.next_attempt > t.changed_at THEN s.next_attempt ELSE t.changed_at END END), 0)
FROM topics AS t LEFT JOIN subscriptions AS s ON s.topic = t.topic AND s.expires_at > $1
GROUP BY t.topic

-- name: count subscriptions
SELECT count(*) FROM subscriptions

-- name: answered
SELECT endpoint FROM subscriptions WHERE failures = 0
GROUP BY endpoint ORDER BY max(delivered_at) DESC, max(renewed_at) DESC LIMIT $1 + 0

-- name: count verifications
SELECT mode, count(*) FROM handshakes GROUP BY mode

-- name: list
SELECT {{template "subscription" "$1"}}
WHERE ($2 = '' OR s.topic = $2) AND (NOT $3 OR s.failures > 0) AND ($4 = '[]' OR s.id {{template "among" "$4"}})
ORDER BY s.id

-- name: subscription of callback
SELECT {{template "subscription" "$1"}} WHERE s.topic = $2 AND s.callback = $3

-- name: list verifications
SELECT {{template "verification"}} FROM handshakes ORDER BY requested_at, token LIMIT $1 + 0

-- name: verification of callback
SELECT {{template "verification"}} FROM handshakes WHERE topic = $1 AND callback = $2

-- name: retry
UPDATE subscriptions SET next_attempt = 0, failures = 0
WHERE id {{template "among" "$1"}} OR $1 = '[]' AND failures > 0 RETURNING id

-- name: remove
DELETE FROM subscriptions WHERE id {{template "among" "$1"}} OR $2 <> '' AND host = $2
RETURNING id, topic, callback, secret, last_error

-- name: departed
INSERT INTO departed (topic, callback, callback_sha256, proof_key, cause, error, departed_at) VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: trim departed
-- Failed verifications, which anybody can cause, must not displace ended subscriptions.
DELETE FROM departed WHERE departed_at <= $1 OR id <= (SELECT max(id) FROM departed) - $2
  OR cause = 'unverified' AND id <= (SELECT max(id) FROM departed) - $3

-- name: list departed
SELECT topic, callback, proof_key, cause, error, departed_at FROM departed WHERE callback_sha256 = $1 AND topic = $2 ORDER BY id DESC LIMIT 100

-- name: topic names
SELECT topic FROM topics UNION SELECT topic FROM handshakes ORDER BY topic

-- name: secret
-- An update that changes nothing returns what is stored.
INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = secrets.value RETURNING value

-- name: end session
INSERT INTO ended_sessions (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING

-- name: expired sessions
DELETE FROM ended_sessions WHERE expires_at <= $1

-- name: ended sessions
SELECT id, expires_at FROM ended_sessions WHERE expires_at > $1
