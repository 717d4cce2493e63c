package mcpserver

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
		return version == "" || slices.Contains(sessionVersions(), version)
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
