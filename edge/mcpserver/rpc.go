package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
)

// Codes of JSON-RPC errors that the protocol doesn't define but other servers use.
const (
	codeRequest = -32000 // the HTTP request can't be served, or nothing is published yet
	codeSession = -32001 // the session doesn't exist
)

// rpcError is why a request is refused, and the JSON-RPC error that answers it.
type rpcError struct {
	status     int            // of HTTP
	id         jsontext.Value // of the request, as received; nil when unknown
	wire       jsonrpc.Error
	allow      string        // 405
	retryAfter time.Duration // 429, 503
}

// fail is an error in what a message asks for.
func fail(status int, code int64, format string, args ...any) *rpcError {
	return &rpcError{status: status, wire: jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// reject is an error of the HTTP request.
func reject(status int, format string, args ...any) *rpcError {
	return fail(status, codeRequest, format, args...)
}

func (e *rpcError) body() []byte {
	body, _ := json.Marshal(struct { // the id, null if it is nil, and the data are valid JSON, and the message is valid UTF-8
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   jsonrpc.Error  `json:"error"`
	}{"2.0", e.id, e.wire})
	return body
}

// answerError counts and sends an error, if there is one.
func (s *Server) answerError(w http.ResponseWriter, err *rpcError) {
	if err == nil {
		return
	}
	s.refused.WithLabelValues(strconv.Itoa(err.status)).Inc()
	if err.allow != "" {
		w.Header().Set("Allow", err.allow)
	}
	if err.retryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(math.Ceil(err.retryAfter.Seconds())))
	}
	respond(w, err.status, "no-store", append(err.body(), '\n'))
}

const (
	// writeTimeout is how long a client may take to read a write, plus one second for each minRate bytes.
	writeTimeout = 30 * time.Second
	minRate      = 16 << 10
)

func respond(w http.ResponseWriter, status int, cache string, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{reviewcast.MediaJSON}
	h["Cache-Control"] = []string{cache}
	h["Content-Length"] = []string{fmt.Sprint(len(body))}
	setDeadline(w, len(body))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client is gone
}

func setDeadline(w http.ResponseWriter, n int) {
	// A writer that has no deadlines needs none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout + time.Duration(n/minRate)*time.Second))
}

// appendEnvelope appends the beginning of a response, up to the result.
func appendEnvelope(b []byte, id jsontext.Value) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	return append(b, `,"result":`...)
}

func appendQuoted[T ~string | ~[]byte](b []byte, text T) []byte {
	b, _ = jsontext.AppendQuote(b, text) // all that is published is UTF-8
	return b
}

