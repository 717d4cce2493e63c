package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// MaxBody is the largest body of a request, in bytes: a call of a tool has a few
// hundred. It stops bodies that are sent to fill memory.
const MaxBody = 1 << 20

// The headers and methods of the transport.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	allowed       = "GET, POST, DELETE, OPTIONS"

	mediaStream = "text/event-stream"
	// sessionless is the first revision without sessions.
	sessionless = "2026-07-28"
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

// serve answers a request or returns why it didn't.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) *fault {
	if strings.TrimSuffix(r.URL.Path, "/") != reviewcast.PathMCP {
		return &fault{status: http.StatusNotFound, code: codeRequest, message: "Nothing is here; the MCP server is at " + reviewcast.PathMCP + "."}
	}
	if f := s.admit(w, r); f != nil {
		return f
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
	return &fault{status: http.StatusMethodNotAllowed, code: codeRequest, allow: allowed,
		message: "This path has the methods " + allowed + "."}
}

// session answers GET, which opens a session's stream, and DELETE, which ends it.
func (s *Server) session(w http.ResponseWriter, r *http.Request) *fault {
	if r.Method == http.MethodGet && !accepts(r, mediaStream) {
		return &fault{status: http.StatusNotAcceptable, code: codeRequest,
			message: "This is an MCP server. GET opens the stream of a session and needs Accept: text/event-stream; calls are made with POST."}
	}
	if r.Header.Get(headerSession) == "" && r.Header.Get(headerVersion) >= sessionless {
		return &fault{status: http.StatusMethodNotAllowed, code: codeRequest, allow: "POST, OPTIONS",
			message: "Revision " + sessionless + " has POST only; subscriptions/listen opens a stream."}
	}
	session, done, f := s.find(r, nil)
	if f != nil {
		return f
	}
	defer done()
	if r.Method == http.MethodDelete {
		defer s.sessions.end(session)
	}
	r.Header.Set("Accept", mediaStream)
	s.forward(w, r, s.stateful, nil)
	return nil
}

// find finds the session that a request names.
func (s *Server) find(r *http.Request, id jsontext.Value) (*session, func(), *fault) {
	name := r.Header.Get(headerSession)
	if name == "" {
		return nil, nil, &fault{status: http.StatusBadRequest, id: id, code: codeRequest,
			message: "Bad request: the " + headerSession + " header is missing. Call initialize first; its answer carries the header."}
	}
	session, done, ok := s.sessions.use(name)
	if !ok {
		return nil, nil, &fault{status: http.StatusNotFound, id: id, code: codeSession,
			message: "Session not found: it has ended or never was. Call initialize again, without the header."}
	}
	return session, done, nil
}

// post answers POST.
func (s *Server) post(w http.ResponseWriter, r *http.Request) *fault {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != reviewcast.MediaJSON {
		return &fault{status: http.StatusUnsupportedMediaType, code: codeRequest, message: "Content-Type must be application/json."}
	}
	if !accepts(r, reviewcast.MediaJSON) {
		return &fault{status: http.StatusNotAcceptable, code: codeRequest, message: "Accept must allow application/json and text/event-stream."}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return &fault{status: http.StatusRequestEntityTooLarge, code: codeRequest, message: "The body is larger than 1 MiB."}
		}
		return &fault{status: http.StatusBadRequest, code: codeRequest, message: "The body could not be read."}
	}
	b, f := parseBody(raw)
	if f != nil {
		return f
	}
	modern := b.modern(r)
	for i := range b.messages {
		m := &b.messages[i]
		if m.call() {
			if f := m.known(modern); f != nil {
				return f
			}
		} else if m.method != "" && !strings.HasPrefix(m.method, "notifications/") || m.method == "notifications/message" {
			// JSON-RPC 2.0, section 4.1: nobody is told of an error in a notification.
			w.WriteHeader(http.StatusAccepted)
			return nil
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	if modern {
		return s.postModern(w, r, b)
	}
	return s.postSession(w, r, b)
}

// modern tells whether a body is of the revision without sessions: by the header, or
// by what the call itself says when the header is missing (and then the SDK asks for
// it).
func (b *body) modern(r *http.Request) bool {
	if r.Header.Get(headerSession) != "" {
		return false
	}
	if version := r.Header.Get(headerVersion); version != "" {
		return version >= sessionless
	}
	if m := b.call(); m != nil && bytes.Contains(m.Params, []byte("io.modelcontextprotocol/protocolVersion")) {
		var params struct {
			Meta struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		}
		return json.Unmarshal(m.Params, &params) == nil && params.Meta.Version >= sessionless
	}
	return false
}

// postModern answers a call without a session.
func (s *Server) postModern(w http.ResponseWriter, r *http.Request, b *body) *fault {
	m := b.call()
	if m != nil && m.method == "subscriptions/listen" {
		if !accepts(r, mediaStream) {
			return &fault{status: http.StatusNotAcceptable, id: m.ID, code: codeRequest, message: "subscriptions/listen needs Accept: text/event-stream."}
		}
		release, wait, ok := s.sessions.hold(time.Now())
		if !ok {
			return full(m.ID, wait)
		}
		defer release()
	}
	if !s.quick(w, r, m, true) {
		s.forward(w, r, s.stateless, m)
	}
	return nil
}

// postSession answers a call of a session, or the one that opens it.
func (s *Server) postSession(w http.ResponseWriter, r *http.Request, b *body) *fault {
	m := b.call()
	if m != nil && m.method == "initialize" && r.Header.Get(headerSession) == "" {
		release, wait, ok := s.sessions.hold(time.Now())
		if !ok {
			return full(m.ID, wait)
		}
		defer release()
		s.forward(w, r, s.stateful, m)
		return nil
	}
	var id jsontext.Value
	if m != nil {
		id = m.ID
	}
	_, done, f := s.find(r, id)
	if f != nil {
		return f
	}
	defer done()
	if !s.quick(w, r, m, false) {
		s.forward(w, r, s.stateful, m)
	}
	return nil
}

func full(id jsontext.Value, wait time.Duration) *fault {
	return &fault{status: http.StatusServiceUnavailable, id: id, code: codeRequest, retryAfter: wait,
		message: "All sessions are taken. Retry-After says when to try again."}
}

// forward has the SDK answer. m is the call that is answered, if it is one.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, to http.Handler, m *message) {
	if r.Method == http.MethodPost {
		// The SDK insists on both names, whatever it answers with.
		r.Header["Accept"] = []string{reviewcast.MediaJSON + ", " + mediaStream}
	}
	a := newAnswer(w, m)
	defer a.finish()
	to.ServeHTTP(a, r)
}
