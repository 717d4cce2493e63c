// Package mcpserver serves the reviews of the current snapshot as tools, resources and prompts of the Model Context
// Protocol, over streamable HTTP at /mcp. The server describes itself at /mcp/server-card.
//
// # Two eras on one path
//
// Clients of the revisions 2024-11-05 to 2025-11-25 open a session with initialize and send its Mcp-Session-Id with
// every request. Clients of 2026-07-28 have no sessions; every request names its revision. The official SDK serves
// both without sessions of its own. Sessions are here: an id is sealed with a key that all edges share, so that it
// outlives restarts and takes no memory, until a client subscribes or opens a stream (sessionid.go, sessions.go).
//
// # A call
//
// [Server.ServeHTTP] checks Origin and Host, the media types and the size of the body, and the session (transport.go).
// It decodes every message of the body once (message.go) and refuses malformed JSON, unknown methods and params of the
// wrong type. Each call is then answered by itself: a subscription by this package, a plain tool call directly, all
// else by the SDK (rpc.go). Every error is a JSON-RPC error that says what to do.
//
// # What agents see
//
// Agents get the published bytes without the characters that no person can see, because these are used to hide
// instructions in reviews (see cleanText). Customers' words are labelled as such, and errors never repeat them.
package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// Defaults of Config.
const (
	DefaultMaxSessions = 5000
	DefaultIdle        = 30 * time.Minute
)

// Config configures a [Server].
type Config struct {
	// Snapshots holds the snapshot to serve. Required.
	Snapshots *snapshot.Holder
	// BaseURL is the public origin, as reviewcast.ParseBaseURL gives it. Required.
	BaseURL string
	// AllowOrigins are the origins, in addition to BaseURL, whose pages may use the
	// server, such as "https://chat.example.com"; "*" allows all. If empty, only pages
	// of BaseURL may, and clients that send no Origin, which are not browsers.
	AllowOrigins []string
	// MaxSessions is the most sessions with subscriptions or a stream, and streams without a
	// session. Other sessions take no memory. Zero means DefaultMaxSessions.
	MaxSessions int
	// Idle is how long a session without a stream may be silent. Zero means DefaultIdle.
	Idle time.Duration
	// State returns what is shared with other edges, or why it can't be used yet. If nil, session ids are
	// valid until the process ends.
	State func() (State, error)
	// Client returns the address of a request's client. Required.
	Client func(*http.Request) string
	// Metrics registers the server's metrics. Nil registers none.
	Metrics prometheus.Registerer
	// Logger receives internal errors. Nil discards them.
	Logger *slog.Logger
}

// Server is an [http.Handler] for [reviewcast.PathMCP] and [reviewcast.PathServerCard]. It works
// without [Server.Run], but then notifies nobody and ends no idle sessions.
type Server struct {
	config   Config
	views    views
	tools    map[string]*tool
	mcp      *mcp.Server
	sdk      http.Handler // the SDK's transport
	ids      *sessionIDs
	sessions *sessions
	identity []byte                 // see identity
	calls    *prometheus.CounterVec // of tools, by tool and outcome
	refused  *prometheus.CounterVec // requests, by HTTP status
}

// New returns a server for c.
func New(c Config) (*Server, error) {
	if c.MaxSessions < 0 || c.Idle < 0 {
		return nil, fmt.Errorf("make MCP server: MaxSessions is %d and Idle is %s: they must not be negative", c.MaxSessions, c.Idle)
	}
	c.AllowOrigins = slices.Clone(c.AllowOrigins)
	for i, o := range c.AllowOrigins {
		origin, err := reviewcast.ParseBaseURL(o)
		if err != nil && o != "*" {
			return nil, fmt.Errorf("make MCP server: allow origin %q: %w", o, err)
		}
		c.AllowOrigins[i] = cmp.Or(origin, o)
	}
	c.MaxSessions, c.Idle = cmp.Or(c.MaxSessions, DefaultMaxSessions), cmp.Or(c.Idle, DefaultIdle)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	s := &Server{
		config: c, views: views{holder: c.Snapshots}, tools: map[string]*tool{}, ids: &sessionIDs{keys: [][]byte{[]byte(rand.Text())}},
		sessions: &sessions{limit: c.MaxSessions, idle: c.Idle, byID: map[string]*session{}},
	}
	s.count()
	s.readState(context.Background())
	s.build()
	return s, nil
}

