// Package edge serves a published directory over HTTP and answers the queries that a file can't: search and since.
// [New] makes the handler, [Server] an [http.Server] with timeouts, [Run] serves until its context ends, and [Admin] is
// the handler of a second, private listener.
//
// # Responses
//
// Access-Control-Allow-Origin is * on all responses except those of /mcp, including errors and 304: everything is
// public, and an Authorization header changes nothing. Conditional requests and ranges follow RFC 9110 (sections 8.8,
// 13 and 14) through [http.ServeContent], with a strong entity tag for each content coding. Errors are JSON of one
// shape, [reviewcast.ErrorBody].
//
// # Snapshots
//
// Each request loads the current files or, for a query, the current snapshot once, so
// that its response is consistent whatever is published meanwhile. The snapshot follows
// the files when their index is built. Before the first the response is 503.
package edge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// Config configures the handler that [New] makes.
type Config struct {
	// Snapshots holds the files and the snapshot to serve. Required.
	Snapshots *snapshot.Holder
	// BaseURL is the public origin, as returned by [reviewcast.ParseBaseURL]. Required.
	BaseURL string
	// Hub serves [reviewcast.PathHub]. If nil, the response is 404.
	Hub http.Handler
	// MCP serves [reviewcast.PathMCP] and everything below it, including CORS. If nil, the response is 404.
	MCP http.Handler
	// RateSearch is the average number of search and since requests per second and client address, with bursts of ten
	// times as many. A search that takes longer than a millisecond counts as one request for each millisecond, and so
	// do 5 MiB of a file, which is free otherwise. Zero means no limit.
	RateSearch float64
	// RateMCP is the same for MCP requests. Zero means no limit.
	RateMCP float64
	// Proxies are believed about the addresses of clients.
	Proxies Proxies
	// Dev forbids caching, so that an editor who reloads the page sees the last build.
	Dev bool
	// AccessLog logs every request, not only those that fail with a 5xx status.
	AccessLog bool
	// Metrics registers counts of requests. Nil counts none.
	Metrics prometheus.Registerer
	// Logger receives the log. Nil discards it.
	Logger *slog.Logger
}

// edge is the state of the handler that New makes.
type edge struct {
	Config
	links           map[string][]string                      // Link headers, by path
	all             *rate.Limiter                            // of the costly requests of all clients together
	searches, calls *rates                                   // by client; files that are large count with the searches
	requests        map[string]map[string]prometheus.Counter // counted, by kind and result
	seconds         map[string]prometheus.Observer           // of requests, by kind
	pages           atomic.Pointer[map[string]*page]         // of the current files, by path
}

// New returns the handler of the public listener.
func New(c Config) http.Handler {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	share := shareOfCores * runtime.GOMAXPROCS(0)
	e := &edge{Config: c, links: map[string][]string{}, all: rate.NewLimiter(rate.Limit(share), burstOfAll*share),
		searches: newRates(c.RateSearch), calls: newRates(c.RateMCP)}
	e.count()
	for _, path := range reviewcast.Topics {
		e.links[path] = []string{reviewcast.TopicLinks(c.BaseURL, path)}
	}
	for _, path := range []string{reviewcast.PathReviews, reviewcast.PathInsights} {
		e.links[path] = append(e.links[path], reviewcast.DescribedByLink(c.BaseURL, path))
	}
	c.Snapshots.Files.Subscribe(func(_, files *snapshot.Files) { e.pages.Store(e.pagesOf(files)) })
	if files := c.Snapshots.Files.Load(); files != nil {
		e.pages.CompareAndSwap(nil, e.pagesOf(files)) // unless newer ones have come
	}
	return e.routes()
}

// routes is the whole route table. A request for a file, which most are, doesn't need the router.
func (e *edge) routes() http.Handler {
	r := chi.NewRouter()
	r.Use(anyMethod)
	file := e.handle(readMethods, e.file)
	r.Handle(reviewcast.PathSearch, e.handle(readMethods, e.query(e.search)))
	r.Handle(reviewcast.PathSince+"{date}", e.handle(readMethods, e.query(e.since)))
	r.Handle(reviewcast.PathHub, e.handle(hubMethods, e.hub))
	r.Handle(reviewcast.PathMCP, e.handle("", e.mcp))
	r.Handle(reviewcast.PathMCP+"/*", e.handle("", e.mcp))
	r.Handle("/*", file)
	return e.observe(file, r)
}

// anyMethod has a request routed by its path alone: the handlers refuse methods, also those that chi doesn't know.
func anyMethod(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chi.RouteContext(r.Context()).RouteMethod = http.MethodGet
		next.ServeHTTP(w, r)
	})
}

