package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
)

// TestMCPErrorsOfTheEdge: limits that the edge checks before the MCP server are answered
// in JSON-RPC with the CORS headers of the server, preflights don't count against the
// rate, and the access log names the tool.
func TestMCPErrorsOfTheEdge(t *testing.T) {
	var log bytes.Buffer
	holder := &snapshot.Holder{}
	snapshottest.Swap(holder, snapshottest.Publish(t, corpus.Dataset(10)).Open(t, 1))
	c := edge.Config{Snapshots: holder, BaseURL: snapshottest.BaseURL, AccessLog: true, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	if _, err := (&mcpFlags{RateMCP: 0.1}).mountMCP(&c, nil); err != nil { // a burst of one
		t.Fatal(err)
	}
	h := edge.New(c)
	ask := func(method, target, body string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Origin", snapshottest.BaseURL)
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for range 5 {
		if w := ask(http.MethodOptions, "/mcp", ""); w.Code != http.StatusNoContent {
			t.Fatalf("a preflight: %d %s", w.Code, w.Body)
		}
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_faq","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	w := ask(http.MethodPost, "/mcp", call, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "get_faq")
	if w.Code != http.StatusOK || !strings.Contains(log.String(), "tool=get_faq") {
		t.Errorf("a call: %d %s; log: %s", w.Code, w.Body, log.String())
	}
	for _, tt := range []struct {
		target, header string
		want           int
	}{
		{"/mcp", "", http.StatusTooManyRequests},
		{"/mcp?" + strings.Repeat("x", 5000), "", http.StatusRequestURITooLong},
		{"/mcp", strings.Repeat("x", 20_000), http.StatusRequestHeaderFieldsTooLarge},
	} {
		w := ask(http.MethodPost, tt.target, call, "X-Filler", tt.header)
		if w.Code != tt.want || !strings.HasPrefix(w.Body.String(), `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,`) ||
			w.Header().Get("Access-Control-Allow-Origin") != snapshottest.BaseURL {
			t.Errorf("want %d: %d %v %s", tt.want, w.Code, w.Header(), w.Body)
		}
	}
}
