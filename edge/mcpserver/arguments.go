package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// refusal is an error for the agent: what was received, what is allowed, an example, never a review's text.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// badArguments are the lines of a refusal of arguments, one for each; see [tool.call].
type badArguments []string

func (b badArguments) Error() string { return strings.Join(b, "\n- ") }

type arguments struct {
	values  map[string]string // of the tool's own parameters
	query   reviewcast.Query  // of search_reviews
	limited bool              // the query's limit was given
}

const (
	maxArguments = 64 // the most arguments of a call: refusing many is expensive
	maxEcho      = 40 // the most code points of an argument that an error repeats
	maxKnown     = 10 // the most names that an error or a hint lists
)

// readObject decodes the arguments of a call, if there are any. Many models write null for what they omit.
func readObject(raw jsontext.Value) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	if len(raw) == 0 || raw.Kind() == 'n' {
		return given, nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(raw)) // reads the bytes of a Buffer in place
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, refuse("Invalid arguments: expected an object such as {}, received %s.", cleanText(reviewcast.EchoJSON(json.RawMessage(raw))))
	}
	for d.PeekKind() == '"' {
		if len(given) == maxArguments {
			return nil, refuse("Invalid arguments: more than %d.", maxArguments)
		}
		name, _ := d.ReadToken() // the message was valid JSON
		key := name.String()
		if value, err := d.ReadValue(); err == nil && value.Kind() != 'n' {
			given[key] = json.RawMessage(value.Clone())
		}
	}
	return given, nil
}

// read checks the arguments of a call. The error reports every bad one.
func (t *tool) read(raw jsontext.Value) (args arguments, err error) {
	given, err := readObject(raw)
	if err != nil {
		return args, err
	}
	args.values = make(map[string]string, len(ownParams[t.name]))
	var wrong badArguments
	var issues []reviewcast.Issue
	for _, p := range ownParams[t.name] {
		value := given[p.Name]
		delete(given, p.Name)
		if value == nil || string(value) == `""` { // many models write "" for what they omit
			if p.Name == t.required {
				wrong = append(wrong, p.Name+": missing: expected "+p.Description)
			}
			continue
		}
		text, issue := p.Text(value)
		if issue != nil {
			issues = append(issues, *issue)
		}
		args.values[p.Name] = text
	}
	if t.search {
		var more []reviewcast.Issue
		args.query, more = reviewcast.BindSearch(given)
		args.limited = given["limit"] != nil
		issues = append(issues, more...)
	} else if len(given) > 0 {
		issues = append(issues, reviewcast.Issue{Code: reviewcast.UnrecognizedKeys, Keys: slices.Sorted(maps.Keys(given))})
	}
	for _, issue := range issues {
		switch {
		case issue.Code == reviewcast.UnrecognizedKeys:
			names := each(t.params(), func(p reviewcast.Param) string { return p.Name })
			takes := cmp.Or(strings.Join(names, ", "), "no arguments")
			shown := each(issue.Keys[:min(len(issue.Keys), maxKnown)], echo)
			wrong = append(wrong, fmt.Sprintf("unknown %s: %s takes %s", strings.Join(shown, ", "), t.name, takes))
		case len(issue.Path) > 0:
			wrong = append(wrong, issue.Path[0]+": "+cleanText(issue.Message))
		default:
			wrong = append(wrong, issue.Message)
		}
	}
	if len(wrong) > 0 {
		return args, wrong
	}
	return args, nil
}

// echo quotes what an agent sent, shortened and without invisible characters.
func echo(s string) string {
	s = cleanText(strings.ToValidUTF8(s, "\uFFFD"))
	if runes := []rune(s[:min(len(s), 4*(maxEcho+1))]); len(runes) > maxEcho {
		return strconv.Quote(string(runes[:maxEcho])) + "…"
	}
	return strconv.Quote(s)
}

// The schemas are part of every agent's context, so they are short, with descriptions only where a name is not clear
// by itself. The API description (/.well-known/openapi.json) has full descriptions.

func inputSchema(t *tool) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, p := range t.params() {
		first, _, _ := strings.Cut(p.Description, ". ") // hints give the rest when it matters
		described := p.Schema()
		described["description"] = strings.TrimPrefix(strings.TrimSuffix(first, "."), "Only reviews ")
		raw, _ := json.Marshal(described) // words and numbers always marshal
		one := &jsonschema.Schema{}
		_ = json.Unmarshal(raw, one) // it is a schema
		s.Properties[p.Name] = one
		s.PropertyOrder = append(s.PropertyOrder, p.Name)
	}
	if t.required != "" {
		s.Required = []string{t.required}
	}
	return s
}

// outputSchema has the members of a tool's result with their types. What is in lists and objects is
// not described: objects may gain members, and every result shows it.
func outputSchema(t *tool) *jsonschema.Schema {
	s, _ := jsonschema.ForType(reflect.TypeOf(t.output), &jsonschema.ForOptions{}) // an error would depend on the type only
	for name, member := range s.Properties {
		kind := &jsonschema.Schema{Type: member.Type, Types: member.Types}
		if slices.Contains(kind.Types, "array") { // no list is null
			kind = &jsonschema.Schema{Type: "array"}
		}
		s.Properties[name] = kind
	}
	s.AdditionalProperties = nil
	return s
}

// searchSchema has the members of a result of search_reviews.
type searchSchema struct {
	Notice string `json:"notice"`
	reviewcast.SearchResult
	NextCursor *string `json:"next_cursor"`
}
