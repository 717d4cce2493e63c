package mcpserver

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// Codes of JSON-RPC errors that the protocol doesn't define. Other servers use the
// same ones.
const (
	codeRequest     = -32000 // the HTTP request can't be served
	codeUnavailable = -32000 // nothing is published yet
	codeSession     = -32001 // the session doesn't exist
)

// rpcError is the reason why a request is refused, and the JSON-RPC error that
// answers it.
type rpcError struct {
	status     int            // of HTTP
	id         jsontext.Value // of the request, as received; nil when unknown
	code       int64
	message    string
	data       jsontext.Value
	allow      string        // 405
	retryAfter time.Duration // 429, 503
}

func (e *rpcError) Error() string { return e.message }

// body is the error as a JSON-RPC response.
func (e *rpcError) body() []byte {
	id := e.id
	if id == nil {
		id = jsontext.Value("null")
	}
	body, err := json.Marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   any            `json:"error"`
	}{"2.0", id, struct {
		Code    int64          `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data,omitzero"`
	}{e.code, e.message, e.data}})
	if err != nil {
		panic(err) // the id and the data are valid JSON and the message valid UTF-8
	}
	return body
}

// write sends the error as the response.
func (e *rpcError) write(w http.ResponseWriter) {
	h := w.Header()
	if e.allow != "" {
		h.Set("Allow", e.allow)
	}
	if e.retryAfter > 0 {
		h.Set("Retry-After", fmt.Sprint(int((e.retryAfter+time.Second-1)/time.Second)))
	}
	body := append(e.body(), '\n')
	h.Set("Content-Type", reviewcast.MediaJSON)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(e.status)
	_, _ = w.Write(body) // fails only if the client is gone
}
