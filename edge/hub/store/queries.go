package store

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed queries.sql
var queriesSQL string

// dialect is how the SQL of the two databases differs.
type dialect struct {
	column   func(name string) string  // of an outcome
	outcomes string                    // the JSON array $1 as the table a, %s for its columns
	list     func(param string) string // a JSON array of strings as a subquery
	among    func(param string) string // whether a number is in a JSON array
	skip     func(alias string) string // after the LIMIT of a claim
}

var (
	sqliteDialect = dialect{
		column:   func(name string) string { return "value->>'" + name + "' AS " + name },
		outcomes: "(SELECT %s FROM json_each($1)) AS a",
		list:     func(param string) string { return "SELECT value FROM json_each(" + param + ")" },
		among:    func(param string) string { return "IN (SELECT value FROM json_each(" + param + "))" },
		skip:     func(string) string { return "" }, // one writer at a time
	}
	postgresDialect = dialect{
		column: func(name string) string {
			switch name {
			case "error", "reason", "token", "host":
				return name + " text"
			default:
				return name + " bigint"
			}
		},
		outcomes: "json_to_recordset(CAST(CAST($1 AS text) AS json)) AS a(%s)",
		list: func(param string) string {
			return "SELECT json_array_elements_text(CAST(CAST(" + param + " AS text) AS json))"
		},
		among: func(param string) string {
			return "= ANY (CAST(translate(CAST(" + param + " AS text), '[]', '{}') AS bigint[]))"
		},
		skip: func(alias string) string { return "FOR UPDATE OF " + alias + " SKIP LOCKED" },
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
				columns[i] = d.column(name)
			}
			word = fmt.Sprintf(d.outcomes, strings.Join(columns, ", "))
		case "list":
			word = d.list(arg)
		case "among":
			word = d.among(arg)
		case "living":
			p := strings.Fields(arg)
			word = fmt.Sprintf("SELECT owner FROM owners WHERE alive_until > %[2]s OR NOT EXISTS "+
				"(SELECT 1 FROM owners WHERE owner = %[1]s AND alive_until > %[2]s AND since <= %[3]s)", p[0], p[1], p[2])
		case "verification":
			word = "token, topic, callback, endpoint, host, mode, lease_seconds, secret, reason, version, attempts, requested_at, next_attempt, last_error"
		case "subscription":
			word = strings.ReplaceAll(subscriptionColumns, "$at", arg)
		case "skip":
			word = d.skip(strings.TrimPrefix(arg, "locked "))
		default:
			panic("queries.sql: unknown word " + word)
		}
		text = before + word + after
	}
}
