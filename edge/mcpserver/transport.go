package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// MaxBody is the largest request body in bytes. A tool call has a few hundred. The
// cap stops bodies that are sent to fill memory.
const MaxBody = 1 << 20

// The headers and methods of the transport.
const (
	headerSession  = "Mcp-Session-Id"
	headerVersion  = "Mcp-Protocol-Version"
	allowedMethods = "GET, POST, DELETE, OPTIONS"

	mediaStream = "text/event-stream"
	// firstStateless is the first revision without sessions.
	firstStateless = "2026-07-28"
)

// ServeHTTP answers /mcp and /mcp/server-card.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path == reviewcast.PathServerCard {
		s.serveCard(w, r)
		return
	}
	if err := s.serve(w, r); err != nil {
		err.write(w)
	}
}

// serve answers a request, or returns the error to answer with.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) *rpcError {
	if strings.TrimSuffix(r.URL.Path, "/") != reviewcast.PathMCP {
		return &rpcError{status: http.StatusNotFound, code: codeRequest, message: "Nothing is here; the MCP server is at " + reviewcast.PathMCP + "."}
	}
	if err := s.checkOrigin(w, r); err != nil {
		return err
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
	return &rpcError{status: http.StatusMethodNotAllowed, code: codeRequest, allow: allowedMethods,
		message: "This path has the methods " + allowedMethods + "."}
}

// session answers GET, which opens the stream of a session, and DELETE, which ends
// the session.
func (s *Server) session(w http.ResponseWriter, r *http.Request) *rpcError {
	if r.Method == http.MethodGet && !accepts(r, mediaStream) {
		return &rpcError{status: http.StatusNotAcceptable, code: codeRequest,
			message: "This is an MCP server. GET opens the stream of a session and needs Accept: text/event-stream; calls are made with POST."}
	}
	if r.Header.Get(headerSession) == "" && r.Header.Get(headerVersion) >= firstStateless {
		return &rpcError{status: http.StatusMethodNotAllowed, code: codeRequest, allow: "POST, OPTIONS",
			message: "Revision " + firstStateless + " has POST only; subscriptions/listen opens a stream."}
	}
	session, release, err := s.findSession(r, nil)
	if err != nil {
		return err
	}
	defer release()
	if r.Method == http.MethodDelete {
		defer s.sessions.remove(session)
	}
	r.Header.Set("Accept", mediaStream)
	s.forward(w, r, s.stateful, nil)
	return nil
}

// findSession returns the session that a request names. The session stays open until
// release is called. id is the id of the call, for the error.
func (s *Server) findSession(r *http.Request, id jsontext.Value) (_ *session, release func(), _ *rpcError) {
	name := r.Header.Get(headerSession)
	if name == "" {
		return nil, nil, &rpcError{status: http.StatusBadRequest, id: id, code: codeRequest,
			message: "Bad request: the " + headerSession + " header is missing. Call initialize first; the header is in its response."}
	}
	session, release, ok := s.sessions.acquire(name)
	if !ok {
		return nil, nil, &rpcError{status: http.StatusNotFound, id: id, code: codeSession,
			message: "Session not found: it has ended or never existed. Call initialize again, without the header."}
	}
	return session, release, nil
}

// post answers POST.
func (s *Server) post(w http.ResponseWriter, r *http.Request) *rpcError {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != reviewcast.MediaJSON {
		return &rpcError{status: http.StatusUnsupportedMediaType, code: codeRequest, message: "Content-Type must be application/json."}
	}
	if !accepts(r, reviewcast.MediaJSON) {
		return &rpcError{status: http.StatusNotAcceptable, code: codeRequest, message: "Accept must allow application/json and text/event-stream."}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return &rpcError{status: http.StatusRequestEntityTooLarge, code: codeRequest, message: "The body is larger than 1 MiB."}
		}
		return &rpcError{status: http.StatusBadRequest, code: codeRequest, message: "The body could not be read."}
	}
	b, refused := parseBody(raw)
	if refused != nil {
		return refused
	}
	e := b.era(r)
	for i := range b.messages {
		m := &b.messages[i]
		if m.isCall() {
			if err := m.validate(e); err != nil {
				return err
			}
		} else if m.method != "" && !strings.HasPrefix(m.method, "notifications/") || m.method == "notifications/message" {
			// JSON-RPC 2.0, section 4.1: errors in notifications are not reported.
			w.WriteHeader(http.StatusAccepted)
			return nil
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	if e == stateless {
		return s.postStateless(w, r, b)
	}
	return s.postSession(w, r, b)
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

// postStateless answers a call without a session.
func (s *Server) postStateless(w http.ResponseWriter, r *http.Request, b *body) *rpcError {
	m := b.call()
	if m != nil && m.method == "subscriptions/listen" {
		if !accepts(r, mediaStream) {
			return &rpcError{status: http.StatusNotAcceptable, id: m.id, code: codeRequest, message: "subscriptions/listen needs Accept: text/event-stream."}
		}
		release, wait, ok := s.sessions.reserve(time.Now())
		if !ok {
			return sessionsFull(m.id, wait)
		}
		defer release()
	}
	if !s.answerFast(w, r, m, stateless) {
		s.forward(w, r, s.stateless, m)
	}
	return nil
}

// postSession answers a call in a session, or initialize, which opens one.
func (s *Server) postSession(w http.ResponseWriter, r *http.Request, b *body) *rpcError {
	m := b.call()
	if m != nil && m.method == "initialize" && r.Header.Get(headerSession) == "" {
		release, wait, ok := s.sessions.reserve(time.Now())
		if !ok {
			return sessionsFull(m.id, wait)
		}
		defer release()
		s.forward(w, r, s.stateful, m)
		return nil
	}
	var id jsontext.Value
	if m != nil {
		id = m.id
	}
	_, release, err := s.findSession(r, id)
	if err != nil {
		return err
	}
	defer release()
	if !s.answerFast(w, r, m, stateful) {
		s.forward(w, r, s.stateful, m)
	}
	return nil
}

func sessionsFull(id jsontext.Value, wait time.Duration) *rpcError {
	return &rpcError{status: http.StatusServiceUnavailable, id: id, code: codeRequest, retryAfter: wait,
		message: "All sessions are taken. Retry-After says when to try again."}
}

// forward passes a request to one of the SDK's handlers. m is the call in it, nil
// for a batch or a stream.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, to http.Handler, m *message) {
	if r.Method == http.MethodPost {
		// The SDK requires both media types, whatever it answers with.
		r.Header["Accept"] = []string{reviewcast.MediaJSON + ", " + mediaStream}
	}
	resp := newResponse(w, m)
	defer resp.finish()
	to.ServeHTTP(resp, r)
}
