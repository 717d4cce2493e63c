package store

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:embed queries.sql
var queriesSQL string

// dialect is the words of queries.sql that differ between the databases, %s for their
// argument, and the columns of an outcome: of texts and of numbers.
type dialect struct{ outcomes, text, number, list, among, skip string }

var (
	sqliteDialect = dialect{
		outcomes: "(SELECT %s FROM json_each($1)) AS a",
		text:     "value->>'%[1]s' AS %[1]s",
		number:   "value->>'%[1]s' AS %[1]s",
		list:     "SELECT value FROM json_each(%s)",
		among:    "IN (SELECT value FROM json_each(%s))",
		skip:     "%.0s", // one writer at a time
	}
	postgresDialect = dialect{
		outcomes: "json_to_recordset(CAST(CAST($1 AS text) AS json)) AS a(%s)",
		text:     "%s text",
		number:   "%s bigint",
		list:     "SELECT json_array_elements_text(CAST(CAST(%s AS text) AS json))",
		among:    "= ANY (CAST(translate(CAST(%s AS text), '[]', '{}') AS bigint[]))",
		skip:     "FOR UPDATE OF %s SKIP LOCKED",
	}
)

const subscriptionColumns = `s.id, s.topic, s.callback, s.secret, s.lease_seconds, s.created_at, s.renewed_at, s.expires_at,
  s.delivered_at, coalesce(s.delivered_version < t.version, false), s.failures, s.next_attempt, s.last_error, s.pace,
  CASE WHEN s.claimed_by IS NULL OR s.claimed_until <= $at THEN false WHEN $at = 0 THEN true
    ELSE s.claimed_by IN (SELECT owner FROM owners WHERE alive_until > $at) END
FROM subscriptions AS s LEFT JOIN topics AS t ON t.topic = s.topic`

// queries reads queries.sql for a dialect. It returns the texts by name.
func (d dialect) queries() map[string]string {
	all := map[string]string{}
	for _, block := range strings.Split(queriesSQL, "-- name: ")[1:] {
		name, text, _ := strings.Cut(block, "\n")
		all[name] = d.expand(strings.TrimSpace(text))
	}
	return all
}

func (d dialect) expand(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "{{")
		if !ok {
			return text
		}
		word, after, _ := strings.Cut(rest, "}}")
		switch kind, arg, _ := strings.Cut(word, " "); kind {
		case "outcomes":
			columns := strings.Fields(arg)
			for i, name := range columns {
				column := d.number
				if slices.Contains([]string{"error", "reason", "token", "host"}, name) {
					column = d.text
				}
				columns[i] = fmt.Sprintf(column, name)
			}
			word = fmt.Sprintf(d.outcomes, strings.Join(columns, ", "))
		case "list":
			word = fmt.Sprintf(d.list, arg)
		case "among":
			word = fmt.Sprintf(d.among, arg)
		case "living":
			p := strings.Fields(arg)
			word = fmt.Sprintf("SELECT owner FROM owners WHERE alive_until > %[2]s OR NOT EXISTS "+
				"(SELECT 1 FROM owners WHERE owner = %[1]s AND alive_until > %[2]s AND since <= %[3]s)", p[0], p[1], p[2])
		case "verification":
			word = "token, topic, callback, endpoint, host, mode, lease_seconds, secret, reason, version, attempts, requested_at, next_attempt, last_error"
		case "subscription":
			word = strings.ReplaceAll(subscriptionColumns, "$at", arg)
		case "skip":
			word = fmt.Sprintf(d.skip, strings.TrimPrefix(arg, "locked "))
		default:
			panic("queries.sql: unknown word " + word)
		}
		text = before + word + after
	}
}

// Publication is the content of a topic.
type Publication struct {
	Topic     string    // the whole URL, base URL included
	SHA256    string    // hex, of the body
	Sequence  int64     // of the manifest that lists it
	Modified  time.Time // when the content last changed, as it is published
	Version   int64     // counts the changes; Publish ignores it
	ChangedAt time.Time
}

// Publish makes p the newest content of its topic if the hash differs and p is newer: the sequence of its manifest is
// higher or, at an equal sequence, it was modified later. It reports whether it did. The first content of a topic
// changes nothing. For equal content the highest sequence is kept.
func (s *Store) Publish(ctx context.Context, now time.Time, p Publication) (changed bool, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var version int64
		published, err := tx.row(ctx, []any{&version}, "publish", p.Topic, p.SHA256, p.Sequence, millis(now), millis(p.Modified))
		switch {
		case err != nil:
			return err
		case !published:
			return tx.exec(ctx, "same content", p.Topic, p.SHA256, p.Sequence, millis(p.Modified))
		}
		changed = version > 1
		return s.db.announce(ctx, tx, "")
	})
	return changed, wrap("publish "+p.Topic, err)
}

// Topics returns the newest publications by topic.
func (s *Store) Topics(ctx context.Context) (map[string]Publication, error) {
	topics := map[string]Publication{}
	err := s.db.read(ctx, func(rows *sql.Rows) error {
		var p Publication
		err := rows.Scan(&p.Topic, &p.Version, &p.SHA256, &p.Sequence, (*stamp)(&p.ChangedAt), (*stamp)(&p.Modified))
		topics[p.Topic] = p
		return err
	}, "topics")
	return topics, wrap("read topics", err)
}

// servedVersion returns the version that a topic has where it is served. The
// subscriber can fetch that one, so every higher version is to be delivered.
func servedVersion(ctx context.Context, tx transaction, now time.Time, topic string, served Publication) (int64, error) {
	var version, sequence int64
	var hash string
	row := []any{&version, &hash, &sequence}
	known, err := tx.row(ctx, row, "version", topic)
	if err == nil && !known && served.SHA256 != "" {
		// The topic has no row yet. If the hub stopped before it wrote one, the next
		// change would look like the first content.
		if err = tx.exec(ctx, "first content", topic, served.SHA256, served.Sequence, millis(now), millis(served.Modified)); err == nil {
			_, err = tx.row(ctx, row, "version", topic)
		}
	}
	if served.SHA256 != "" && served.SHA256 != hash && served.Sequence < sequence {
		version-- // an edge that lags has served older content
	}
	return version, err // 0: there is nothing to fetch, and any content is a change
}
