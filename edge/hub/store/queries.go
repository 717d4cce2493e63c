package store

import (
	_ "embed"
	"strings"
)

//go:embed queries.sql
var queriesSQL string

// dialect is what the two databases say differently.
type dialect struct {
	outcomes string                    // the JSON array $1 as the table a
	list     func(param string) string // a JSON array of strings as a subquery
	skip     func(alias string) string // after the LIMIT of a claim
}

var (
	sqliteDialect = dialect{
		outcomes: `(SELECT value->>'id' AS id, value->>'version' AS version, value->>'at' AS at, value->>'started' AS started,
    value->>'failures' AS failures, value->>'next' AS next, value->>'error' AS error, value->>'reason' AS reason,
    value->>'token' AS token, value->>'host' AS host FROM json_each($1)) AS a`,
		list: func(param string) string { return "SELECT value FROM json_each(" + param + ")" },
		skip: func(string) string { return "" }, // one writer at a time
	}
	postgresDialect = dialect{
		outcomes: `json_to_recordset(CAST(CAST($1 AS text) AS json)) AS a(id bigint, version bigint, at bigint, started bigint,
    failures bigint, next bigint, error text, reason text, token text, host text)`,
		list: func(param string) string {
			return "SELECT json_array_elements_text(CAST(CAST(" + param + " AS text) AS json))"
		},
		skip: func(alias string) string { return "FOR UPDATE OF " + alias + " SKIP LOCKED" },
	}
)

// queries reads queries.sql for a dialect: text by name.
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
			word = d.outcomes
		case "list":
			word = d.list(arg)
		case "skip":
			word = d.skip(strings.TrimPrefix(arg, "locked "))
		default:
			panic("queries.sql: unknown word " + word)
		}
		text = before + word + after
	}
}
