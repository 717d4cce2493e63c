package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
)

// talk calls a method in a session of its own and gives back the result.
func talk(t testing.TB, h http.Handler, method string, params any) json.RawMessage {
	t.Helper()
	return newTalker(t, h).result(t, method, params)
}

// talker is a client with a session that speaks to a handler without a network.
type talker struct {
	h       http.Handler
	session string
}

func newTalker(t testing.TB, h http.Handler) *talker {
	t.Helper()
	c := &talker{h: h}
	w := c.post(t, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if c.session = w.Header().Get(headerSession); c.session == "" {
		t.Fatalf("initialize: %d %s", w.Code, w.Body)
	}
	return c
}

func (c *talker) post(t testing.TB, method string, params any) *httptest.ResponseRecorder {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, bytes.NewReader(body))
	r.Header.Set("Content-Type", reviewcast.MediaJSON)
	if c.session != "" {
		r.Header.Set(headerSession, c.session)
	}
	w := httptest.NewRecorder()
	c.h.ServeHTTP(w, r)
	return w
}

func (c *talker) result(t testing.TB, method string, params any) json.RawMessage {
	t.Helper()
	w := c.post(t, method, params)
	var answer struct{ Result json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Result == nil {
		t.Fatalf("%s: %d %.500s (%v)", method, w.Code, w.Body, err)
	}
	return answer.Result
}

// toolResult is the result of tools/call.
type toolResult struct {
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func (c *talker) tool(t testing.TB, name string, args any) toolResult {
	t.Helper()
	var r toolResult
	if err := json.Unmarshal(c.result(t, "tools/call", map[string]any{"name": name, "arguments": args}), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLists holds what every agent reads at the start against golden files.
func TestLists(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	for method, name := range map[string]string{
		"tools/list": "tools.golden.json", "resources/list": "resources.golden.json", "prompts/list": "prompts.golden.json",
	} {
		var b bytes.Buffer
		if err := json.Indent(&b, talk(t, s, method, map[string]any{}), "", "  "); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
		golden(t, name, b.Bytes())
	}
}

// tokens estimates what a text costs in an agent's context: a quarter of its
// characters.
func tokens(text []byte) int { return (utf8.RuneCount(text) + 3) / 4 }

// TestBudget keeps what agents read within what they can spare.
func TestBudget(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	if n := tokens(talk(t, s, "tools/list", map[string]any{})); n >= 4500 {
		t.Errorf("tools/list costs %d tokens, want less than 4,500", n)
	}
	if n := len(instructions); n >= 1500 {
		t.Errorf("instructions have %d bytes, want less than 1,500", n)
	}

	large, _ := serve(t, snapshottest.Publish(t, corpus.Dataset(200)), Config{})
	short := talk(t, large, "tools/call", map[string]any{"name": "search_reviews", "arguments": map[string]any{"response_format": "concise"}})
	var r toolResult
	if err := json.Unmarshal(short, &r); err != nil || !strings.Contains(string(r.StructuredContent), `"returned":20`) {
		t.Fatalf("%v in %.300s", err, short)
	}
	if n := tokens(short); n >= 2500 {
		t.Errorf("20 concise reviews cost %d tokens, text and structured content together, want less than 2,500", n)
	}

	// The longest ids there can be, and texts of characters that JSON escapes.
	d := corpus.Dataset(20)
	for i := range d.Reviews {
		d.Reviews[i].ID = fmt.Sprintf("%02d", i) + strings.Repeat("x", reviewcast.MaxIDLength-2)
		d.Reviews[i].Date = "2026-01-01"
		text := strings.Repeat(`"`, 500)
		d.Reviews[i].Text = &text
	}
	worst, _ := serve(t, snapshottest.Publish(t, d), Config{})
	var all toolResult
	raw := talk(t, worst, "tools/call", map[string]any{"name": "search_reviews", "arguments": map[string]any{"response_format": "concise"}})
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if n := tokens(all.StructuredContent); n >= 2500 {
		t.Errorf("20 concise reviews cost at worst %d tokens, want less than 2,500", n)
	}
}
