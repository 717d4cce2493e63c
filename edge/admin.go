package edge

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

type readiness struct {
	Status   string            `json:"status"` // ready, degraded, not ready
	Sequence int64             `json:"sequence,omitempty"`
	Searched int64             `json:"search_sequence,omitempty"`
	Reviews  int               `json:"reviews,omitempty"`
	Parts    map[string]string `json:"parts"` // ok, or what is wrong
}

// Admin returns the handler of a second, private listener. /healthz is 200 while the process responds. /readyz is 503
// until files are served and a search finds every review. An error of another part is reported with 200: an edge
// without it still answers most requests, and edges that share the part would all be taken out of service at once.
func Admin(snapshots *snapshot.Holder, parts map[string]func() error) http.Handler {
	r := chi.NewRouter()
	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeStatus(w, http.StatusOK, map[string]any{"status": "up"})
	})
	r.Get("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		body, status := ready(snapshots, parts)
		writeStatus(w, status, body)
	})
	return r
}

func ready(snapshots *snapshot.Holder, parts map[string]func() error) (body readiness, status int) {
	body, status = readiness{Status: "ready", Parts: map[string]string{"files": "ok", "search": "ok"}}, http.StatusOK
	for name, check := range parts {
		body.Parts[name] = "ok"
		if err := check(); err != nil {
			body.Parts[name], body.Status = err.Error(), "degraded"
		}
	}
	unfit := func(part, why string) {
		body.Parts[part], body.Status, status = why, "not ready", http.StatusServiceUnavailable
	}
	if f := snapshots.LoadFiles(); f == nil {
		unfit("files", "nothing published yet")
	} else {
		body.Sequence = f.Sequence()
	}
	s := snapshots.Load()
	if s == nil {
		unfit("search", "no index yet")
		return body, status
	}
	body.Searched, body.Reviews = s.Sequence(), s.Len()
	if s.Search(reviewcast.Query{Limit: 1}).Matched != s.Len() {
		unfit("search", "a search for everything doesn't find every review")
	}
	return body, status
}

func writeStatus(w http.ResponseWriter, status int, body any) {
	w.Header()["Content-Type"] = mediaJSON
	w.Header()["Cache-Control"] = cacheNever
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client is gone
}
