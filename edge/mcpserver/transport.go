package mcpserver

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
)

// MaxBody is the largest request body in bytes. A tool call has a few hundred.
const MaxBody = 1 << 20

// The headers and methods of the transport.
const (
	headerSession  = "Mcp-Session-Id"
	headerVersion  = "Mcp-Protocol-Version"
	headerName     = "Mcp-Name"
	allowedMethods = "GET, POST, DELETE, OPTIONS"

	mediaStream         = "text/event-stream"
	firstStateless      = "2026-07-28" // the first revision without sessions
	firstWithoutBatches = "2025-06-18" // the first revision without batches

	cacheNever = "no-cache, no-transform"
)

// ServeHTTP answers /mcp and /mcp/server-card.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == reviewcast.PathServerCard {
		s.serveCard(w, r)
		return
	}
	err := s.checkOrigin(w, r)
	if err == nil {
		err = s.serve(w, r)
	}
	s.answerError(w, err)
}

// Refuse answers a request with an error that arose before the server saw it, such as
// a rate limit, with the same headers and in the same form as its own errors.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, status int, detail string, retryAfter time.Duration) {
	refused := &rpcError{status: status, wire: jsonrpc.Error{Code: codeRequest, Message: detail}, retryAfter: retryAfter}
	s.answerError(w, cmp.Or(s.checkOrigin(w, r), refused))
}

// serve answers a request, or returns the error to answer with.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) *rpcError {
	if strings.TrimSuffix(r.URL.Path, "/") != reviewcast.PathMCP {
		return reject(http.StatusNotFound, "Nothing is here; the MCP server is at %s.", reviewcast.PathMCP)
	}
	switch r.Method {
	case http.MethodOptions:
		h := w.Header()
		h.Set("Allow", allowedMethods)
		h.Set("Access-Control-Allow-Methods", allowedMethods)
		h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, "+headerVersion+", "+headerSession)
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return nil
	case http.MethodPost:
		return s.post(w, r)
	case http.MethodGet, http.MethodDelete:
		return s.session(w, r)
	}
	err := reject(http.StatusMethodNotAllowed, "This path has the methods %s.", allowedMethods)
	err.allow = allowedMethods
	return err
}

func (s *Server) session(w http.ResponseWriter, r *http.Request) *rpcError {
	if r.Method == http.MethodGet && !accepts(r, mediaStream) {
		return reject(http.StatusNotAcceptable,
			"This is an MCP server. GET opens the stream of a session and needs Accept: text/event-stream; calls are made with POST.")
	}
	if r.Header.Get(headerSession) == "" && r.Header.Get(headerVersion) >= firstStateless {
		err := reject(http.StatusMethodNotAllowed, "Revision %s has POST only; subscriptions/listen opens a stream.", firstStateless)
		err.allow = "POST, OPTIONS"
		return err
	}
	id, err := s.findSession(r)
	if err != nil {
		return err
	}
	if r.Method == http.MethodGet {
		return s.serveStream(w, r, id)
	}
	s.endSession(r, id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// endSession ends a session here and, by the state, at the other edges.
func (s *Server) endSession(r *http.Request, id string) {
	expires := s.ids.end(id)
	s.sessions.end(id)
	if s.config.State == nil {
		return
	}
	state, err := s.config.State()
	if err == nil {
		err = state.EndSession(r.Context(), id, time.Now(), expires)
	}
	if err != nil {
		s.config.Logger.Warn("end of a session not stored; it stays valid at other edges", "error", err)
	}
}

// findSession returns the session id of a request after checking it and the revision.
func (s *Server) findSession(r *http.Request) (string, *rpcError) {
	id := r.Header.Get(headerSession)
	if id == "" {
		return "", reject(http.StatusBadRequest, "Bad request: the %s header is missing. Call initialize first; the header is in its response.", headerSession)
	}
	if v := r.Header.Get(headerVersion); v != "" && !slices.Contains(sessionVersions, v) {
		return "", reject(http.StatusBadRequest, "Bad request: unsupported protocol version %s in a session; supported are %s.",
			echo(v), strings.Join(sessionVersions, ", "))
	}
	if !s.ids.valid(id, time.Now()) {
		return "", fail(http.StatusNotFound, codeSession,
			"Session not found: it has ended, has expired or never existed. Call initialize again, without the header.")
	}
	s.sessions.used(id)
	return id, nil
}

var sessionVersions = slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool { return v >= firstStateless })

// post answers POST: the calls of a body, each by itself.
func (s *Server) post(w http.ResponseWriter, r *http.Request) *rpcError {
	raw, err := readBody(w, r)
	if err != nil {
		return err
	}
	messages, batch, err := parseBody(raw)
	if err != nil {
		return err
	}
	first := &messages[0]
	version := r.Header.Get(headerVersion)
	e := stateful
	if r.Header.Get(headerSession) == "" && cmp.Or(version, stringOf(first.meta.Version)) >= firstStateless {
		e = stateless
	}
	opens := !batch && first.isCall() && first.method == "initialize"
	var id string
	if e == stateful && !opens {
		if id, err = s.findSession(r); err != nil {
			if !batch {
				err.id = first.id
			}
			return err
		}
	}
	if batch && version >= firstWithoutBatches {
		return reject(http.StatusBadRequest, "JSON-RPC batching is not supported in %s and later (request version: %s)", firstWithoutBatches, version)
	}
	decodeName(r.Header)
	var answers [][]byte
	for i := range messages {
		m := &messages[i]
		if !m.isCall() {
			continue // JSON-RPC 2.0, section 4.1: notifications have no response, not even an error
		}
		answer, err := []byte(nil), m.wrong
		if err == nil {
			answer, err = s.answer(w, r, m, e, id)
		}
		if err != nil {
			if err.id = m.id; !batch {
				return err
			}
			answer = err.body()
		} else if answer == nil {
			return nil // a stream, which has ended
		}
		answers = append(answers, answer)
	}
	if opens && e == stateful {
		w.Header().Set(headerSession, s.ids.seal(time.Now()))
	}
	switch {
	case answers == nil:
		w.WriteHeader(http.StatusAccepted)
	case batch:
		respond(w, http.StatusOK, cacheNever, slices.Concat([]byte("["), bytes.Join(answers, []byte(",")), []byte("]")))
	default:
		respond(w, http.StatusOK, cacheNever, answers[0])
	}
	return nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *rpcError) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	switch {
	case err != nil || media != reviewcast.MediaJSON, charset != "" && !strings.EqualFold(charset, "utf-8"):
		return nil, reject(http.StatusUnsupportedMediaType, "Content-Type must be application/json, in UTF-8.")
	case r.Header.Get("Content-Encoding") != "" && !strings.EqualFold(r.Header.Get("Content-Encoding"), "identity"):
		return nil, reject(http.StatusUnsupportedMediaType, "The body must not be compressed: send no Content-Encoding.")
	case !accepts(r, reviewcast.MediaJSON):
		return nil, reject(http.StatusNotAcceptable, "Accept must allow application/json and text/event-stream.")
	case r.ContentLength > MaxBody:
		return nil, tooLarge()
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, reject(http.StatusBadRequest, "The body could not be read.")
	}
	return raw, nil
}

