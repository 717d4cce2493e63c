package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"reviewcast"
)

type capture struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (c *capture) Header() http.Header { return c.header }

func (c *capture) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

func (c *capture) Write(p []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	return c.body.Write(p)
}

// callSDK has the SDK answer a call under the id 1, because it decodes ids to floating-point numbers.
func (s *Server) callSDK(r *http.Request, m *message) ([]byte, *rpcError) {
	c := &capture{header: http.Header{}}
	s.sdk.ServeHTTP(c, sdkRequest(r, m.withID(`1`)))
	media, body := c.header.Get("Content-Type"), c.body.Bytes()
	if c.status >= 400 && !strings.HasPrefix(media, reviewcast.MediaJSON) {
		return nil, reject(c.status, "%s", clientMessage(strings.TrimSpace(string(body)), m.method))
	}
	if media == mediaStream { // of subscriptions/listen
		body = body[bytes.LastIndex(body, []byte("data: "))+len("data: "):]
	}
	var answer struct {
		Result jsontext.Value `json:"result"`
		Error  *wireError     `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		s.config.Logger.Error("response of the SDK is not JSON", "method", m.method, "status", c.status, "error", err)
		return nil, fail(http.StatusInternalServerError, jsonrpc.CodeInternalError, "Internal error; it has been logged.")
	}
	if e := answer.Error; e != nil {
		refused := fail(c.status, cmp.Or(e.Code, jsonrpc.CodeInvalidParams), "%s", clientMessage(e.Message, m.method))
		if len(e.Data) <= maxErrorData {
			refused.data = e.Data
		}
		return nil, refused
	}
	return append(append(appendEnvelope(nil, m.id), answer.Result...), '}'), nil
}

// sdkRequest is a request with another body, as the SDK requires it.
func sdkRequest(r *http.Request, body []byte) *http.Request {
	to := r.Clone(r.Context())
	to.Header.Del(headerSession)
	to.Header.Set("Content-Type", reviewcast.MediaJSON)
	// The SDK requires both media types, whatever it answers with.
	to.Header["Accept"] = []string{reviewcast.MediaJSON + ", " + mediaStream}
	to.Body, to.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return to
}

// decodeName decodes an Mcp-Name header in base64, which revision 2026-07-28 allows; the SDK doesn't.
func decodeName(h http.Header) {
	encoded, begun := strings.CutPrefix(h.Get(headerName), "=?base64?")
	encoded, ended := strings.CutSuffix(encoded, "?=")
	if !begun || !ended {
		return
	}
	if name, err := base64.StdEncoding.DecodeString(encoded); err == nil {
		h.Set(headerName, string(name))
	}
}

const (
	// maxErrorText is the most bytes of an error message of the SDK, which may repeat the client's input.
	maxErrorText = 300
	// maxErrorData is the same for its data.
	maxErrorData = 1 << 10
)

// internalError matches errors of decoders, which name Go types.
var internalError = regexp.MustCompile(`json|unmarshal|\bGo |mcp\.|jsonrpc2|invalid character|decoding`)

// clientMessage is an error message of the SDK as clients see it.
func clientMessage(text, method string) string {
	if len(text) > maxErrorText || internalError.MatchString(text) {
		return "Invalid params for " + echo(method) + ": a member has the wrong type or form."
	}
	return text
}
