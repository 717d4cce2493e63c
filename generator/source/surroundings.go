package source

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"os"
	"regexp"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// surroundings is what the small files say, and the day: what reviews are checked against and completed by. It is
// never changed. If a small file or the day changes, a new one is made, for which every review is checked again.
type surroundings struct {
	content  Content // but for the reviews
	problems []diagnostic.Problem
	key      uint64     // hash of all that the files say
	cited    []citation // by faq.yaml and insights.yaml
	// withdrawn are the entries of withdrawn.yaml, by id in lower case.
	withdrawn map[string]Withdrawal
}

// notes returns the ids of the entries of a YAML file that are notes, since their lines begin with #.
func notes(name string, data []byte) (noted []citation) {
	line := 0
	for text := range bytes.Lines(data) {
		if line++; bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte("#")) {
			if m := forms("notedForm").FindSubmatch(text); m != nil {
				noted = append(noted, citation{id: string(m[1]), at: diagnostic.Position{File: name, Line: line, Col: 1}})
			}
		}
	}
	return noted
}

// citation is a place where a small file names a review.
type citation struct {
	id, what string
	at       diagnostic.Position
	quote    string
	words    diagnostic.Position // of the quote
	remedy   string              // for a text where a list of ids belongs
	list     *[]string           // that it stands in; nil for none
}

// readSmallFiles reads every file but those with reviews. key is the hash of all that they say.
func readSmallFiles(root *os.Root) (files map[string][]byte, problems []diagnostic.Problem, key uint64) {
	files = map[string][]byte{}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, name := range smallFiles {
		data, info, problem := read(root, name, syntax.MaxYAMLFile)
		if problem != nil {
			problems = append(problems, *problem)
		} else if info != nil {
			files[name] = data
		}
		fmt.Fprintf(&h, "%s %v %v %d\n%s", name, info != nil, problem, len(data), data)
	}
	return files, problems, h.Sum64()
}

// newSurroundings decodes the small files, and fills in what the editors left out.
func newSurroundings(files map[string][]byte, problems []diagnostic.Problem, key uint64,
	today func(timeZone string) reviewcast.Date) *surroundings {
	s := &surroundings{problems: problems, key: key, withdrawn: map[string]Withdrawal{}}
	c := &s.content
	c.ServiceAliases, c.AreaAliases = map[string][]string{}, map[string][]string{}
	if files[BusinessFile] == nil && !slices.ContainsFunc(problems, func(p diagnostic.Problem) bool { return p.File == BusinessFile }) {
		s.problems = append(s.problems, diagnostic.Position{File: BusinessFile}.Error("missing-file", "the file is missing",
			"if it was deleted, put it back from the bin or from your own copy; if it is elsewhere, move it into this folder, beside "+reviewsFolder+"/; for a new business, create it with at least its id and its name, or begin in an empty folder with: reviewcast init content"))
	}
	c.BaseURLAt = diagnostic.Position{File: SiteFile}
	s.decode(files, SiteFile, func(d *decoder, n *syntax.Node) { d.site(n, c) })
	s.decode(files, BusinessFile, func(d *decoder, n *syntax.Node) { d.business(n, s) })
	c.Today = today(c.Business.TimeZone)
	s.decode(files, InsightsFile, func(d *decoder, n *syntax.Node) { d.vocabulary(n, s) })
	s.decode(files, FAQFile, func(d *decoder, n *syntax.Node) { d.faq(n, s) })
	s.decode(files, WithdrawnFile, func(d *decoder, n *syntax.Node) { d.withdrawals(n, s) })
	c.noted = notes(WithdrawnFile, files[WithdrawnFile])
	if data, ok := files[SummaryFile]; ok {
		s.summary(data)
	}
	site, business := &c.Site, &c.Business
	site.Language = cmp.Or(site.Language, business.Language, "en")
	business.Language = cmp.Or(business.Language, site.Language)
	site.AuthorNames = cmp.Or(site.AuthorNames, "initials")
	business.Category = cmp.Or(business.Category, "LocalBusiness")
	business.TimeZone = cmp.Or(business.TimeZone, "UTC")
	return s
}

// decode decodes a small YAML file, which has one document.
func (s *surroundings) decode(files map[string][]byte, name string, decode func(*decoder, *syntax.Node)) {
	data, ok := files[name]
	if !ok {
		return
	}
	p := diagnostic.List{File: name}
	d := &decoder{List: &p}
	documents := 0
	syntax.ReadYAML(data, fieldNames, false, &p, func(n *syntax.Node) {
		switch documents++; {
		case documents == 1 && (n.Kind != syntax.Null || name == BusinessFile): // the other files may be empty
			decode(d, n)
		case documents == 2:
			p.Add(diagnostic.Error, n.Line, n.Col, "second-document", "a second document begins here", "delete the line --- and the document after it")
		}
	})
	if documents == 0 && name == BusinessFile && !diagnostic.HasErrors(p.All()) {
		decode(d, &syntax.Node{Line: 1, Col: 1})
	}
	for _, problem := range p.All() {
		if _, field, is := strings.Cut(problem.Message, " has no "); is && problem.Code == "missing-field" && name != BusinessFile {
			lines := strings.SplitAfterN(string(data), "\n", problem.Line+1)
			entry, _, _ := strings.Cut("\n"+lines[len(lines)-1], "\n- ")
			if note := regexp.MustCompile(`\n *# *` + regexp.QuoteMeta(field) + ":").FindStringIndex(entry); note != nil {
				problem.Suggestion = fmt.Sprintf("delete the # in line %d, which makes a note of it, and the space behind it", problem.Line+1+strings.Count(entry[:note[0]], "\n"))
			}
		}
		if name == WithdrawnFile {
			problem.Suggestion = strings.NewReplacer("date: YYYY-MM-DD", "date: "+string(s.content.Today), "such as date: 2026-03-14", "such as date: "+string(s.content.Today),
				"look up the day where the review was given, or in the mail that announced it, and write it as YYYY-MM-DD", "write the day of the withdrawal, such as date: "+string(s.content.Today)).Replace(problem.Suggestion)
		}
		s.problems = append(s.problems, problem)
	}
}

// notInSummary is what the summary's Markdown doesn't have here: a form, the code, the message and the remedy.
var notInSummary = diagnostic.Rows(wordsFile, "not in the summary")

// summary reads the Markdown of summary.md.
func (s *surroundings) summary(data []byte) {
	p := diagnostic.List{File: SummaryFile}
	if data, ok := syntax.Clean(data, false, &p); ok {
		text := strings.TrimRight(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))), "\n")
		d := &decoder{List: &p}
		for _, no := range notInSummary {
			if form := regexp.MustCompile(no[0]); form.MatchString(text) {
				found := form.FindStringSubmatchIndex(text)
				p.Add(diagnostic.Warning, 1+strings.Count(text[:max(found[0], found[len(found)-2])], "\n"), 1, no[1], no[2], string(form.ExpandString(nil, no[3], text, found)))
			}
		}
		if text, ok := d.plainText(&syntax.Node{Kind: syntax.Text, Text: text, Line: 1, Col: 1}, "the summary"); ok && !blank(text) {
			s.content.Summary = &text
		}
	}
	s.problems = append(s.problems, p.All()...)
}
