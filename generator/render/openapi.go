package render

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"reviewcast"
)

// OpenAPI renders /.well-known/openapi.json (OpenAPI 3.1.0): openapi.yaml with the schemas of the contract's
// types, the parameters of [reviewcast.SearchParams], and the newest reviews as examples.
func OpenAPI(c Channel, d *reviewcast.Dataset) ([]byte, error) {
	c, d = c.Complete(d.Business), excerpt(d)
	atom, err1 := Atom(c, d)
	jsonFeed, err2 := JSONFeed(c, d)
	var topics []string
	for _, path := range reviewcast.Topics {
		topics = append(topics, c.BaseURL+path)
	}
	n, oldest := len(d.Reviews), d.Reviews[len(d.Reviews)-1].Date
	body, err3 := fillIn(openAPITemplate(), map[string]any{ // what differs from business to business
		"info": newInfo(c, d), "title": c.Title, "baseURL": c.BaseURL, "topics": topics, "topic": c.BaseURL + reviewcast.PathReviews,
		"dataset": d, "jsonFeed": jsontext.Value(jsonFeed), "atom": string(atom), "sinceDate": oldest,
		"search": reviewcast.SearchResult{Matched: n, Returned: n, Reviews: d.Reviews, Query: reviewcast.Query{Since: oldest, Limit: reviewcast.DefaultLimit}},
		"since":  reviewcast.SinceResult{Since: oldest, Matched: n, Returned: n, Reviews: d.Reviews},
	})
	return append(body, '\n'), cmp.Or(err1, err2, err3)
}

// fillIn replaces the strings "$name" of a JSON text by values.
func fillIn(text []byte, values map[string]any) ([]byte, error) {
	var pairs []string
	for name, v := range values {
		b, err := json.Marshal(v, options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pairs = append(pairs, `"$`+name+`"`, string(b))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(text))), nil
}

func newInfo(c Channel, d *reviewcast.Dataset) object {
	b := d.Business
	contact := object{"name": b.Name, "url": cmp.Or(b.URL, c.BaseURL+"/")}
	if b.Email != "" {
		contact["email"] = b.Email
	}
	license := object{"name": d.License}
	switch spdx, url := License(d.License); {
	case spdx != "":
		license["identifier"] = spdx
	case url != "":
		license["url"] = url
	default: // SPDX's way to name a licence that isn't on its list
		license = object{"name": cmp.Or(d.License, "all-rights-reserved"), "identifier": "LicenseRef-all-rights-reserved"}
	}
	info := object{
		"title": c.Title, "contact": contact, "license": license, "version": reviewcast.Version,
		"description": "Verified customer reviews of " + b.Name + ": public, read-only and free of keys.\n\n" + manual,
	}
	if c.Description != "" {
		info["summary"] = c.Description
	}
	return info
}

// manual is what holds for every path, in Markdown.
//
//go:embed manual.md
var manual string

// License gives a licence's SPDX identifier and address; editors write one or the other.
func License(s string) (spdx, address string) {
	switch {
	case strings.HasPrefix(s, "https://"), strings.HasPrefix(s, "http://"):
		return "", s
	case s == "" || strings.ContainsAny(s, " \t\n") || s == "all-rights-reserved":
		return "", ""
	}
	return s, "https://spdx.org/licenses/" + s + ".html"
}

//go:embed openapi.yaml
var openAPISource []byte

type object = map[string]any

// source is openapi.yaml: the description, and what it is made of.
type source struct {
	OpenAPI    string            `json:"openapi"`
	Info       string            `json:"info"`
	Servers    any               `json:"servers"`
	Security   []any             `json:"security"` // empty: nothing needs a key
	Tags       any               `json:"tags"`
	Paths      object            `json:"paths"`      // of objects by method
	Components object            `json:"components"` // by kind
	Read       map[string]object `json:"-"`
	Types      map[string]string `json:"-"`
	Members    map[string]object `json:"-"`
	Schemas    map[string]object `json:"-"`
}

var readSource = sync.OnceValue(func() *source {
	s := &source{}
	return must(s, yaml.Unmarshal(openAPISource, s))
})

// must is for what is made of the embedded openapi.yaml and the contract's types alone: tests make it, too.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("openapi.yaml: %s", err))
	}
	return v
}

// openAPITemplate is the description with names in place of values, made once: reflection is slow.
var openAPITemplate = sync.OnceValue(func() []byte {
	s := readSource()
	for _, path := range s.Paths {
		methods := path.(object)
		if get, ok := methods["get"].(object); ok && get["x-read"] != nil {
			methods["head"] = s.completeRead(get)
		}
	}
	s.Components["schemas"] = sharedSchemas()
	text := must(json.Marshal(s, options))
	var params []any
	for _, p := range reviewcast.SearchParams {
		params = append(params, object{"name": p.Name, "in": "query", "description": p.Description, "schema": p.Schema(), "example": p.Example})
	}
	return must(fillIn(text, object{"searchParams": append(params, conditions...)}))
})

// completeRead adds what all reads share, and returns the HEAD beside it, which knows no ranges.
func (s *source) completeRead(get object) (head object) {
	headers := s.Read[get["x-read"].(string)]
	delete(get, "x-read")
	if own, isList := get["parameters"].([]any); isList || get["parameters"] == nil {
		get["parameters"] = append(own, conditions...)
	}
	responses := get["responses"].(object)
	ok := responses["200"].(object)
	ok["headers"] = headers
	// A part has the type of the whole: without one, generated clients would know nothing of the body of a success.
	content := object{}
	for mediaType, whole := range ok["content"].(object) {
		content[mediaType] = object{"schema": whole.(object)["schema"]}
	}
	maps.Copy(responses, s.Read["responses"])
	head = maps.Clone(get)
	name := strings.TrimPrefix(get["operationId"].(string), "get")
	head["operationId"] = "head" + strings.ToUpper(name[:1]) + name[1:]
	head["summary"] = get["summary"].(string) + ": the headers only"
	head["description"] = "What GET would answer, without the body."
	without := maps.Clone(responses)
	without["200"] = object{"description": ok["description"], "headers": headers}
	head["responses"] = without
	ofPart := maps.Clone(headers)
	maps.Copy(ofPart, s.Read["part"])
	responses["206"] = object{"description": "The part of the body that `Range` asked for; of several ranges, `multipart/byteranges`.", "headers": ofPart, "content": content}
	maps.Copy(responses, s.Read["ranges"])
	return head
}

// conditions are the headers of a conditional request.
var conditions = []any{object{"$ref": "#/components/parameters/IfNoneMatch"}, object{"$ref": "#/components/parameters/IfModifiedSince"}}
