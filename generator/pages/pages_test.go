package pages

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"reflect"
	"regexp"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"reviewcast"
	"reviewcast/bench/corpus"
)

func renderIndex(t *testing.T, c Channel, d *reviewcast.Dataset, in *reviewcast.Insights) string {
	t.Helper()
	body, err := Index(c, d, in)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func inside(t *testing.T, s, open, shut string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, open)
	inside, _, ok2 := strings.Cut(rest, shut)
	if !ok || !ok2 {
		t.Fatalf("nothing between %q and %q", open, shut)
	}
	return inside
}

// TestIndexPolicy: the page's own policy lets in its style and nothing else.
func TestIndexPolicy(t *testing.T) {
	page := renderIndex(t, sampleChannel, sampleDataset(), sampleInsights())
	sum := sha256.Sum256([]byte(inside(t, page, "<style>", "</style>")))
	policy := html.UnescapeString(inside(t, page, `<meta http-equiv="Content-Security-Policy" content="`, `"`))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("policy %s\nwant   %s", policy, want)
	}
}

// TestIndexStructure reads the page as a browser does: nothing that the policy
// would block, no id twice, a heading for every section, headings in order.
func TestIndexStructure(t *testing.T) {
	big := corpus.Dataset(200)
	for name, page := range map[string]string{
		"sample": renderIndex(t, sampleChannel, sampleDataset(), sampleInsights()),
		"empty":  renderIndex(t, Channel{BaseURL: "http://localhost:8080"}, emptyDataset(), nil),
		"corpus": renderIndex(t, sampleChannel, &big, emptyInsights()),
	} {
		doc, err := xhtml.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		ids, labels, level, h1 := map[string]bool{}, []string{}, 0, 0
		for n := range doc.Descendants() {
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
				case a.Key == "href" && strings.Contains(a.Val, "ZgotmplZ"):
					t.Errorf("%s: an address was thrown away", name)
				}
			}
			switch n.Data {
			case "script":
				if len(n.Attr) != 1 || n.Attr[0].Val != "application/ld+json" {
					t.Errorf("%s: a script %v", name, n.Attr)
				}
			case "img", "iframe", "object", "form":
				t.Errorf("%s: <%s>", name, n.Data)
			case "h1", "h2", "h3":
				next := int(n.Data[1] - '0')
				if next > level+1 {
					t.Errorf("%s: <%s> after a heading of level %d", name, n.Data, level)
				}
				if level = next; next == 1 {
					h1++
				}
			}
		}
		for _, label := range labels {
			if !ids[label] {
				t.Errorf("%s: nothing is labelled %s", name, label)
			}
		}
		if h1 != 1 {
			t.Errorf("%s: %d first headings", name, h1)
		}
		for _, want := range []string{
			`type="application/feed+json"`, `type="application/atom+xml"`, `rel="hub"`, `<html lang="en">`, `name="viewport"`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
	}
}

// TestIndexHostileWords: what customers and editors write is shown and not run.
func TestIndexHostileWords(t *testing.T) {
	const evil = `</script></style><script>alert(1)</script><!--"'`
	d := sampleDataset()
	d.Business.Name, d.Business.Description, d.Business.URL = evil, evil, "javascript:alert(1)"
	d.Reviews[0].Title, d.Reviews[0].Text, d.Reviews[0].Author = pointer(evil), pointer(evil), evil
	d.Reviews[0].SourceURL = pointer("javascript:alert(1)")
	in := sampleInsights()
	in.Summary, in.FAQ[0].Answer, in.Aspects[0].Label = pointer(evil), evil, evil
	page := renderIndex(t, Channel{BaseURL: "https://reviews.example.com", Title: evil, Description: evil}, d, in)
	if strings.Contains(page, "<script>") || strings.Contains(page, "<!--") || regexp.MustCompile(`href="javascript`).MatchString(page) {
		t.Error("words became markup")
	}
	if n := strings.Count(page, "</script>"); n != 1 {
		t.Errorf("%d ends of scripts", n)
	}
	if want := html.EscapeString(evil); !strings.Contains(html.UnescapeString(page), evil) {
		t.Errorf("the words are gone; want something like %s", want)
	}
}

func TestIndexJSONLD(t *testing.T) {
	read := func(d *reviewcast.Dataset) map[string]any {
		var v map[string]any
		page := renderIndex(t, sampleChannel, d, nil)
		if err := json.Unmarshal([]byte(inside(t, page, `<script type="application/ld+json">`, "</script>")), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := read(sampleDataset())
	if v["@context"] != "https://schema.org" || v["@type"] != "Plumber" || v["name"] != "Pipes & Co" {
		t.Errorf("JSON-LD: %v", v)
	}
	rating, ok := v["aggregateRating"].(map[string]any)
	if !ok || rating["ratingValue"] != 3.75 || rating["ratingCount"] != 4.0 || rating["reviewCount"] != 3.0 || rating["bestRating"] != 5.0 {
		t.Errorf("aggregateRating: %v", rating)
	}
	if v := read(emptyDataset()); v["aggregateRating"] != nil {
		t.Errorf("a business without reviews has the rating %v", v["aggregateRating"])
	}
}

func TestParagraphs(t *testing.T) {
	for in, want := range map[string][][]words{
		"":                       nil,
		"\n\n \n":                nil,
		"One\nline.\n\n\nTwo.\n": {{{"One line.", false}}, {{"Two.", false}}},
		"Most give **five stars**, **all** thank.": {{{"Most give ", false}, {"five stars", true}, {", ", false}, {"all", true}, {" thank.", false}}},
		"2**3 is 8": {{{"2**3 is 8", false}}},
	} {
		if got := paragraphs(in); !reflect.DeepEqual(got, want) {
			t.Errorf("paragraphs(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestLicence(t *testing.T) {
	for in, want := range map[string][2]string{
		"CC-BY-4.0":                        {"CC-BY-4.0", "https://spdx.org/licenses/CC-BY-4.0.html"},
		"https://licences.example.com/own": {"", "https://licences.example.com/own"},
		"all-rights-reserved":              {},
		"ask us first":                     {},
		"":                                 {},
	} {
		if spdx, address := licence(in); spdx != want[0] || address != want[1] {
			t.Errorf("licence(%q) = %q, %q; want %q", in, spdx, address, want)
		}
	}
}
