package store

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed queries.sql
var queriesSQL string

// The functions of the templates in queries.sql: of each database, and of both. Arguments are parameters such as $1,
// columns or an alias.
var (
	sqliteSQL = template.FuncMap{
		"outcomes": func(columns ...string) string {
			for i, name := range columns {
				columns[i] = fmt.Sprintf("value->>'%[1]s' AS %[1]s", name)
			}
			return "(SELECT " + strings.Join(columns, ", ") + " FROM json_each($1)) AS a"
		},
		"list":       func(list string) string { return "SELECT value FROM json_each(" + list + ")" },
		"among":      func(list string) string { return "IN (SELECT value FROM json_each(" + list + "))" },
		"skipLocked": func(string) string { return "" }, // one writer at a time
	}
	postgresSQL = template.FuncMap{
		"outcomes": func(columns ...string) string {
			for i, name := range columns {
				if slices.Contains([]string{"error", "reason", "token", "host"}, name) {
					columns[i] += " text"
				} else {
					columns[i] += " bigint"
				}
			}
			return "json_to_recordset(CAST(CAST($1 AS text) AS json)) AS a(" + strings.Join(columns, ", ") + ")"
		},
		"list": func(list string) string {
			return "SELECT json_array_elements_text(CAST(CAST(" + list + " AS text) AS json))"
		},
		"among": func(list string) string {
			return "= ANY (CAST(translate(CAST(" + list + " AS text), '[]', '{}') AS bigint[]))"
		},
		"skipLocked": func(alias string) string { return "FOR UPDATE OF " + alias + " SKIP LOCKED" },
	}
	commonSQL = template.FuncMap{
		"living": func(owner, now, since string) string {
			return fmt.Sprintf("SELECT owner FROM owners WHERE alive_until > %[2]s OR NOT EXISTS "+
				"(SELECT 1 FROM owners WHERE owner = %[1]s AND alive_until > %[2]s AND since <= %[3]s)", owner, now, since)
		},
		"verification": func() string {
			return "token, topic, callback, endpoint, host, mode, lease_seconds, secret, reason, version, attempts, requested_at, next_attempt, last_error"
		},
		"subscription": func(at string) string { return strings.ReplaceAll(subscriptionColumns, "$at", at) },
	}
)

const subscriptionColumns = `s.id, s.topic, s.callback, s.secret, s.lease_seconds, s.created_at, s.renewed_at, s.expires_at,
  s.delivered_at, coalesce(s.delivered_version < t.version, false), s.failures, s.next_attempt, s.last_error, s.pace,
  CASE WHEN s.claimed_by IS NULL OR s.claimed_until <= $at THEN false WHEN $at = 0 THEN true
    ELSE s.claimed_by IN (SELECT owner FROM owners WHERE alive_until > $at) END
FROM subscriptions AS s LEFT JOIN topics AS t ON t.topic = s.topic`

// queries reads queries.sql with the functions of a database. It returns the texts by name.
func queries(functions template.FuncMap) map[string]string {
	all := map[string]string{}
	for _, block := range strings.Split(queriesSQL, "-- name: ")[1:] {
		name, text, _ := strings.Cut(block, "\n")
		query := &strings.Builder{}
		if err := template.Must(template.New(name).Funcs(commonSQL).Funcs(functions).Parse(text)).Execute(query, nil); err != nil {
			panic(err)
		}
		all[name] = strings.TrimSpace(query.String())
	}
	return all
}

// Publication is the content of a topic.
type Publication struct {
	Topic    string    // the whole URL, base URL included
	SHA256   string    // hex, of the body
	Sequence int64     // of the manifest that lists it
	Modified time.Time // when the content last changed, as it is published
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
	err := s.db.read(ctx, byKey(topics, func(rows *sql.Rows, topic *string, p *Publication) error {
		err := rows.Scan(topic, &p.SHA256, &p.Sequence, (*stamp)(&p.Modified))
		p.Topic = *topic
		return err
	}), "topics")
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
