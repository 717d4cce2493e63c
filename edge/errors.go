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

// failure is an error that is shown to the client.
type failure struct {
	reviewcast.ErrorBody
	allow      string          // 405: the allowed methods
	retryAfter time.Duration   // 429, 503
	page       *representation // 404: what browsers get
}

func (f *failure) Error() string { return f.Detail }

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

// refuser is an MCP handler that answers errors of the edge in JSON-RPC, with its own CORS headers.
type refuser interface {
	Refuse(w http.ResponseWriter, r *http.Request, status int, detail string, retryAfter time.Duration)
}

// fail answers with an error. Only here do errors become statuses, bodies and log lines. One that
// is not a *failure is internal: it is logged and not shown.
func (e *edge) fail(w http.ResponseWriter, r *http.Request, err error) {
	h := w.Header()
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = problem(http.StatusInternalServerError, "Internal error. It has been logged.")
	}
	if f.Status >= 500 && f != errNoSnapshot {
		id := rand.Text()[:12]
		h.Set("X-Request-Id", id)
		f.Detail += " The request id is " + id + "."
		e.Logger.Error("request failed", "id", id, "method", r.Method, "path", r.URL.Path, "status", f.Status, "error", err)
	}
	if mcp, ok := e.MCP.(refuser); ok && isMCP(r.URL.Path) {
		mcp.Refuse(w, r, f.Status, f.Detail, f.retryAfter)
		return
	}
	// Remove the header fields of the response that this one replaces.
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
	body, _ := json.Marshal(f.ErrorBody) // strings and numbers always marshal
	body = append(body, '\n')
	if f.page != nil {
		h["Content-Type"], h["Content-Security-Policy"] = f.page.media, f.page.policy
		body = f.page.body().parts[0]
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails only if the client is gone
	}
}

func notAllowed(method, allow string) *failure {
	f := problem(http.StatusMethodNotAllowed, "This path has no method "+strconv.Quote(method)+"; it has "+allow+".")
	f.allow = allow
	return f
}
