package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// tool is a tool of the server. Its params, and for a search [reviewcast.SearchParams],
// are the source of its input schema, of the parsing of arguments and of the errors.
type tool struct {
	name     string // of the section of texts.txt and the member of params.json, too
	search   bool   // also takes reviewcast.SearchParams
	required string
	example  string // of arguments
	output   any    // a zero value of the result's type
	answer   func(v *view, args arguments) (any, error)
}

// tools are the tools, most important first. Every description, in texts.txt, says what the tool returns and when to use
// it, shows two calls, states the order of lists, and names untrusted words. See newExamples for {names in braces}.
var tools = []*tool{
	{name: "get_summary", example: `{"since":"{since}"}`, output: summary{}, answer: summaryAnswer},
	{name: "search_reviews", search: true, example: `{"rating":5,"limit":3}`, output: searchSchema{}, answer: searchReviews},
	{name: "get_business", example: `{}`, output: business{}, answer: businessAnswer},
	{name: "get_review", required: "id", example: `{"id":"{review}"}`, answer: reviewAnswer,
		output: oneReview[reviewcast.Review, *reviewcast.ReviewInsight]{}},
	{name: "get_aspect_sentiment", required: "aspect", example: `{"aspect":"{aspect}"}`, output: oneAspect{}, answer: aspectAnswer},
	{name: "get_technician", required: "name", example: `{"name":"{technician}"}`, output: technicians{}, answer: technicianAnswer},
	{name: "get_service", required: "service", example: `{"service":"{service}"}`, output: service{}, answer: serviceAnswer},
	{name: "list_entities", example: `{"kind":"technicians"}`, output: entityLists{}, answer: entitiesAnswer},
	{name: "list_topics", example: `{}`, output: topicList{}, answer: topicsAnswer},
	{name: "get_faq", example: `{}`, output: faqList{}, answer: faqAnswer},
	{name: "get_changes", required: "since", example: `{"since":"{since}"}`, output: changes{}, answer: changesAnswer},
}

// ownParams are the parameters of the tools beside those of searches. A text has at most [reviewcast.MaxQueryLength]
// code points, because it is compared with all names.
var ownParams = func() (params map[string][]reviewcast.Param) {
	if err := json.Unmarshal(paramsJSON, &params); err != nil {
		panic(err)
	}
	return params
}()

//go:embed params.json
var paramsJSON []byte

func (t *tool) params() []reviewcast.Param {
	if t.search {
		return slices.Concat(reviewcast.SearchParams, ownParams[t.name])
	}
	return ownParams[t.name]
}

// newExamples replaces the names in braces by names of the business, so that an example is a call that works.
func newExamples(v *view) *strings.Replacer {
	var pairs []string
	technicians := each(v.dataset.Business.Technicians, func(t reviewcast.Technician) string { return t.Name })
	services := each(v.dataset.Business.Services, func(s reviewcast.Named) string { return s.ID })
	for name, own := range map[string][]string{
		"review": append(v.newest(2), "g-1042", "card-17"), "service": append(services, "water-heater", "drain-cleaning"),
		"technician": append(technicians, "Marcus", "Grace"), "aspect": append(v.names["aspect"].ids(), "punctuality", "pricing"),
		"since": {string(v.before(0, recentDays)), ""}, "sequence": {strconv.FormatInt(v.Sequence(), 10), ""},
	} {
		for i, value := range own[:2] {
			quoted := appendQuoted(nil, value)
			pairs = append(pairs, "{"+name+[]string{"", "2"}[i]+"}", string(quoted[1:len(quoted)-1]))
		}
	}
	return strings.NewReplacer(pairs...)
}

// listTools replaces the examples in the descriptions of tools/list.
func (s *Server) listTools(res *mcp.ListToolsResult) {
	v, err := s.views.load()
	if err != nil {
		v = &view{Snapshot: &snapshot.Snapshot{Files: &snapshot.Files{}}}
		v.examples = newExamples(v)
	}
	for i, t := range res.Tools {
		own := *t
		own.Description = v.examples.Replace(t.Description)
		res.Tools[i] = &own
	}
}

// call returns the structured content that answers a call. The error may be a refusal.
func (t *tool) call(ctx context.Context, views *views, raw jsontext.Value) (jsontext.Value, error) {
	v, err := views.load()
	if err != nil {
		return nil, err
	}
	args, err := t.read(raw)
	if wait := snapshot.Admit(ctx, v.Cost(args.query)); err == nil && wait > 0 {
		return nil, refuse("Too many costly searches: a common phrase in many reviews takes long to count. Wait %d seconds, then call again; other calls are not affected.",
			int(math.Ceil(wait.Seconds())))
	}
	var answer any
	if err == nil {
		answer, err = t.answer(v, args)
	}
	var wrong badArguments
	switch content, isContent := answer.(jsontext.Value); {
	case errors.As(err, &wrong):
		return nil, refuse("Invalid arguments for %s:\n- %s\nExample: %s", t.name, wrong, v.examples.Replace(t.example))
	case err != nil:
		return nil, err
	case isContent:
		return content, nil
	}
	return encode(answer)
}

// run answers a call and counts its outcome. failure is the text for the agent; internal errors are only logged.
func (s *Server) run(ctx context.Context, t *tool, raw jsontext.Value) (answer jsontext.Value, failure string) {
	answer, err := t.call(ctx, &s.views, raw)
	outcome := outcomeOK
	switch {
	case err == nil:
	case errors.As(err, new(refusal)), errors.Is(err, errNothingPublished):
		outcome, failure = outcomeRefused, err.Error()
	default:
		s.config.Logger.Error("tool failed", "tool", t.name, "error", err)
		outcome, failure = outcomeFailed, "Internal error; it has been logged. Try again, or use another tool."
	}
	s.calls.WithLabelValues(t.name, outcome).Inc()
	return answer, failure
}

// handler adapts the tool to the SDK, whose own check of arguments gives the errors of a schema library.
func (t *tool) handler(s *Server) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, failure := s.run(ctx, t, jsontext.Value(req.Params.Arguments))
		if failure != "" {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: failure}}}, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(answer)}}, StructuredContent: json.RawMessage(answer)}, nil
	}
}
