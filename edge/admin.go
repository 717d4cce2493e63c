package edge

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"reviewcast/edge/snapshot"
)

// Admin is the handler of a second, private listener: /healthz is 200 as long as
// the process answers, /readyz as soon as something is published here, with what
// it is; 503 before.
func Admin(snapshots *snapshot.Holder) http.Handler {
	r := chi.NewRouter()
	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		report(w, http.StatusOK, map[string]any{"status": "up"})
	})
	r.Get("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		s := snapshots.Load()
		if s == nil {
			report(w, http.StatusServiceUnavailable, map[string]any{"status": "nothing published yet"})
			return
		}
		report(w, http.StatusOK, map[string]any{"status": "ready", "sequence": s.Sequence(), "reviews": s.Len()})
	})
	return r
}

func report(w http.ResponseWriter, status int, body map[string]any) {
	w.Header()["Content-Type"] = mediaJSON
	w.Header()["Cache-Control"] = cacheNever
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone can't be told
}
