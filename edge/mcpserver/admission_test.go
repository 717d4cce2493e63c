package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// TestCostlySearch: a search is charged to the client before it runs, whichever path decodes
// the call. The error says how long to wait.
func TestCostlySearch(t *testing.T) {
	d := corpus.Dataset(3500)
	text := "In the end, the tap was fine."
	for i := range d.Reviews {
		d.Reviews[i].Text = &text
	}
	s, _ := serve(t, snapshottest.Publish(t, d), Config{})
	call := func(wait time.Duration, arguments string) (direct, sdk string, charged []int) {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_reviews","arguments":` + arguments + `}}`
		r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, strings.NewReader(body))
		r = r.WithContext(snapshot.WithAdmission(r.Context(), func(cost int) time.Duration {
			charged = append(charged, cost)
			return wait
		}))
		r.Header.Set("Content-Type", reviewcast.MediaJSON)
		messages, _, f := parseBody([]byte(body))
		if f != nil {
			t.Fatal(f)
		}
		m := &messages[0]
		slow, f := s.callSDK(r, m)
		if f != nil {
			t.Fatal(f.wire.Message)
		}
		return string(s.callTool(r.Context(), s.tools["search_reviews"], m, stateful)), string(slow), charged
	}
	for _, tt := range []struct {
		name, arguments string
		wait            time.Duration
		want            string
		charges         int
	}{
		{"refused", `{"query":" the","limit":1}`, 6500 * time.Millisecond, "Wait 7 seconds", 2},
		{"admitted", `{"query":" the","limit":1}`, 0, `"structuredContent"`, 1}, // the second result is remembered,
		{"cheap", `{"rating":5,"limit":1}`, time.Second, `"structuredContent"`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			direct, sdk, charged := call(tt.wait, tt.arguments)
			for path, got := range map[string]string{"direct": direct, "SDK": sdk} {
				if !strings.Contains(got, tt.want) || strings.Contains(got, `"isError":true`) != (tt.name == "refused") {
					t.Errorf("%s: %.300s", path, got)
				}
			}
			if len(charged) != tt.charges {
				t.Errorf("charged %v, want %d charges", charged, tt.charges)
			}
		})
	}
}
