package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"reviewcast"
	"reviewcast/generator/render"
)

// apiDocument are the parts of the API's description that the documentation shows.
type apiDocument struct {
	Info       apiNode
	Paths      map[string]map[string]apiNode // operations by path and method
	Components struct {
		Schemas, Parameters, Responses map[string]*apiNode
	}
}

// apiNode is an operation, a parameter, a body, an answer or a schema.
type apiNode struct {
	Ref                                    string `json:"$ref"`
	Name, In, Summary, Description, Format string
	Parameters                             []*apiNode
	RequestBody, Schema                    *apiNode
	Responses, Content, Properties         map[string]*apiNode
	Items, AdditionalProperties            *apiNode
	AnyOf, OneOf                           []*apiNode
	Type, Const, Default, Required         any
	Minimum, Maximum, MaxLength            any
	Enum                                   []any
	Example                                json.RawMessage
}

// manuals are the pages of the documentation: by hand, and from the API's description. The text of one is the
// template of its name.
var manuals = []struct{ name, Path, Title, description string }{
	{"guide", reviewcast.PathDocs, "How to use the data", "Datasets, changes, feeds, search and agents: how to use the reviews of "},
	{"api", reviewcast.PathDocs + "api/", "Paths", "Every path, parameter, status and error of the reviews of "},
	{"fields", reviewcast.PathDocs + "fields/", "Fields", "The data dictionary: type, meaning and unit of every field of the reviews of "},
}

// docsData is what the templates docs show: the same text twice, shorter in the twin.
type docsData struct {
	Manuals               any // the manuals
	Path, Title, Markdown string
	HTML                  template.HTML
	Contents              []heading
}

// heading is an entry in the contents of a page.
type heading struct {
	Level, ID string
	Text      template.HTML
}

var headings = regexp.MustCompile(`<h([23]) id="([^"]+)">(.*)</h[23]>`)

func (s *Site) docsPages() []job {
	api := sync.OnceValue(func() *apiDocument { return readAPI(s.OpenAPI) })
	var pages []job
	for _, m := range manuals {
		pages = append(pages, job{m.Path, s.modified, func() ([]render.Artifact, error) {
			source, err1 := s.docs(api(), m.name, false)
			twin, err2 := s.docs(api(), m.name, true)
			var b bytes.Buffer
			if err := cmp.Or(err1, err2, toHTML.Convert([]byte(source), &b)); err != nil {
				return nil, fmt.Errorf("render %s: %w", m.Path, err)
			}
			d := docsData{Manuals: manuals, Path: m.Path, Title: m.Title, Markdown: surplus.ReplaceAllString(twin, "$1")}
			for _, h := range headings.FindAllStringSubmatch(b.String(), -1) {
				d.Contents = append(d.Contents, heading{h[1], h[2], template.HTML(h[3])})
			}
			// What scrolls can be reached with the keyboard.
			d.HTML = template.HTML(strings.NewReplacer("<table>", `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="reference">`,
				"</table>", "</table></div>", "<pre>", `<pre tabindex="0">`).Replace(b.String()))
			v := &view{Title: m.Title, Description: m.description + s.Dataset.Business.Name + ".", Name: "docs", Data: d}
			if m.Path == reviewcast.PathDocs {
				v.Graph = s.graph(false)
			} else {
				v.Crumbs = []link{{manuals[0].Title, reviewcast.PathDocs}}
			}
			return s.artifacts(m.Path, v)
		}})
	}
	return pages
}

// toHTML converts the documentation. HTML in it, such as in an example, is not passed on.
var toHTML = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// surplus is what the twin leaves out: the indentation of examples, and the links of types ($1) to their fields.
var surplus = regexp.MustCompile(`(?m:^ +)|\[(\w+)\]\(` + reviewcast.PathDocs + `fields/#\w+\)`)

