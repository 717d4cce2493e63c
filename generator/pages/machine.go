package pages

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path"
	"slices"
	"strings"

	"reviewcast"
)

// Paths that crawlers and agents look for.
const (
	pathSitemap = "/sitemap.xml"
	pathRobots  = "/robots.txt"
	pathLLMs    = "/llms.txt"
	pathCatalog = "/.well-known/api-catalog" // RFC 9727
)

// files lists what isn't a page.
func (s *Site) files(pages []page) []job {
	static := func(path, media string, body []byte) job {
		return file(path, media, func() ([]byte, error) { return body, nil })
	}
	jobs := []job{
		file(reviewcast.PathCSV, reviewcast.MediaCSV, s.csv),
		file(reviewcast.PathJSONL, reviewcast.MediaJSONL, s.jsonl),
		file(reviewcast.PathMissing, reviewcast.MediaHTML, s.missing),
		file(pathCard, "image/png", s.card),
		file(pathSitemap, "application/xml", func() ([]byte, error) { return s.sitemap(pages) }),
		file(pathLLMs, reviewcast.MediaMarkdown, s.llms),
		file(pathCatalog, `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, s.catalog),
		static(pathRobots, "text/plain; charset=utf-8", []byte("User-agent: *\nAllow: /\n\nSitemap: "+s.Channel.BaseURL+pathSitemap+"\n")),
		static(pathStyle, "text/css; charset=utf-8", s.Theme.style()),
		static(pathScript, "text/javascript; charset=utf-8", siteFile("search.js")),
		static(pathIcon, "image/svg+xml", siteFile("icon.svg")),
	}
	if s.Theme.Logo != nil {
		jobs = append(jobs, static("/"+s.Theme.LogoName, logoTypes[path.Ext(s.Theme.LogoName)], s.Theme.Logo))
	}
	return jobs
}

// sitemap lists the pages with the newest date that each shows.
func (s *Site) sitemap(pages []page) ([]byte, error) {
	sorted := slices.SortedFunc(slices.Values(pages), func(a, b page) int { return strings.Compare(a.path, b.path) })
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, p := range sorted { // a path is made of ids, which need no escaping
		fmt.Fprintf(&b, " <url>\n  <loc>%s%s</loc>\n", s.Channel.BaseURL, p.path)
		if p.modified != "" {
			fmt.Fprintf(&b, "  <lastmod>%s</lastmod>\n", p.modified)
		}
		b.WriteString(" </url>\n")
	}
	b.WriteString("</urlset>\n")
	return b.Bytes(), nil
}

// llms is a short guide for language models (llmstxt.org).
func (s *Site) llms() ([]byte, error) {
	var b bytes.Buffer
	err := twins.ExecuteTemplate(&b, "llms.md", map[string]any{"Title": s.Channel.Title, "Base": s.Channel.BaseURL, "Business": s.Dataset.Business.Name,
		"Count": len(s.reviews), "Mean": s.Dataset.AggregateRating.RatingValue, "Links": published})
	return b.Bytes(), err
}

// catalog is the API catalog of RFC 9727: description, documentation and the agents' server card.
func (s *Site) catalog() ([]byte, error) {
	base := s.Channel.BaseURL
	target := func(path, media string) []map[string]string {
		return []map[string]string{{"href": base + path, "type": media}}
	}
	body, err := json.Marshal(map[string]any{"linkset": []map[string]any{{
		"anchor":       base + "/",
		"service-desc": target(reviewcast.PathOpenAPI, reviewcast.MediaJSON),
		"service-doc":  target(reviewcast.PathDocs, "text/html"),
	}, {
		"anchor":       base + reviewcast.PathMCP,
		"service-meta": target(reviewcast.PathServerCard, reviewcast.MediaJSON),
	}}})
	return append(body, '\n'), err
}
