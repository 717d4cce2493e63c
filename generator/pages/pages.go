// Package pages makes what people and crawlers read: every HTML page, its twin in Markdown, the sitemap and the
// other files that machines look for beside pages, and the exports for analysts.
//
// # Addresses
//
// A review has one address for ever, its anchor on the page of its month: /reviews/2026-03/#id. A withdrawn
// review's anchor says that it was withdrawn, when and why. /reviews/ lists the months, /reviews/2026/ is a year,
// and /aspects/{id}/, /technicians/{id}/, /services/{id}/ and /areas/{id}/ hold the quotes behind a number: on one
// page while they fit, by year beyond that. Ids of our own begin with "_", which no id of a review does.
//
// # How a page is made
//
// [New] groups the reviews and lists the files. [Site.All] makes all of them, [Site.Files] one. A page is data and
// the name of two templates in site/, one for HTML and one for the twin.
//
// Everything is a function of the content: dates are those of reviews, replies and withdrawals. No page needs a
// script or another host, and the policy of each page forbids both but for our own search box.
package pages

import (
	"bytes"
	"fmt"
	"html/template"
	"runtime"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/render"
)

// Content is what the pages show.
type Content struct {
	render.Content
	Quotes  [][]Quote // each review's sentences about subjects, titles first; without one its beginning is quoted
	OpenAPI []byte    // the API's description, from which /docs/ is made
	Theme   Theme
}

// Quote is a review's sentence about the subject whose page is at Base + ID + "/".
type Quote struct {
	Base, ID, Text string
	Title          bool // it is in the title
}

// All makes all pages and the files beside them.
func (s *Site) All() ([]render.Artifact, error) {
	made, err := render.Parallel(len(s.jobs), runtime.GOMAXPROCS(0), func(i int) ([]render.Artifact, error) { return s.jobs[i].make() })
	return slices.Concat(made...), err
}

// Files makes the file at a path, with its twin when it is a page; none when the site has no such file.
func (s *Site) Files(path string) ([]render.Artifact, error) {
	page := strings.TrimSuffix(strings.TrimSuffix(path, indexHTML), indexMarkdown)
	i := slices.IndexFunc(s.jobs, func(j job) bool { return j.Path == page })
	if i < 0 {
		return nil, nil
	}
	return s.jobs[i].make()
}

// The files of a page.
const (
	indexHTML     = "index.html"
	indexMarkdown = "index.md"
)

// job makes one file, or a page and its twin.
type job struct {
	Path     string          // of a page: "/reviews/2026-03/"
	Modified reviewcast.Date // of a page: the newest date that it shows, for the sitemap; may be ""
	make     func() ([]render.Artifact, error)
}

func file(path, mediaType string, body func() ([]byte, error)) job {
	return job{Path: path, make: func() ([]render.Artifact, error) {
		b, err := body()
		return []render.Artifact{render.NewArtifact(path, mediaType, b)}, err
	}}
}

// pages lists all pages, the largest first, so that the last to be made are small.
func (s *Site) pages() (pages []job) {
	add := func(path string, modified reviewcast.Date, of func() *view) {
		pages = append(pages, job{path, modified, func() ([]render.Artifact, error) { return s.artifacts(path, of()) }})
	}
	for _, m := range s.months {
		add(reviewcast.PathMonths+m.Name+"/", m.modified, func() *view {
			crumbs := []link{{s.text("Reviews"), reviewcast.PathMonths}, {m.Name[:4], reviewcast.PathMonths + m.Name[:4] + "/"}}
			return &view{Title: s.text("Reviews of %s", s.monthName(m.Name)), Description: m.Summary(), Crumbs: crumbs, Name: "month", Data: &monthView{month: m}}
		})
	}
	for _, n := range s.subjects { // its own page and, when its quotes don't fit on it, those of its years
		parts := n.split(s.locale)
		add(n.Path(), n.modified, func() *view { return s.subjectView(n, parts) })
		for _, q := range parts {
			add(q.Path, q.modified, func() *view {
				shown := q // a copy: several requests may be for it
				shown.Groups = s.byPolarity(n, q.quotes, len(q.quotes))
				return &view{Title: q.Title, Crumbs: []link{{n.Name, n.Path()}}, Name: "quotes", Data: shown}
			})
		}
	}
	for _, y := range s.Years {
		add(reviewcast.PathMonths+y.Name+"/", y.modified, func() *view {
			return &view{Title: s.text("Reviews of %s", y.Name), Description: y.Summary(), Crumbs: []link{{s.text("Reviews"), reviewcast.PathMonths}}, Name: "year", Data: y}
		})
	}
	add(reviewcast.PathMonths, s.modified, func() *view {
		return &view{Title: s.text("All reviews"), Description: s.Summary(), Name: "months", Data: s}
	})
	add("/", s.modified, func() *view {
		return &view{Title: s.Channel.Title, Description: s.Channel.Description, Graph: s.graph(true), Name: "front", Data: s.front()}
	})
	return append(pages, s.docsPages()...)
}