// docs is one of the manuals in Markdown. A twin describes parameters and answers that many paths share once.
func (s *Site) docs(d *apiDocument, name string, twin bool) (string, error) {
	_, manual, _ := strings.Cut(d.Info.Description, "\n\n")
	var b bytes.Buffer
	seen := map[*apiNode]bool{}
	err := s.twins.ExecuteTemplate(&b, name+".md", map[string]any{
		"Base": s.Channel.BaseURL, "Links": published, "Manual": manual, "API": d,
		"Again": func(n *apiNode) (was bool) { was, seen[n] = seen[n], twin; return was },
	})
	return b.String(), err
}

// readAPI reads the API's description, and gives members without a description that of their type.
func readAPI(openAPI []byte) *apiDocument {
	var d apiDocument
	if err := json.Unmarshal(openAPI, &d); err != nil {
		panic(err) // package render has made it
	}
	for _, s := range d.Components.Schemas {
		for _, p := range s.Properties {
			for _, of := range append([]*apiNode{p, p.Items, p.AdditionalProperties}, p.AnyOf...) {
				if of != nil && of.Ref != "" && p.Description == "" {
					p.Description = d.Components.Schemas[last(of.Ref)].Description
				}
			}
		}
	}
	return &d
}

// Text is the example, indented; "" without one.
func (m apiNode) Text() string {
	var text string
	var indented bytes.Buffer
	if json.Unmarshal(m.Example, &text) != nil && json.Indent(&indented, m.Example, "", "  ") == nil {
		text = indented.String()
	}
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "```", "'''")
}

// Needs reports whether a member is always there.
func (m *apiNode) Needs(member string) bool { return slices.Contains(list(m.Required), any(member)) }

// list is the value of a member that may be one or several.
func list(v any) []any {
	if several, ok := v.([]any); ok || v == nil {
		return several
	}
	return []any{v}
}

// last is the name that a reference ends with.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// Paths that crawlers and agents look for.
const (
	pathSitemap = "/sitemap.xml"
	pathRobots  = "/robots.txt"
	pathLLMs    = "/llms.txt"                // llmstxt.org
	pathCatalog = "/.well-known/api-catalog" // RFC 9727
)

// files lists what isn't a page.
func (s *Site) files(pages []job) []job {
	static := func(path, media string, body []byte) job {
		return file(path, media, func() ([]byte, error) { return body, nil })
	}
	if s.modified != "" { // what no review is about is a page, but nothing to be found by
		pages = slices.DeleteFunc(slices.Clone(pages), func(p job) bool { return p.Modified == "" })
	}
	data := map[string]any{
		"Title": s.Channel.Title, "Base": s.Channel.BaseURL, "Business": s.Dataset.Business.Name, "Count": len(s.reviews), "Mean": "–",
		"Links": published, "Pages": slices.SortedFunc(slices.Values(pages), func(a, b job) int { return strings.Compare(a.Path, b.Path) }),
	}
	if mean := s.Dataset.AggregateRating.RatingValue; mean != nil {
		data["Mean"] = fmt.Sprintf("%.2f", *mean)
	}
	written := func(path, media, name string) job { // by the template of the name
		return file(path, media, func() ([]byte, error) {
			var b bytes.Buffer
			err := s.twins.ExecuteTemplate(&b, name, data)
			return b.Bytes(), err
		})
	}
	jobs := []job{
		file(reviewcast.PathCSV, reviewcast.MediaCSV, s.csv),
		file(reviewcast.PathJSONL, reviewcast.MediaJSONL, s.jsonl),
		file(reviewcast.PathMissing, reviewcast.MediaHTML, s.missing),
		file(pathCard, "image/png", s.card),
		written(pathSitemap, "application/xml", "sitemap.xml"),
		written(pathLLMs, reviewcast.MediaMarkdown, "llms.md"),
		written(pathCatalog, `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, "api-catalog.json"),
		written(pathRobots, "text/plain; charset=utf-8", "robots.txt"),
		static(pathStyle, "text/css; charset=utf-8", s.Theme.style()),
		static(pathScript, "text/javascript; charset=utf-8", s.script()),
		static(pathIcon, "image/svg+xml", siteFile("icon.svg")),
	}
	if s.Theme.Logo != nil {
		jobs = append(jobs, static("/"+s.Theme.LogoName, logoTypes[s.Theme.LogoName], s.Theme.Logo))
	}
	return jobs
}
