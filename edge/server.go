package edge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// Grace is how long [Run] waits for running requests by default.
const Grace = 8 * time.Second

// Server returns an [http.Server] for a handler, with timeouts against slow and silent clients: a minute for a
// response, more for a large one. logger receives the errors of net/http at debug level; it may be nil.
func Server(h http.Handler, logger *slog.Logger) *http.Server {
	logger = cmp.Or(logger, slog.New(slog.DiscardHandler))
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    http.DefaultMaxHeaderBytes, // above it net/http answers by itself, in plain text
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// Run serves on l until ctx is done. Then it waits at most grace for running requests and returns
// nil. It returns an error only if serving fails. srv must not be used again.
func Run(ctx context.Context, l net.Listener, srv *http.Server, grace time.Duration) error {
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		_ = srv.Close() // close what is still open after the grace period
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

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
	if f := snapshots.Files.Load(); f == nil {
		unfit("files", "nothing published yet")
	} else {
		body.Sequence = f.Sequence()
	}
	s := snapshots.Indexed.Load()
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
