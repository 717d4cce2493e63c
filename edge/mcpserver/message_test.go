package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// FuzzBody: a body is either refused with a JSON-RPC error or consists of messages that
// the SDK can decode.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{initialize, ping, `[` + ping + `]`, `[]`, `{}`, `"x"`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"get_review","arguments":{"id":"r5"}}}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, strings.Repeat("[", 100)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		messages, _, refused := parseBody(raw)
		if refused != nil {
			if refused.status < 400 || refused.wire.Message == "" || refused.id != nil && !refused.id.IsValid() {
				t.Errorf("refused with %+v", refused)
			}
			return
		}
		if !json.Valid(raw) || len(messages) == 0 || len(messages) > maxBatch {
			t.Errorf("%d messages in %q", len(messages), raw)
		}
		for i := range messages {
			m := &messages[i]
			if m.isCall() {
				_ = m.validate(stateful)
				_ = m.validate(stateless)
			}
		}
	})
}

// FuzzCursor: a forged cursor is refused or points into the list.
func FuzzCursor(f *testing.F) {
	q := reviewcast.Query{Rating: 5, Limit: 3}
	f.Add(cursor(q, snapshot.Place{Rating: 5, Date: "2026-02-10", ID: "r3"}))
	f.Add(cursor(q, snapshot.Place{Rating: 5, Date: "1970-01-01", ID: "zzz"}))
	f.Add("")
	s := sample(f).Open(f, 1)
	v, err := newView(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, c string) {
		last, err := resume(q, c)
		if err != nil {
			if strings.Contains(err.Error(), "Go ") || last != nil {
				t.Errorf("%q: %v, %v", c, last, err)
			}
			return
		}
		for _, order := range []string{"", reviewcast.OrderOldest, reviewcast.OrderLowest, reviewcast.OrderHighest} {
			q.Order = order
			if found := v.SearchAfter(q, last); len(found.Reviews) > found.Matched {
				t.Errorf("%q points to %d of %d", c, len(found.Reviews), found.Matched)
			}
		}
	})
}
