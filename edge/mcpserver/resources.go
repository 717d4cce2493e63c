package mcpserver

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// scheme is the prefix of every resource URI.
const scheme = "reviewcast://"

// kinds are the kinds of resources, and whether their URIs have an id.
var kinds = map[string]bool{"business": false, "summary": false, "review": true, "aspect": true, "technician": true}

// addResources adds the resources. Each has the content of a tool's result; see (*view).resource.
func (s *Server) addResources() {
	for name, hasID := range kinds {
		title, description := text(name)
		if hasID {
			s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: scheme + name + "/{id}", MIMEType: reviewcast.MediaJSON,
				Name: name, Title: title, Description: description}, s.readResource)
		} else {
			s.mcp.AddResource(&mcp.Resource{URI: scheme + name, MIMEType: reviewcast.MediaJSON, Name: name, Title: title,
				Description: description}, s.readResource)
		}
	}
}

// resource returns the content of a resource, nil when it doesn't exist, as in a nil view.
func (v *view) resource(uri string) jsontext.Value {
	kind, id, hasID := cutURI(uri)
	id, err := url.PathUnescape(id)
	if v == nil || err != nil {
		return nil
	}
	var content any
	switch args := (arguments{values: map[string]string{"id": id, "aspect": id}}); {
	case kind == "business" && !hasID:
		content, err = businessAnswer(v, args)
	case kind == "summary" && !hasID:
		content, err = summaryAnswer(v, args)
	case kind == "review":
		content, err = reviewAnswer(v, args)
	case kind == "aspect" && slices.Contains(v.names["aspect"].ids(), id):
		content, err = aspectAnswer(v, args)
	case kind == "technician" && v.technician(id) != nil:
		content = v.technician(id)
	}
	if content == nil || err != nil {
		return nil
	}
	raw, _ := encode(content) // it was decoded from JSON
	return raw
}

func cutURI(uri string) (kind, id string, hasID bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "/")
}

func (s *Server) readResource(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	v, err := s.views.load()
	if err != nil {
		return nil, err
	}
	content := v.resource(req.Params.URI)
	if content == nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, MIMEType: reviewcast.MediaJSON, Text: string(content)},
	}}, nil
}

const (
	recentDays        = 90   // how far summarize_recent looks back from the newest review, as texts.txt says
	maxPromptArgument = 2000 // the most code points of a prompt's argument, which may be a question
)

// addPrompt adds a prompt with the arguments that it takes. answer gets those given, which have been checked, and the
// prompt's text.
func (s *Server) addPrompt(name string, answer func(v *view, given map[string]string, text string) (*mcp.GetPromptResult, error),
	required bool, takes ...string) {
	title, rest := text(name)
	parts := strings.SplitN(rest, "\n", 1+len(takes)+1)
	p := &mcp.Prompt{Name: name, Title: title, Description: parts[0]}
	for i, name := range takes {
		p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: name, Description: parts[1+i], Required: required})
	}
	s.mcp.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		given := req.Params.Arguments
		for _, name := range takes {
			if required && strings.TrimSpace(given[name]) == "" {
				return nil, refuse("argument %s is missing; the prompt takes %s", name, strings.Join(takes, ", "))
			}
		}
		for name, value := range given {
			if utf8.RuneCountInString(value) > maxPromptArgument {
				return nil, refuse("argument %s is longer than %d characters", echo(name), maxPromptArgument)
			}
		}
		v, err := s.views.load()
		if err != nil {
			return nil, err
		}
		return answer(v, given, parts[1+len(takes)])
	})
}

func compareAspects(v *view, given map[string]string, text string) (*mcp.GetPromptResult, error) {
	var labels []string
	var messages []*mcp.PromptMessage
	for _, name := range []string{given["first"], given["second"]} {
		a, err := v.aspect(name)
		if err != nil {
			return nil, err
		}
		uri := scheme + "aspect/" + a.ID
		labels = append(labels, a.Label)
		messages = append(messages, &mcp.PromptMessage{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: uri, MIMEType: reviewcast.MediaJSON, Text: string(v.resource(uri)),
		}}})
	}
	res := v.prompt("Compare "+strings.Join(labels, " and "), text, "{first}", labels[0], "{second}", labels[1])
	res.Messages = append(messages, res.Messages...)
	return res, nil
}

func summarizeRecent(v *view, given map[string]string, text string) (*mcp.GetPromptResult, error) {
	since := cmp.Or(reviewcast.Date(given["since"]), v.before(0, recentDays))
	if !since.Valid() {
		return nil, refuse("since: received %s, expected a calendar date YYYY-MM-DD such as 2026-03-31", echo(string(since)))
	}
	return v.prompt("Reviews since "+string(since), text, "{since}", string(since)), nil
}

// before is a day some time before the newest review, or the epoch. It doesn't depend on the clock.
func (v *view) before(months, days int) reviewcast.Date {
	newest := v.Search(reviewcast.Query{Limit: 1}).Reviews
	if len(newest) == 0 {
		return "1970-01-01"
	}
	return reviewcast.Date(snapshot.PlaceOf(newest[0]).Date.Noon().AddDate(0, -months, -days).Format(time.DateOnly))
}

func answerQuestion(v *view, given map[string]string, text string) (*mcp.GetPromptResult, error) {
	return v.prompt("Answer from reviews", text, "{question}", strconv.Quote(cleanText(given["question"]))), nil
}

// prompt returns a text in which names in braces are replaced.
func (v *view) prompt(description, text string, names ...string) *mcp.GetPromptResult {
	filled := strings.NewReplacer(append(names, "{business}", v.dataset.Business.Name)...).Replace(text)
	return &mcp.GetPromptResult{Description: description, Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: filled + " " + untrusted}},
	}}
}

// untrusted ends every prompt, because an agent reads reviews for it.
var _, untrusted = text("untrusted")

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
	const maxCompletions = 100 // that the protocol allows in one result
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
