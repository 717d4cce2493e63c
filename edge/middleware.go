package edge

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"reviewcast"
)

// The methods of files, search and since, and of the hub, for Allow and CORS preflights.
const (
	readMethods = "GET, HEAD, OPTIONS"
	hubMethods  = "GET, POST, OPTIONS"
)

// Limits on the size of a request, checked before it is routed.
const (
	maxURL = 4 << 10 // limits the cost of logging and parsing; a search has at most 3 KiB
	// maxHeader limits the memory of a slow connection. Up to a multiple, net/http leaves the error to this package.
	maxHeader = 16 << 10
)

// Header values that all responses share; net/http only reads them.
var (
	anyOrigin       = []string{"*"}
	exposed         = []string{"ETag, Last-Modified, Link, Retry-After, Reviewcast-Sequence"}
	varyCoding      = []string{"Accept-Encoding"}
	noSniff         = []string{"nosniff"}
	acceptBytes     = []string{"bytes"}
	mediaJSON       = []string{reviewcast.MediaJSON}
	cacheShortly    = []string{"public, max-age=60, stale-while-revalidate=600"}
	cacheRevalidate = []string{"public, no-cache"}
	cacheNever      = []string{"no-store"}
	policyData      = []string{"default-src 'none'; frame-ancestors 'none'"}
	policyDocument  = []string{reviewcast.PagePolicy + "; frame-ancestors 'none'"}
	varyPage        = []string{"Accept, Accept-Encoding"}
)

func isMCP(path string) bool {
	return path == reviewcast.PathMCP || strings.HasPrefix(path, reviewcast.PathMCP+"/")
}

// observe wraps the handlers of files and of all other paths. It sets common header fields, refuses requests that are
// too large, turns panics into 500, counts and logs.
func (e *edge) observe(file, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := kindOf(r.URL.Path)
		if kind != "mcp" {
			h := w.Header()
			h["Access-Control-Allow-Origin"] = anyOrigin
			h["Access-Control-Expose-Headers"] = exposed
			h["Vary"] = varyCoding
		}
		rec := &recorder{WrapResponseWriter: middleware.NewWrapResponseWriter(w, r.ProtoMajor)}
		started := time.Now()
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler || rec.Status() != 0 {
					if p != http.ErrAbortHandler {
						e.Logger.Error("panic after the response had begun", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
					}
					panic(http.ErrAbortHandler) // a partial response must not look complete
				}
				e.fail(rec, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
			e.requests[kind][resultOf(rec.Status())].Inc()
			e.seconds[kind].Observe(time.Since(started).Seconds())
			if e.AccessLog {
				e.Logger.Info("request", append([]any{"method", r.Method, "path", r.URL.Path, "status", rec.Status(),
					"bytes", rec.BytesWritten(), "took", time.Since(started),
					"client", e.Proxies.Client(r)}, rec.fields...)...)
			}
		}()
		switch {
		case len(r.RequestURI) > maxURL:
			e.fail(rec, r, errURL)
		case headerSize(r) > maxHeader:
			e.fail(rec, r, errHeaders)
		case kind == "file":
			file.ServeHTTP(rec, r)
		default:
			others.ServeHTTP(rec, r)
		}
	})
}

func headerSize(r *http.Request) int {
	size := len("Host: \r\n") + len(r.Host)
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(": ") + len(v) + len("\r\n")
		}
	}
	return size
}

// preflight answers OPTIONS. The star doesn't cover Authorization, which is ignored but must not fail.
func preflight(w http.ResponseWriter, methods string) {
	h := w.Header()
	h.Set("Allow", methods)
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", "*, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// recorder knows the status and the size of a response. It has what [http.ResponseController] needs.
type recorder struct {
	middleware.WrapResponseWriter
	fields []any // for the access log
}

// Annotate adds a field to the access log, for a mounted handler.
func (rec *recorder) Annotate(name, value string) { rec.fields = append(rec.fields, name, value) }

func kindOf(path string) string {
	switch {
	case path == reviewcast.PathSearch:
		return "search"
	case strings.HasPrefix(path, reviewcast.PathSince):
		return "since"
	case isMCP(path):
		return "mcp"
	case path == reviewcast.PathHub:
		return "hub"
	}
	return "file"
}

func resultOf(code int) string {
	switch {
	case code == http.StatusNotModified:
		return "not_modified"
	case code == http.StatusTooManyRequests:
		return "refused"
	case code >= 500:
		return "server_error"
	case code >= 400:
		return "client_error"
	}
	return "ok"
}

// count makes the metrics and registers them, unless Config.Metrics is nil.
func (e *edge) count() {
	auto := promauto.With(e.Metrics)
	requests := auto.NewCounterVec(prometheus.CounterOpts{Namespace: "reviewcast", Subsystem: "http", Name: "requests_total",
		Help: "Requests by kind and result; refused is 429."}, []string{"kind", "result"})
	seconds := auto.NewHistogramVec(prometheus.HistogramOpts{Namespace: "reviewcast", Subsystem: "http", Name: "request_seconds",
		Help:    "Time to the end of the response, by kind. Slow clients and streams count in full.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .1, .5, 2.5, 10}}, []string{"kind"})
	e.requests, e.seconds = map[string]map[string]prometheus.Counter{}, map[string]prometheus.Observer{}
	for _, kind := range []string{"file", "search", "since", "mcp", "hub"} { // a rate doesn't see the first event of a new counter
		e.requests[kind], e.seconds[kind] = map[string]prometheus.Counter{}, seconds.WithLabelValues(kind)
		for _, result := range []string{"ok", "not_modified", "client_error", "refused", "server_error"} {
			e.requests[kind][result] = requests.WithLabelValues(kind, result)
		}
	}
}