func tooLarge() *rpcError {
	return reject(http.StatusRequestEntityTooLarge, "The body is larger than 1 MiB.")
}

// answer answers a call, or serves a stream and returns nil. Only here it is decided who does.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, m *message, e era, id string) ([]byte, *rpcError) {
	if err := m.validate(e); err != nil {
		return nil, err
	}
	switch m.method {
	case "subscriptions/listen":
		return nil, s.serveListen(w, r, m)
	case "resources/subscribe", "resources/unsubscribe":
		return append(appendEnvelope(nil, m.id), "{}}"...), s.subscribe(r, id, m)
	case "tools/call":
		name := stringOf(m.params["name"])
		t := s.tools[name]
		if t == nil {
			name = "unknown" // the client made it up
		}
		if log, ok := w.(interface{ Annotate(name, value string) }); ok {
			log.Annotate("tool", name)
		}
		if t != nil && supported(r, m, e) {
			return s.callTool(r.Context(), t, m, e), nil
		}
	}
	return s.callSDK(r, m)
}

// checkOrigin checks Host and Origin and sets the CORS headers. The checks stop a page of another site from reaching,
// through its visitor's browser, a server that only the visitor can reach (DNS rebinding).
func (s *Server) checkOrigin(w http.ResponseWriter, r *http.Request) *rpcError {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Origin")
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	local := addr != nil && loopback(addr.String())
	if local && !loopback(r.Host) && !strings.EqualFold("https://"+r.Host, s.config.BaseURL) && !strings.EqualFold("http://"+r.Host, s.config.BaseURL) {
		return reject(http.StatusForbidden, "Forbidden: this listener is for the local machine, and the Host header names another one.")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		// A page that this listener served may use it under any of its names.
		if own := local && loopback(r.Host) && strings.EqualFold(origin, "http://"+r.Host); !own && !s.allows(origin) {
			return reject(http.StatusForbidden, "Forbidden: pages of this origin may not use this server (--mcp-allow-origin names the origins that may).")
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", headerSession+", "+headerVersion+", Retry-After")
	}
	return nil
}

// allows reports whether pages of an origin may use the server.
func (s *Server) allows(origin string) bool {
	origin = strings.ToLower(origin)
	return origin == s.config.BaseURL || slices.Contains(s.config.AllowOrigins, origin) || slices.Contains(s.config.AllowOrigins, "*")
}

// loopback reports whether a host, with or without port, is the local machine.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// accepts reports whether Accept allows a media type; without it all are (RFC 9110, section 12.5.1).
func accepts(r *http.Request, media string) bool {
	lines := r.Header["Accept"]
	if len(lines) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for part := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		got, params, err := mime.ParseMediaType(part)
		excluded := params["q"] != "" && strings.Trim(params["q"], "0.") == "" // a weight of zero, such as 0.000
		if err == nil && !excluded && (got == media || got == kind+"/*" || got == "*/*") {
			return true
		}
	}
	return false
}
