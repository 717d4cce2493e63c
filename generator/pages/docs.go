package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	texttemplate "text/template"

	"reviewcast"
)

// The parts of the API's description that the documentation shows.
type (
	apiDocument struct {
		Info       struct{ Title, Description string }
		Paths      map[string]map[string]apiOperation
		Components struct {
			Schemas    map[string]*apiSchema
			Parameters map[string]apiParameter
			Responses  map[string]apiResponse
		}
	}
	apiOperation struct {
		Summary, Description string
		Parameters           []apiParameter
		RequestBody          *apiBody
		Responses            map[string]apiResponse
	}
	apiParameter struct {
		Ref                   string `json:"$ref"`
		Name, In, Description string
		Required              bool
		Schema                *apiSchema
		Example               any
	}
	apiBody struct {
		Description string
		Content     map[string]apiMedia
	}
	apiResponse struct {
		Ref         string `json:"$ref"`
		Description string
		Content     map[string]apiMedia
	}
	apiMedia struct {
		Schema  *apiSchema
		Example json.RawMessage
	}
	apiSchema struct {
		Ref                  string `json:"$ref"`
		Type                 any
		Format, Description  string
		Enum                 []any
		Const                any
		Minimum, Maximum     *float64
		MaxLength            *int
		Default              any
		Items                *apiSchema
		AnyOf, OneOf         []*apiSchema
		Properties           map[string]*apiSchema
		AdditionalProperties *apiSchema
		Required             []string
	}
)

// docsTemplate is the part of the documentation that is written by hand.
var docsTemplate = texttemplate.Must(texttemplate.New("docs").Parse(string(siteFile("docs.md"))))

// docsPage is the documentation for developers: how to use the data, by hand, and
// every path, parameter, error and field, from the API's description.
func (s *site) docsPage() page {
	k := s.key().string(string(s.OpenAPI), string(s.modified))
	return page{path: reviewcast.PathDocs, modified: s.modified, key: k.value(), view: func() (*view, error) {
		source, err := s.docs()
		if err != nil {
			return nil, err
		}
		w := &writer{}
		w.html("<h1>How to use the data</h1>\n<div class=\"docs\">\n")
		markdownToHTML(w, source)
		w.html("</div>\n")
		g := graph{"https://schema.org", []any{s.datasetLD()}}
		return &view{Title: "How to use the data", Description: "Every path, parameter, error and field of the reviews of " + s.Dataset.Business.Name + ".",
			JSONLD: g, Main: template.HTML(w.b), Markdown: []byte(source)}, nil
	}}
}

// docs is the documentation in Markdown.
func (s *site) docs() (string, error) {
	var d apiDocument
	if err := json.Unmarshal(s.OpenAPI, &d); err != nil {
		return "", fmt.Errorf("read %s: %w", reviewcast.PathOpenAPI, err)
	}
	var b bytes.Buffer
	example := "r-2041"
	if len(s.reviews) > 0 {
		example = s.reviews[0].ID
	}
	err := docsTemplate.Execute(&b, map[string]any{"Base": s.Channel.BaseURL, "Links": published, "Example": example,
		"Search": reviewcast.PathSearch, "Since": reviewcast.PathSince, "MCP": reviewcast.PathMCP, "Hub": reviewcast.PathHub,
		"Versions": reviewcast.PathVersions, "Manifest": reviewcast.PathManifest, "Card": reviewcast.PathServerCard})
	if err != nil {
		return "", err
	}
	w := &writer{b: b.Bytes()}
	w.html("\n## What holds for every path\n\n")
	w.html(strings.ReplaceAll(d.Info.Description[strings.Index(d.Info.Description, "\n\n")+2:], "## ", "### "), "\n")
	w.html("\n## Paths\n")
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range []string{"get", "post"} {
			if op, ok := d.Paths[path][method]; ok {
				d.operation(w, strings.ToUpper(method), path, &op)
			}
		}
	}
	w.html("\n## Error answers\n\nThe body of an error is described by the type Error below. These can occur on every path:\n\n| status | meaning |\n| --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Responses)) {
		w.html("| ", name, " | ", cell(d.Components.Responses[name].Description), " |\n")
	}
	d.dictionary(w)
	return string(w.b), nil
}