// handler answers a request, or returns the error that (*edge).fail answers with.
type handler func(w http.ResponseWriter, r *http.Request) error

// handle adapts a handler to net/http: it answers errors, and CORS preflights with the methods, if there are any.
func (e *edge) handle(methods string, h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions && methods != "" {
			preflight(w, methods)
		} else if err := h(w, r); err != nil {
			e.fail(w, r, err)
		}
	}
}

// readable returns an error for a method other than GET and HEAD.
func readable(r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed(r.Method, readMethods)
	}
	return nil
}

// query gives a handler of GET and HEAD the current snapshot, and counts the request against the client's rate.
func (e *edge) query(h func(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := cmp.Or(e.allow(e.searches, r), readable(r)); err != nil {
			return err
		}
		s := e.Snapshots.Indexed.Load()
		if s == nil {
			return errNoSnapshot
		}
		return h(w, r, s)
	}
}

// bytesPerUnit is how many bytes, of since before compression, are sent in a millisecond of computing time.
const bytesPerUnit = 5 << 20

// gzipTag ends the entity tag of a response that is compressed here: the hash of the plain bytes
// and the encoder. Another encoder or level needs another ending.
const gzipTag = "-gzip2"

func (e *edge) search(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error {
	q, issues := reviewcast.ParseSearch(r.URL.RawQuery)
	if len(issues) > 0 {
		return badParameters(issues)
	}
	if err := e.admit(r, s.Cost(q)); err != nil {
		return err
	}
	body := append(s.Search(q).AppendMembers([]byte{'{'}), "}\n"...)
	return e.answer(w, r, s, sha256.Sum256(body), 0, newParts(body), func() [][]byte { return [][]byte{snapshot.Gzip(body)} })
}

func (e *edge) since(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error {
	day, issues := reviewcast.ParseSince(strings.TrimPrefix(r.URL.Path, reviewcast.PathSince), r.URL.RawQuery)
	if len(issues) > 0 {
		return badParameters(issues)
	}
	found := s.Since(day)
	plain := newParts(found.Body()...)
	return e.answer(w, r, s, found.Sum(), int(plain.size/bytesPerUnit), plain, found.Gzip)
}

// answer serves a body that was made for this request. sum is a hash of the plain bytes, and cost what sending them costs.
func (e *edge) answer(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot, sum [sha256.Size]byte, cost int, plain *parts, gzipped func() [][]byte) error {
	coding, ok := negotiate(r.Header["Accept-Encoding"], "gzip")
	if !ok {
		return errNotAcceptable
	}
	rep := representation{time: s.LastModified(), modified: httpTime(s.LastModified()), media: mediaJSON,
		cache: e.cacheControl(r.URL.Path), policy: policyData, sequence: sequenceOf(s.Files), cost: cost, body: func() *parts { return plain }}
	tag := hex.EncodeToString(sum[:16])
	if coding == "gzip" {
		tag += gzipTag
		rep.encoding = []string{coding}
		rep.body = sync.OnceValue(func() *parts { return newParts(gzipped()...) })
	}
	rep.etag = []string{`"` + tag + `"`}
	e.serve(w, r, &rep)
	return nil
}

func badParameters(issues []reviewcast.Issue) *failure {
	return problem(http.StatusBadRequest, "Invalid parameters: see issues, and "+reviewcast.PathOpenAPI+" for what is allowed.", issues...)
}

// httpTime is a time as a header value; nil for the zero time.
func httpTime(t time.Time) []string {
	if t.IsZero() {
		return nil
	}
	return []string{t.UTC().Format(http.TimeFormat)}
}

func (e *edge) hub(w http.ResponseWriter, r *http.Request) error {
	if e.Hub == nil && r.Method != http.MethodGet && r.Method != http.MethodPost {
		return notAllowed(r.Method, hubMethods)
	}
	if e.Hub == nil {
		return problem(http.StatusNotFound, "This edge runs without a hub.")
	}
	e.Hub.ServeHTTP(w, r)
	return nil
}

// mcp mounts the MCP server, which answers preflights and charges for costly work with [snapshot.Admit].
func (e *edge) mcp(w http.ResponseWriter, r *http.Request) error {
	if e.MCP == nil {
		return problem(http.StatusNotFound, "This edge runs without an MCP server.")
	}
	if r.Method != http.MethodOptions { // a preflight doesn't count against the rate
		if err := e.allow(e.calls, r); err != nil {
			return err
		}
	}
	ctx := snapshot.WithAdmission(r.Context(), func(cost int) time.Duration { return e.charge(e.calls, r, cost) })
	e.MCP.ServeHTTP(w, r.WithContext(ctx))
	return nil
}
