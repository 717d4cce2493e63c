package render

import (
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// roots are the values that are published. The types that they hold are described with them, each under its own name.
var roots = []reflect.Type{
	reflect.TypeFor[reviewcast.Dataset](), reflect.TypeFor[reviewcast.Insights](), reflect.TypeFor[reviewcast.SearchResult](),
	reflect.TypeFor[reviewcast.SinceResult](), reflect.TypeFor[reviewcast.Manifest](), reflect.TypeFor[reviewcast.Change](),
	reflect.TypeFor[reviewcast.Patch](), reflect.TypeFor[reviewcast.Withdrawals](), reflect.TypeFor[reviewcast.ErrorBody](),
	reflect.TypeFor[ReviewExtension](),
}

// sharedSchemas are all schemas by name. They are made once: they are the same for every business.
var sharedSchemas = sync.OnceValue(func() map[string]jsontext.Value {
	s := readSource()
	schemas := maps.Clone(s.Schemas)
	var codes []any
	for _, code := range reviewcast.IssueCodes {
		codes = append(codes, code)
	}
	types := map[reflect.Type]*jsonschema.Schema{ // those that aren't made from fields
		reflect.TypeFor[reviewcast.Date]():      {Type: "string", Format: "date"},
		reflect.TypeFor[reviewcast.Polarity]():  ref("Polarity"),
		reflect.TypeFor[reviewcast.IssueCode](): {Type: "string", Enum: codes},
		reflect.TypeFor[time.Time]():            {Type: "string", Format: "date-time"},
		reflect.TypeFor[reviewcast.Op]():        ref("Op"),
	}
	structs := map[string]reflect.Type{}
	for _, t := range roots {
		collect(t, types, structs)
	}
	for name, t := range structs {
		schemas[name] = s.schemaOf(name, t, types)
	}
	limits := object{
		"MaxTextLength": reviewcast.MaxTextLength, "MaxQueryLength": reviewcast.MaxQueryLength, "MaxLimit": reviewcast.MaxLimit, "FeedSize": reviewcast.FeedSize,
		"verificationMethods": reviewcast.VerificationMethods, "idPattern": fmt.Sprintf("^[A-Za-z0-9][A-Za-z0-9._-]{0,%d}$", reviewcast.MaxIDLength-1),
	}
	out := map[string]jsontext.Value{}
	for name, schema := range schemas {
		s.complete(name, schema)
		text := must(json.Marshal(schema, options))
		out[name] = must(fillIn(text, limits))
	}
	return out
})

// collect adds the structs that a type holds to structs, and references to types.
func collect(t reflect.Type, types map[reflect.Type]*jsonschema.Schema, structs map[string]reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || types[t] != nil {
		return
	}
	name := t.Name()
	if t == reflect.TypeFor[reviewcast.ErrorBody]() {
		name = "Error"
	}
	structs[name], types[t] = t, ref(name)
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			collect(f.Type, types, structs)
		}
	}
}

// schemaOf makes the schema of a struct. Within it, the others are referred to by name.
func (s *source) schemaOf(name string, t reflect.Type, types map[reflect.Type]*jsonschema.Schema) object {
	if s.Types[name] == "" {
		panic(fmt.Sprintf("openapi.yaml has no description of %v", t))
	}
	others := maps.Clone(types)
	delete(others, t)
	schema := must(jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: others}))
	tighten(schema)
	schema.Description = s.Types[name]
	text := must(json.Marshal(schema))
	var out object
	err := json.Unmarshal(text, &out)
	return must(out, err)
}

// complete adds to the members of a schema what openapi.yaml says of them.
func (s *source) complete(name string, schema object) {
	properties, _ := schema["properties"].(object)
	for member, p := range properties {
		p := p.(object)
		items, _ := p["items"].(object)
		described := p["description"] != nil || p["$ref"] != nil || p["anyOf"] != nil || items["$ref"] != nil
		for _, key := range []string{member, name + "." + member} {
			for k, v := range s.Members[key] {
				switch {
				case k == "description" && described:
				case k == "items" && items != nil:
					maps.Copy(items, v.(object))
				default:
					p[k] = v
				}
			}
		}
	}
}

// tighten makes reflection's schema the published one: a list is never null, whole numbers are never negative,
// objects may gain members, and a nullable reference is an anyOf.
func tighten(s *jsonschema.Schema) {
	switch {
	case s == nil:
		return
	case slices.Contains(s.Types, "array"):
		s.Types, s.Type = nil, "array"
	case s.Ref != "" && len(s.Types) > 0:
		s.AnyOf = []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}
		s.Ref, s.Types = "", nil
	case len(s.Types) > 0:
		slices.Reverse(s.Types) // what it is, before null
	case s.Type == "integer":
		s.Minimum = new(float64)
	case s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil:
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		tighten(p)
	}
	tighten(s.Items)
	tighten(s.AdditionalProperties)
}

func ref(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// schemaDocument is a JSON Schema of a whole file.
type schemaDocument struct {
	Schema string                    `json:"$schema"`
	ID     string                    `json:"$id"`
	Title  string                    `json:"title"`
	Ref    string                    `json:"$ref"`
	Defs   map[string]jsontext.Value `json:"$defs"`
}

var schemaRef = regexp.MustCompile(`"#/components/schemas/([A-Za-z]+)"`)

// JSONSchema renders the JSON Schema (draft 2020-12) of the dataset's file at a path, with the types that it needs.
func JSONSchema(baseURL, path, name string) ([]byte, error) {
	path = reviewcast.SchemaPath(path)
	all := sharedSchemas()
	d := schemaDocument{"https://json-schema.org/draft/2020-12/schema", baseURL + path, name, "#/$defs/" + name, map[string]jsontext.Value{}}
	for todo := []string{name}; len(todo) > 0; todo = todo[1:] {
		if _, done := d.Defs[todo[0]]; done {
			continue
		}
		b := all[todo[0]]
		for _, m := range schemaRef.FindAllSubmatch(b, -1) {
			todo = append(todo, string(m[1]))
		}
		d.Defs[todo[0]] = jsontext.Value(strings.ReplaceAll(string(b), "#/components/schemas/", "#/$defs/"))
	}
	return marshal(&d)
}

const exampleTextSize = 600 // code points of a text in the excerpt: enough to see the form, short enough to read

// exampleReview is made up, for as long as there is no real one.
//
//go:embed example.json
var exampleReview []byte

// excerpt is a dataset of a few of the newest short reviews, or of a made-up one.
func excerpt(d *reviewcast.Dataset) *reviewcast.Dataset {
	const exampleReviews = 2
	e := *d
	e.Reviews = nil
	for i := range d.Reviews {
		if r := &d.Reviews[i]; r.Text == nil || utf8.RuneCountInString(*r.Text) <= exampleTextSize {
			if e.Reviews = append(e.Reviews, *r); len(e.Reviews) == exampleReviews {
				break
			}
		}
	}
	if len(e.Reviews) == 0 {
		e.Reviews = make([]reviewcast.Review, 1)
		must(0, json.Unmarshal(exampleReview, &e.Reviews[0]))
	}
	e.AggregateRating = reviewcast.Aggregate(e.Reviews)
	e.ReviewCount = len(e.Reviews)
	return &e
}
