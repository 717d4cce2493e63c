package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxCompletions is the most values that the protocol allows in one result.
const maxCompletions = 100

// complete answers completion/complete with the values that begin with the argument,
// ignoring case. Arguments without a list of values have no completions.
func (s *Server) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	v, err := s.views.load()
	if err != nil {
		return nil, s.unavailable(err)
	}
	var all []string
	ref, arg := req.Params.Ref, req.Params.Argument
	switch {
	case ref.Type == "ref/resource" && arg.Name == "id":
		switch ref.URI {
		case scheme + "review/{id}":
			all = v.ids()
		case scheme + "aspect/{id}":
			all = v.aspectIDs()
		case scheme + "technician/{id}":
			for _, t := range v.dataset.Business.Technicians {
				all = append(all, t.ID)
			}
		}
	case ref.Type == "ref/prompt" && ref.Name == "compare_aspects" && (arg.Name == "first" || arg.Name == "second"):
		all = v.aspectIDs()
	}
	found := mcp.CompletionResultDetails{Values: []string{}}
	prefix := strings.ToLower(arg.Value)
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
