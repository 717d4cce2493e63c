package mcpserver

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"reviewcast"
)

// maxBatch is how many messages may come in one body, as revision 2025-03-26 allows.
// It stops a client from making a thousand calls at the rate of one request.
const maxBatch = 20

// message is a JSON-RPC 2.0 message as far as it is read before the SDK reads it.
type message struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  jsontext.Value `json:"method"`
	Params  jsontext.Value `json:"params"`
	Result  jsontext.Value `json:"result"`
	Error   jsontext.Value `json:"error"`

	method string // of a request or notification
}

// call tells whether the message wants an answer.
func (m *message) call() bool { return m.method != "" && m.ID != nil }

// fault is a request that is refused.
type fault struct {
	status     int
	id         jsontext.Value // of the request, as it came; nil when it isn't known
	code       int64
	message    string
	allow      string        // 405
	retryAfter time.Duration // 503
}

func (f *fault) Error() string { return f.message }

// JSON-RPC codes of refusals that have to do with HTTP and sessions. The protocol
// names none; these are the ones that other servers use.
const (
	codeRequest = -32000
	codeSession = -32001
)

// body is what a POST brings.
type body struct {
	raw      []byte
	messages []message
	batch    bool
}

// parseBody reads the messages of a body.
func parseBody(raw []byte) (*body, *fault) {
	b := &body{raw: raw}
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	var values []jsontext.Value
	switch {
	case len(trimmed) == 0:
		return nil, &fault{status: http.StatusBadRequest, code: jsonrpc.CodeParseError, message: "Parse error: the body is empty; expected a JSON-RPC 2.0 message."}
	case trimmed[0] == '[':
		b.batch = true
		if err := json.Unmarshal(raw, &values); err != nil {
			return nil, malformed()
		}
		if n := len(values); n == 0 || n > maxBatch {
			return nil, invalidRequest(nil, fmt.Sprintf("a batch has 1 to %d messages, this one %d", maxBatch, n))
		}
	default:
		values = []jsontext.Value{raw}
	}
	b.messages = make([]message, len(values))
	for i, v := range values {
		m := &b.messages[i]
		if err := json.Unmarshal(v, m); err != nil {
			if v.IsValid() {
				return nil, invalidRequest(nil, "expected an object with jsonrpc, id, method and params")
			}
			return nil, malformed()
		}
		if f := m.check(); f != nil {
			return nil, f
		}
		if b.batch && m.method == "initialize" {
			return nil, invalidRequest(m.ID, "initialize can't be part of a batch")
		}
	}
	return b, nil
}

// call is the single call that a body holds; nil when it holds something else.
func (b *body) call() *message {
	if !b.batch && b.messages[0].call() {
		return &b.messages[0]
	}
	return nil
}

func malformed() *fault {
	return &fault{status: http.StatusBadRequest, code: jsonrpc.CodeParseError, message: "Parse error: the body is not valid JSON in UTF-8."}
}

func invalidRequest(id jsontext.Value, why string) *fault {
	return &fault{status: http.StatusBadRequest, id: id, code: jsonrpc.CodeInvalidRequest, message: "Invalid request: " + why + "."}
}

// check holds a message against JSON-RPC 2.0 and what MCP says on top.
func (m *message) check() *fault {
	id := m.ID
	switch {
	case id == nil:
	case id.Kind() == '"', id.Kind() == '0' && !strings.ContainsAny(string(id), ".eE"):
	default:
		return invalidRequest(nil, "id must be a string or a whole number")
	}
	switch {
	case m.JSONRPC != "2.0":
		return invalidRequest(id, `jsonrpc must be "2.0"`)
	case m.Method == nil && m.Result == nil && m.Error == nil:
		return invalidRequest(id, "method is missing")
	case m.Method == nil:
		if id == nil {
			return invalidRequest(nil, "a response needs the id of its request")
		}
		return nil
	}
	if err := json.Unmarshal(m.Method, &m.method); err != nil || m.method == "" {
		return invalidRequest(id, "method must be a string such as tools/list")
	}
	if m.Params != nil && m.Params.Kind() != '{' && m.Params.Kind() != 'n' {
		return invalidRequest(id, "params must be an object")
	}
	return nil
}

// member is what a method wants in its params.
type member struct {
	name     string
	kind     jsontext.Kind
	required bool
}

// method is one that the server answers.
type method struct {
	eras   era
	params []member // whose shape is checked before the SDK reads them: its errors are those of a Go program
}