// build creates the SDK's server and its transport.
func (s *Server) build() {
	s.identity, _ = json.Marshal(identity()) // strings always marshal
	s.mcp = mcp.NewServer(identity(), &mcp.ServerOptions{
		Instructions:      instructions,
		CompletionHandler: s.complete,
		// How long clients of revision 2026-07-28 may cache: resources as long as a file, lists an hour.
		SetCacheable: func(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
			c.TTLMs = int(time.Hour.Milliseconds())
			if _, ok := req.GetParams().(*mcp.ReadResourceParams); ok {
				c.TTLMs = int(time.Minute.Milliseconds())
			}
		},
		// Without listChanged: the lists never change while the server runs. Subscriptions
		// never reach the SDK, which requires their handlers to announce them.
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: true},
		},
	})
	for _, t := range tools {
		s.tools[t.name] = t
		title, description := text(t.name)
		s.mcp.AddTool(&mcp.Tool{
			Name: t.name, Title: title, Description: description, InputSchema: inputSchema(t), OutputSchema: outputSchema(t),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(false)},
		}, t.handler(s))
	}
	s.addResources()
	s.addPrompt("compare_aspects", compareAspects, true, "first", "second")
	s.addPrompt("summarize_recent", summarizeRecent, false, "since")
	s.addPrompt("answer_customer_question", answerQuestion, true, "question")
	s.mcp.AddReceivingMiddleware(s.middleware)

	// Without the SDK's sessions, which take a goroutine and 7 KB each. Host is checked in checkOrigin.
	s.sdk = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxBody, DisableLocalhostProtection: true,
		PropagateRequestCancellation: true,
	})
}

//go:embed texts.txt
var texts string

// text returns the title of a section of texts.txt, and what follows it.
func text(name string) (title, rest string) {
	_, section, _ := strings.Cut(texts, "== "+name+"\n")
	section, _, _ = strings.Cut(section, "\n== ")
	title, rest, _ = strings.Cut(strings.TrimSpace(section), "\n")
	return title, rest
}

// instructions stay in an agent's context for as long as it is connected.
var _, instructions = text("instructions")

// middleware runs around every request that the SDK has decoded.
func (s *Server) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil { // the SDK calls this in a goroutine, where a panic would end the process
				err = s.protocolError(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
		}()
		if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && s.tools[p.Name] == nil {
			names := each(tools, func(t *tool) string { return t.name })
			return nil, s.protocolError(refuse("unknown tool %s: this server has %s", echo(p.Name), strings.Join(names, ", ")))
		}
		res, err := next(ctx, method, req)
		if err != nil {
			return nil, s.protocolError(err)
		}
		switch res := res.(type) {
		case *mcp.InitializeResult:
			res.ServerInfo = s.implementation()
		case *mcp.ListToolsResult:
			s.listTools(res)
		case *mcp.DiscoverResult:
			res.SetMeta(map[string]any{mcp.MetaKeyServerInfo: s.implementation()})
		}
		return res, nil
	}
}

