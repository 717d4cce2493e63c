package pages

import (
	"bytes"
	"encoding/json"
	"flag"
	"html"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/generator/render"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func sampleContent() Content {
	return Content{
		Content: render.Content{Channel: sampleChannel, Dataset: sampleDataset(), Insights: sampleInsights(), Withdrawals: []reviewcast.Withdrawal{
			{ID: "r-0", Reason: reviewcast.ReasonLegal, Date: "2026-02-02", Month: new("2025-11")},
			{ID: "r-9", Reason: reviewcast.ReasonWithdrawn, Date: "2026-03-02"},
		}},
		Quotes: [][]Quote{{{reviewcast.PathAspects, "punctuality", "Marcus came on time.", false}, {reviewcast.PathTechnicians, "marcus", "Marcus came on time.", false}}, nil, nil, nil},
	}
}

func emptyContent() Content {
	return Content{Content: render.Content{Channel: render.Channel{BaseURL: "https://reviews.example.com"}, Dataset: emptyDataset(), Insights: emptyInsights()}}
}

// corpusContent is n made-up reviews, with made-up findings.
func corpusContent(n int) Content {
	d := corpus.Dataset(n)
	in := emptyInsights()
	in.PerReview = map[string]reviewcast.ReviewInsight{}
	labels := []string{"punctuality", "pricing", "communication", "cleanliness", "workmanship", "scheduling"}
	for _, id := range labels {
		in.Aspects = append(in.Aspects, reviewcast.Aspect{ID: id, Label: strings.ToUpper(id[:1]) + id[1:]})
	}
	byStars := []reviewcast.Polarity{1: reviewcast.Negative, reviewcast.Negative, reviewcast.Neutral, reviewcast.Positive, reviewcast.Positive}
	for i, r := range d.Reviews {
		found := reviewcast.ReviewInsight{Sentiment: byStars[r.Rating], Aspects: map[string]reviewcast.Polarity{}}
		for j := range i % 4 {
			k := (i + 2*j) % len(labels)
			found.Aspects[labels[k]] = []reviewcast.Polarity{reviewcast.Negative, reviewcast.Mixed, reviewcast.Neutral, reviewcast.Positive}[(i/7+j)%4]
			in.Aspects[k].MentionCount++
		}
		in.PerReview[r.ID] = found
	}
	return Content{Content: render.Content{Channel: render.Channel{BaseURL: "https://reviews.example.com"}, Dataset: &d, Insights: in}, Quotes: make([][]Quote, n)}
}

// contents are those that several tests look at.
var contents = map[string]func() Content{"sample": sampleContent, "empty": emptyContent, "german": germanContent, "corpus": func() Content { return corpusContent(700) }}

// germanContent is the sample of a site in German.
func germanContent() Content {
	c := sampleContent()
	c.Channel.Language, c.Dataset.Business.Language = "de", "de"
	return c
}

var rendered = map[string]map[string][]byte{} // by the names of contents

// renderOnce gives the files of one of the contents. No test changes them, and no two tests run at the same time.
func renderOnce(t testing.TB, name string) map[string][]byte {
	t.Helper()
	if rendered[name] == nil {
		rendered[name] = renderAll(t, contents[name]())
	}
	return rendered[name]
}

// renderAll renders a site and gives the files by path.
func renderAll(t testing.TB, c Content) map[string][]byte {
	t.Helper()
	s, err := New(withLines(t, c))
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.All()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if out[f.Path] != nil {
			t.Errorf("%s is rendered twice", f.Path)
		}
		out[f.Path] = f.Body
	}
	return out
}

// versions are the hashes of our own stylesheet and script in addresses.
var versions = regexp.MustCompile(`\?v=[0-9a-f]{8}`)

