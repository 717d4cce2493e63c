package render

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// OpenAPI renders /.well-known/openapi.json: the interface in OpenAPI 3.1.0, every
// path that the files and the edge answer. Schemas come from the types of the
// contract, the search's parameters from reviewcast.SearchParams, and the examples
// from the newest reviews (from a made-up one as long as there is none), so that
// the description can't drift away from what is served.
func OpenAPI(c Channel, d *reviewcast.Dataset) ([]byte, error) {
	d = excerpt(d)
	c = c.Complete(d.Business)
	fail := func(err error) ([]byte, error) {
		return nil, fmt.Errorf("render %s: %w", reviewcast.PathOpenAPI, err)
	}
	shared, err := renderedComponents()
	if err != nil {
		return fail(err)
	}
	examples, err := newExamples(c, d)
	if err != nil {
		return fail(err)
	}
	body, err := marshal(&document{
		OpenAPI:    "3.1.0",
		Info:       newInfo(c, d),
		Servers:    []server{{URL: c.BaseURL, Description: "Every path stands below this one origin."}},
		Security:   []map[string][]string{},
		Tags:       tags,
		Paths:      paths(c, examples),
		Components: shared,
	})
	if err != nil {
		return fail(err)
	}
	return body, nil
}

// renderedComponents renders the components. They are the same for every business,
// and making schemas by reflection takes longer than rendering the rest, so it is
// done once.
var renderedComponents = sync.OnceValues(func() (jsontext.Value, error) {
	schemas, err := sharedSchemas()
	if err != nil {
		return nil, err
	}
	return json.Marshal(&components{
		Schemas:    schemas,
		Parameters: sharedParameters,
		Headers:    sharedHeaders,
		Responses:  sharedResponses(),
	}, options)
})

// The objects of OpenAPI 3.1.0, section 4.8, as far as they are used.
type (
	document struct {
		OpenAPI    string                `json:"openapi"`
		Info       info                  `json:"info"`
		Servers    []server              `json:"servers"`
		Security   []map[string][]string `json:"security"` // empty: nothing needs a key
		Tags       []tag                 `json:"tags"`
		Paths      map[string]pathItem   `json:"paths"`
		Components jsontext.Value        `json:"components"`
	}
	info struct {
		Title       string  `json:"title"`
		Summary     string  `json:"summary,omitempty"`
		Description string  `json:"description"`
		Contact     contact `json:"contact"`
		License     license `json:"license"`
		Version     string  `json:"version"`
	}
	contact struct {
		Name  string `json:"name"`
		URL   string `json:"url,omitempty"`
		Email string `json:"email,omitempty"`
	}
	license struct {
		Name       string `json:"name"`
		Identifier string `json:"identifier,omitempty"`
		URL        string `json:"url,omitempty"`
	}
	server struct {
		URL         string `json:"url"`
		Description string `json:"description"`
	}
	tag struct {
		Name         string `json:"name"`
		Description  string `json:"description"`
		ExternalDocs *link  `json:"externalDocs,omitempty"`
	}
	link struct {
		Description string `json:"description"`
		URL         string `json:"url"`
	}
	pathItem struct {
		Get  *operation `json:"get,omitempty"`
		Head *operation `json:"head,omitempty"`
		Post *operation `json:"post,omitempty"`
	}
	operation struct {
		OperationID string                         `json:"operationId"`
		Summary     string                         `json:"summary"`
		Description string                         `json:"description"`
		Tags        []string                       `json:"tags"`
		Parameters  []parameter                    `json:"parameters,omitempty"`
		RequestBody *requestBody                   `json:"requestBody,omitempty"`
		Responses   map[string]response            `json:"responses"`
		Callbacks   map[string]map[string]pathItem `json:"callbacks,omitempty"`
	}
	parameter struct {
		Ref         string             `json:"$ref,omitempty"`
		Name        string             `json:"name,omitempty"`
		In          string             `json:"in,omitempty"`
		Description string             `json:"description,omitempty"`
		Required    bool               `json:"required,omitempty"`
		Schema      *jsonschema.Schema `json:"schema,omitempty"`
		Example     any                `json:"example,omitempty"`
	}
	requestBody struct {
		Description string               `json:"description"`
		Required    bool                 `json:"required"`
		Content     map[string]mediaType `json:"content"`
	}
	response struct {
		Ref         string               `json:"$ref,omitempty"`
		Description string               `json:"description,omitempty"`
		Headers     map[string]header    `json:"headers,omitempty"`
		Content     map[string]mediaType `json:"content,omitempty"`
	}
	mediaType struct {
		Schema  *jsonschema.Schema `json:"schema"`
		Example any                `json:"example,omitempty"`
	}
	header struct {
		Ref         string             `json:"$ref,omitempty"`
		Description string             `json:"description,omitempty"`
		Schema      *jsonschema.Schema `json:"schema,omitempty"`
		Example     any                `json:"example,omitempty"`
	}
	components struct {
		Schemas    map[string]*jsonschema.Schema `json:"schemas"`
		Parameters map[string]parameter          `json:"parameters"`
		Headers    map[string]header             `json:"headers"`
		Responses  map[string]response           `json:"responses"`
	}
)

// Tags, in the order in which a reader wants them.
const (
	tagFiles   = "Files"
	tagSearch  = "Search"
	tagFeeds   = "Feeds"
	tagPush    = "Push"
	tagAgents  = "Agents"
	tagAbout   = "About"
	tagChanges = "Changes"
)

var tags = []tag{
	{Name: tagFiles, Description: "Everything at once: the dataset and the insights."},
	{Name: tagChanges, Description: "What each published version changed, so that a copy is kept current without fetching it again."},
	{Name: tagSearch, Description: "Some of the reviews, by what they say and when they were given."},
	{Name: tagFeeds, Description: "The newest reviews for feed readers."},
	{Name: tagPush, Description: "Be told of a change instead of asking for it.",
		ExternalDocs: &link{"W3C WebSub", "https://www.w3.org/TR/2018/REC-websub-20180123/"}},
	{Name: tagAgents, Description: "The same data as tools for software agents.",
		ExternalDocs: &link{"Model Context Protocol", "https://modelcontextprotocol.io/specification/"}},
	{Name: tagAbout, Description: "What is published, and how to read it."},
}

func newInfo(c Channel, d *reviewcast.Dataset) info {
	spdx, url := License(d.License)
	l := license{Name: d.License, Identifier: spdx}
	switch {
	case spdx == "" && url != "":
		l.URL = url
	case spdx == "":
		// SPDX's way to name a licence that isn't on its list.
		l = license{Name: cmp.Or(d.License, "all-rights-reserved"), Identifier: "LicenseRef-all-rights-reserved"}
	}
	return info{
		Title:       c.Title,
		Summary:     c.Description,
		Description: "Verified customer reviews of " + d.Business.Name + ": public, read-only and free of keys.\n\n" + manual,
		Contact:     contact{d.Business.Name, cmp.Or(d.Business.URL, c.BaseURL+"/"), d.Business.Email},
		License:     l,
		Version:     reviewcast.Version,
	}
}

// manual is what holds for every path, in Markdown.
//
//go:embed manual.md
var manual string

// License gives the SPDX identifier and the address of a dataset's licence, each as
// far as it is known: editors write one or the other.
func License(s string) (spdx, address string) {
	switch {
	case strings.HasPrefix(s, "https://"), strings.HasPrefix(s, "http://"):
		return "", s
	case s == "" || strings.ContainsAny(s, " \t\n") || s == "all-rights-reserved":
		return "", ""
	}
	return s, "https://spdx.org/licenses/" + s + ".html"
}
