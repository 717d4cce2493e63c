package edge

import (
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"reviewcast"
)

// The methods of each kind of path, for Allow and CORS preflights.
const (
	readMethods = "GET, HEAD, OPTIONS"
	hubMethods  = "GET, POST, OPTIONS"
	mcpMethods  = "GET, POST, DELETE, OPTIONS"
)

// Limits on the size of a request, checked before it is routed.
const (
	// maxURL limits the cost of logging and parsing. A search has at most 3 KiB.
	maxURL = 4 << 10
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

// observe is the outermost middleware. It sets common header fields, turns panics into 500 and logs.
func (e *edge) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isMCP(r.URL.Path) {
			h := w.Header()
			h["Access-Control-Allow-Origin"] = anyOrigin
			h["Access-Control-Expose-Headers"] = exposed
			h["Vary"] = varyCoding
		}
		rec := &recorder{ResponseWriter: w}
		started := time.Now()
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler || rec.status != 0 {
					if p != http.ErrAbortHandler {
						e.Logger.Error("panic after the response had begun", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
					}
					panic(http.ErrAbortHandler) // a partial response must not look complete
				}
				e.fail(rec, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
			e.count.count(r.URL.Path, rec.status, time.Since(started))
			if e.AccessLog {
				e.Logger.Info("request", append([]any{"method", r.Method, "path", r.URL.Path, "status", rec.status, "bytes", rec.bytes,
					"took", time.Since(started), "client", e.Proxies.Client(r)}, rec.fields...)...)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// checkSize refuses requests that are too large.
func (e *edge) checkSize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case len(r.RequestURI) > maxURL:
			e.fail(w, r, errURL)
		case headerSize(r) > maxHeader:
			e.fail(w, r, errHeaders)
		default:
			next.ServeHTTP(w, r)
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

type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	fields []any // for the access log
}

// Annotate adds a field to the access log, for a mounted handler.
func (rec *recorder) Annotate(name, value string) { rec.fields = append(rec.fields, name, value) }

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= 200 { // 1xx is not the final status
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(p []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	n, err := rec.ResponseWriter.Write(p)
	rec.bytes += int64(n)
	return n, err
}

// Flush implements [http.Flusher] for mounted handlers that stream.
func (rec *recorder) Flush() {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	_ = http.NewResponseController(rec.ResponseWriter).Flush() // a writer without Flush has no buffer
}

// Unwrap is used by [http.ResponseController].
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// streaming removes the server's deadlines for a request whose response may last hours: the write
// deadline at once, the read deadline at the end of the body.
func streaming(w http.ResponseWriter, r *http.Request) *http.Request {
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Time{}) // a writer without deadlines needs no change
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		_ = c.SetReadDeadline(time.Time{})
		return r
	}
	r = r.WithContext(r.Context())
	r.Body = &deadlineBody{r.Body, c}
	return r
}

type deadlineBody struct {
	io.ReadCloser
	c *http.ResponseController
}

func (l *deadlineBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if err == io.EOF {
		_ = l.c.SetReadDeadline(time.Time{})
	}
	return n, err
}
