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
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"

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
	config    Config
	views     views
	tools     map[string]*tool
	mcp       *mcp.Server
	sdk       http.Handler // the SDK's transport
	ids       *sessionIDs
	keyLoaded bool // the state's key seals ids; used by New and Run only
	sessions  *sessions
	metrics   *metrics
	identity  []byte // see identity
}

// New returns a server for c.
func New(c Config) (*Server, error) {
	if c.MaxSessions < 0 || c.Idle < 0 {
		return nil, fmt.Errorf("make MCP server: MaxSessions is %d and Idle is %s: they must not be negative", c.MaxSessions, c.Idle)
	}
	c.AllowOrigins = slices.Clone(c.AllowOrigins)
	for i, o := range c.AllowOrigins {
		if o == "*" {
			continue
		}
		origin, err := reviewcast.ParseBaseURL(o)
		if err != nil {
			return nil, fmt.Errorf("make MCP server: allow origin %q: %w", o, err)
		}
		c.AllowOrigins[i] = origin
	}
	c.MaxSessions, c.Idle = cmp.Or(c.MaxSessions, DefaultMaxSessions), cmp.Or(c.Idle, DefaultIdle)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	s := &Server{
		config: c, views: views{holder: c.Snapshots}, tools: map[string]*tool{}, ids: &sessionIDs{keys: [][]byte{newKey()}},
		sessions: &sessions{limit: c.MaxSessions, idle: c.Idle, byID: map[string]*session{}},
	}
	s.metrics = newMetrics(c.Metrics, s.sessions)
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
		SetCacheable:      freshness,
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
		s.mcp.AddTool(t.definition(), t.handler(s))
	}
	s.addResources()
	s.addPrompts()
	s.mcp.AddReceivingMiddleware(s.middleware)

	// Without the SDK's sessions, which take a goroutine and 7 KB each. Host is checked in checkOrigin.
	s.sdk = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxBody, DisableLocalhostProtection: true,
		PropagateRequestCancellation: true,
	})
}

// freshness sets how long clients of revision 2026-07-28 may cache: resources as long as a file, lists an hour.
func freshness(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.TTLMs = int(time.Hour.Milliseconds())
	if _, ok := req.GetParams().(*mcp.ReadResourceParams); ok {
		c.TTLMs = int(time.Minute.Milliseconds())
	}
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
