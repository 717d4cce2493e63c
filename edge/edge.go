// Package edge serves a published directory over HTTP and answers the questions
// that a file can't: search and since. New makes the handler, Server an
// http.Server with the right timeouts, Run serves until told to stop, and Admin is
// for a second, private listener.
//
// # What every answer has
//
// Access-Control-Allow-Origin is * on everything but /mcp, errors and 304 included:
// all of it is public, and an Authorization header changes nothing. Answers are
// conditional as RFC 9110 says (sections 8.8, 13 and 14), through net/http's
// ServeContent, with a strong entity tag for each content coding. Errors are JSON
// of one shape (reviewcast.ErrorBody).
//
// # Snapshots
//
// Each request loads the current snapshot once, so that its answer is of one
// piece whatever is published meanwhile. As long as there is none the answer is
// 503.
package edge

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/go-chi/chi/v5"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// Config says what to serve and to whom.
type Config struct {
	// Snapshots holds what is served. Required.
	Snapshots *snapshot.Holder
	// BaseURL is the public origin, as reviewcast.ParseBaseURL gives it: the Link
	// headers of the topics are made from it. Required.
	BaseURL string
	// Hub answers reviewcast.PathHub. Nil: 404, which says that there is no hub.
	Hub http.Handler
	// MCP answers reviewcast.PathMCP and below, CORS included. Nil: 404, likewise.
	MCP http.Handler
	// RateSearch is how many searches and since requests a client address may make
	// in a second, on average; ten times as many at once. Zero: no limit.
	RateSearch float64
	// RateMCP is the same for MCP. Zero: no limit.
	RateMCP float64
	// TrustedProxies are the peers whose X-Forwarded-For is believed. None: the
	// client is the peer.
	TrustedProxies []netip.Prefix
	// Dev forbids every cache to keep what it gets: an editor who reloads the page
	// sees the last build.
	Dev bool
	// AccessLog has every request logged, not only those that fail with a 5xx.
	AccessLog bool
	// Logger takes the log. Nil drops it.
	Logger *slog.Logger
}

// edge is the handler that New makes.
type edge struct {
	Config
	topics map[string][]string // Link headers, by path
	pages  atomic.Pointer[pages]
}

// New makes the handler of the public listener.
func New(c Config) (http.Handler, error) {
	if c.Snapshots == nil {
		return nil, errors.New("make edge: no snapshots to serve")
	}
	origin, err := reviewcast.ParseBaseURL(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("make edge: %w", err)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	e := &edge{Config: c, topics: map[string][]string{}}
	for _, path := range reviewcast.Topics {
		e.topics[path] = []string{reviewcast.TopicLinks(origin, path)}
	}
	// Without requests nothing else would let go of the snapshot before.
	c.Snapshots.Subscribe(func(_, _ *snapshot.Snapshot) { e.pages.Store(nil) })
	return e.routes(), nil
}

// routes is the whole route table.
func (e *edge) routes() http.Handler {
	r := chi.NewRouter()
	r.Use(e.observe, e.cap)
	search, mcp := e.limit(e.RateSearch), e.limit(e.RateMCP)

	r.Handle(reviewcast.PathSearch, e.read(get(search(e.search))))
	r.Handle(reviewcast.PathSince+"{date}", e.read(get(search(e.since))))
	r.Handle(reviewcast.PathHub, e.hub())
	r.Handle(reviewcast.PathMCP, e.mcp(mcp))
	r.Handle(reviewcast.PathMCP+"/*", e.mcp(mcp))
	r.Handle("/*", e.read(e.file))
	r.MethodNotAllowed(e.methodNotAllowed) // methods that no RFC knows
	return r
}

// handler answers a request or returns why it didn't; see (*edge).fail.
type handler func(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error

// read is the frame of everything that is read: GET and HEAD of the current
// snapshot, and CORS preflights.
func (e *edge) read(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			preflight(w, readMethods)
			return
		}
		s := e.Snapshots.Load()
		err := error(errNoSnapshot)
		if s != nil {
			err = h(w, r, s)
		}
		if err != nil {
			e.fail(w, r, err)
		}
	}
}

// get refuses methods other than GET and HEAD.
func get(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return notAllowed(r.Method, readMethods)
		}
		return h(w, r, s)
	}
}

// hub is the mounted hub. CORS is ours, all else is its own.
func (e *edge) hub() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodOptions:
			preflight(w, hubMethods)
		case e.Hub == nil:
			e.fail(w, r, problem(http.StatusNotFound, "This edge runs without a hub."))
		default:
			e.Hub.ServeHTTP(w, r)
		}
	}
}

// mcp is the mounted MCP server.
func (e *edge) mcp(limit func(handler) handler) http.HandlerFunc {
	serve := limit(func(w http.ResponseWriter, r *http.Request, _ *snapshot.Snapshot) error {
		if e.MCP == nil {
			return problem(http.StatusNotFound, "This edge runs without an MCP server.")
		}
		e.MCP.ServeHTTP(w, streaming(w, r))
		return nil
	})
	return func(w http.ResponseWriter, r *http.Request) {
		if err := serve(w, r, nil); err != nil {
			e.fail(w, r, err)
		}
	}
}
