package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"

	"reviewcast"
	"reviewcast/generator/render"
)

// view is what a page shows within the frame that all pages share.
type view struct {
	Title       string // of the document; the business's name follows it
	Description string
	Crumbs      []link // the pages above this one, but for the front page
	JSONLD      any    // its value in schema.org's terms; nil: none
	Main        template.HTML
	Markdown    []byte // the twin, from its heading on
}

type link struct{ Text, Path string }

// layout is what page.html, header.html and footer.html show.
type layout struct {
	*view
	Path      string // "/reviews/2026-03/"
	Channel   render.Channel
	Business  reviewcast.Business
	Assets    assets
	Policy    string
	JSON      template.JS
	License   string
	LicenseAt string // its address; "" when none is known
	Links     paths
}

// paths are the published files that templates link to.
type paths struct {
	Reviews, Insights, JSONFeed, Atom, OpenAPI, Hub, LatestChange, Withdrawn, Docs, Months, CSV, JSONL string
}

var published = paths{
	reviewcast.PathReviews, reviewcast.PathInsights, reviewcast.PathJSONFeed, reviewcast.PathAtom, reviewcast.PathOpenAPI, reviewcast.PathHub,
	reviewcast.PathLatestChange, reviewcast.PathWithdrawn, reviewcast.PathDocs, reviewcast.PathMonths, reviewcast.PathCSV, reviewcast.PathJSONL,
}

// artifacts makes a page and its twin.
func (s *site) artifacts(p *page) ([]render.Artifact, error) {
	fail := func(err error) ([]render.Artifact, error) { return nil, fmt.Errorf("render %s: %w", p.path, err) }
	v, err := p.view()
	if err != nil {
		return fail(err)
	}
	l := &layout{view: v, Path: p.path, Channel: s.Channel, Business: s.Dataset.Business, Assets: s.assets,
		Policy: reviewcast.PagePolicy, License: s.Dataset.License, Links: published}
	_, l.LicenseAt = render.License(l.License)
	if v.JSONLD != nil {
		ld, err := json.Marshal(v.JSONLD) // it escapes <, > and &, so that no text ends the script
		if err != nil {
			return fail(err)
		}
		l.JSON = template.JS(ld)
	}
	body, err := s.execute("page.html", l)
	if err != nil {
		return fail(err)
	}
	return []render.Artifact{
		artifact(p.path+"index.html", reviewcast.MediaHTML, []byte(body)),
		artifact(p.path+"index.md", reviewcast.MediaMarkdown, s.twin(p, v)),
	}, nil
}

// execute renders a template.
func (s *site) execute(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	err := s.templates.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err
}

// twin is the page in Markdown, with where it comes from.
func (s *site) twin(p *page, v *view) []byte {
	w := &writer{b: make([]byte, 0, len(v.Markdown)+512)}
	w.html("# ")
	w.inline(v.Title)
	w.html("\n\n")
	w.inline(s.Dataset.Business.Name)
	w.html(" · ", s.Channel.BaseURL, p.path, "\n\n")
	w.b = append(w.b, v.Markdown...)
	return append(bytes.TrimRight(w.b, "\n"), '\n')
}
