package mcpserver

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerFast answers a tool call without the SDK, with the response that the SDK
// would send. It returns nil for calls with something to judge, which it leaves to the
// SDK: an unknown tool, headers that don't match. A test sends the same calls to both
// and compares. A call costs a third of what the SDK takes, which decodes each message
// several times into 32 KiB of new memory and encodes the result three times.
func (s *Server) answerFast(r *http.Request, m *message, e era) *reply {
	t := s.tools[stringOf(m.params["name"])]
	if t == nil || len(r.Header["Last-Event-Id"]) > 0 || !supported(r, m, e) {
		return nil
	}
	answer, err := t.call(&s.views, []byte(m.params["arguments"]))
	text := s.explain(t, err)

	b := make([]byte, 0, 5*len(answer)/2+512)
	b = append(appendEnvelope(b, m.id), '{')
	end := `}}`
	if e == stateless {
		b = append(b, s.statelessMeta...)
		end = `,"resultType":"complete"}}`
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	if err != nil {
		b = appendQuoted(b, text)
		b = append(b, `}],"isError":true`...)
	} else {
		b = appendQuoted(b, answer)
		b = append(b, `}],"structuredContent":`...)
		b = append(b, answer...)
	}
	return &reply{status: http.StatusOK, body: append(b, end...)}
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
	return is(headerVersion, firstStateless) && is("Mcp-Method", m.method) && is(headerName, stringOf(m.params["name"])) &&
		m.meta.version() == firstStateless && valid[mcp.ClientCapabilities](m.meta.Capabilities) &&
		(m.meta.Client == nil || valid[mcp.Implementation](m.meta.Client))
}

// valid reports whether raw is an object of a type of the protocol.
func valid[T any](raw jsontext.Value) bool {
	return string(raw) == "{}" || raw.Kind() == '{' && json.Unmarshal(raw, new(T)) == nil
}

// statelessMeta is the first member of every result of revision 2026-07-28.
func statelessMeta() ([]byte, error) {
	who, err := json.Marshal(map[string]any{mcp.MetaKeyServerInfo: identity()})
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`"_meta":`), who...), ','), nil
}