// callTool answers a tool call as the SDK would, which a test compares. It takes a third of the time: the SDK decodes
// each message several times into 32 KiB of new memory and encodes the result three times.
func (s *Server) callTool(ctx context.Context, t *tool, m *message, e era) []byte {
	answer, failure := s.run(ctx, t, m.params["arguments"])
	b := make([]byte, 0, 5*len(answer)/2+512)
	b = append(appendEnvelope(b, m.id), '{')
	end := `}}`
	if e == stateless {
		b = append(append(b, `"_meta":{"`+mcp.MetaKeyServerInfo+`":`...), s.identity...)
		b = append(b, "},"...)
		end = `,"resultType":"complete"}}`
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	if failure != "" {
		b = append(appendQuoted(b, failure), `}],"isError":true`...)
	} else {
		b = append(appendQuoted(b, answer), `}],"structuredContent":`...)
		b = append(b, answer...)
	}
	return append(b, end...)
}

// supported reports whether the SDK would accept the call in its plainest form. The SDK judges the rest.
func supported(r *http.Request, m *message, e era) bool {
	if len(r.Header["Last-Event-Id"]) > 0 {
		return false
	}
	if e == stateful {
		version := r.Header.Get(headerVersion)
		return version == "" || slices.Contains(sessionVersions, version)
	}
	is := func(header, value string) bool { return len(r.Header[header]) == 1 && r.Header[header][0] == value }
	return is(headerVersion, firstStateless) && is("Mcp-Method", m.method) && is(headerName, stringOf(m.params["name"])) &&
		stringOf(m.meta.Version) == firstStateless && valid[mcp.ClientCapabilities](m.meta.Capabilities) &&
		(m.meta.Client == nil || valid[mcp.Implementation](m.meta.Client))
}

// valid reports whether raw is an object of a type of the protocol.
func valid[T any](raw jsontext.Value) bool {
	return string(raw) == "{}" || raw.Kind() == '{' && json.Unmarshal(raw, new(T)) == nil
}

// capture is a response in memory.
type capture struct {
	bytes.Buffer // the body
	header       http.Header
	status       int // 0 is 200
}

func (c *capture) Header() http.Header    { return c.header }
func (c *capture) WriteHeader(status int) { c.status = cmp.Or(c.status, status) }

// callSDK has the SDK answer a call under the id 1, because it decodes ids to floating-point numbers.
func (s *Server) callSDK(r *http.Request, m *message) ([]byte, *rpcError) {
	call := appendQuoted([]byte(`{"jsonrpc":"2.0","id":1,"method":`), m.method)
	if m.raw != nil {
		call = append(append(call, `,"params":`...), m.raw...)
	}
	call = append(call, '}')
	to := r.Clone(r.Context())
	to.Header.Del(headerSession)
	to.Header.Set("Content-Type", reviewcast.MediaJSON)
	// The SDK requires both media types, whatever it answers with.
	to.Header["Accept"] = []string{reviewcast.MediaJSON + ", " + mediaStream}
	to.Body, to.ContentLength = io.NopCloser(bytes.NewReader(call)), int64(len(call))
	c := &capture{header: http.Header{}}
	s.sdk.ServeHTTP(c, to)
	media, body, status := c.header.Get("Content-Type"), c.Bytes(), cmp.Or(c.status, http.StatusOK)
	if status >= 400 && !strings.HasPrefix(media, reviewcast.MediaJSON) {
		return nil, reject(status, "%s", clientMessage(strings.TrimSpace(string(body)), m.method))
	}
	if media == mediaStream { // of subscriptions/listen
		body = body[bytes.LastIndex(body, []byte("data: "))+len("data: "):]
	}
	var answer struct {
		Result jsontext.Value `json:"result"`
		Error  *jsonrpc.Error `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		s.config.Logger.Error("response of the SDK is not JSON", "method", m.method, "status", status, "error", err)
		return nil, fail(http.StatusInternalServerError, jsonrpc.CodeInternalError, "Internal error; it has been logged.")
	}
	if e := answer.Error; e != nil {
		refused := fail(status, cmp.Or(e.Code, jsonrpc.CodeInvalidParams), "%s", clientMessage(e.Message, m.method))
		const maxErrorData = 1 << 10 // bytes, which may repeat the client's input
		if len(e.Data) <= maxErrorData {
			refused.wire.Data = e.Data
		}
		return nil, refused
	}
	return append(append(appendEnvelope(nil, m.id), answer.Result...), '}'), nil
}

// decodeName decodes an Mcp-Name header in base64, which revision 2026-07-28 allows; the SDK doesn't.
func decodeName(h http.Header) {
	encoded, begun := strings.CutPrefix(h.Get(headerName), "=?base64?")
	encoded, ended := strings.CutSuffix(encoded, "?=")
	if name, err := base64.StdEncoding.DecodeString(encoded); begun && ended && err == nil {
		h.Set(headerName, string(name))
	}
}

// internalError matches errors of decoders, which name Go types.
var internalError = regexp.MustCompile(`json|unmarshal|\bGo |mcp\.|jsonrpc2|invalid character|decoding`)

// clientMessage is an error message of the SDK as clients see it.
func clientMessage(text, method string) string {
	const maxErrorText = 300 // bytes, which may repeat the client's input
	if len(text) > maxErrorText || internalError.MatchString(text) {
		return "Invalid params for " + echo(method) + ": a member has the wrong type or form."
	}
	return text
}
