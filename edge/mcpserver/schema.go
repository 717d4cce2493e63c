package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// The schemas are part of every agent's context, so they are short: types, bounds and
// required members, with descriptions only where a name is not clear by itself. The
// generator derives the API description (/.well-known/openapi.json) from the same
// types, with full descriptions.

// inputSchema derives the input schema from a tool's parameters.
func inputSchema(t *tool) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	add := func(name string, p *jsonschema.Schema) {
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	if t.search {
		for _, p := range reviewcast.SearchParams {
			add(p.Name, searchParam(p))
		}
	}
	for _, p := range t.params {
		prop := &jsonschema.Schema{Type: "string", Description: p.description, Enum: anys(p.values)}
		if p.values == nil {
			prop.MinLength, prop.MaxLength = jsonschema.Ptr(1), jsonschema.Ptr(maxArgument)
		}
		if p.byDefault != "" {
			prop.Default = value(p.byDefault)
		}
		if !p.optional {
			s.Required = append(s.Required, p.name)
		}
		add(p.name, prop)
	}
	return s
}

// searchParam is the JSON Schema of a search parameter.
func searchParam(p reviewcast.Param) *jsonschema.Schema {
	first, _, _ := strings.Cut(p.Description, ". ") // hints give the rest when it matters
	s := &jsonschema.Schema{Type: string(p.Type), Description: strings.TrimPrefix(strings.TrimSuffix(first, "."), "Only reviews ")}
	switch p.Type {
	case reviewcast.IntegerParam, reviewcast.NumberParam:
		s.Minimum, s.Maximum = &p.Min, &p.Max
		if p.Default != 0 {
			s.Default = value(p.Default)
		}
	case reviewcast.DateParam:
		s.Type, s.Format = "string", "date"
	case reviewcast.StringParam:
		if p.Values != nil {
			s.Enum = anys(p.Values)
			break
		}
		s.MaxLength = &p.MaxLength
		if p.MinLength > 0 {
			s.MinLength = &p.MinLength
		}
	}
	return s
}

func value(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return raw
}

func anys[T any](list []T) []any {
	var out []any
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

// outputSchema derives the output schema from the type of a tool's result.
func outputSchema(t *tool) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(reflect.TypeOf(t.output), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[reviewcast.Date]():     {Type: "string"},
		reflect.TypeFor[reviewcast.Polarity](): {Type: "string"},
		// The descriptions of the tools name the members of these.
		reflect.TypeFor[entityLine]():        {Type: "object"},
		reflect.TypeFor[reviewcast.Entity](): {Type: "object"},
	}})
	if err != nil {
		return nil, fmt.Errorf("make schema of %T: %w", t.output, err)
	}
	required := s.Required
	shorten(s, 0)
	s.Required = required
	if t.search {
		completeSearch(s)
	}
	return s, nil
}

// maxDescribed is the most members of a nested object that a schema describes.
const maxDescribed = 15

// shorten reduces a schema to what a client needs to check a result and an agent to
// read it: names and types. Lists are never null, objects may gain members, and
// objects that are nested more deeply, or have many members, are not described.
func shorten(s *jsonschema.Schema, depth int) {
	s.Description, s.Required = "", nil
	if slices.Contains(s.Types, "array") {
		s.Types, s.Type = nil, "array"
	}
	slices.Sort(s.Types)
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		shorten(p, depth+1)
	}
	for _, p := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if p != nil {
			shorten(p, depth)
		}
	}
	if depth > 1 && s.Items != nil {
		s.Items.Properties = nil
	}
	if depth > 1 || depth == 1 && len(s.Properties) > maxDescribed {
		s.Properties, s.PropertyOrder = nil, nil
	}
}

// completeSearch adds the members of search_reviews that the HTTP search doesn't have.
// A concise review has an excerpt and few other members, so few are required.
func completeSearch(s *jsonschema.Schema) {
	s.Properties["query"].Properties = nil // the arguments as applied
	s.Properties["facets"] = &jsonschema.Schema{Type: "object", Description: "lists of value, count, average_rating"}
	review := s.Properties["reviews"].Items
	review.Required = []string{"id", "rating", "date"}
	// The schema of get_review has the other members of a review.
	more := func(name string) bool {
		return !slices.Contains([]string{"id", "author", "rating", "date", "title", "text"}, name)
	}
	maps.DeleteFunc(review.Properties, func(name string, _ *jsonschema.Schema) bool { return more(name) })
	review.PropertyOrder = slices.DeleteFunc(review.PropertyOrder, more)
	review.Properties["excerpt"] = &jsonschema.Schema{Types: []string{"null", "string"}, Description: "concise only"}
	review.PropertyOrder = append(review.PropertyOrder, "excerpt")
	s.Properties["next_cursor"] = &jsonschema.Schema{Types: []string{"null", "string"}}
	s.Properties["hint"] = &jsonschema.Schema{Type: "string", Description: "when nothing matches: what to change"}
	s.Properties["notice"] = &jsonschema.Schema{Type: "string"}
	s.PropertyOrder = append(s.PropertyOrder, "next_cursor", "hint", "notice")
	s.Required = append(s.Required, "next_cursor", "notice")
}
