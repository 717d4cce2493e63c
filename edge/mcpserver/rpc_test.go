package mcpserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reviewcast"
)

// TestFastPathAnswersAsTheSDK sends the same calls to callTool and to the SDK and
// compares the bodies.
func TestFastPathAnswersAsTheSDK(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	tools := []string{"get_business", "search_reviews", "get_review", "get_aspect_sentiment", "get_technician", "get_service", "list_topics", "get_faq", "get_summary", "nobody"}
	versions := []string{"", "2025-06-18", "2025-11-25", "2025-01-01", firstStateless}
	ids := []string{`1`, `"a"`, `"é\u00e9"`, `-7`, `0`}
	answered := 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(tools).Draw(rt, "tool")
		version := rapid.SampledFrom(versions).Draw(rt, "version")
		e := stateful
		if version == firstStateless {
			e = stateless
		}
		params := map[string]any{"name": name}
		switch rapid.IntRange(0, 3).Draw(rt, "arguments") {
		case 0:
			params["arguments"] = map[string]any{}
		case 1:
			params["arguments"] = map[string]any{"id": "r4", "aspect": "punctuality", "name": "Daniel", "service": "drain-cleaning", "rating": 5}
		case 2:
			params["arguments"] = rapid.SampledFrom([]map[string]any{
				{"id": "r4"}, {"id": "nobody"}, {"aspect": "Pricing"}, {"name": "Marc"}, {"service": "water-heater"}, {"rating": 1}, {"rating": 9}, {"query": "<b>"},
			}).Draw(rt, "argument")
		}
		if e == stateless {
			params["_meta"] = map[string]any{
				"io.modelcontextprotocol/protocolVersion":    rapid.SampledFrom([]string{firstStateless, "2025-06-18"}).Draw(rt, "said"),
				"io.modelcontextprotocol/clientCapabilities": rapid.SampledFrom([]any{map[string]any{}, map[string]any{"sampling": map[string]any{}, "roots": map[string]any{"listChanged": true}}, map[string]any{"sampling": "x"}, nil, "x"}).Draw(rt, "capabilities"),
				"io.modelcontextprotocol/clientInfo":         rapid.SampledFrom([]any{map[string]any{"name": "a", "version": "1", "icons": []any{map[string]any{"src": "https://a.example/i.png"}}}, map[string]any{"name": 1}, "x"}).Draw(rt, "client"),
			}
		}
		raw, _ := json.Marshal(params)
		body := `{"jsonrpc":"2.0","id":` + rapid.SampledFrom(ids).Draw(rt, "id") + `,"method":"tools/call","params":` + string(raw) + `}`
		request := func() *http.Request {
			r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, strings.NewReader(body))
			r.Header.Set("Content-Type", reviewcast.MediaJSON)
			r.Header.Set("Accept", "application/json, text/event-stream")
			if version != "" {
				r.Header.Set(headerVersion, version)
			}
			if e == stateless {
				r.Header.Set("Mcp-Method", "tools/call")
				r.Header.Set("Mcp-Name", name)
			} else {
				r.Header.Set(headerSession, c.session)
			}
			return r
		}
		messages, _, f := parseBody([]byte(body))
		if f != nil {
			rt.Fatal(f)
		}
		t, m := s.tools[name], &messages[0]
		if t == nil || !supported(request(), m, e) {
			return
		}
		answered++
		fast := s.callTool(request().Context(), t, m, e)
		slow, refused := s.callSDK(request(), m)
		if refused != nil {
			rt.Fatalf("fast path: %s\nSDK: %d %s", fast, refused.status, refused.wire.Message)
		}
		if !reflect.DeepEqual(canonical(rt, fast), canonical(rt, slow)) {
			rt.Fatalf("fast path: %s\nSDK: %s", fast, slow)
		}
	})
	if answered < 3 { // with -short there are 20
		t.Errorf("only %d calls took the fast path", answered)
	}
}

func canonical(t *rapid.T, b []byte) (v any) {
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}
