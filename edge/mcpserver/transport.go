package mcpserver

import (
	"errors"
	"fmt"
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
)

// ServeHTTP answers /mcp and /mcp/server-card.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path == reviewcast.PathServerCard {
		s.serveCard(w, r)
		return
	}
	if err := s.serve(w, r); err != nil {
		s.metrics.refused(err.status)
		err.write(w)
	}
}

// Refuse answers a request with an error that arose before the server saw it, such as
// a rate limit, with the same headers and in the same form as its own errors.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, status int, detail string, retryAfter time.Duration) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	err := s.checkOrigin(w, r)
	if err == nil {
		err = &rpcError{status: status, code: codeRequest, message: detail, retryAfter: retryAfter}
	}
	s.metrics.refused(err.status)
	err.write(w)
}

// serve answers a request, or returns the error to answer with.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) *rpcError {
	if err := s.checkOrigin(w, r); err != nil {
		return err
	}
	if strings.TrimSuffix(r.URL.Path, "/") != reviewcast.PathMCP {
		return &rpcError{status: http.StatusNotFound, code: codeRequest, message: "Nothing is here; the MCP server is at " + reviewcast.PathMCP + "."}
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
func (s *Server) endSession(r *http.Request, id sessionID) {
	s.ids.end(id.String(), id.expires)
	s.sessions.remove(id)
	if s.config.State == nil {
		return
	}
	if err := s.config.State.EndSession(r.Context(), id.String(), time.Now(), time.Unix(id.expires, 0)); err != nil {
		s.config.Logger.Warn("end of a session not stored; it stays valid at other edges", "error", err)
	}
}

// findSession checks the session id and the revision of a request.
func (s *Server) findSession(r *http.Request) (sessionID, *rpcError) {
	name := r.Header.Get(headerSession)
	if name == "" {
		return sessionID{}, &rpcError{status: http.StatusBadRequest, code: codeRequest,
			message: "Bad request: the " + headerSession + " header is missing. Call initialize first; the header is in its response."}
	}
	if v := r.Header.Get(headerVersion); v != "" && (v >= firstStateless || !slices.Contains(mcp.SupportedProtocolVersions(), v)) {
		return sessionID{}, &rpcError{status: http.StatusBadRequest, code: codeRequest,
			message: "Bad request: unsupported protocol version " + echo(v) + " in a session; supported are " + strings.Join(sessionVersions(), ", ") + "."}
	}
	id, ok := s.ids.open(name, time.Now())
	if !ok {
		return sessionID{}, &rpcError{status: http.StatusNotFound, code: codeSession,
			message: "Session not found: it has ended, has expired or never existed. Call initialize again, without the header."}
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
	e := b.era(r)
	decodeName(r.Header)
	var id sessionID
	m := b.call()
	opens := m != nil && m.method == "initialize"
	if e == stateful && !opens {
		if id, err = s.findSession(r); err != nil {
			if m != nil {
				err.id = m.id
			}
			return err
		}
	}
	if b.batch {
		return s.postBatch(w, r, b, id)
	}
	if m == nil {
		// JSON-RPC 2.0, section 4.1: notifications have no response, not even an error.
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	if m.method == "subscriptions/listen" && e == stateless {
		err = s.serveListen(w, r, m)
	} else {
		err = s.postCall(w, r, m, e, id)
	}
	if err != nil {
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
		return nil, &rpcError{status: http.StatusUnsupportedMediaType, code: codeRequest, message: "Content-Type must be application/json, in UTF-8."}
	case r.Header.Get("Content-Encoding") != "" && !strings.EqualFold(r.Header.Get("Content-Encoding"), "identity"):
		return nil, &rpcError{status: http.StatusUnsupportedMediaType, code: codeRequest, message: "The body must not be compressed: send no Content-Encoding."}
	case !accepts(r, reviewcast.MediaJSON):
		return nil, &rpcError{status: http.StatusNotAcceptable, code: codeRequest, message: "Accept must allow application/json and text/event-stream."}
	case r.ContentLength > MaxBody:
		return nil, tooLarge()
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, &rpcError{status: http.StatusBadRequest, code: codeRequest, message: "The body could not be read."}
	}
	return raw, nil
}

func tooLarge() *rpcError {
	return &rpcError{status: http.StatusRequestEntityTooLarge, code: codeRequest, message: "The body is larger than 1 MiB."}
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

// reply is a response to a call.
type reply struct {
	status int
	body   []byte // the JSON-RPC response
}

// answer answers a call. It is the only place that decides who does: this package, the
// fast path or the SDK.
func (s *Server) answer(r *http.Request, m *message, e era, id sessionID) (*reply, *rpcError) {
	if err := m.validate(e); err != nil {
		return nil, err
	}
	switch m.method {
	case "resources/subscribe", "resources/unsubscribe":
		if err := s.subscribe(r, id, m); err != nil {
			return nil, err
		}
		return &reply{status: http.StatusOK, body: append(appendEnvelope(nil, m.id), "{}}"...)}, nil
	case "tools/call":
		if re := s.answerFast(r, m, e); re != nil {
			return re, nil
		}
	}
	return s.callSDK(r, m)
}

// postCall answers a single call.
func (s *Server) postCall(w http.ResponseWriter, r *http.Request, m *message, e era, id sessionID) *rpcError {
	if m.method == "tools/call" {
		annotate(w, "tool", s.toolName(m))
	}
	re, err := s.answer(r, m, e, id)
	if err != nil {
		return err
	}
	if m.method == "initialize" && e == stateful {
		w.Header().Set(headerSession, s.ids.seal(time.Now()))
	}
	h := w.Header()
	h["Content-Type"] = []string{reviewcast.MediaJSON}
	h["Cache-Control"] = []string{"no-cache, no-transform"}
	h["Content-Length"] = []string{fmt.Sprint(len(re.body))}
	resp := newResponse(w, m)
	resp.WriteHeader(re.status)
	_, _ = resp.Write(re.body) // fails only if the client is gone
	return nil
}

// postBatch answers the calls of a batch, each by itself.
func (s *Server) postBatch(w http.ResponseWriter, r *http.Request, b *body, id sessionID) *rpcError {
	if v := r.Header.Get(headerVersion); v >= firstWithoutBatches {
		return &rpcError{status: http.StatusBadRequest, code: codeRequest,
			message: "JSON-RPC batching is not supported in " + firstWithoutBatches + " and later (request version: " + v + ")"}
	}
	var out []byte
	for i := range b.messages {
		m := &b.messages[i]
		if !m.isCall() {
			continue
		}
		re, err := s.answer(r, m, stateful, id)
		if err != nil {
			err.id = m.id
			re = &reply{body: err.body()}
		}
		out = append(append(out, ','), re.body...)
	}
	if out == nil {
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	out[0] = '['
	out = append(out, ']')
	h := w.Header()
	h["Content-Type"] = []string{reviewcast.MediaJSON}
	h["Cache-Control"] = []string{"no-cache, no-transform"}
	h["Content-Length"] = []string{fmt.Sprint(len(out))}
	_, _ = newResponse(w, nil).Write(out) // fails only if the client is gone
	return nil
}

// serveListen answers subscriptions/listen with a stream, which the SDK writes.
func (s *Server) serveListen(w http.ResponseWriter, r *http.Request, m *message) *rpcError {
	if err := m.validate(stateless); err != nil {
		return err
	}
	if !accepts(r, mediaStream) {
		return &rpcError{status: http.StatusNotAcceptable, code: codeRequest, message: "subscriptions/listen needs Accept: text/event-stream."}
	}
	release, err := s.listen(r, m)
	if err != nil {
		return err
	}
	defer release()
	resp := newResponse(w, m)
	defer resp.finish()
	s.sdk.ServeHTTP(resp, sdkRequest(r, m.withID(m.id)))
	return nil
}