// operation describes one method of a path.
func (d *apiDocument) operation(w *writer, method, path string, op *apiOperation) {
	w.html("\n### ", method, " ", path, "\n\n", op.Summary, ". ", op.Description, "\n")
	if len(op.Parameters) > 0 {
		w.html("\n| parameter | in | type | meaning | example |\n| --- | --- | --- | --- | --- |\n")
		for _, p := range op.Parameters {
			if p.Ref != "" {
				p = d.Components.Parameters[last(p.Ref)]
			}
			example := ""
			if p.Example != nil {
				example = "`" + fmt.Sprint(p.Example) + "`"
			}
			w.html("| `", p.Name, "` | ", p.In, " | ", typeOf(p.Schema), " | ", cell(p.Description), " | ", cell(example), " |\n")
		}
	}
	if op.RequestBody != nil {
		w.html("\nThe request's body: ", op.RequestBody.Description, "\n")
		for _, media := range slices.Sorted(maps.Keys(op.RequestBody.Content)) {
			m := op.RequestBody.Content[media]
			d.body(w, media, m)
			d.fields(w, m.Schema)
		}
	}
	w.html("\n| status | meaning |\n| --- | --- |\n")
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		r := op.Responses[status]
		if r.Ref != "" {
			r = d.Components.Responses[last(r.Ref)]
		}
		w.html("| ", status, " | ", cell(r.Description), " |\n")
	}
	for _, media := range slices.Sorted(maps.Keys(op.Responses["200"].Content)) {
		d.body(w, media, op.Responses["200"].Content[media])
	}
}

// body shows a media type and an example.
func (d *apiDocument) body(w *writer, media string, m apiMedia) {
	w.html("\n`", media, "`")
	if m.Schema != nil && m.Schema.Ref != "" {
		w.html(", type ", typeOf(m.Schema))
	}
	w.html("\n")
	if len(m.Example) == 0 {
		return
	}
	var text string
	if json.Unmarshal(m.Example, &text) != nil {
		var indented bytes.Buffer
		if err := json.Indent(&indented, m.Example, "", "  "); err != nil {
			return // it has just been decoded
		}
		text = indented.String()
	}
	w.html("\n```\n", strings.ReplaceAll(strings.TrimRight(text, "\n"), "```", "'''"), "\n```\n")
}

// dictionary lists every field of every type.
func (d *apiDocument) dictionary(w *writer) {
	w.html("\n## Data dictionary\n\nDates are calendar days of the business (YYYY-MM-DD); ratings are stars, 1 to 5; a member whose name ends in `_pct` is in per cent, a share from 0 to 1. A star marks members that are always there.\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		schema := d.Components.Schemas[name]
		w.html("\n### ", name, "\n\n", schema.Description, "\n")
		d.fields(w, schema)
	}
}

func (d *apiDocument) fields(w *writer, s *apiSchema) {
	if s == nil || len(s.Properties) == 0 {
		return
	}
	w.html("\n| member | type | meaning |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		mark := ""
		if slices.Contains(s.Required, name) {
			mark = " *"
		}
		w.html("| `", name, "`", mark, " | ", typeOf(p), " | ", cell(d.meaning(p)), " |\n")
	}
}

// meaning is a member's description, or that of its type.
func (d *apiDocument) meaning(s *apiSchema) string {
	if s.Description != "" {
		return s.Description
	}
	for _, candidate := range append([]*apiSchema{s, s.Items, s.AdditionalProperties}, s.AnyOf...) {
		if candidate == nil || candidate.Ref == "" {
			continue
		}
		if t := d.Components.Schemas[last(candidate.Ref)]; t != nil && t.Description != "" {
			return t.Description
		}
	}
	return ""
}

// typeOf writes a type for people: "integer, 1 to 5", "list of [Review]".
func typeOf(s *apiSchema) string {
	if s == nil {
		return ""
	}
	var parts []string
	switch t := s.Type.(type) {
	case string:
		parts = append(parts, t)
	case []any:
		for _, v := range t {
			parts = append(parts, fmt.Sprint(v))
		}
	}
	kind := strings.Join(parts, " or ")
	switch {
	case s.Ref != "":
		kind = "[" + last(s.Ref) + "](#_" + slug(last(s.Ref)) + ")"
	case len(s.AnyOf)+len(s.OneOf) > 0:
		parts = nil
		for _, o := range slices.Concat(s.AnyOf, s.OneOf) {
			parts = append(parts, typeOf(o))
		}
		kind = strings.Join(parts, " or ")
	case s.Items != nil:
		kind = "list of " + typeOf(s.Items)
	case s.AdditionalProperties != nil:
		kind = "object of " + typeOf(s.AdditionalProperties)
	}
	if s.Format != "" {
		kind += " (" + s.Format + ")"
	}
	if s.Const != nil {
		kind += ", always `" + fmt.Sprint(s.Const) + "`"
	}
	if len(s.Enum) > 0 {
		parts = nil
		for _, v := range s.Enum {
			parts = append(parts, "`"+fmt.Sprint(v)+"`")
		}
		kind += ": " + strings.Join(parts, ", ")
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		kind += fmt.Sprintf(", %v to %v", *s.Minimum, *s.Maximum)
	case s.Minimum != nil && *s.Minimum != 0:
		kind += fmt.Sprintf(", at least %v", *s.Minimum)
	}
	if s.MaxLength != nil {
		kind += fmt.Sprintf(", at most %d characters", *s.MaxLength)
	}
	if s.Default != nil {
		kind += fmt.Sprintf(", %v if absent", s.Default)
	}
	return cmp.Or(kind, "any")
}

// cell is a text within a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", "\\|")
}

// last is the name that a reference ends with.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
