package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// The schemas are part of every agent's context, so they are short, with descriptions only where a
// name is not clear by itself. The API description (/.well-known/openapi.json) has full
// descriptions.

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

func outputSchema(t *tool) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(reflect.TypeOf(t.output), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[reviewcast.Date]():     {Type: "string"},
		reflect.TypeFor[reviewcast.Polarity](): {Type: "string"},
		// The descriptions of the tools name the members of these.
		reflect.TypeFor[entityLine]():        {Type: "object"},
		reflect.TypeFor[reviewcast.Entity](): {Type: "object"},
		reflect.TypeFor[reviewcast.Facets](): {Type: "object"},
	}})
	if err != nil {
		return nil, fmt.Errorf("make schema of %T: %w", t.output, err)
	}
	required := s.Required
	shorten(s, 0)
	s.Required = required
	return s, nil
}

// maxDescribed is the most members of a nested object that a schema describes.
const maxDescribed = 15

// shorten reduces a schema to names and types. Lists are never null, objects may gain members, and
// deeply nested or large objects are not described.
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

// searchSchema has the members of a result of search_reviews; get_review's schema has the other members of a review.
type searchSchema struct {
	Notice     string             `json:"notice"`
	Matched    int                `json:"matched"`
	Returned   int                `json:"returned"`
	Reviews    []searchReview     `json:"reviews"`
	Query      map[string]any     `json:"query"`
	Facets     *reviewcast.Facets `json:"facets,omitempty"`
	NextCursor *string            `json:"next_cursor"`
	Hint       string             `json:"hint,omitempty"`
}

type searchReview struct {
	ID      string          `json:"id"`
	Author  string          `json:"author"`
	Rating  int             `json:"rating"`
	Date    reviewcast.Date `json:"date"`
	Title   *string         `json:"title"`
	Text    *string         `json:"text"`
	Excerpt *string         `json:"excerpt"`
}
