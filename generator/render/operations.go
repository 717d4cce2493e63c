package render

import (
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// paths returns all operations, by path.
func paths(c Channel, ex *examples) map[string]pathItem {
	all := changePaths()
	maps.Copy(all, map[string]pathItem{
		reviewcast.PathReviews: get(file("getReviews", tagFiles, "Every verified review",
			"The dataset: the business, its aggregate rating, and every verified review, newest first. It is a WebSub topic.",
			topic, json200("The dataset.", "Dataset", ex.dataset))),
		reviewcast.PathInsights: get(file("getInsights", tagFiles, "What the reviews say, counted",
			"Sentiment by aspect, the technicians, services and areas that reviews name, topics, how it all moves, questions with answers, and a summary.",
			plain, json200("The insights.", "Insights", ex.insights))),
		reviewcast.PathJSONFeed: get(file("getJSONFeed", tagFeeds, "The newest reviews as JSON Feed",
			"JSON Feed 1.1 of the "+strconv.Itoa(reviewcast.FeedSize)+" newest reviews. What `_review` holds is described by the schema ReviewExtension. It is a WebSub topic.",
			topic, json200("The feed.", "JSONFeed", ex.jsonFeed))),
		reviewcast.PathAtom: get(file("getAtomFeed", tagFeeds, "The newest reviews as Atom",
			"Atom (RFC 4287) of the "+strconv.Itoa(reviewcast.FeedSize)+" newest reviews. The element `review` of the namespace `"+ReviewNamespace+"` is described by the schema ReviewExtension. It is a WebSub topic.",
			topic, response{Description: "The feed.", Content: map[string]mediaType{
				reviewcast.MediaAtom: {Schema: &jsonschema.Schema{Type: "string", Description: "an Atom document"}, Example: ex.atom},
			}})),
		reviewcast.PathManifest: get(file("getManifest", tagAbout, "What is published",
			"Path, hash, size and last change of every file, and a sequence number that grows with every change. Mirrors start here: fetch what has another hash than the copy they hold.",
			plain, json200("The manifest.", "Manifest", ex.manifest))),
		reviewcast.PathOpenAPI: get(file("getDescription", tagAbout, "This description",
			"The interface in OpenAPI 3.1.0.",
			plain, response{Description: "The description.", Content: map[string]mediaType{
				reviewcast.MediaJSON: {Schema: descriptionSchema, Example: ex.description},
			}})),
		reviewcast.PathSearch: get(search(ex)),
		// The template's name is that of the parameter below.
		reviewcast.PathSince + "{date}": get(since(ex)),
		reviewcast.PathMCP:              {Post: mcp(ex)},
		reviewcast.PathHub:              {Get: hubStatus(), Post: hub(c, ex)},
	})
	return all
}

// get describes a path that is read: by GET, and by HEAD, which answers the same
// without the body and knows no ranges.
func get(op *operation) pathItem {
	head := *op
	name := strings.TrimPrefix(op.OperationID, "get")
	head.OperationID = "head" + strings.ToUpper(name[:1]) + name[1:]
	head.Summary += ": the headers only"
	head.Description = "What GET would answer, without the body."
	head.Responses = map[string]response{}
	for status, r := range op.Responses {
		if status != "206" && status != "416" {
			r.Content = nil
			head.Responses[status] = r
		}
	}
	return pathItem{Get: op, Head: &head}
}

// json200 is a successful answer with a body of a described type.
func json200(description, schema string, example any) response {
	return response{Description: description, Content: map[string]mediaType{
		reviewcast.MediaJSON: {Schema: ref(schema), Example: example},
	}}
}

// Files are either topics, which carry a Link header, or plain.
const (
	plain = false
	topic = true
)

// file describes a path that is a file: nothing can be wrong in a request for it
// but the headers.
func file(id, tag, summary, description string, isTopic bool, ok response) *operation {
	ok.Headers = headers(bodyHeaders...)
	if isTopic {
		maps.Copy(ok.Headers, headers("Link"))
	}
	return &operation{
		OperationID: id, Summary: summary, Description: description, Tags: []string{tag},
		Parameters: conditions, Responses: answers(ok),
	}
}

// bodyHeaders come with every body that is the answer.
var bodyHeaders = []string{"ETag", "Last-Modified", "Cache-Control", "Vary", "Access-Control-Allow-Origin"}

// answers are those of every read path: the body, a part of it, none of it because
// the client's copy will do, and the errors.
func answers(ok response, errors ...string) map[string]response {
	// A part has the type of the whole: without one, generated clients would know
	// nothing of the body of a success.
	part := response{Description: "The part of the body that `Range` asked for.", Headers: maps.Clone(ok.Headers), Content: map[string]mediaType{}}
	for name, whole := range ok.Content {
		part.Content[name] = mediaType{Schema: whole.Schema}
	}
	maps.Copy(part.Headers, headers("Content-Range"))
	all := map[string]response{"200": ok, "206": part, "304": shared("304")}
	return with(all, append(errors, "405", "406", "412", "414", "416", "431", "503")...)
}

func search(ex *examples) *operation {
	ok := json200("The newest reviews that match, and how many match in all.", "SearchResult", ex.search)
	ok.Headers = headers(bodyHeaders...)
	op := &operation{
		OperationID: "searchReviews", Summary: "Search the reviews", Tags: []string{tagSearch},
		Description: "Filters combine with AND; without any, every review matches. Reviews are given newest first: date descending, then id ascending. " +
			"`matched` counts all that match, `returned` those that are here. An unknown technician, service, area, language, source or aspect matches nothing; that is not an error. " +
			"A parameter that is unknown, empty (but for `query`), given twice or out of its bounds is an error.",
		Responses: answers(ok, "400", "429"),
	}
	for _, p := range reviewcast.SearchParams {
		op.Parameters = append(op.Parameters, parameter{
			Name: p.Name, In: "query", Description: p.Description, Schema: paramSchema(p), Example: p.Example,
		})
	}
	op.Parameters = append(op.Parameters, conditions...)
	return op
}

// paramSchema is the schema of a search parameter's value.
func paramSchema(p reviewcast.Param) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	switch p.Type {
	case reviewcast.IntegerParam, reviewcast.NumberParam:
		s.Type = string(p.Type)
		s.Minimum, s.Maximum = &p.Min, &p.Max
	case reviewcast.DateParam:
		s.Type, s.Format = "string", "date"
	case reviewcast.BooleanParam:
		s.Type = "boolean"
	case reviewcast.StringParam:
		s.Type = "string"
		if p.Values != nil {
			s.Enum = values(p.Values...)
			break
		}
		s.MaxLength = &p.MaxLength
		if p.MinLength > 0 {
			s.MinLength = &p.MinLength
		}
	}
	if p.Default != 0 {
		s.Default = []byte(strconv.Itoa(p.Default))
	}
	return s
}

