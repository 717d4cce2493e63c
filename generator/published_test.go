package generator

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/starter"
)

func TestVanished(t *testing.T) {
	t.Parallel()
	dir, cfg := alreadyPublished(t)
	before := read(t, cfg.PublicDir)

	os.Remove(filepath.Join(dir, "reviews", "1.yaml"))
	put(t, dir, map[string]string{
		"reviews/2.yaml": "- {id: r2, author: A, rating: 5, date: 2026-01-02}\n", // no verification any more
		"reviews/3.yaml": review("R3", ""),                                       // an id's case
	})
	problems := func(cfg Config) (msgs []string) {
		t.Helper()
		_, err := NewBuilder(cfg).Build(t.Context())
		var p *ProblemsError
		if !errors.As(err, &p) {
			t.Fatalf("build: %v", err)
		}
		for _, p := range p.Problems {
			msgs = append(msgs, p.String())
		}
		return msgs
	}
	want := []string{
		`withdrawn.yaml: review "r1" (Maria K., 5 of 5 stars, 2026-01-02) is published, but no file of reviews/ has it any more; put it back under this id, from your own copy of its file or with its words in the reviews.jsonl that is published; or add to withdrawn.yaml (with the reason legal if its words must disappear everywhere): - {id: r1, reason: withdrawn, date: 2026-06-01}; if it was never online, build with --previous and the address of your reviews`,
		`reviews/2.yaml:1:3: review "r2" is published, but it has lost its verification; give it its verification back, or add to withdrawn.yaml (with the reason legal if its words must disappear everywhere): - {id: r2, reason: withdrawn, date: 2026-06-01}, and delete it here; if it was never online, build with --previous and the address of your reviews`,
		`reviews/3.yaml:1:3: review "r3" is published, but its id is written "R3" now; write the id as r3: the published id must stay`,
	}
	if got := problems(cfg); !slices.Equal(got, want) {
		t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !maps.Equal(before, read(t, cfg.PublicDir)) {
		t.Error("a refused build wrote something")
	}

	// A preview shows it with warnings, and the next build has the same errors.
	lenient := cfg
	lenient.Lenient = true
	b := NewBuilder(lenient)
	for range 2 {
		res, err := b.Prepare(t.Context(), nil)
		if err != nil || len(res.Problems) != 3 || diagnostic.HasErrors(res.Problems) {
			t.Fatalf("a preview: %v, %v", err, res)
		}
		b.Accept(res)
	}
	if got := problems(cfg); !slices.Equal(got, want) {
		t.Errorf("after a preview the problems are:\n%s", strings.Join(got, "\n"))
	}

	put(t, dir, map[string]string{
		"withdrawn.yaml": "- {id: R1, reason: legal, date: 2026-05-01}\n- {id: r2, reason: withdrawn, date: 2026-05-01}\n",
		"reviews/3.yaml": review("r3", ""),
	})
	res := mustPrepare(t, cfg)
	if u := res.Dataset.Unpublished; u != (reviewcast.Unpublished{Legal: 1, Withdrawn: 1}) {
		t.Errorf("unpublished: %+v", u)
	}
}

// TestChangedID: a published review under another id is told from one that is gone.
func TestChangedID(t *testing.T) {
	t.Parallel()
	dir, cfg := alreadyPublished(t)
	put(t, dir, map[string]string{"reviews/1.yaml": review("tidied", "  text: Quick, and kind to the cat.\n")})
	for cited, too := range map[string]string{"r2": "", "tidied": "; faq.yaml:3 names tidied, too"} {
		put(t, dir, map[string]string{"faq.yaml": "- question: Quick?\n  answer: Yes.\n  evidence_review_ids: [" + cited + "]\n"})
		_, err := NewBuilder(cfg).Build(t.Context())
		want := `reviews/1.yaml:1:3: review "r1" is published, but its id is written "tidied" now; write the id as r1: the published id must stay` + too
		var p *ProblemsError
		if !errors.As(err, &p) || len(p.Problems) != 1 || p.Problems[0].String() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestVanishedFile: the reviews of a file that is gone are told at once.
func TestVanishedFile(t *testing.T) {
	t.Parallel()
	files := map[string]string{"reviews/1.yaml": "", "reviews/2.yaml": "- {id: b, author: Bo, rating: 4, date: 2026-01-02, verification: {method: job}}\n"}
	for i := range 8 {
		files["reviews/1.yaml"] += fmt.Sprintf("- {id: a%d, author: Ana, rating: 5, date: 2026-01-0%d, verification: {method: job}}\n", i, i+1)
	}
	dir := folder(t, files)
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	put(t, dir, map[string]string{"reviews/1.yaml": "- {id: new, author: Eva, rating: 5, date: 2026-02-01, verification: {method: job}}\n"})
	_, err := NewBuilder(cfg).Build(t.Context())
	var p *ProblemsError
	if !errors.As(err, &p) || len(p.Problems) != 1 {
		t.Fatalf("build: %v", err)
	}
	const want = "reviews: 8 published reviews are in no file any more: a0, a1, a2, a3, a4, a5, …; a file was probably deleted, moved away or saved over"
	if got := p.Problems[0].String(); !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestVanishedInBulk: a wrong folder is told in few lines, and soon.
func TestVanishedInBulk(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	for i := range maxVanished + 20 {
		before.WriteString(review(fmt.Sprintf("a%d", i), ""))
		after.WriteString(review(fmt.Sprintf("b%d", i), ""))
	}
	dir := folder(t, map[string]string{"reviews/1.yaml": before.String()})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	put(t, dir, map[string]string{"reviews/1.yaml": after.String()})
	_, err := NewBuilder(cfg).Build(t.Context())
	var p *ProblemsError
	if !errors.As(err, &p) || len(p.Problems) != maxVanished+1 {
		t.Fatalf("build: %v", err)
	}
	if last := p.Problems[maxVanished].String(); !strings.Contains(last, "20 more published reviews are gone") {
		t.Errorf("the last problem is %q", last)
	}
}

func TestPrevious(t *testing.T) {
	t.Parallel()
	dir, live := alreadyPublished(t)
	files := http.FileServer(http.Dir(live.PublicDir))
	status := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	cfg.Previous = srv.URL

	put(t, dir, map[string]string{"reviews/5.yaml": review("r5", "")})
	if res := mustPrepare(t, cfg); res.Manifest.Sequence != cfg.Now().Unix()+1 || res.First {
		t.Errorf("a build that follows the live set has sequence %d, want %d", res.Manifest.Sequence, cfg.Now().Unix()+1)
	}
	status = http.StatusNotFound
	if res := mustPrepare(t, cfg); !res.First {
		t.Errorf("404 makes sequence %d, want a first build", res.Manifest.Sequence)
	}
	for _, status = range []int{http.StatusInternalServerError, http.StatusForbidden, http.StatusMovedPermanently} {
		if _, err := NewBuilder(cfg).Build(t.Context()); err == nil {
			t.Errorf("a build goes on although the last set answers %d", status)
		}
	}
	srv.Close()
	if _, err := NewBuilder(cfg).Build(t.Context()); err == nil {
		t.Error("a build goes on although the last set can't be reached")
	}

	// A name that isn't there is a mistake and no first build.
	for _, where := range []string{filepath.Join(t.TempDir(), "nowhere"), "reviews.example.com", "HTTP://127.0.0.1:1"} {
		cfg.Previous = where
		if _, err := NewBuilder(cfg).Build(t.Context()); err == nil {
			t.Errorf("a build goes on although --previous %s can't be there", where)
		}
	}

	// In a folder: a manifest that isn't one, and a dataset that isn't its own.
	for _, name := range []string{"manifest.json", "reviews.json"} {
		_, broken := alreadyPublished(t)
		put(t, broken.PublicDir, map[string]string{name: "{}"})
		if _, err := NewBuilder(broken).Build(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a broken %s: %v", name, err)
		}
	}
}

// TestExamples: what init writes as an example is refused for a public origin, and
// nowhere else.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "content")
	if _, err := starter.Write(dir); err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"reviews/mine.yaml": review("mine", "")})
	for origin, want := range map[string]int{
		"https://reviews.example.com": 5, "https://reviews.smith.test": 5, "https://192.0.2.7": 5,
		"http://localhost:8080": 0, "http://127.0.0.1": 0, "https://reviews.willowstreet.example": 0,
	} {
		cfg := config(dir, filepath.Join(t.TempDir(), "public"))
		cfg.BaseURL = origin
		_, err := NewBuilder(cfg).Prepare(t.Context(), nil)
		var p *ProblemsError
		if errors.As(err, &p); (err != nil) != (want > 0) || p != nil && len(p.Problems) != want {
			t.Errorf("%s: %v", origin, err)
		}
		cfg.Lenient = true
		if res, err := NewBuilder(cfg).Prepare(t.Context(), nil); err != nil || len(res.Problems) > 0 {
			t.Errorf("a preview for %s: %v", origin, err)
		}
	}
	// The own business and the own reviews, beside the examples that are left.
	put(t, dir, map[string]string{"business.yaml": business + "service_areas: [{id: old-town, name: Old Town}]\n", "reviews/first-reviews.yaml": review("first", "  source: example\n")})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	_, err := NewBuilder(cfg).Build(t.Context())
	var p *ProblemsError
	if !errors.As(err, &p) || len(p.Problems) != 7 {
		t.Fatalf("a review, a summary and texts of the site are left: %v", err)
	}
	if got := p.Problems[6].String(); got != `summary.md:1:1: "Customers like that we come quickly, exp" … is of the example business that init wrote, and https://reviews.example.com is public; replace it with your own, or delete it` {
		t.Errorf("%s", got)
	}
	const message = `reviews/first-reviews.yaml:6:3: review "first" is a made-up example, as its source says, and https://reviews.example.com is public; if a customer wrote it, write source: direct, or the name of the platform; if it is made up, delete the whole review`
	if got := p.Problems[0].String(); got != message {
		t.Errorf("%s", got)
	}
	put(t, dir, map[string]string{"reviews/first-reviews.yaml": "", "site.yaml": "title: Ours\n", "summary.md": "Ours.\n"})
	mustPrepare(t, cfg)
}

// TestRenamedBusiness: a published business keeps its id, unless the editor says that it
// is another one. The example that init wrote may be replaced.
func TestRenamedBusiness(t *testing.T) {
	dir := folder(t, map[string]string{"reviews/1.yaml": review("r1", ""), "business.yaml": "id: my-business\nname: Acme\n"})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	cfg.BaseURL = "http://localhost"
	mustBuild(t, cfg)
	put(t, dir, map[string]string{"business.yaml": "id: acme\nname: Acme\n"})
	mustBuild(t, cfg)
	mustPrepare(t, cfg)
	put(t, dir, map[string]string{"business.yaml": "id: acme-ltd\nname: Acme\n"})
	_, err := NewBuilder(cfg).Build(t.Context())
	var p *ProblemsError
	if !errors.As(err, &p) || len(p.Problems) != 1 || p.Problems[0].Code != "business-id" {
		t.Fatalf("another id: %v", err)
	}
	lenient := cfg
	lenient.Lenient = true
	if res, err := NewBuilder(lenient).Prepare(t.Context(), nil); err != nil || len(res.Problems) != 1 {
		t.Errorf("a preview: %v, %+v", err, res)
	}
	cfg.NewBusinessID = true
	if res := mustPrepare(t, cfg); res.Dataset.Business.ID != "acme-ltd" {
		t.Errorf("published as %s", res.Dataset.Business.ID)
	}
}
