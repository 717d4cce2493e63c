package mcpserver

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
)

// MaxBody is the largest request body in bytes. A tool call has a few hundred. The
// cap stops bodies that are sent to fill memory.
const MaxBody = 1 << 20

// The headers and methods of the transport.
const (
	headerSession  = "Mcp-Session-Id"
	headerVersion  = "Mcp-Protocol-Version"
	headerName     = "Mcp-Name"
	allowedMethods = "GET, POST, DELETE, OPTIONS"

	mediaStream = "text/event-stream"
	// firstStateless is the first revision without sessions.
	firstStateless = "2026-07-28"
	// firstWithoutBatches is the first revision without batches.
	firstWithoutBatches = "2025-06-18"

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
	if err != nil {
		s.metrics.refused(err.status)
		err.write(w)
	}
}

// Refuse answers a request with an error that arose before the server saw it, such as
// a rate limit, with the same headers and in the same form as its own errors.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, status int, detail string, retryAfter time.Duration) {
	err := s.checkOrigin(w, r)
	if err == nil {
		err = reject(status, "%s", detail)
		err.retryAfter = retryAfter
	}
	s.metrics.refused(err.status)
	err.write(w)
}

// serve answers a request, or returns the error to answer with.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) *rpcError {
	if strings.TrimSuffix(r.URL.Path, "/") != reviewcast.PathMCP {
		return reject(http.StatusNotFound, "Nothing is here; the MCP server is at %s.", reviewcast.PathMCP)
	}
	switch r.Method {
	case http.MethodOptions:
		preflight(w)
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

// session answers GET, which opens the stream of a session, and DELETE, which ends
// the session.
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
	expires := expiry(id)
	s.ids.end(id, expires)
	s.sessions.end(id)
	if s.config.State == nil {
		return
	}
	if err := s.config.State.EndSession(r.Context(), id, time.Now(), expires); err != nil {
		s.config.Logger.Warn("end of a session not stored; it stays valid at other edges", "error", err)
	}
}

// findSession returns the session id of a request after checking it and the revision.
func (s *Server) findSession(r *http.Request) (string, *rpcError) {
	id := r.Header.Get(headerSession)
	if id == "" {
		return "", reject(http.StatusBadRequest, "Bad request: the %s header is missing. Call initialize first; the header is in its response.", headerSession)
	}
	if v := r.Header.Get(headerVersion); v != "" && !slices.Contains(sessionVersions(), v) {
		return "", reject(http.StatusBadRequest, "Bad request: unsupported protocol version %s in a session; supported are %s.",
			echo(v), strings.Join(sessionVersions(), ", "))
	}
	if !s.ids.valid(id, time.Now()) {
		return "", fail(http.StatusNotFound, codeSession,
			"Session not found: it has ended, has expired or never existed. Call initialize again, without the header.")
	}
	s.sessions.used(id)
	return id, nil
}

// sessionVersions lists the revisions with sessions.
func sessionVersions() []string {
	return slices.DeleteFunc(slices.Clone(mcp.SupportedProtocolVersions()), func(v string) bool { return v >= firstStateless })
}

// post answers POST.
func (s *Server) post(w http.ResponseWriter, r *http.Request) *rpcError {
	raw, err := readBody(w, r)
	if err != nil {
		return err
	}
	b, err := parseBody(raw)
	if err != nil {
		return err
	}
	e, m := b.era(r), b.call()
	decodeName(r.Header)
	var id string
	if opens := m != nil && m.method == "initialize"; e == stateful && !opens {
		id, err = s.findSession(r)
	}
	switch {
	case err != nil:
	case b.batch:
		return s.postBatch(w, r, b, id)
	case m == nil:
		// JSON-RPC 2.0, section 4.1: notifications have no response, not even an error.
		w.WriteHeader(http.StatusAccepted)
		return nil
	case m.method == "subscriptions/listen" && e == stateless:
		err = s.serveListen(w, r, m)
	default:
		err = s.postCall(w, r, m, e, id)
	}
	if err != nil && m != nil {
		err.id = m.id
	}
	return err
}

// readBody reads the body of a POST request after checking its headers.
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

// era is the era of a body, by its header. Without the header it is what the call
// itself names; the SDK then asks for the header.
func (b *body) era(r *http.Request) era {
	version := r.Header.Get(headerVersion)
	if m := b.call(); version == "" && m != nil {
		version = m.meta.version()
	}
	if r.Header.Get(headerSession) == "" && version >= firstStateless {
		return stateless
	}
	return stateful
}

// answer answers a call with the JSON-RPC response. It is the only place that decides
// who does: this package, the fast path or the SDK.
func (s *Server) answer(r *http.Request, m *message, e era, id string) ([]byte, *rpcError) {
	if err := m.validate(e); err != nil {
		return nil, err
	}
	switch m.method {
	case "resources/subscribe", "resources/unsubscribe":
		if err := s.subscribe(r, id, m); err != nil {
			return nil, err
		}
		return append(appendEnvelope(nil, m.id), "{}}"...), nil
	case "tools/call":
		if t := s.tools[stringOf(m.params["name"])]; t != nil && supported(r, m, e) {
			return s.callTool(t, m, e), nil
		}
	}
	return s.callSDK(r, m)
}

// postCall answers a single call.
func (s *Server) postCall(w http.ResponseWriter, r *http.Request, m *message, e era, id string) *rpcError {
	if m.method == "tools/call" {
		annotate(w, "tool", s.toolName(m))
	}
	body, err := s.answer(r, m, e, id)
	if err != nil {
		return err
	}
	if m.method == "initialize" && e == stateful {
		w.Header().Set(headerSession, s.ids.seal(time.Now()))
	}
	respond(w, http.StatusOK, cacheNever, body)
	return nil
}

// postBatch answers the calls of a batch, each by itself.
func (s *Server) postBatch(w http.ResponseWriter, r *http.Request, b *body, id string) *rpcError {
	if v := r.Header.Get(headerVersion); v >= firstWithoutBatches {
		return reject(http.StatusBadRequest, "JSON-RPC batching is not supported in %s and later (request version: %s)", firstWithoutBatches, v)
	}
	var out []byte
	for i := range b.messages {
		m := &b.messages[i]
		if !m.isCall() {
			continue
		}
		one, err := s.answer(r, m, stateful, id)
		if err != nil {
			err.id = m.id
			one = err.body()
		}
		out = append(append(out, ','), one...)
	}
	if out == nil {
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	out[0] = '['
	respond(w, http.StatusOK, cacheNever, append(out, ']'))
	return nil
}
