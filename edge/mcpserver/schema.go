package mcpserver

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// The schemas are part of every agent's context, so they are short, with descriptions only where a name is not clear
// by itself. The API description (/.well-known/openapi.json) has full descriptions.

func inputSchema(t *tool) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, p := range t.parameters() {
		s.Properties[p.Name] = paramSchema(p)
		s.PropertyOrder = append(s.PropertyOrder, p.Name)
	}
	if t.required != "" {
		s.Required = []string{t.required}
	}
	return s
}

func paramSchema(p reviewcast.Param) *jsonschema.Schema {
	first, _, _ := strings.Cut(p.Description, ". ") // hints give the rest when it matters
	s := &jsonschema.Schema{Type: string(p.Type), Description: strings.TrimPrefix(strings.TrimSuffix(first, "."), "Only reviews ")}
	switch p.Type {
	case reviewcast.IntegerParam, reviewcast.NumberParam:
		s.Minimum, s.Maximum = &p.Min, &p.Max
		if p.Default != 0 {
			s.Default = json.RawMessage(strconv.Itoa(p.Default))
		}
	case reviewcast.DateParam:
		s.Type, s.Format = "string", "date"
	case reviewcast.StringParam:
		for _, v := range p.Values {
			s.Enum = append(s.Enum, v)
		}
		if p.Values == nil {
			s.MaxLength = &p.MaxLength
		}
		if p.Values == nil && p.MinLength > 0 {
			s.MinLength = &p.MinLength
		}
	}
	return s
}

// outputSchema has the members of a tool's result with their types. What is in lists and objects is
// not described: objects may gain members, and every result shows it.
func outputSchema(t *tool) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(t.output)) {
		if f.Anonymous {
			continue // its members are promoted
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind, member := f.Type.Kind(), &jsonschema.Schema{}
		if kind == reflect.Pointer {
			kind, member.Types = f.Type.Elem().Kind(), []string{"null"}
		}
		if one := jsonTypes[kind]; member.Types == nil {
			member.Type = one
		} else {
			member.Types = append(member.Types, one)
		}
		s.Properties[name] = member
		s.PropertyOrder = append(s.PropertyOrder, name)
		if options == "" {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

var jsonTypes = map[reflect.Kind]string{reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number",
	reflect.String: "string", reflect.Slice: "array", reflect.Map: "object", reflect.Struct: "object"}

// searchSchema has the members of a result of search_reviews.
type searchSchema struct {
	Notice string `json:"notice"`
	reviewcast.SearchResult
	NextCursor *string `json:"next_cursor"`
}