// era tells which revisions have a method.
type era uint8

const (
	withSessions    era = 1 << iota // 2024-11-05 to 2025-11-25
	withoutSessions                 // 2026-07-28
	both            = withSessions | withoutSessions
)

var methods = map[string]method{
	"initialize":               {withSessions, []member{{"protocolVersion", '"', true}, {"capabilities", '{', false}, {"clientInfo", '{', false}}},
	"ping":                     {withSessions, nil},
	"server/discover":          {withoutSessions, nil},
	"tools/list":               {both, []member{{"cursor", '"', false}}},
	"tools/call":               {both, []member{{"name", '"', true}}}, // arguments are the tool's to judge
	"prompts/list":             {both, []member{{"cursor", '"', false}}},
	"prompts/get":              {both, []member{{"name", '"', true}, {"arguments", '{', false}}},
	"resources/list":           {both, []member{{"cursor", '"', false}}},
	"resources/templates/list": {both, []member{{"cursor", '"', false}}},
	"resources/read":           {both, []member{{"uri", '"', true}}},
	"resources/subscribe":      {withSessions, []member{{"uri", '"', true}}},
	"resources/unsubscribe":    {withSessions, []member{{"uri", '"', true}}},
	"subscriptions/listen":     {withoutSessions, []member{{"notifications", '{', true}}},
	"completion/complete":      {both, []member{{"ref", '{', true}, {"argument", '{', true}}},
	"logging/setLevel":         {withSessions, []member{{"level", '"', true}}},
}

// known checks a call's method and the shape of its params. modern calls get the
// status that revision 2026-07-28 asks for, older ones an answer like any other.
func (m *message) known(modern bool) *fault {
	spec, ok := methods[m.method]
	now := withSessions
	if modern {
		now = withoutSessions
	}
	if !ok || spec.eras&now == 0 {
		return &fault{status: status(modern, http.StatusNotFound), id: m.ID, code: jsonrpc.CodeMethodNotFound,
			message: fmt.Sprintf("Method not found: %s. This server has %s.", echo(m.method), strings.Join(methodNames(now), ", "))}
	}
	params := map[string]jsontext.Value{}
	if m.Params != nil {
		if err := json.Unmarshal(m.Params, &params); err != nil {
			return invalidRequest(m.ID, "params must be an object")
		}
	}
	for _, want := range spec.params {
		got, ok := params[want.name]
		var why string
		switch {
		case !ok && want.required:
			why = "is missing"
		case ok && got.Kind() == 'n' && !want.required:
			continue
		case ok && got.Kind() != want.kind:
			why = "received " + cleanText(reviewcast.EchoJSON(got))
		default:
			continue
		}
		kind := "a string"
		if want.kind == '{' {
			kind = "an object"
		}
		return &fault{status: status(modern, http.StatusBadRequest), id: m.ID, code: jsonrpc.CodeInvalidParams,
			message: fmt.Sprintf("Invalid params for %s: %s %s; expected %s.", m.method, want.name, why, kind)}
	}
	return nil
}

// methodNames are the methods of an era but those that set things up.
func methodNames(now era) []string {
	var names []string
	for name, spec := range methods {
		if spec.eras&now != 0 && strings.Contains(name, "/") && name != "server/discover" && name != "logging/setLevel" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// status is that of an answer whose error is one of the protocol and not of HTTP:
// 200 until revision 2025-11-25, where clients take a 404 for a session that ended.
func status(modern bool, code int) int {
	if modern {
		return code
	}
	return http.StatusOK
}

// write answers with the fault as a JSON-RPC error.
func (f *fault) write(w http.ResponseWriter) {
	h := w.Header()
	if f.allow != "" {
		h.Set("Allow", f.allow)
	}
	if f.retryAfter > 0 {
		h.Set("Retry-After", fmt.Sprint(int((f.retryAfter+time.Second-1)/time.Second)))
	}
	id := f.id
	if id == nil {
		id = jsontext.Value("null")
	}
	answer, err := json.Marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   any            `json:"error"`
	}{"2.0", id, struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}{f.code, f.message}})
	if err != nil {
		panic(err) // the id was valid JSON, the rest are words
	}
	h.Set("Content-Type", reviewcast.MediaJSON)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", fmt.Sprint(len(answer)+1))
	w.WriteHeader(f.status)
	_, _ = w.Write(append(answer, '\n')) // a client that is gone can't be told
}
