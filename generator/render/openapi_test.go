package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"reviewcast"
	"reviewcast/bench/corpus"
)

// strict reads a schema as OpenAPI 3.1 means it, as JSON Schema 2020-12; without
// that, kin-openapi passes over const.
var strict = []openapi3.SchemaValidationOption{openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation(), openapi3.MultiErrors()}

// load reads a description with another program's eyes.
func load(c Channel, d *reviewcast.Dataset) *openapi3.T {
	body, err := OpenAPI(c, d)
	if err != nil {
		panic(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(body)
	if err != nil {
		panic(err)
	}
	return doc
}

// sampleAPI is the description of the sample, read once. Tests don't change it.
var sampleAPI = sync.OnceValue(func() *openapi3.T { return load(sampleChannel, sampleDataset()) })

// TestOpenAPIIsValid holds descriptions against OpenAPI's own rules, their examples
// against their schemas included.
func TestOpenAPIIsValid(t *testing.T) {
	long := sampleDataset()
	for i := range long.Reviews {
		long.Reviews[i].Text = new(strings.Repeat("x", exampleTextSize+1)) // no excerpt to be had
	}
	bare := Channel{BaseURL: "http://localhost:8080"}
	for name, doc := range map[string]*openapi3.T{
		"sample": sampleAPI(),
		"empty":  load(bare, emptyDataset()),
		"long":   load(bare, long),
	} {
		if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.0.0" {
			t.Errorf("%s: OpenAPI %s, version %s", name, doc.OpenAPI, doc.Info.Version)
		}
	}
}

// TestOpenAPIPaths: every path of the contract, its operations named and tagged,
// and the errors that can occur.
func TestOpenAPIPaths(t *testing.T) {
	doc := sampleAPI()
	want := map[string]string{ // statuses, by method and path
		"GET /reviews.json":                      "200 206 304 405 406 412 414 416 429 431 503",
		"HEAD /reviews.json":                     "200 304 405 406 412 414 429 431 503",
		"GET /insights.json":                     "200 206 304 405 406 412 414 416 429 431 503",
		"HEAD /insights.json":                    "200 304 405 406 412 414 429 431 503",
		"GET /api/feed.json":                     "200 206 304 405 406 412 414 416 431 503",
		"HEAD /api/feed.json":                    "200 304 405 406 412 414 431 503",
		"GET /feed.xml":                          "200 206 304 405 406 412 414 416 431 503",
		"HEAD /feed.xml":                         "200 304 405 406 412 414 431 503",
		"GET /manifest.json":                     "200 206 304 405 406 412 414 416 431 503",
		"HEAD /manifest.json":                    "200 304 405 406 412 414 431 503",
		"GET /.well-known/openapi.json":          "200 206 304 405 406 412 414 416 431 503",
		"HEAD /.well-known/openapi.json":         "200 304 405 406 412 414 431 503",
		"GET /api/reviews/search":                "200 206 304 400 405 406 412 414 416 429 431 503",
		"HEAD /api/reviews/search":               "200 304 400 405 406 412 414 429 431 503",
		"GET /api/reviews/since/{date}":          "200 206 304 400 404 405 406 412 414 416 429 431 503",
		"HEAD /api/reviews/since/{date}":         "200 304 400 404 405 406 412 414 429 431 503",
		"GET /changes/latest.json":               "200 206 304 405 406 412 414 416 429 431 503",
		"HEAD /changes/latest.json":              "200 304 405 406 412 414 429 431 503",
		"GET /changes/versions.txt":              "200 206 304 405 406 412 414 416 431 503",
		"HEAD /changes/versions.txt":             "200 304 405 406 412 414 431 503",
		"GET /withdrawn.json":                    "200 206 304 405 406 412 414 416 431 503",
		"HEAD /withdrawn.json":                   "200 304 405 406 412 414 431 503",
		"GET /changes/{sequence}.json":           "200 206 304 404 405 406 412 414 416 429 431 503",
		"HEAD /changes/{sequence}.json":          "200 304 404 405 406 412 414 429 431 503",
		"GET /changes/{sequence}/insights.json":  "200 206 304 404 405 406 412 414 416 429 431 503",
		"HEAD /changes/{sequence}/insights.json": "200 304 404 405 406 412 414 429 431 503",
		"POST /mcp":                              "200 202 400 403 404 406 413 414 415 429 431 503",
		"GET /api/websub/hub":                    "200 403 404 414 429 431 503",
		"POST /api/websub/hub":                   "202 400 404 413 414 415 429 431 503",
	}
	ids := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			if got := strings.Join(slices.Sorted(maps.Keys(op.Responses.Map())), " "); got != want[name] {
				t.Errorf("%s: %s, want %s", name, got, want[name])
			}
			delete(want, name)
			if op.OperationID == "" || ids[op.OperationID] || len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil {
				t.Errorf("%s %s: operation %q, tags %v", method, path, op.OperationID, op.Tags)
			}
			ids[op.OperationID] = true
			ok := op.Responses.Status(http.StatusOK)
			if method == http.MethodGet && path != reviewcast.PathHub && (ok.Value.Headers["ETag"] == nil || slices.Contains(reviewcast.Topics, path) != (ok.Value.Headers["Link"] != nil)) {
				t.Errorf("%s: headers %v", path, slices.Sorted(maps.Keys(ok.Value.Headers)))
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not described: %v", want)
	}
}

// TestSearchParameters: the description has the table's parameters, each with an
// example that the real parser takes, and bounds that it really has.
func TestSearchParameters(t *testing.T) {
	op := sampleAPI().Paths.Value(reviewcast.PathSearch).Get
	for _, p := range reviewcast.SearchParams {
		described := op.Parameters.GetByInAndName("query", p.Name)
		if described == nil || described.Description != p.Description || described.Required {
			t.Errorf("%s is described as %+v", p.Name, described)
			continue
		}
		if _, issues := reviewcast.ParseSearch(url.Values{p.Name: {fmt.Sprint(described.Example)}}.Encode()); issues != nil {
			t.Errorf("%s: the parser refuses the example: %v", p.Name, issues)
		}
		if s := described.Schema.Value; s.Max != nil {
			if _, issues := reviewcast.ParseSearch(p.Name + "=" + fmt.Sprint(*s.Max+1)); issues == nil {
				t.Errorf("%s: the parser takes more than the maximum %g", p.Name, *s.Max)
			}
		}
	}
}

// closed is the description with every object closed, so that a member that it
// doesn't know is an error.
func closed(d *reviewcast.Dataset) *openapi3.T {
	doc := load(sampleChannel, d)
	for _, s := range doc.Components.Schemas {
		if s.Value.Properties != nil {
			s.Value.AdditionalProperties = openapi3.AdditionalProperties{Has: new(bool)}
		}
	}
	return doc
}

// TestFilesMatchTheirSchemas holds what is rendered against what is described:
// nothing is missing, and nothing is there that isn't described.
func TestFilesMatchTheirSchemas(t *testing.T) {
	corpusDataset := corpus.Dataset(70)
	for name, d := range map[string]*reviewcast.Dataset{"sample": sampleDataset(), "empty": emptyDataset(), "corpus": &corpusDataset} {
		doc := closed(d)
		for _, in := range []*reviewcast.Insights{sampleInsights(), emptyInsights()} {
			files, err := Files(withLines(Content{Channel: sampleChannel, Dataset: d, Insights: in}))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				item := doc.Paths.Value(f.Path)
				if item == nil || f.MediaType != reviewcast.MediaJSON {
					continue
				}
				schema := item.Get.Responses.Status(http.StatusOK).Value.Content.Get(f.MediaType).Schema.Value
				var v any
				if err := json.Unmarshal(f.Body, &v); err != nil {
					t.Fatal(err)
				}
				if err := schema.VisitJSON(v, strict...); err != nil {
					t.Errorf("%s of %s: %v", f.Path, name, err)
				}
			}
		}
	}
}

