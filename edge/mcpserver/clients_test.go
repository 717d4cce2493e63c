package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// edges are servers that share a state behind a proxy that takes turns.
type edges struct {
	mu      sync.Mutex
	servers []*Server
	next    int
}

func (e *edges) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	s := e.servers[e.next%len(e.servers)]
	e.next++
	e.mu.Unlock()
	s.ServeHTTP(w, r)
}

// TestClientOverTwoEdges: a client that initialized once calls tools over two edges in
// turn, and over edges that have been restarted since.
func TestClientOverTwoEdges(t *testing.T) {
	holder, state := &snapshot.Holder{}, &memoryState{}
	snapshottest.Swap(holder, sample(t).Open(t, 1))
	start := func() *Server {
		s, err := New(Config{Snapshots: holder, BaseURL: snapshottest.BaseURL, Client: peer, State: always(state)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	proxy := &edges{servers: []*Server{start(), start()}}
	srv := httptest.NewServer(proxy)
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: srv.URL + reviewcast.PathMCP}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	call := func(when string) {
		t.Helper()
		for range 10 {
			res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get_review", Arguments: map[string]any{"id": "r5"}})
			if err != nil || res.IsError {
				t.Fatalf("%s: %v, %v", when, res, err)
			}
		}
	}
	call("two edges")
	proxy.mu.Lock()
	proxy.servers = []*Server{start(), start()}
	proxy.mu.Unlock()
	call("after a restart")
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// TestListsBeforePublication: a client that connects before anything is published gets the lists.
func TestListsBeforePublication(t *testing.T) {
	s, _ := serve(t, nil, Config{})
	c := newTalker(t, s)
	for _, list := range []string{"tools", "prompts", "resources"} {
		var got struct{ Tools, Prompts, Resources []struct{ Name string } }
		err := json.Unmarshal(c.result(t, list+"/list", map[string]any{}), &got)
		if n := len(got.Tools) + len(got.Prompts) + len(got.Resources); err != nil || n < 2 {
			t.Errorf("%s: %+v, %v", list, got, err)
		}
	}
}

// TestPanicIsAnError: a handler that panics, in a goroutine of the SDK, doesn't end the process.
func TestPanicIsAnError(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	s.mcp.AddPrompt(&mcp.Prompt{Name: "broken"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { panic("secret") })
	body := newTalker(t, s).post(t, "prompts/get", map[string]any{"name": "broken"}).Body.String()
	if !strings.Contains(body, "-32603") || strings.Contains(body, "secret") {
		t.Error(body)
	}
}
