package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxCompletions is the most values that the protocol allows in one result.
const maxCompletions = 100

// complete answers completion/complete with the values that begin with the argument, ignoring case.
func (s *Server) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	v, err := s.views.load()
	if err != nil {
		return nil, err
	}
	var all []string
	switch ref, arg := req.Params.Ref, req.Params.Argument.Name; ref.URI + ref.Name + "#" + arg {
	case scheme + "review/{id}#id":
		all = v.ids()
	case scheme + "aspect/{id}#id", "compare_aspects#first", "compare_aspects#second":
		all = v.names["aspect"].ids()
	case scheme + "technician/{id}#id":
		all = v.names["technician"].ids()
	}
	found := mcp.CompletionResultDetails{Values: []string{}}
	prefix := strings.ToLower(req.Params.Argument.Value)
	for _, value := range all {
		if strings.HasPrefix(strings.ToLower(value), prefix) {
			if found.Total++; len(found.Values) < maxCompletions {
				found.Values = append(found.Values, value)
			}
		}
	}
	found.HasMore = found.Total > len(found.Values)
	return &mcp.CompleteResult{Completion: found}, nil
}
