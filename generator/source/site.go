package source

import (
	"fmt"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// The fields of site.yaml.
const (
	siteBaseURL = iota
	siteTitle
	siteFeedTitle
	siteDescription
	siteLanguage
	siteLicense
	siteAuthor
	sitePolicies
)

var (
	siteSchema     = newSchema("the site", "", "base_url", "title", "feed_title", "description", "language", "license", "author", "policies")
	authorSchema   = newSchema("author", "author.", "name", "url", "email")
	policiesSchema = newSchema("policies", "policies.", "author_names")
)

func init() {
	siteSchema.also = map[string]string{"url": "base_url", "name": "title", "lang": "language", "licence": "license"}
}

// site reads site.yaml.
func (d *decoder) site(n *syntax.Node, s *Site) {
	if n.Kind == syntax.Null {
		return
	}
	r, ok := d.fields(n, siteSchema)
	if !ok {
		return
	}
	if base, ok := r.nonBlank(siteBaseURL); ok {
		parsed, err := reviewcast.ParseBaseURL(base)
		if err != nil {
			n := r.value(siteBaseURL)
			d.Add(diagnostic.Error, n.Line, n.Col, "bad-url", err.Error(), "")
		}
		s.BaseURL = parsed
	}
	s.Title, _ = r.nonBlank(siteTitle)
	s.FeedTitle, _ = r.nonBlank(siteFeedTitle)
	s.Description, _ = r.text(siteDescription)
	s.Language = r.language(siteLanguage)
	s.License, _ = r.nonBlank(siteLicense)
	if n := r.value(siteAuthor); n != nil {
		if a, ok := d.fields(n, authorSchema); ok {
			s.Author.Name, _ = a.nonBlank(0)
			s.Author.URL = a.url(1)
			s.Author.Email = a.email(2)
		}
	}
	if n := r.value(sitePolicies); n != nil {
		if p, ok := d.fields(n, policiesSchema); ok {
			s.Policies.AuthorNames = p.choice(0, []string{"initials", "full"})
		}
	}
}

// email reads an e-mail address and checks its form.
func (r *fields) email(f int) string {
	s, ok := r.text(f)
	if !ok {
		return ""
	}
	local, domain, found := strings.Cut(s, "@")
	if !found || local == "" || domain == "" || strings.ContainsAny(s, " \t\n<>,;") || strings.Contains(domain, "@") {
		n := r.value(f)
		r.Add(diagnostic.Error, n.Line, n.Col, "bad-email", fmt.Sprintf("%s %s is not an e-mail address", r.name(f), diagnostic.Quote(s)), "write one such as office@example.com, or leave the field out")
		return ""
	}
	return s
}