// TestGolden compares the pages with those that a person last looked at. Run with
// -update after a change, and read the difference.
func TestGolden(t *testing.T) {
	for _, name := range []string{"sample", "empty", "german"} {
		got := renderOnce(t, name)
		dir := filepath.Join("testdata", name)
		if *update {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		for p, body := range got {
			if p == pathStyle || p == pathScript || p == pathIcon || p == pathCard || strings.HasPrefix(p, reviewcast.PathDocs) {
				continue // files of ours, a picture, and what TestDocs compares
			}
			body = versions.ReplaceAll(body, []byte("?v="))
			file := filepath.Join(dir, filepath.FromSlash(p))
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, body, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(body, want) {
				t.Errorf("%s differs (read the difference, then -update)", file)
			}
		}
	}
}

// elsewhere are the paths that pages and feeds link to and that are no pages: data
// files, change documents, and what an edge answers.
var elsewhere = []string{
	reviewcast.PathReviews, reviewcast.PathInsights, reviewcast.PathJSONFeed, reviewcast.PathAtom, reviewcast.PathOpenAPI, reviewcast.PathManifest,
	reviewcast.PathLatestChange, reviewcast.PathVersions, reviewcast.PathWithdrawn, reviewcast.PathHub, reviewcast.PathMCP, reviewcast.PathServerCard,
}

var markdownLink = regexp.MustCompile(`\]\((/[^) ]*)\)`)

// TestLinks follows every link of every page, twin and feed: it must lead to a file
// of the site, and to an id on it.
func TestLinks(t *testing.T) {
	for name, content := range contents {
		c, files := content(), renderOnce(t, name)
		ids := map[string]map[string]bool{} // by path of a page
		links := map[string][]string{}      // by where they are
		for p, body := range files {
			switch {
			case strings.HasSuffix(p, ".html"):
				page := strings.TrimSuffix(p, "index.html")
				ids[page] = map[string]bool{}
				for n := range parse(t, body).Descendants() {
					for _, a := range n.Attr {
						switch a.Key {
						case "id":
							ids[page][a.Val] = true
						case "href", "src", "action":
							links[p] = append(links[p], a.Val)
						}
					}
				}
			case strings.HasSuffix(p, ".md"):
				for _, m := range markdownLink.FindAllSubmatch(body, -1) {
					links[p] = append(links[p], string(m[1]))
				}
			}
		}
		feed, err := render.JSONFeed(c.Channel, c.Dataset)
		if err != nil {
			t.Fatal(err)
		}
		var items struct{ Items []struct{ URL string } }
		if err := json.Unmarshal(feed, &items); err != nil {
			t.Fatal(err)
		}
		for _, item := range items.Items {
			links["feed"] = append(links["feed"], item.URL)
		}
		followed := 0
		for from, list := range links {
			for _, l := range list {
				if followed++; !resolves(l, path.Dir(from)+"/", c.Channel.BaseURL, files, ids) {
					t.Errorf("%s: %s links to %s, which leads nowhere", name, from, l)
				}
			}
		}
		if followed < 100 {
			t.Errorf("%s: only %d links", name, followed)
		}
	}
}

func resolves(l, from, base string, files map[string][]byte, ids map[string]map[string]bool) bool {
	u, err := url.Parse(strings.TrimPrefix(l, base))
	if err != nil {
		return false
	}
	if u.Scheme != "" {
		return u.Scheme == "https" || u.Scheme == "tel"
	}
	p := u.Path
	if p == "" {
		p = strings.ReplaceAll(from, "//", "/")
	}
	if slices.Contains(elsewhere, p) {
		return true
	}
	file := p
	if strings.HasSuffix(p, "/") {
		file += "index.html"
	}
	return files[file] != nil && (u.Fragment == "" || ids[p][u.Fragment])
}

func parse(t *testing.T, body []byte) *xhtml.Node {
	t.Helper()
	doc, err := xhtml.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestStructure reads every page as a browser does: nothing that the policy blocks, no
// id twice, a label for every section, headings in order, one first heading.
func TestStructure(t *testing.T) {
	for name := range contents {
		for p, body := range renderOnce(t, name) {
			if strings.HasSuffix(p, ".html") {
				checkStructure(t, name+" "+p, parse(t, body))
			}
		}
	}
}

func checkStructure(t *testing.T, name string, doc *xhtml.Node) {
	t.Helper()
	ids, labels, level, first := map[string]bool{}, []string{}, 0, 0
	for n := range doc.Descendants() {
		if n.Type != xhtml.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("%s: id %s twice", name, a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "aria-labelledby":
				labels = append(labels, a.Val)
			case a.Key == "style", strings.HasPrefix(a.Key, "on"):
				t.Errorf("%s: <%s %s> is blocked by the policy", name, n.Data, a.Key)
			case a.Key == "width" && strings.Contains(a.Val, ","):
				t.Errorf("%s: <%s> has the width %s", name, n.Data, a.Val)
			case strings.Contains(a.Val, "ZgotmplZ"):
				t.Errorf("%s: %s of <%s> was thrown away", name, a.Key, n.Data)
			case a.Key == "src" && !strings.HasPrefix(a.Val, "/"):
				t.Errorf("%s: <%s> loads %s", name, n.Data, a.Val)
			}
		}
		switch n.Data {
		case "style", "iframe", "object":
			t.Errorf("%s: <%s>", name, n.Data)
		case "h1", "h2", "h3":
			next := int(n.Data[1] - '0')
			if next > level+1 {
				t.Errorf("%s: <%s> after a heading of level %d", name, n.Data, level)
			}
			if level = next; next == 1 {
				first++
			}
		}
	}
	for _, label := range labels {
		if !ids[label] {
			t.Errorf("%s: nothing is labelled %s", name, label)
		}
	}
	if first != 1 {
		t.Errorf("%s: %d first headings", name, first)
	}
}

// TestHostileWords: what customers and editors write is shown on every page and never
// run.
func TestHostileWords(t *testing.T) {
	const evil = `</script></style><script>alert(1)</script><!--"'` + "`" + `&amp;[x](javascript:alert(1))`
	c := sampleContent()
	d, in := c.Dataset, c.Insights
	d.Business.Name, d.Business.Description, d.Business.URL, d.License = evil, evil, "javascript:alert(1)", "<b>"
	d.Business.Technicians[0].Name, d.Business.Services[0].Name, d.Business.ServiceAreas[0].Name = evil, evil, evil
	r := &d.Reviews[0]
	r.Title, r.Text, r.Author, r.Source, r.Language = new(evil), new(evil), evil, evil, `"><script>`
	r.SourceURL = new("javascript:alert(1)")
	r.OwnerReply = &reviewcast.OwnerReply{Text: evil, Date: "2026-03-15"}
	in.Summary, in.FAQ[0].Answer, in.FAQ[0].Question, in.Aspects[0].Label = new(evil), evil, evil, evil
	c.Quotes[0][0].Text, in.Aspects[0].TopPhrases = evil, []string{evil}
	in.PullQuote.Text = evil
	c.Channel = render.Channel{BaseURL: "https://reviews.example.com", Title: evil, Description: evil}
	seen := 0
	for p, body := range renderAll(t, c) {
		text := string(body)
		switch {
		case strings.HasSuffix(p, ".html"):
			if strings.Contains(text, "<script>") || strings.Contains(text, "<!--") || regexp.MustCompile(`(?i)href="\s*javascript`).MatchString(text) {
				t.Errorf("%s: words became markup", p)
			}
			if strings.Contains(html.UnescapeString(text), evil) {
				seen++
			}
			for n := range parse(t, body).Descendants() {
				if n.Data == "script" && n.FirstChild != nil && len(n.Attr) != 1 {
					t.Errorf("%s: a script %v", p, n.Attr)
				}
			}
		case strings.HasSuffix(p, ".md"):
			if strings.Contains(text, "<script>") || regexp.MustCompile(`[^\\]\]\(javascript`).MatchString(text) {
				if !strings.HasPrefix(p, reviewcast.PathDocs) { // its examples are in blocks of code
					t.Errorf("%s: words became markup", p)
				}
			}
		}
	}
	if seen < 8 {
		t.Errorf("the words are on %d pages only", seen)
	}
}

// TestMarkdownEscape: nobody's words become markup of a twin.
func TestMarkdownEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain, with. dots!":    "plain, with. dots!",
		"# no\n- heading\n1. x": "\\# no\n> \\- heading\n> 1\\. x",
		"*a* _b_ `c` [d](e)":    "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e)",
		"<b>&copy;":             "\\<b\\>\\&copy;",
		"    code\n\tcode":      "    code\n>  code",
		"2026. was good":        "2026\\. was good",
		"a\n\nb":                "a\n> \n> b",
	} {
		if got := escapeMarkdown(in, "> "); got != want {
			t.Errorf("escapeMarkdown(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSummary: the editors' Markdown is shown, without HTML, links and pictures.
func TestSummary(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"One\nline.\n\n\nTwo.\n":    "<p>One\nline.</p>\n<p>Two.</p>\n",
		"Most give **five stars**.": "<p>Most give <strong>five stars</strong>.</p>\n",
		"<b>x</b> ![](//x) [a](/b)": "<p>&lt;b&gt;x&lt;/b&gt; ![](//x) [a](/b)</p>\n",
		"- praise\n- 2**3 is 8":     "<ul>\n<li>praise</li>\n<li>2**3 is 8</li>\n</ul>\n",
	} {
		if got, err := markdownHTML(in); err != nil || string(got) != want {
			t.Errorf("markdownHTML(%q) = %q (%v), want %q", in, got, err, want)
		}
	}
}

// longContent is n reviews as people write them of a journey: a title, and up to 7,000 bytes of text.
func longContent(n int) Content {
	c := corpusContent(n)
	from := corpus.Reviews(n + 20)
	for i := range c.Dataset.Reviews {
		r := &c.Dataset.Reviews[i]
		text := ""
		for _, more := range from[i : i+1+i%3+i%7*(i%11/8)] {
			text += deref(more.Text) + " "
		}
		r.Title, r.Text, r.SourceURL = new("Business Class Lounge, Nowhere International Airport"), new(text), nil
	}
	return c
}

// TestSizes keeps the weights that the pages promise, with many reviews and with long ones; with LONG=1, at 10,000.
func TestSizes(t *testing.T) {
	many, long := 3000, 500
	if os.Getenv("LONG") != "" {
		many, long = 10_000, 1500
	}
	files := renderAll(t, corpusContent(many))
	for name, files := range map[string]map[string][]byte{"": files, "long: ": renderAll(t, longContent(long))} {
		for p, body := range files {
			p, isPage := strings.CutSuffix(p, indexHTML)
			reviews, month := bytes.Count(body, []byte("<article")), regexp.MustCompile(`^/reviews/....-../`).MatchString(p)
			switch {
			case !isPage:
			case !month && len(body) > 100_000:
				t.Errorf("%s%s has %d bytes", name, p, len(body))
			case month && name == "" && len(body) > 100_000*(reviews+99)/100:
				t.Errorf("%s has %d bytes for %d reviews", p, len(body), reviews)
			}
			if twin := files[p+indexMarkdown]; isPage && 2*len(twin) > len(body) {
				t.Errorf("%sthe twin of %s has %d bytes, the page %d", name, p, len(twin), len(body))
			}
		}
	}
	if gz := render.Encode(files[reviewcast.PathIndex], reviewcast.MediaHTML, render.Gzip); len(gz) > 60_000 {
		t.Errorf("the front page has %d bytes in gzip", len(gz))
	}
	if paths := slices.Sorted(maps.Keys(files)); len(paths) < 200 {
		t.Errorf("only %d files: %v", len(paths), paths)
	}
}

// TestLongQuotes: pages are divided by bytes, so that long sentences make more of them, and every quote is on one page.
func TestLongQuotes(t *testing.T) {
	n := &subject{kind: &kind{base: "/aspects/"}, id: "punctuality"}
	reviews := longContent(600).Dataset.Reviews
	for i := range reviews {
		n.quotes = append(n.quotes, evidence{review: review{Review: &reviews[i], s: &Site{locale: newLocale("en", nil)}}, said: Quote{Text: strings.Repeat("on time and ", 1+i%90)}})
	}
	listed := 0
	for _, p := range n.split(newLocale("en", nil)) {
		size := 0
		for i := range p.quotes {
			page, _ := p.quotes[i].items(true)
			size += len(page)
		}
		if listed += len(p.quotes); size > 95_000 || size == 0 {
			t.Errorf("%s has %d bytes in %d quotes", p.Path, size, len(p.quotes))
		}
	}
	if listed != len(n.quotes) {
		t.Errorf("%d quotes of %d are listed", listed, len(n.quotes))
	}
}

// TestPlace: the postal code stands where it does in the country, whose code is no word for people.
func TestPlace(t *testing.T) {
	a := reviewcast.Address{StreetAddress: "3 Dock Lane", PostalCode: "1234", AddressLocality: "Town"}
	for country, want := range map[string]string{
		"": "3 Dock Lane, 1234 Town", "IT": "3 Dock Lane, 1234 Town", "GB": "3 Dock Lane, Town, 1234",
	} {
		a.AddressCountry = country
		if got := place(a); got != want {
			t.Errorf("in %s: %q, want %q", country, got, want)
		}
	}
	if got := place(reviewcast.Address{AddressCountry: "IT"}); got != "IT" {
		t.Errorf("only the country: %q", got)
	}
}
