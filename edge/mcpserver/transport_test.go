package mcpserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"reviewcast"
)

// TestManyArguments: a call whose arguments fill the body is refused after the first
// few, in an answer that doesn't repeat them.
func TestManyArguments(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	var args []string
	for i := range 50_000 {
		args = append(args, fmt.Sprintf(`"argument%d":1`, i))
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_reviews","arguments":{` + strings.Join(args, ",") + `}}}`
	var answer string
	n := testing.AllocsPerRun(1, func() { answer = ask(s, c.session, body).Body.String() })
	if !strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, fmt.Sprintf(`"Invalid arguments: more than %d."`, maxArguments)) || len(answer) > 1000 {
		t.Errorf("%.300s", answer)
	}
	if n > 150_000 { // two for each argument
		t.Errorf("%g allocations", n)
	}
}

// TestDeclaredLength: a body that is announced as too large is refused before it comes.
func TestDeclaredLength(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, neverRead{t})
	r.Header.Set("Content-Type", reviewcast.MediaJSON)
	r.ContentLength = 99e9
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

type neverRead struct{ t *testing.T }

func (n neverRead) Read([]byte) (int, error) {
	n.t.Error("the body was read")
	return 0, fmt.Errorf("nothing to read")
}

// TestSDKErrors: what the SDK says of input never names Go types and never repeats the
// input at length.
func TestSDKErrors(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	long := strings.Repeat("x", 100_000)
	for _, call := range []struct {
		method string
		params map[string]any
	}{
		{"prompts/get", map[string]any{"name": long}},
		{"prompts/get", map[string]any{"name": "compare_aspects", "arguments": map[string]any{"first": 5}}},
		{"completion/complete", map[string]any{"ref": map[string]any{"type": long}, "argument": map[string]any{"name": "id", "value": "x"}}},
		{"completion/complete", map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": 5}, "argument": map[string]any{"name": []int{1}}}},
		{"initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"roots": long}}},
		{"resources/read", map[string]any{"uri": long}},
		{"tools/list", map[string]any{"cursor": long}},
		{"resources/subscribe", map[string]any{"uri": "reviewcast://" + long}},
	} {
		body := c.post(t, call.method, call.params).Body.String()
		if !strings.Contains(body, `"error"`) || len(body) > 1000 {
			t.Errorf("%s: %d bytes: %.300s", call.method, len(body), body)
		}
		for _, word := range []string{"unmarshal", "json:", "Go ", "mcp.", "jsonrpc2"} {
			if strings.Contains(body, word) {
				t.Errorf("%s says %q: %s", call.method, word, body)
			}
		}
	}
}

// TestMetrics counts calls by tool and outcome, and refusals.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	s, _ := serve(t, sample(t), Config{Metrics: registry})
	c := newTalker(t, s)
	c.tool(t, "get_review", map[string]any{"id": "r5"})
	c.tool(t, "get_review", map[string]any{"id": "nobody"})
	c.result(t, "resources/subscribe", map[string]any{"uri": "reviewcast://summary"})
	ask(s, "nobody", ping)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`reviewcast_mcp_calls_total{outcome="ok",tool="get_review"} 1`,
		`reviewcast_mcp_calls_total{outcome="refused",tool="get_review"} 1`,
		`reviewcast_mcp_calls_total{outcome="failed",tool="get_review"} 0`,
		`reviewcast_mcp_refused_total{status="404"} 1`,
		`reviewcast_mcp_sessions 1`,
		`reviewcast_mcp_streams 0`,
		`reviewcast_mcp_subscriptions 1`,
	} {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("the metrics lack %s:\n%s", line, w.Body)
		}
	}
}
