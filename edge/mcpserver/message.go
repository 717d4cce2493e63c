package mcpserver

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"reviewcast"
)

// maxBatch is the most messages in one body, which counts as one request; revision 2025-03-26 allows batches.
const maxBatch = 20

// message is a JSON-RPC 2.0 message, decoded once for all that answers it.
type message struct {
	id     jsontext.Value // as received; nil when there is none
	method string         // empty for a response
	params map[string]jsontext.Value
	raw    jsontext.Value // params as received
	wrong  *rpcError      // in a batch: why it is no message
	// meta is the member _meta of params: in revision 2026-07-28, what older clients state in initialize.
	meta struct {
		Version      jsontext.Value `json:"io.modelcontextprotocol/protocolVersion"`
		Capabilities jsontext.Value `json:"io.modelcontextprotocol/clientCapabilities"`
		Client       jsontext.Value `json:"io.modelcontextprotocol/clientInfo"`
	}
}

func stringOf(raw jsontext.Value) (s string) {
	if raw.Kind() == '"' {
		_ = json.Unmarshal(raw, &s) // raw is valid JSON
	}
	return s
}

// isCall reports whether the message is a request that expects a response.
func (m *message) isCall() bool { return m.method != "" && m.id != nil || m.wrong != nil }

// parseBody decodes the messages of a body. Those of a batch that are invalid say why: JSON-RPC 2.0, section 6,
// answers each by itself.
func parseBody(raw []byte) (messages []message, batch bool, _ *rpcError) {
	values := []jsontext.Value{raw}
	switch trimmed := bytes.TrimLeft(raw, " \t\r\n"); {
	case len(trimmed) == 0:
		return nil, false, fail(http.StatusBadRequest, jsonrpc.CodeParseError, "Parse error: the body is empty; expected a JSON-RPC 2.0 message.")
	case trimmed[0] == '[':
		batch = true
		if err := json.Unmarshal(raw, &values); err != nil {
			return nil, false, malformed()
		}
		if n := len(values); n == 0 || n > maxBatch {
			return nil, false, invalidRequest("a batch has 1 to %d messages, this one has %d", maxBatch, n)
		}
	}
	messages = make([]message, len(values))
	for i, v := range values {
		m := &messages[i]
		err := m.decode(v)
		if err == nil && batch && m.method == "initialize" {
			err = invalidRequest("initialize can't be part of a batch")
		}
		if m.wrong = err; err != nil && !batch {
			err.id = m.id
			return nil, false, err
		}
	}
	return messages, batch, nil
}

func malformed() *rpcError {
	return fail(http.StatusBadRequest, jsonrpc.CodeParseError, "Parse error: the body is not valid JSON in UTF-8.")
}

func invalidRequest(format string, args ...any) *rpcError {
	return fail(http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "Invalid request: "+format+".", args...)
}

// decode reads a message and checks it against JSON-RPC 2.0 and MCP.
func (m *message) decode(raw jsontext.Value) *rpcError {
	var wire struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Method  jsontext.Value `json:"method"`
		Params  jsontext.Value `json:"params"`
		Result  jsontext.Value `json:"result"`
		Error   jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		if raw.IsValid() {
			return invalidRequest("expected an object with jsonrpc, id, method and params")
		}
		return malformed()
	}
	switch id := wire.ID; {
	case id == nil, id.Kind() == '"', id.Kind() == '0' && !strings.ContainsAny(string(id), ".eE"):
		m.id = id
	default:
		return invalidRequest("id must be a string or a whole number")
	}
	switch {
	case wire.JSONRPC != "2.0":
		return invalidRequest(`jsonrpc must be "2.0"`)
	case wire.Method == nil && wire.Result == nil && wire.Error == nil:
		return invalidRequest("method is missing")
	case wire.Method == nil && m.id == nil:
		return invalidRequest("a response needs the id of its request")
	case wire.Method == nil:
		return nil
	}
	m.raw = wire.Params
	if m.method = stringOf(wire.Method); m.method == "" {
		return invalidRequest("method must be a string such as tools/list")
	}
	if wire.Params == nil || wire.Params.Kind() == 'n' {
		return nil
	}
	if err := json.Unmarshal(wire.Params, &m.params); err != nil {
		return invalidRequest("params must be an object")
	}
	if raw := m.params["_meta"]; raw.Kind() == '{' {
		_ = json.Unmarshal(raw, &m.meta) // raw is a valid object and every member takes any value
	}
	return nil
}

type member struct {
	name     string
	kind     jsontext.Kind
	required bool
}

// era is a set of protocol revisions that share one form of the transport.
type era uint8

const (
	stateful  era = 1 << iota // 2024-11-05 to 2025-11-25: sessions
	stateless                 // 2026-07-28: every call stands alone
	both      = stateful | stateless
)

// methods are the server's. Their params are checked before the SDK's errors can name Go types.
var methods = map[string]struct {
	eras   era
	params []member
}{
	"initialize":               {stateful, []member{{"protocolVersion", '"', true}, {"capabilities", '{', false}, {"clientInfo", '{', false}}},
	"ping":                     {stateful, nil},
	"server/discover":          {stateless, nil},
	"tools/list":               {both, []member{{"cursor", '"', false}}},
	"tools/call":               {both, []member{{"name", '"', true}}}, // the tool checks its arguments
	"prompts/list":             {both, []member{{"cursor", '"', false}}},
	"prompts/get":              {both, []member{{"name", '"', true}, {"arguments", '{', false}}},
	"resources/list":           {both, []member{{"cursor", '"', false}}},
	"resources/templates/list": {both, []member{{"cursor", '"', false}}},
	"resources/read":           {both, []member{{"uri", '"', true}}},
	"resources/subscribe":      {stateful, []member{{"uri", '"', true}}},
	"resources/unsubscribe":    {stateful, []member{{"uri", '"', true}}},
	"subscriptions/listen":     {stateless, []member{{"notifications", '{', true}}},
	"completion/complete":      {both, []member{{"ref", '{', true}, {"argument", '{', true}}},
	"logging/setLevel":         {stateful, []member{{"level", '"', true}}},
}

// validate checks that the method exists in the era and that its params have the right types.
func (m *message) validate(e era) *rpcError {
	spec, ok := methods[m.method]
	if !ok || spec.eras&e == 0 {
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(methods)), func(name string) bool { // those for setup, too
			return methods[name].eras&e == 0 || !strings.Contains(name, "/") || name == "server/discover" || name == "logging/setLevel"
		})
		return fail(e.status(http.StatusNotFound), jsonrpc.CodeMethodNotFound, "Method not found: %s. This server has %s.", echo(m.method), strings.Join(names, ", "))
	}
	for _, want := range spec.params {
		got, ok := m.params[want.name]
		if ok && got.Kind() == want.kind || !want.required && (!ok || got.Kind() == 'n') {
			continue
		}
		why, kind := "is missing", "a string"
		if ok {
			why = "received " + cleanText(reviewcast.EchoJSON(got))
		}
		if want.kind == '{' {
			kind = "an object"
		}
		return fail(e.status(http.StatusBadRequest), jsonrpc.CodeInvalidParams, "Invalid params for %s: %s %s; expected %s.", m.method, want.name, why, kind)
	}
	return nil
}

// status is the HTTP status of a protocol error: code in revision 2026-07-28. Until
// 2025-11-25 it is 200, because clients take a 404 for a session that has ended.
func (e era) status(code int) int {
	if e == stateless {
		return code
	}
	return http.StatusOK
}
