package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	marks "github.com/mark3labs/mcp-go/mcp"
	markserver "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/mcpserver"
	"reviewcast/edge/snapshot"
)

const (
	reviews = 10_000
	found   = 20
)

// holder serves the corpus.
func holder(tb testing.TB) *snapshot.Holder {
	tb.Helper()
	h := &snapshot.Holder{}
	snapshottest.Swap(h, snapshottest.Publish(tb, corpus.Dataset(reviews)).Open(tb, 1))
	return h
}

// ours is the whole server, search and all.
func ours(tb testing.TB) http.Handler {
	tb.Helper()
	s, err := mcpserver.New(mcpserver.Config{Snapshots: holder(tb), BaseURL: snapshottest.BaseURL})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// answer is what ours answers, for the others to give back as it is.
func answer(tb testing.TB) (text string, structured json.RawMessage) {
	tb.Helper()
	body := newClient(tb, ours(tb)).call(tb)
	var got struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &got); err != nil || len(got.Result.Content) != 1 {
		tb.Fatalf("%v in %.200s", err, body)
	}
	return got.Result.Content[0].Text, got.Result.StructuredContent
}

// mcpGo is mark3labs/mcp-go with a tool that has its answer ready.
func mcpGo(tb testing.TB) http.Handler {
	text, structured := answer(tb)
	s := markserver.NewMCPServer("bench", "1", markserver.WithToolCapabilities(false))
	s.AddTool(marks.NewTool("search_reviews"), func(context.Context, marks.CallToolRequest) (*marks.CallToolResult, error) {
		return &marks.CallToolResult{Content: []marks.Content{marks.NewTextContent(text)}, StructuredContent: structured}, nil
	})
	return markserver.NewStreamableHTTPServer(s)
}

// typed is the SDK as its manual shows it: mcp.AddTool with Go types, which makes
// schemas, checks and text from them. The reviews are ready.
func typed(tb testing.TB) http.Handler {
	_, structured := answer(tb)
	var ready reviewcast.SearchResult
	if err := json.Unmarshal(structured, &ready); err != nil {
		tb.Fatal(err)
	}
	type arguments struct {
		Limit int `json:"limit,omitempty"`
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "search_reviews"}, func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, reviewcast.SearchResult, error) {
		return nil, ready, nil
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

// raw is the SDK at its best: Server.AddTool with the answer's bytes ready, and
// answers as JSON. It is what ours would cost without a way of its own.
func raw(tb testing.TB) http.Handler {
	text, structured := answer(tb)
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "search_reviews", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: structured}, nil
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{JSONResponse: true})
}

// client is as little of one as can be, so that what is measured is the server.
type client struct {
	to      http.Handler
	session string
	modern  bool
}

func newClient(tb testing.TB, to http.Handler) *client {
	tb.Helper()
	c := &client{to: to}
	r := c.request(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	if c.session = w.Header().Get("Mcp-Session-Id"); w.Code != http.StatusOK || c.session == "" {
		tb.Fatalf("initialize: %d %s", w.Code, w.Body)
	}
	to.ServeHTTP(httptest.NewRecorder(), c.request(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return c
}

func (c *client) request(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	return r
}

func (c *client) call(tb testing.TB) []byte {
	r := c.request(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_reviews","arguments":{"limit":%d}}}`, found))
	if c.modern {
		r = c.request(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_reviews","arguments":{"limit":%d},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, found))
		r.Header.Del("Mcp-Session-Id")
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "search_reviews")
	}
	w := httptest.NewRecorder()
	w.Body = bytes.NewBuffer(make([]byte, 0, 64<<10))
	c.to.ServeHTTP(w, r)
	if w.Code != http.StatusOK || !bytes.Contains(w.Body.Bytes(), []byte(`"returned\":20`)) && !bytes.Contains(w.Body.Bytes(), []byte(`"returned":20`)) {
		tb.Fatalf("call: %d %.300s", w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// cpu is the time that the process has spent, garbage collection included.
func cpu(tb testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1000
}

// BenchmarkSearch calls search_reviews for 20 reviews, at several settings of the
// garbage collector: what a server gains by the setting is not what it gains by
// being quicker.
func BenchmarkSearch(b *testing.B) {
	for _, gogc := range []int{100, 400, 800} {
		for _, kind := range []struct {
			name   string
			server func(testing.TB) http.Handler
			modern bool
		}{
			{"reviewcast", ours, false},
			{"reviewcast-2026", ours, true},
			{"mcp-go", mcpGo, false},
			{"sdk-raw", raw, false},
			{"sdk-typed", typed, false},
		} {
			b.Run(fmt.Sprintf("gogc=%d/%s", gogc, kind.name), func(b *testing.B) {
				defer debug.SetGCPercent(debug.SetGCPercent(gogc))
				c := newClient(b, kind.server(b))
				c.modern = kind.modern
				b.SetBytes(int64(len(c.call(b))))
				b.ReportAllocs()
				before := cpu(b)
				for b.Loop() {
					c.call(b)
				}
				b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-µs/op")
			})
		}
	}
}
