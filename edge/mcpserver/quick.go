package mcpserver

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
)

// quick answers a call of a tool as the SDK would, and is why a call costs a third of
// what it costs there: the SDK decodes each message several times, with 32 KiB of
// fresh memory each time, and writes an answer by encoding it, encoding that, and
// compacting both. False when there is anything about the call that the SDK should
// judge: an unknown tool, headers that don't fit. A test asks both and compares.
func (s *Server) quick(w http.ResponseWriter, r *http.Request, m *message, modern bool) bool {
	if m == nil || m.method != "tools/call" || len(r.Header["Last-Event-Id"]) > 0 {
		return false
	}
	var params struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
		Meta      jsontext.Value `json:"_meta"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		return false
	}
	t := s.tools[params.Name]
	if t == nil || modern && !conforms(r, params.Name, params.Meta) || !modern && !spoken(r) {
		return false
	}
	answer, err := t.call(&s.views, []byte(params.Arguments))

	b := make([]byte, 0, 5*len(answer)/2+512)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, m.ID...)
	b = append(b, `,"result":{`...)
	end := `}}`
	if modern {
		b = append(b, s.modernMeta...)
		end = `,"resultType":"complete"}}`
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	if err != nil {
		b = appendQuoted(b, s.explain(t, err))
		b = append(b, `}],"isError":true`...)
	} else {
		b = appendQuoted(b, answer)
		b = append(b, `}],"structuredContent":`...)
		b = append(b, answer...)
	}
	b = append(b, end...)
	h := w.Header()
	h["Content-Type"] = []string{reviewcast.MediaJSON}
	h["Cache-Control"] = []string{"no-cache, no-transform"}
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	a := newAnswer(w, m)
	_, _ = a.Write(b) // a client that is gone can't be told
	return true
}

func appendQuoted[T ~string | ~[]byte](b []byte, text T) []byte {
	quoted, err := jsontext.AppendQuote(b, text)
	if err != nil {
		return append(b, `""`...) // not UTF-8: nothing published is
	}
	return quoted
}

// spoken tells whether a session's call is of a revision that the server speaks.
func spoken(r *http.Request) bool {
	version := r.Header.Get(headerVersion)
	return version == "" || version < sessionless && slices.Contains(mcp.SupportedProtocolVersions(), version)
}

// conforms tells whether a call without a session carries all that revision
// 2026-07-28 asks for, in the plainest form.
func conforms(r *http.Request, name string, meta jsontext.Value) bool {
	var said struct {
		Version      string         `json:"io.modelcontextprotocol/protocolVersion"`
		Capabilities jsontext.Value `json:"io.modelcontextprotocol/clientCapabilities"`
		Client       jsontext.Value `json:"io.modelcontextprotocol/clientInfo"`
	}
	one := func(header, value string) bool { return len(r.Header[header]) == 1 && r.Header[header][0] == value }
	return one(headerVersion, sessionless) && one("Mcp-Method", "tools/call") && one("Mcp-Name", name) &&
		json.Unmarshal(meta, &said) == nil && said.Version == sessionless &&
		string(said.Capabilities) == "{}" && (said.Client == nil || plainClient(said.Client))
}

// plainClient tells whether a client says its name and version and nothing else that
// could be wrong.
func plainClient(raw jsontext.Value) bool {
	var client struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	return json.Unmarshal(raw, &client, json.RejectUnknownMembers(true)) == nil
}

// modernMeta is what every result of revision 2026-07-28 begins with.
func modernMeta() ([]byte, error) {
	who, err := json.Marshal(map[string]any{mcp.MetaKeyServerInfo: identity()})
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`"_meta":`), who...), ','), nil
}
