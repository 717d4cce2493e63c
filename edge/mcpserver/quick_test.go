package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reviewcast"
)

// TestQuickIsTheSDK asks the quick way and the SDK's the same and compares status,
// header and body.
func TestQuickIsTheSDK(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	tools := []string{"get_business", "search_reviews", "get_review", "get_aspect_sentiment", "get_technician", "get_service", "list_topics", "get_faq", "get_summary", "nobody"}
	versions := []string{"", "2025-06-18", "2025-11-25", "2025-01-01", sessionless}
	ids := []string{`1`, `"a"`, `"é\u00e9"`, `-7`, `0`}
	answered := 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(tools).Draw(rt, "tool")
		version := rapid.SampledFrom(versions).Draw(rt, "version")
		modern := version == sessionless
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
		if modern {
			params["_meta"] = map[string]any{
				"io.modelcontextprotocol/protocolVersion":    rapid.SampledFrom([]string{sessionless, "2025-06-18"}).Draw(rt, "said"),
				"io.modelcontextprotocol/clientCapabilities": rapid.SampledFrom([]any{map[string]any{}, map[string]any{"sampling": map[string]any{}}, nil, "x"}).Draw(rt, "capabilities"),
				"io.modelcontextprotocol/clientInfo":         rapid.SampledFrom([]any{map[string]any{"name": "a", "version": "1"}, map[string]any{"name": 1}, "x"}).Draw(rt, "client"),
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
			if modern {
				r.Header.Set("Mcp-Method", "tools/call")
				r.Header.Set("Mcp-Name", name)
			} else {
				r.Header.Set(headerSession, c.session)
			}
			return r
		}
		b, f := parseBody([]byte(body))
		if f != nil {
			rt.Fatal(f)
		}
		quick := httptest.NewRecorder()
		if !s.quick(quick, request(), b.call(), modern) {
			return
		}
		answered++
		slow := httptest.NewRecorder()
		if modern {
			s.forward(slow, request(), s.stateless, b.call())
		} else {
			s.forward(slow, request(), s.stateful, b.call())
		}
		quick.Header().Del("Content-Length")
		if quick.Code != slow.Code || !reflect.DeepEqual(quick.Header(), slow.Header()) {
			rt.Fatalf("quick: %d %v\nSDK: %d %v\n%s", quick.Code, quick.Header(), slow.Code, slow.Header(), slow.Body)
		}
		if a, b := canonical(rt, quick.Body), canonical(rt, slow.Body); !reflect.DeepEqual(a, b) {
			rt.Fatalf("quick: %v\nSDK: %v", a, b)
		}
	})
	if answered < 10 {
		t.Errorf("only %d calls were answered the quick way", answered)
	}
}

func canonical(t *rapid.T, b *bytes.Buffer) (v any) {
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}
