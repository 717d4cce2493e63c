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

// The methods of each kind of path, as Allow and CORS preflights name them.
const (
	readMethods = "GET, HEAD, OPTIONS"
	hubMethods  = "GET, POST, OPTIONS"
	mcpMethods  = "GET, POST, DELETE, OPTIONS"
)

// Caps on what a request may bring before anybody looks at it.
const (
	// maxURL stops addresses that are made to be logged and parsed, not to find
	// anything: a search with all its parameters has 3 KiB at most.
	maxURL = 4 << 10
	// maxHeader stops headers that cost memory for as long as a connection is slow.
	// net/http is told a multiple, so that the answer to those in between is ours.
	maxHeader = 16 << 10
)

// Header values that never change, shared by all answers: net/http only reads
// them.
var (
	anyOrigin      = []string{"*"}
	exposed        = []string{"ETag, Last-Modified, Link, Retry-After"}
	varyCoding     = []string{"Accept-Encoding"}
	noSniff        = []string{"nosniff"}
	acceptBytes    = []string{"bytes"}
	mediaJSON      = []string{reviewcast.MediaJSON}
	cacheShortly   = []string{"public, max-age=60, stale-while-revalidate=600"}
	cacheNever     = []string{"no-store"}
	policyData     = []string{"default-src 'none'; frame-ancestors 'none'"}
	policyDocument = []string{"default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: https:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
)

func isMCP(path string) bool {
	return path == reviewcast.PathMCP || strings.HasPrefix(path, reviewcast.PathMCP+"/")
}

// observe is around everything: it sets what every answer has, turns a panic into
// a 500 and writes the access log.
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
						e.Logger.Error("panic in the middle of an answer", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
					}
					panic(http.ErrAbortHandler) // half an answer must not look like a whole one
				}
				e.fail(rec, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
			if e.AccessLog {
				e.Logger.Info("request", "method", r.Method, "path", r.URL.Path, "status", rec.status, "bytes", rec.bytes,
					"took", time.Since(started), "client", e.client(r))
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// cap refuses requests that are too large before they are routed.
func (e *edge) cap(next http.Handler) http.Handler {
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

// headerSize is the bytes of the header's lines as they came.
func headerSize(r *http.Request) int {
	size := len("Host: \r\n") + len(r.Host)
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(": ") + len(v) + len("\r\n")
		}
	}
	return size
}

// preflight answers a CORS preflight, or any other OPTIONS. The star doesn't cover
// Authorization, which is ignored but mustn't fail.
func preflight(w http.ResponseWriter, methods string) {
	h := w.Header()
	h.Set("Allow", methods)
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", "*, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// recorder notes the status and the size of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= 200 { // 1xx are not the answer yet
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

// Flush is for mounted handlers that stream and look for an http.Flusher.
func (rec *recorder) Flush() {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	_ = http.NewResponseController(rec.ResponseWriter).Flush() // a writer that can't has nothing to flush
}

// Unwrap is for http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// streaming lifts the server's deadlines from a request whose answer may be a
// stream of hours: that of writing at once, that of reading as soon as the body is
// there, so that nobody holds a connection by sending a body slowly.
func streaming(w http.ResponseWriter, r *http.Request) *http.Request {
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Time{}) // a writer without deadlines has none to lift
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		_ = c.SetReadDeadline(time.Time{})
		return r
	}
	r = r.WithContext(r.Context())
	r.Body = &lifting{r.Body, c}
	return r
}

// lifting lifts the read deadline at the end of a body.
type lifting struct {
	io.ReadCloser
	c *http.ResponseController
}

func (l *lifting) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if err == io.EOF {
		_ = l.c.SetReadDeadline(time.Time{})
	}
	return n, err
}
