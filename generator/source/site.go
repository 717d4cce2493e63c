package source

import (
	"fmt"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

var (
	siteSchema = newSchema("the site", "", "", "base_url title feed_title description language license author policies",
		"url=base_url name=title lang=language licence=license")
	authorSchema   = newSchema("author", "author.", "{name: %t}", "name url email", "")
	policiesSchema = newSchema("policies", "policies.", "{author_names: initials}", "author_names", "")
)

// site reads site.yaml.
func (d *decoder) site(n *syntax.Node, s *Site) {
	if n.Kind == syntax.Null {
		return
	}
	r, ok := d.fields(n, siteSchema)
	if !ok {
		return
	}
	if base := r.nonBlank("base_url"); base != "" {
		parsed, err := reviewcast.ParseBaseURL(base)
		if err != nil {
			d.fail(r.value("base_url"), "bad-url", err.Error(), "")
		}
		s.BaseURL = parsed
	}
	s.Title = r.nonBlank("title")
	s.FeedTitle = r.nonBlank("feed_title")
	s.Description = r.text("description")
	s.Language = r.language("language")
	s.License = r.nonBlank("license")
	if a, ok := r.inner("author", authorSchema); ok {
		s.Author = Author{Name: a.nonBlank("name"), URL: a.url("url"), Email: a.email("email")}
	}
	if p, ok := r.inner("policies", policiesSchema); ok {
		s.Policies.AuthorNames = p.choice("author_names", []string{"initials", "full"}, "choose one of them")
	}
}

// email reads an e-mail address and checks its form.
func (r *fields) email(f string) string {
	s := r.text(f)
	local, domain, found := strings.Cut(s, "@")
	if s != "" && (!found || local == "" || domain == "" || strings.ContainsAny(s, " \t\n<>,;") || strings.Contains(domain, "@")) {
		r.fail(r.value(f), "bad-email", fmt.Sprintf("%s %s is not an e-mail address", r.name(f), diagnostic.Quote(s)), "write one such as office@example.com, or leave the field out")
		return ""
	}
	return s
}
