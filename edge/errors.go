package edge

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"reviewcast"
)

// failure is an error that a client is told of.
type failure struct {
	reviewcast.ErrorBody
	allow      string        // 405: the methods that are
	retryAfter time.Duration // 429, 503: when to come back
}

func (f *failure) Error() string { return f.Detail }

// problem makes a failure of a status and a sentence for a person.
func problem(status int, detail string, issues ...reviewcast.Issue) *failure {
	return &failure{ErrorBody: reviewcast.NewError(status, detail, issues...)}
}

var (
	errNoSnapshot = &failure{retryAfter: 5 * time.Second, ErrorBody: reviewcast.NewError(http.StatusServiceUnavailable,
		"Nothing is published here yet. Try again in a moment.")}
	errNotFound      = problem(http.StatusNotFound, "Nothing is published at this path. "+reviewcast.PathOpenAPI+" describes what is.")
	errNotAcceptable = problem(http.StatusNotAcceptable,
		"None of the content codings that Accept-Encoding allows is available. Allow identity, or gzip.")
	errPrecondition = problem(http.StatusPreconditionFailed,
		"The content has changed: its entity tag or date is not the one that If-Match or If-Unmodified-Since names.")
	errRange   = problem(http.StatusRequestedRangeNotSatisfiable, "The content has no such range of bytes.")
	errURL     = problem(http.StatusRequestURITooLong, "The address is longer than 4 KiB.")
	errHeaders = problem(http.StatusRequestHeaderFieldsTooLarge, "The header is larger than 16 KiB.")
)

// fail answers with an error, which may be a *failure; any other is a fault of
// ours, which the log sees and the client does not. It is the only place that maps
// errors to statuses, bodies and log lines.
func (e *edge) fail(w http.ResponseWriter, r *http.Request, err error) {
	h := w.Header()
	var f *failure
	if !errors.As(err, &f) {
		f = problem(http.StatusInternalServerError, "Something went wrong here. It has been logged.")
	}
	if f.Status >= 500 && f != errNoSnapshot {
		id := rand.Text()[:12]
		h.Set("X-Request-Id", id)
		f.Detail += " The request's id is " + id + "."
		e.Logger.Error("request failed", "id", id, "method", r.Method, "path", r.URL.Path, "status", f.Status, "error", err)
	}
	// What stands in the header may be of the answer that this takes the place of.
	for _, name := range []string{"Etag", "Last-Modified", "Content-Encoding", "Content-Length", "Accept-Ranges", "Link"} {
		h.Del(name)
	}
	if f.allow != "" {
		h.Set("Allow", f.allow)
	}
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((f.retryAfter+time.Second-1)/time.Second)))
	}
	h["Content-Type"] = mediaJSON
	h["Cache-Control"] = cacheNever
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = policyData
	body, err := json.Marshal(f.ErrorBody)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	body = append(body, '\n')
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that is gone can't be told
	}
}

// methodNotAllowed answers methods that a path doesn't have.
func (e *edge) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allow := readMethods
	switch {
	case r.URL.Path == reviewcast.PathHub && e.Hub != nil:
		e.Hub.ServeHTTP(w, r) // it refuses in its own way, as it does the methods that are known
		return
	case r.URL.Path == reviewcast.PathHub:
		allow = hubMethods
	case isMCP(r.URL.Path):
		allow = mcpMethods
	}
	e.fail(w, r, notAllowed(r.Method, allow))
}

func notAllowed(method, allow string) *failure {
	f := problem(http.StatusMethodNotAllowed, "This path has no method "+strconv.Quote(method)+"; it has "+allow+".")
	f.allow = allow
	return f
}
