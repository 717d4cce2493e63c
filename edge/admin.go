package edge

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"reviewcast/edge/snapshot"
)

// Admin returns the handler of a second, private listener. /healthz is 200 while the
// process responds. /readyz is 503 until a snapshot is loaded, then 200 with its
// sequence and its number of reviews.
func Admin(snapshots *snapshot.Holder) http.Handler {
	r := chi.NewRouter()
	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeStatus(w, http.StatusOK, map[string]any{"status": "up"})
	})
	r.Get("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		s := snapshots.Load()
		if s == nil {
			writeStatus(w, http.StatusServiceUnavailable, map[string]any{"status": "nothing published yet"})
			return
		}
		writeStatus(w, http.StatusOK, map[string]any{"status": "ready", "sequence": s.Sequence(), "reviews": s.Len()})
	})
	return r
}

func writeStatus(w http.ResponseWriter, status int, body map[string]any) {
	w.Header()["Content-Type"] = mediaJSON
	w.Header()["Cache-Control"] = cacheNever
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client is gone
}