// view is what a page shows within the frame that all pages share.
type view struct {
	Title       string // of the document; the business's name follows it
	Description string
	Crumbs      []link // the pages above this one, but for the front page
	Graph       any    // of schema.org; nil for none
	Name        string // that of the templates, which are executed with Data: "month" is month.html and month.md
	Data        any
}

type link struct{ Text, Path string }

// layout is what page.html, header.html and footer.html show.
type layout struct {
	*view
	*locale
	Path      string // "/reviews/2026-03/"
	Channel   render.Channel
	Business  reviewcast.Business
	Assets    assets
	Policy    string
	License   string // in words
	LicenseAt string // its address; "" when none is known
	Links     map[string]string
	Main      template.HTML
}

// published are the files that templates link to.
var published = map[string]string{
	"Reviews": reviewcast.PathReviews, "Insights": reviewcast.PathInsights, "JSONFeed": reviewcast.PathJSONFeed, "Atom": reviewcast.PathAtom,
	"OpenAPI": reviewcast.PathOpenAPI, "Hub": reviewcast.PathHub, "LatestChange": reviewcast.PathLatestChange, "Withdrawn": reviewcast.PathWithdrawn,
	"Docs": reviewcast.PathDocs, "Months": reviewcast.PathMonths, "CSV": reviewcast.PathCSV, "JSONL": reviewcast.PathJSONL, "MCP": reviewcast.PathMCP,
	"Versions": reviewcast.PathVersions, "Manifest": reviewcast.PathManifest, "Search": reviewcast.PathSearch, "Since": reviewcast.PathSince, "ServerCard": reviewcast.PathServerCard,
}

func (s *Site) artifacts(path string, v *view) ([]render.Artifact, error) {
	fail := func(err error) ([]render.Artifact, error) { return nil, fmt.Errorf("render %s: %w", path, err) }
	l := s.layout(v, path)
	var main, body, twin bytes.Buffer
	if err := s.page.ExecuteTemplate(&main, v.Name+".html", v.Data); err != nil {
		return fail(err)
	}
	l.Main = template.HTML(main.String())
	if err := s.page.ExecuteTemplate(&body, "page.html", l); err != nil {
		return fail(err)
	}
	half := body.Len() / 2
	for room := half - 300; ; room -= twin.Len() - half + 100 {
		long, ok := v.Data.(interface{ fit(n int) bool })
		left := ok && long.fit(room)
		twin.Reset()
		fmt.Fprintf(&twin, "# %s\n\n%s · %s%s\n\n", inline(v.Title), inline(l.Business.Name), s.Channel.BaseURL, path)
		if err := s.twins.ExecuteTemplate(&twin, v.Name+".md", v.Data); err != nil {
			return fail(err)
		}
		if twin.Len() <= half || !left {
			break
		}
	}
	return []render.Artifact{
		render.NewArtifact(path+indexHTML, reviewcast.MediaHTML, body.Bytes()),
		render.NewArtifact(path+indexMarkdown, reviewcast.MediaMarkdown, append(bytes.TrimRight(twin.Bytes(), "\n"), '\n')),
	}, nil
}

func (s *Site) layout(v *view, path string) *layout {
	_, licenseAt := render.License(s.Dataset.License)
	return &layout{view: v, locale: s.locale, Path: path, Channel: s.Channel, Business: s.Dataset.Business, Assets: s.assets,
		Policy: reviewcast.PagePolicy, License: s.value("licence", s.Dataset.License), LicenseAt: licenseAt, Links: published}
}

// missing is the page of addresses that lead nowhere.
func (s *Site) missing() ([]byte, error) {
	var b bytes.Buffer
	err := s.page.ExecuteTemplate(&b, "404.html", s.layout(&view{Title: s.text("Nothing is at this address")}, reviewcast.PathMissing))
	return b.Bytes(), err
}