// TestSchemasRefuse: the schemas say no where they should; without this, the tests
// above could pass by schemas that take everything.
func TestSchemasRefuse(t *testing.T) {
	doc := sampleAPI()
	good := func() map[string]any {
		body, err := datasetFile(sampleDataset())
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	review := func(d map[string]any) map[string]any { return d["reviews"].([]any)[0].(map[string]any) }
	for name, spoil := range map[string]func(map[string]any){
		"nothing":        func(map[string]any) {},
		"version":        func(d map[string]any) { d["version"] = 2 },
		"no reviews":     func(d map[string]any) { delete(d, "reviews") },
		"null reviews":   func(d map[string]any) { d["reviews"] = nil },
		"six stars":      func(d map[string]any) { review(d)["rating"] = 6 },
		"half a star":    func(d map[string]any) { review(d)["rating"] = 4.5 },
		"null author":    func(d map[string]any) { review(d)["author"] = nil },
		"unverified":     func(d map[string]any) { review(d)["verified"] = false },
		"method":         func(d map[string]any) { review(d)["verification"].(map[string]any)["method"] = "hearsay" },
		"id":             func(d map[string]any) { review(d)["id"] = "a b" },
		"reply a string": func(d map[string]any) { review(d)["owner_reply"] = "thanks" },
		"null mentions":  func(d map[string]any) { review(d)["mentions"].(map[string]any)["services"] = nil },
		"negative count": func(d map[string]any) { d["review_count"] = -1 },
	} {
		d := good()
		spoil(d)
		if err := doc.Components.Schemas["Dataset"].Value.VisitJSON(d, strict...); (err == nil) != (name == "nothing") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestErrorsMatchTheirSchema: what the parser reports is what is described.
func TestErrorsMatchTheirSchema(t *testing.T) {
	schema := closed(sampleDataset()).Components.Schemas["Error"].Value
	for _, query := range []string{"rating=9&limit=0&min_rating=x&since=2026-02-30&a=b&query=" + strings.Repeat("x", 201), "%zz", "since=2026-02-01&until=2026-01-01", "rating=1&rating=2"} {
		_, issues := reviewcast.ParseSearch(query)
		if len(issues) == 0 {
			t.Fatalf("%s is no mistake", query)
		}
		body, err := json.Marshal(reviewcast.NewError(http.StatusBadRequest, "Bad.", issues...))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.VisitJSON(v, strict...); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestOpenAPIShowsTheNewest: the examples are the two newest reviews that are short
// enough to read, and of no other review is there a trace.
func TestOpenAPIShowsTheNewest(t *testing.T) {
	d := corpus.Dataset(50)
	d.Reviews[0].Text = new(strings.Repeat("long ", exampleTextSize))
	for i := range d.Reviews[1:] {
		d.Reviews[1+i].Text = new(fmt.Sprintf("Text %d.", 1+i))
	}
	body, err := OpenAPI(sampleChannel, &d)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range d.Reviews {
		want := i == 1 || i == 2
		if got := bytes.Contains(body, []byte(r.ID)); got != want {
			t.Errorf("review %d is shown: %v", i, got)
		}
	}
}

// TestSinceExample: the example of the date is one that the parser takes.
func TestSinceExample(t *testing.T) {
	op := sampleAPI().Paths.Value(reviewcast.PathSince + "{date}").Get
	example := fmt.Sprint(op.Parameters.GetByInAndName("path", "date").Example)
	if _, issues := reviewcast.ParseSince(example, ""); issues != nil {
		t.Errorf("the parser refuses the example %s: %v", example, issues)
	}
}

// TestEveryEntryIsUsed: a type or a member that is renamed takes its entry in
// openapi.yaml along.
func TestEveryEntryIsUsed(t *testing.T) {
	s, schemas := readSource(), sharedSchemas()
	types, members := maps.Clone(s.Types), maps.Clone(s.Members)
	for name, text := range schemas {
		delete(types, name)
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		for member := range schema.Properties {
			delete(members, member)
			delete(members, name+"."+member)
		}
	}
	if len(types)+len(members) > 0 {
		t.Errorf("entries of nothing: %v %v", slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(members)))
	}
}
