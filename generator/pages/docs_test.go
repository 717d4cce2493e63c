package pages

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reviewcast"
)

// TestDocs compares the documentation with the API's description: every path,
// parameter, status, type and member is there with its meaning, and nothing else.
func TestDocs(t *testing.T) {
	c := withLines(t, sampleContent())
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d := readAPI(s.OpenAPI)
	source := ""
	for _, m := range manuals {
		text, err := s.docs(d, m.name, false)
		if err != nil {
			t.Fatal(err)
		}
		if m.name == "fields" { // its headings are one level higher
			text = strings.ReplaceAll(text, "\n## ", "\n### ")
		}
		source += text
	}
	section := func(heading string) string {
		_, rest, ok := strings.Cut(source, "\n### "+heading+"\n")
		if !ok {
			t.Errorf("no section %s", heading)
		}
		text, _, _ := strings.Cut(rest, "\n### ")
		return text
	}
	headings := map[string]bool{}
	for path, item := range d.Paths {
		for method, op := range item {
			if method == "head" {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			headings[name] = true
			text := section(name)
			for _, p := range op.Parameters {
				p = cmp.Or(d.Components.Parameters[last(p.Ref)], p)
				if !strings.Contains(text, "| `"+p.Name+"` | ") || p.Description == "" {
					t.Errorf("%s: parameter %s", name, p.Name)
				}
			}
			for status := range op.Responses {
				if !strings.Contains(text, "\n| "+status+" | ") {
					t.Errorf("%s: status %s", name, status)
				}
			}
		}
	}
	for name, schema := range d.Components.Schemas {
		headings[name] = true
		text := section(name)
		for member, property := range schema.Properties {
			if !strings.Contains(text, "| `"+member+"`") {
				t.Errorf("%s.%s is missing", name, member)
			}
			if property.Description == "" {
				t.Errorf("%s.%s has no meaning", name, member)
			}
		}
	}
	_, reference, _ := strings.Cut(source, "\n## Paths\n")
	for _, m := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(reference, -1) {
		if !headings[m[1]] {
			t.Errorf("%s is documented and does not exist", m[1])
		}
	}
}

// TestDocsPaths: every path that the hand-written part names exists.
func TestDocsPaths(t *testing.T) {
	c := withLines(t, sampleContent())
	files := renderOnce(t, "sample")
	d := readAPI(c.OpenAPI)
	text := string(files[reviewcast.PathDocs+"index.md"])
	n := 0
	for _, m := range regexp.MustCompile(`(?:`+regexp.QuoteMeta(c.Channel.BaseURL)+`)(/[^\s'"?)`+"`"+`]*)`).FindAllStringSubmatch(text, -1) {
		n++
		p := m[1]
		known := files[p] != nil || files[p+"index.html"] != nil || d.Paths[p] != nil || slices.Contains(elsewhere, p) ||
			strings.HasPrefix(p, reviewcast.PathSince) || strings.HasPrefix(p, reviewcast.PathMonths)
		if !known {
			t.Errorf("the documentation names %s, which does not exist", p)
		}
	}
	if n < 10 {
		t.Errorf("only %d addresses", n)
	}
}
