package generator

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOthersThanPublished: warnings of a published id that is another review now, and of
// another address; a review that is gone is reported in place of what cites it.
func TestOthersThanPublished(t *testing.T) {
	t.Parallel()
	dir, public := t.TempDir(), t.TempDir()
	jo := "- {id: jo, author: Jo P., rating: 5, date: 2026-01-02, text: They came on time., verification: {method: job}}\n"
	put(t, dir, map[string]string{
		"business.yaml":     "id: acme\nname: Acme\n",
		"reviews/all.yaml":  jo,
		"reviews/more.yaml": "- {id: al, author: Al B., rating: 4, date: 2026-01-03, text: Fine., verification: {method: job}}\n",
		"faq.yaml":          "- {question: Are they on time?, answer: Yes., evidence_review_ids: [al]}\n",
	})
	published := Config{ContentDir: dir, PublicDir: public, BaseURL: "https://reviews.acme.test", Today: "2026-11-21"}
	if _, err := NewBuilder(published).Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := func(baseURL string) (said []string) {
		t.Helper()
		cfg := published
		cfg.BaseURL = baseURL
		problems, err := NewBuilder(cfg).Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			said = append(said, p.Code+" "+p.String())
		}
		return said
	}
	for _, test := range []struct{ name, reviews, more, baseURL, says string }{
		{"the same", jo, "al", published.BaseURL, ""},
		{"a corrected text", strings.Replace(jo, "on time", "at nine", 1), "al", published.BaseURL, ""},
		{"another customer's review", "- {id: jo, author: Mia K., rating: 1, date: 2026-05-06, text: They never came., verification: {method: job}}\n", "al", published.BaseURL,
			`replaced reviews/all.yaml:1:3: the published review "jo" was by Jo P. of 2026-01-02, and is another one now: author, date and text differ`},
		{"another address", jo, "al", "https://acme.test", "moved site.yaml: the address is https://acme.test, and the published pages are for https://reviews.acme.test"},
		{"this computer", jo, "al", "http://localhost:8080", ""},
		{"another id, which the questions cite", jo, "albert", published.BaseURL, `review "al" is published, but`},
	} {
		put(t, dir, map[string]string{
			"reviews/all.yaml":  test.reviews,
			"reviews/more.yaml": "- {id: " + test.more + ", author: Al B., rating: 4, date: 2026-01-03, text: Fine., verification: {method: job}}\n",
		})
		said := check(test.baseURL)
		if (test.says == "") != (len(said) == 0) || len(said) > 1 || len(said) == 1 && !strings.Contains(said[0], test.says) {
			t.Errorf("%s: %q, want %q", test.name, said, test.says)
		}
	}
}

// TestGoneAndCited: what stops a preview is an error, also where only a published review that is gone stops it.
func TestGoneAndCited(t *testing.T) {
	t.Parallel()
	dir, cfg := alreadyPublished(t)
	put(t, dir, map[string]string{"faq.yaml": "- {question: Kind?, answer: Yes., evidence_review_ids: [r1]}\n"})
	if err := os.Remove(filepath.Join(dir, "reviews", "1.yaml")); err != nil {
		t.Fatal(err)
	}
	cfg.Lenient = true
	_, err := NewBuilder(cfg).Prepare(t.Context(), nil)
	want := "1 error to fix first; no page was changed"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEdited changes published files by hand.
func TestEdited(t *testing.T) {
	t.Parallel()
	_, cfg := alreadyPublished(t)
	public := cfg.PublicDir
	page := filepath.Join(public, "index.html")
	before := read(t, public)
	if err := os.WriteFile(page, []byte("<p>ours"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{{"index.html"}, nil} {
		res := mustBuild(t, cfg)
		if !slices.Equal(res.Edited, want) {
			t.Errorf("edited: %q, want %q", res.Edited, want)
		}
		if got := read(t, public); !maps.Equal(got, before) {
			t.Error("the build doesn't put the page right")
		}
	}
	if err := os.WriteFile(filepath.Join(public, "reviews.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := NewBuilder(cfg).Build(t.Context())
	if err == nil || !strings.Contains(err.Error(), "it was changed after the last build; undo that, or fetch what is online") {
		t.Errorf("a build on reviews.json that was edited: %v", err)
	}
	if err := os.Remove(filepath.Join(public, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	_, err = NewBuilder(cfg).Build(t.Context())
	if want := "its manifest.json is missing; put it back"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a build without the manifest: %v, want %q", err, want)
	}
}
