package source

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"os"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// folder is what one Load learns from the small files, on the way to a Content.
type folder struct {
	root     *os.Root
	content  *Content
	problems []diagnostic.Problem
	// known are the ids that job records may name, by refLists. nil when
	// business.yaml couldn't be read: then nothing is said of any id.
	known [len(refLists)]*names
	// evidence is what faq.yaml and insights.yaml cite, to be looked up once all
	// reviews are there.
	evidence []citation
	quote    *citation
	// withdrawnOn are the dates of withdrawn.yaml.
	withdrawnOn []dated
	// withdrawn are the reasons of withdrawn.yaml, by the ids in lower case.
	withdrawn map[string]Hidden
	// words is the hash of all that the small files say.
	words maphash.Hash
	// byID (in lower case) and order, the published one, are what check has made of
	// all reviews; nil when it couldn't.
	byID  map[string]*draft
	order []*draft
	// nameless are reviews that aren't among them for want of a usable id.
	nameless []*draft
	// complete tells that every review was understood well enough to know its id.
	complete bool
}

// citation is a place where a small file names a review.
type citation struct {
	id, what string
	at       diagnostic.Position
	text     diagnostic.Position // of the quote
}

func newFolder(root *os.Root) *folder {
	f := &folder{root: root, content: &Content{ServiceAliases: map[string][]string{}, AreaAliases: map[string][]string{}}, withdrawn: map[string]Hidden{}}
	f.words.SetSeed(seed)
	return f
}

// readAll reads every file but those with reviews. They are small and few: each
// is parsed again with every load.
func (f *folder) readAll() {
	c := f.content
	f.read(SiteFile, func(d *decoder, n *syntax.Node) { d.site(n, &c.Site) })
	present := f.read(BusinessFile, func(d *decoder, n *syntax.Node) { d.business(n, f) })
	if !present {
		f.problems = append(f.problems, diagnostic.Problem{Severity: diagnostic.Error, File: BusinessFile, Code: "missing-file",
			Message: "the file isn't there", Suggestion: "create it with at least the id and the name of the business"})
	}
	f.read(insightsFile, func(d *decoder, n *syntax.Node) { d.vocabulary(n, f) })
	f.read(faqFile, func(d *decoder, n *syntax.Node) { d.faq(n, f) })
	f.read(withdrawnFile, func(d *decoder, n *syntax.Node) { d.withdrawals(n, f) })
	f.readSummary()
	f.defaults()
}

// defaults fills in what the editors left out.
func (f *folder) defaults() {
	site, business := &f.content.Site, &f.content.Business
	if site.Language == "" {
		site.Language = business.Language
	}
	if site.Language == "" {
		site.Language = "en"
	}
	if business.Language == "" {
		business.Language = site.Language
	}
	if site.Title == "" {
		site.Title = "Reviews of " + business.Name
	}
	if site.FeedTitle == "" {
		site.FeedTitle = site.Title
	}
	if site.Author.Name == "" {
		site.Author.Name = business.Name
	}
	if site.Policies.AuthorNames == "" {
		site.Policies.AuthorNames = "initials"
	}
	if business.Category == "" {
		business.Category = "LocalBusiness"
	}
	if business.TimeZone == "" {
		business.TimeZone = "UTC"
	}
}

// load gives a small file's bytes; ok is false when there is none or it can't be
// read, which is noted.
func (f *folder) load(name string) (data []byte, present, ok bool) {
	file, problem := open(f.root, nil, name, syntax.MaxYAMLFile)
	if problem != nil {
		if problem.Code == "" {
			if info, err := f.root.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
				problem.Code, problem.Message, problem.Suggestion = "symlink-broken", "the link leads nowhere", "delete it, or put the file here"
				f.problems = append(f.problems, *problem)
				return nil, true, false
			}
			return nil, false, false
		}
		f.problems = append(f.problems, *problem)
		return nil, true, false
	}
	defer file.Close()
	data, err := file.all(syntax.MaxYAMLFile)
	if err != nil {
		f.problems = append(f.problems, openProblem(name, err))
		return nil, true, false
	}
	fmt.Fprintf(&f.words, "%s %d\n", name, len(data))
	_, _ = f.words.Write(data)
	return data, true, true
}

// read decodes a small YAML file, which has one document. present tells whether
// it is there.
func (f *folder) read(name string, decode func(*decoder, *syntax.Node)) (present bool) {
	data, present, ok := f.load(name)
	if !ok {
		return present
	}
	p := diagnostic.List{File: name}
	d := newDecoder(&p, nil)
	documents := 0
	syntax.ReadYAML(data, isField, &p, func(n *syntax.Node) {
		switch documents++; documents {
		case 1:
			decode(d, n)
		case 2:
			p.Add(diagnostic.Error, n.Line, n.Col, "second-document", "a second document begins here", "delete the line --- and what belongs to no other file")
		}
	})
	if documents == 0 && !diagnostic.HasErrors(p.All()) {
		decode(d, &syntax.Node{Line: 1, Col: 1})
	}
	f.problems = append(f.problems, p.All()...)
	return true
}

// readSummary reads the Markdown of summary.md.
func (f *folder) readSummary() {
	data, _, ok := f.load(summaryFile)
	if !ok {
		return
	}
	p := diagnostic.List{File: summaryFile}
	if data, ok = syntax.Clean(data, 1, false, &p); ok {
		s := strings.TrimRight(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))), "\n")
		d := newDecoder(&p, nil)
		if s, ok := d.plainText(&syntax.Node{Kind: syntax.Text, Text: s, Line: 1, Col: 1}, "the summary"); ok && !blank(s) {
			f.content.Summary = &s
		}
	}
	f.problems = append(f.problems, p.All()...)
}

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
	r, ok := d.record(n, siteSchema)
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
		if a, ok := d.record(n, authorSchema); ok {
			s.Author.Name, _ = a.nonBlank(0)
			s.Author.URL = a.url(1)
			s.Author.Email = a.email(2)
		}
	}
	if n := r.value(sitePolicies); n != nil {
		if p, ok := d.record(n, policiesSchema); ok {
			s.Policies.AuthorNames = p.choice(0, []string{"initials", "full"})
		}
	}
}

// email reads an address, with a light check.
func (r *record) email(f int) string {
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