// protocolError is the JSON-RPC error for an error of a handler. Internal errors are logged and not shown.
func (s *Server) protocolError(err error) error {
	switch {
	case errors.As(err, new(*jsonrpc.Error)):
		return err
	case errors.As(err, new(refusal)):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	case errors.Is(err, errNothingPublished):
		return &jsonrpc.Error{Code: codeRequest, Message: err.Error()}
	}
	s.config.Logger.Error("MCP request failed", "error", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error; it has been logged"}
}

// MediaServerCard is the media type of the server card.
const MediaServerCard = "application/mcp-server-card+json"

// description describes the server in registries.
const description = "Verified customer reviews of one business: search, sentiment, topics, answers. Read-only."

// star is the icon of a business without a logo.
const star = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNCAyNCI+PHBhdGggZmlsbD0iI2U2OWYwMCIgZD0ibTEyIDIgMyA3IDcgLjUtNS41IDQuNSAyIDdMMTIgMTcuM0w1LjUgMjFsMi03TDIgOS41IDkgOXoiLz48L3N2Zz4="

// identity is the server information in every result of revision 2026-07-28.
func identity() *mcp.Implementation {
	return &mcp.Implementation{Name: "reviewcast", Version: reviewcast.Version}
}

// implementation is the full server information, with the name of the business once one is published.
func (s *Server) implementation() *mcp.Implementation {
	impl := identity()
	impl.Title, impl.Description, impl.WebsiteURL = "Customer reviews", description, s.config.BaseURL+"/"
	impl.Icons = []mcp.Icon{{Source: star, MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
	if v, err := s.views.load(); err == nil {
		b := v.dataset.Business
		impl.Title = "Reviews of " + b.Name
		if strings.HasPrefix(b.Logo, "https://") {
			impl.Icons = []mcp.Icon{{Source: b.Logo}}
		}
	}
	return impl
}

// RegistryName is the name of the server at an origin in registries and server cards:
// the host's labels from right to left, a slash, and "reviewcast".
func RegistryName(baseURL string) string {
	u, _ := url.Parse(baseURL) // a base URL is valid
	labels := strings.Split(strings.ReplaceAll(u.Hostname(), ":", "-"), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "/reviewcast"
}

// serveCard answers GET and HEAD with the server card (SEP-2127), which says how to reach the server. Pages of every
// origin may read it.
func (s *Server) serveCard(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD, OPTIONS")
		if r.Method != http.MethodOptions {
			http.Error(w, "The server card is read with GET.", http.StatusMethodNotAllowed)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	impl := s.implementation()
	body, _ := json.Marshal(map[string]any{ // strings always marshal
		"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name":    RegistryName(s.config.BaseURL), "version": impl.Version, "description": impl.Description, "title": impl.Title,
		"websiteUrl": impl.WebsiteURL, "icons": impl.Icons,
		"remotes": []any{map[string]any{"type": "streamable-http", "url": s.config.BaseURL + reviewcast.PathMCP,
			"supportedProtocolVersions": mcp.SupportedProtocolVersions()}},
	})
	h.Set("Content-Type", MediaServerCard)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("ETag", `"`+reviewcast.SHA256(body)[:32]+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(append(body, '\n')))
}

// Outcomes of a tool call.
const (
	outcomeOK      = "ok"
	outcomeRefused = "refused" // the result has isError: arguments or names are wrong
	outcomeFailed  = "failed"  // internal error
)

// count makes the metrics and registers them, unless Config.Metrics is nil.
func (s *Server) count() {
	auto := promauto.With(s.config.Metrics)
	opts := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "reviewcast", Subsystem: "mcp", Name: name, Help: help}
	}
	gauge := func(name, help string, value func(totals) int) {
		auto.NewGaugeFunc(prometheus.GaugeOpts(opts(name, help)), func() float64 { return float64(value(s.sessions.totals())) })
	}
	gauge("sessions", "Sessions with a stream or subscriptions; others keep nothing in memory.", func(n totals) int { return n.sessions })
	gauge("streams", "Open streams.", func(n totals) int { return n.streams })
	gauge("subscriptions", "Subscriptions of all sessions and streams.", func(n totals) int { return n.subscriptions })
	s.calls = auto.NewCounterVec(prometheus.CounterOpts(opts("calls_total", "Tool calls, by tool and outcome.")), []string{"tool", "outcome"})
	s.refused = auto.NewCounterVec(prometheus.CounterOpts(opts("refused_total", "Requests answered with an error, by HTTP status.")), []string{"status"})
	for _, t := range tools { // a rate doesn't see the first event of a new counter
		for _, outcome := range []string{outcomeOK, outcomeRefused, outcomeFailed} {
			s.calls.WithLabelValues(t.name, outcome)
		}
	}
}
