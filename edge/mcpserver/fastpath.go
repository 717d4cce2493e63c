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

// answerFast answers a tool call without the SDK, with the response that the SDK
// would send, and reports whether it did. It leaves to the SDK every call with
// something to judge: an unknown tool, headers that don't match. A test sends the
// same calls to both and compares. A call costs a third of what the SDK takes, which
// decodes each message several times into 32 KiB of new memory and encodes the
// result three times.
func (s *Server) answerFast(w http.ResponseWriter, r *http.Request, m *message, e era) bool {
	if m == nil || m.method != "tools/call" || len(r.Header["Last-Event-Id"]) > 0 {
		return false
	}
	t := s.tools[stringOf(m.params["name"])]
	if t == nil || !supported(r, m, e) {
		return false
	}
	answer, err := t.call(&s.views, []byte(m.params["arguments"]))

	b := make([]byte, 0, 5*len(answer)/2+512)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, m.id...)
	b = append(b, `,"result":{`...)
	end := `}}`
	if e == stateless {
		b = append(b, s.statelessMeta...)
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
	_, _ = newResponse(w, m).Write(b) // fails only if the client is gone
	return true
}

func appendQuoted[T ~string | ~[]byte](b []byte, text T) []byte {
	quoted, err := jsontext.AppendQuote(b, text)
	if err != nil {
		return append(b, `""`...) // not UTF-8, which nothing published is
	}
	return quoted
}

// supported reports whether the SDK would accept the call's protocol version and
// whatever else the revision requires, in its plainest form.
func supported(r *http.Request, m *message, e era) bool {
	if e == stateful {
		version := r.Header.Get(headerVersion)
		return version == "" || version < firstStateless && slices.Contains(mcp.SupportedProtocolVersions(), version)
	}
	is := func(header, value string) bool { return len(r.Header[header]) == 1 && r.Header[header][0] == value }
	return is(headerVersion, firstStateless) && is("Mcp-Method", m.method) && is("Mcp-Name", stringOf(m.params["name"])) &&
		m.meta.version() == firstStateless && string(m.meta.Capabilities) == "{}" && (m.meta.Client == nil || plainClient(m.meta.Client))
}

// plainClient reports whether clientInfo has a name, a title and a version and
// nothing else.
func plainClient(raw jsontext.Value) bool {
	var client struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	return json.Unmarshal(raw, &client, json.RejectUnknownMembers(true)) == nil
}

// statelessMeta is the first member of every result of revision 2026-07-28.
func statelessMeta() ([]byte, error) {
	who, err := json.Marshal(map[string]any{mcp.MetaKeyServerInfo: identity()})
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`"_meta":`), who...), ','), nil
}