func since(ex *examples) *operation {
	ok := json200("Every review dated on or after the day; none when the day is in the future.", "SinceResult", ex.since)
	ok.Headers = headers(bodyHeaders...)
	return &operation{
		OperationID: "getReviewsSince", Summary: "Reviews since a date", Tags: []string{tagSearch},
		Description: "Every review dated on or after a day, newest first: date descending, then id ascending. " +
			"The ETag is a hash of this answer alone: a change of older reviews leaves it as it is.\n\n" +
			"The date is the day of the review, not of its publication: **a review added later with an old date is not seen by polling from the last date**. " +
			"To miss nothing, fetch the dataset with a conditional request, or subscribe to it.",
		Parameters: append([]parameter{{
			Name: "date", In: "path", Required: true, Description: "The first day, YYYY-MM-DD.",
			Schema: &jsonschema.Schema{Type: "string", Format: "date"}, Example: ex.sinceDate,
		}}, conditions...),
		Responses: with(answers(ok, "400", "429"), "404"),
	}
}

func mcp(ex *examples) *operation {
	session := header{Description: "In the answer to `initialize`: the session's id, to be sent with every later request.", Schema: &jsonschema.Schema{Type: "string"}}
	stream := mediaType{Schema: &jsonschema.Schema{Type: "string", Description: "server-sent events whose data are JSON-RPC messages"},
		Example: "event: message\ndata: " + string(ex.mcpResponse) + "\n\n"}
	refused := func(description, message string) response {
		return response{Description: description, Content: map[string]mediaType{reviewcast.MediaJSON: {Schema: ref("JSONRPCResponse"),
			Example: map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32000, "message": message}}}}}
	}
	return &operation{
		OperationID: "callMCP", Summary: "Model Context Protocol", Tags: []string{tagAgents},
		Description: "Streamable HTTP transport of the Model Context Protocol: read-only tools over the same reviews. " +
			"Send `Accept: application/json, text/event-stream`. Revisions up to 2025-11-25 work in a session, whose id `initialize` answers in `Mcp-Session-Id`; GET opens its stream and DELETE ends it. " +
			"The tool `search_reviews` has the parameters of " + reviewcast.PathSearch + ".",
		Parameters: []parameter{
			{Name: "Mcp-Session-Id", In: "header", Description: "The session, once there is one.", Schema: &jsonschema.Schema{Type: "string"}},
			{Name: "MCP-Protocol-Version", In: "header", Description: "The revision that was agreed on.", Schema: &jsonschema.Schema{Type: "string"}, Example: "2025-06-18"},
		},
		RequestBody: &requestBody{Required: true, Description: "One JSON-RPC message.", Content: map[string]mediaType{
			reviewcast.MediaJSON: {Schema: ref("JSONRPCRequest"), Example: ex.mcpRequest},
		}},
		Responses: with(map[string]response{
			"200": {
				Description: "The response, alone or in a stream of events.",
				Headers:     map[string]header{"Mcp-Session-Id": session},
				Content:     map[string]mediaType{reviewcast.MediaJSON: {Schema: ref("JSONRPCResponse"), Example: ex.mcpResponse}, "text/event-stream": stream},
			},
			"202": {Description: "A notification was taken; there is no body."},
			"400": refused("Not a JSON-RPC message, or no session where one is needed.", "Bad request: the Mcp-Session-Id header is missing. Call initialize first."),
			"403": refused("The request comes from a web page of another origin that isn't allowed.", "This origin is not allowed."),
			"404": {Description: "The session is unknown or has ended: start again with `initialize`. Or this address has no MCP server at all.",
				Content: map[string]mediaType{reviewcast.MediaJSON: {
					Schema:  &jsonschema.Schema{AnyOf: []*jsonschema.Schema{ref("JSONRPCResponse"), ref("Error")}},
					Example: reviewcast.NewError(http.StatusNotFound, "This edge runs without an MCP server."),
				}}},
			"406": refused("`Accept` names neither form of the answer.", "Accept must allow application/json and text/event-stream."),
			"413": refused("The body is larger than 1 MiB.", "The body is larger than 1 MiB."),
			"415": refused("The body is not JSON.", "Content-Type must be application/json."),
		}, "429", "431", "503"),
	}
}

// headers refers to shared headers by name.
func headers(names ...string) map[string]header {
	out := make(map[string]header, len(names))
	for _, name := range names {
		out[name] = header{Ref: "#/components/headers/" + name}
	}
	return out
}

// shared refers to a shared answer by its status.
func shared(status string) response {
	return response{Ref: "#/components/responses/" + sharedNames[status]}
}

// with adds the errors that can occur to an operation's answers.
func with(responses map[string]response, statuses ...string) map[string]response {
	for _, status := range statuses {
		responses[status] = shared(status)
	}
	return responses
}

// conditions are the headers of a conditional request.
var conditions = []parameter{
	{Ref: "#/components/parameters/IfNoneMatch"},
	{Ref: "#/components/parameters/IfModifiedSince"},
}
