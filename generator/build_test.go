package generator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/starter"
)

const business = `id: acme
name: Acme Repairs
description: Fixes things.
technicians:
  - {id: ana, name: Ana Lima, aliases: [Ana]}
services:
  - {id: drains, name: Drain cleaning}
`

// folder writes a content folder. Names end as the loader knows them.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "content")
	put(t, dir, map[string]string{"business.yaml": business})
	put(t, dir, files)
	return dir
}

func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// read gives every file below dir with its content.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func beside(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(dir) {
			names = append(names, e.Name())
		}
	}
	return names
}

func review(id, extra string) string {
	return fmt.Sprintf("- id: %s\n  author: Maria K.\n  rating: 5\n  date: 2026-01-02\n  verification: {method: job, reference: SECRET-%s}\n%s", id, id, extra)
}

func config(content, public string) Config {
	return Config{
		ContentDir: content, PublicDir: public, BaseURL: "https://reviews.example.com", Encodings: EncodingsNone,
		Today: "2026-06-01", Now: func() time.Time { return time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC) },
	}
}

func mustBuild(t *testing.T, cfg Config) *Result {
	t.Helper()
	res, err := NewBuilder(cfg).Build(t.Context())
	if err != nil {
		var p *ProblemsError
		if errors.As(err, &p) {
			t.Fatalf("build: %v: %v", err, p.Problems)
		}
		t.Fatalf("build: %v", err)
	}
	return res
}

func TestBuildIsAFunctionOfContent(t *testing.T) {
	t.Parallel()
	a := folder(t, map[string]string{"reviews/1.yaml": review("r1", "  text: Ana unblocked it.\n"), "reviews/2.yaml": review("r2", "")})
	// The same reviews, in another file, format and order.
	b := folder(t, map[string]string{
		"reviews/x/all.jsonl": `{"id":"r2","author":"Maria K.","rating":5,"date":"2026-01-02","verification":{"method":"job"}}` + "\n" +
			`{"id":"r1","author":"Maria K.","rating":5,"date":"2026-01-02","text":"Ana unblocked it.","verification":{"method":"job","verified_on":"2026-01-02"}}` + "\n",
	})
	pub := filepath.Join(t.TempDir(), "a", "public")
	other := filepath.Join(t.TempDir(), "b", "public")
	mustBuild(t, config(a, pub))
	mustBuild(t, config(b, other))
	got, want := read(t, pub), read(t, other)
	if !maps.Equal(got, want) {
		t.Errorf("the same content gives other bytes:\n%v\n%v", got, want)
	}
	for _, path := range []string{"reviews.json", "insights.json", "api/feed.json", "feed.xml", ".well-known/openapi.json", "index.html", "manifest.json"} {
		if got[path] == "" {
			t.Errorf("%s is not built", path)
		}
	}
	for name, body := range got {
		if strings.Contains(body, "SECRET") {
			t.Errorf("%s holds a private reference", name)
		}
	}
	var ds reviewcast.Dataset
	if err := json.Unmarshal([]byte(got["reviews.json"]), &ds); err != nil {
		t.Fatal(err)
	}
	if ds.ReviewCount != 2 || *ds.AggregateRating.RatingValue != 5 || ds.AggregateRating.TextCount != 1 {
		t.Errorf("aggregate: %+v", ds.AggregateRating)
	}
	if m := ds.Reviews[0].Mentions.Technicians; ds.Reviews[0].ID != "r1" || !slices.Equal(m, []string{"ana"}) {
		t.Errorf("the first review is %s and mentions %v", ds.Reviews[0].ID, m)
	}
	if rest := beside(t, pub); len(rest) > 0 {
		t.Errorf("left beside public/: %v", rest)
	}
}

func TestBuildAgain(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"reviews/1.yaml": review("r1", "")})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	first := mustBuild(t, cfg)
	sequence := cfg.Now().Unix()
	if len(first.Changed) != len(first.Manifest.Files) || first.Manifest.Sequence != sequence || !first.First {
		t.Errorf("first build: sequence %d, changed %v", first.Manifest.Sequence, first.Changed)
	}
	cfg.Now = func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }
	before := read(t, cfg.PublicDir)
	again := mustBuild(t, cfg)
	if len(again.Changed) != 0 || again.Manifest.Sequence != sequence || !maps.Equal(before, read(t, cfg.PublicDir)) {
		t.Errorf("a build of the same content a year later: sequence %d, changed %v", again.Manifest.Sequence, again.Changed)
	}
	put(t, dir, map[string]string{"reviews/2.yaml": review("r2", "")})
	third := mustBuild(t, cfg)
	if !slices.Equal(third.ChangedTopics(), []string{"/api/feed.json", "/changes/latest.json", "/feed.xml", "/reviews.json"}) || third.Manifest.Sequence != cfg.Now().Unix() {
		t.Errorf("a new review: sequence %d, topics %v", third.Manifest.Sequence, third.ChangedTopics())
	}
	put(t, dir, map[string]string{"summary.md": "All good.\n"})
	fourth := mustBuild(t, cfg)
	if !slices.Equal(fourth.ChangedTopics(), []string{"/changes/latest.json"}) || fourth.Manifest.Sequence != third.Manifest.Sequence+1 || !slices.Contains(fourth.Changed, "/insights.json") {
		t.Errorf("a new summary changes topics %v, files %v", fourth.ChangedTopics(), fourth.Changed)
	}
}

// TestNothingNew: a file that was written anew with the same words, as the second
// half of many a save, is no new build; any other change is one.
func TestNothingNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	content, public := filepath.Join(dir, "content"), filepath.Join(dir, "public")
	const one = "- {id: a, author: Jo K., rating: 5, date: 2026-01-02, verification: {method: job}}\n"
	put(t, content, map[string]string{"business.yaml": business, "reviews/a.yaml": one, "reviews/b.jsonl": `{"id":"b","author":"Bo","rating":4,"date":"2026-01-02","verification":{"method":"job"}}` + "\n"})
	cfg := config(content, public)
	cfg.Lenient = true
	b := NewBuilder(cfg)
	prepare := func(names ...string) *Result {
		t.Helper()
		res, err := b.Prepare(t.Context(), names)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	accept := func(res *Result) *Result {
		b.Accept(res)
		return res
	}
	last := accept(prepare())
	for i := range 3 {
		put(t, content, map[string]string{"reviews/a.yaml": one})
		if res := prepare("reviews/a.yaml"); res.Site != last.Site || len(res.Changed)+len(res.Removed) > 0 {
			t.Errorf("%d: the same words are a new build, with %v", i, res.Changed)
		}
	}
	for _, change := range []map[string]string{
		{"reviews/a.yaml": strings.Replace(one, "5", "4", 1)}, {"reviews/a.yaml": one}, {"reviews/b.jsonl": ""}, {"business.yaml": business + "# and more\n"}, {"reviews/c.yaml": strings.Replace(one, "id: a", "id: c", 1)},
	} {
		var names []string
		for name := range change {
			names = append(names, name)
		}
		put(t, content, change)
		dropped := prepare(names...)
		if dropped.Site == last.Site {
			t.Errorf("%v is no new build", change)
		}
		res := prepare(names...) // the first was not accepted
		sequence := last.Manifest.Sequence
		if len(res.Changed) > 0 {
			sequence++
		}
		if res.Site == last.Site || !slices.Equal(res.Changed, dropped.Changed) || res.Manifest.Sequence != sequence {
			t.Errorf("%v: after a build that was not accepted, %v changed, not %v", change, res.Changed, dropped.Changed)
		}
		last = accept(res)
	}
	if _, err := os.Stat(public); err == nil {
		t.Error("a preview has written something")
	}
	// What somebody else publishes meanwhile is seen.
	mustBuild(t, config(content, public))
	put(t, content, map[string]string{"reviews/a.yaml": strings.Replace(one, "id: a", "id: d", 1)})
	if res := prepare("reviews/a.yaml"); len(res.Problems) != 1 || res.Problems[0].Code != "vanished" {
		t.Errorf("a published review is gone, and the problems are %v", res.Problems)
	}
}

func TestVanished(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"reviews/1.yaml": review("r1", ""), "reviews/2.yaml": review("r2", ""), "reviews/3.yaml": review("r3", ""), "reviews/4.yaml": review("r4", ""),
	})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
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
		`withdrawn.yaml: review "r1" is published, but no file of reviews/ has it any more; put it back under this id, or add to withdrawn.yaml: - {id: r1, reason: withdrawn, date: YYYY-MM-DD}`,
		`reviews/2.yaml:1:3: review "r2" is published, but it has lost its verification; give it its verification back, or add to withdrawn.yaml: - {id: r2, reason: withdrawn, date: YYYY-MM-DD}`,
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
	res := mustBuild(t, cfg)
	if u := res.Dataset.Unpublished; u != (reviewcast.Unpublished{Legal: 1, Withdrawn: 1}) {
		t.Errorf("unpublished: %+v", u)
	}
}

// TestDraftManifest: the files that an older dev wrote are no published set.
func TestDraftManifest(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"reviews/1.yaml": review("r1", "")})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	manifest := read(t, cfg.PublicDir)["manifest.json"]
	put(t, cfg.PublicDir, map[string]string{"manifest.json": strings.Replace(manifest, "{", `{"draft": {"new": [], "missing": []},`, 1)})
	_, err := NewBuilder(cfg).Build(t.Context())
	if err == nil || !strings.Contains(err.Error(), "older `reviewcast dev`") || !strings.Contains(err.Error(), "delete the directory") {
		t.Errorf("a build over the files of an older dev: %v", err)
	}
	if err := os.RemoveAll(cfg.PublicDir); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, cfg)
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
	dir := folder(t, map[string]string{"reviews/1.yaml": review("r1", "")})
	live := filepath.Join(t.TempDir(), "live")
	mustBuild(t, config(dir, live))
	files := http.FileServer(http.Dir(live))
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

	put(t, dir, map[string]string{"reviews/2.yaml": review("r2", "")})
	if res := mustBuild(t, cfg); res.Manifest.Sequence != cfg.Now().Unix()+1 || res.First {
		t.Errorf("a build that follows the live set has sequence %d, want %d", res.Manifest.Sequence, cfg.Now().Unix()+1)
	}
	status = http.StatusNotFound
	cfg.PublicDir = filepath.Join(t.TempDir(), "public")
	if res := mustBuild(t, cfg); !res.First {
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
		broken := filepath.Join(t.TempDir(), "broken")
		mustBuild(t, config(dir, broken))
		put(t, broken, map[string]string{name: "{}"})
		if _, err := NewBuilder(config(dir, broken)).Build(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a broken %s: %v", name, err)
		}
	}
}

func TestProblemsWriteNothing(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"reviews/1.yaml": "- id: r1\n  ratng: 5\n  date: tomorrow\n"})
	pub := filepath.Join(t.TempDir(), "public")
	_, err := NewBuilder(config(dir, pub)).Build(t.Context())
	var p *ProblemsError
	if !errors.As(err, &p) || len(p.Problems) < 3 {
		t.Fatalf("build: %v", err)
	}
	if _, err := os.Stat(pub); err == nil {
		t.Error("a folder was made for a build that failed")
	}
	if rest := beside(t, pub); len(rest) > 0 {
		t.Errorf("left beside public/: %v", rest)
	}
}

func TestNoBaseURL(t *testing.T) {
	t.Parallel()
	cfg := config(folder(t, nil), filepath.Join(t.TempDir(), "public"))
	cfg.BaseURL = ""
	if _, err := NewBuilder(cfg).Build(t.Context()); err == nil || !strings.Contains(err.Error(), "base_url") {
		t.Errorf("without a base URL: %v", err)
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
		"https://reviews.example.com": 4, "https://reviews.smith.test": 4, "https://192.0.2.7": 4,
		"http://localhost:8080": 0, "http://127.0.0.1": 0, "https://reviews.willowstreet.example": 0,
	} {
		cfg := config(dir, filepath.Join(t.TempDir(), "public"))
		cfg.BaseURL = origin
		_, err := NewBuilder(cfg).Build(t.Context())
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
	if !errors.As(err, &p) || len(p.Problems) != 1 {
		t.Fatalf("one example is left: %v", err)
	}
	const message = `reviews/first-reviews.yaml:1:3: review "first" is a made-up example that init wrote, and https://reviews.example.com is public; delete it; if a customer wrote it, write where in its source`
	if got := p.Problems[0].String(); got != message {
		t.Errorf("%s", got)
	}
	put(t, dir, map[string]string{"reviews/first-reviews.yaml": ""})
	mustBuild(t, cfg)
}

// TestStarter builds what init writes, whole, stripped down and empty.
func TestStarter(t *testing.T) {
	t.Parallel()
	config := func(dir, public string) Config {
		cfg := config(dir, public)
		cfg.BaseURL = "http://localhost:8080"
		return cfg
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if _, err := starter.WriteEmpty(empty); err != nil {
		t.Fatal(err)
	}
	if res := mustBuild(t, config(empty, filepath.Join(t.TempDir(), "public"))); len(res.Problems)+len(res.Dataset.Reviews) > 0 {
		t.Errorf("the empty starter builds %d reviews, with %v", len(res.Dataset.Reviews), res.Problems)
	}
	dir := filepath.Join(t.TempDir(), "content")
	if _, err := starter.Write(dir); err != nil {
		t.Fatal(err)
	}
	res := mustBuild(t, config(dir, filepath.Join(t.TempDir(), "public")))
	if len(res.Dataset.Reviews) == 0 || len(res.Problems) > 0 {
		t.Errorf("the starter builds %d reviews, with %v", len(res.Dataset.Reviews), res.Problems)
	}
	if err := os.RemoveAll(filepath.Join(dir, "reviews")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"faq.yaml", "summary.md"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	res = mustBuild(t, config(dir, filepath.Join(t.TempDir(), "public")))
	if res.Dataset.AggregateRating.RatingValue != nil || res.Insights.DateRange.Latest != nil {
		t.Error("numbers about nothing aren't null")
	}
	if err := os.Mkdir(filepath.Join(dir, "reviews"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, config(dir, filepath.Join(t.TempDir(), "public")))
}

// TestSample holds the sample business to what its editors' manual says of it.
func TestSample(t *testing.T) {
	t.Parallel()
	cfg := config("../content", filepath.Join(t.TempDir(), "public"))
	cfg.Today, cfg.BaseURL = "2026-11-21", ""
	res := mustBuild(t, cfg)
	if len(res.Problems) > 0 {
		t.Errorf("warnings in the sample: %v", res.Problems)
	}
	var stars [6]int
	replies, ratingOnly := 0, 0
	for _, r := range res.Dataset.Reviews {
		stars[r.Rating]++
		if r.OwnerReply != nil {
			replies++
		}
		if r.Text == nil {
			ratingOnly++
		}
	}
	n := len(res.Dataset.Reviews)
	if n < 80 || slices.Min(stars[1:]) == 0 || replies < 10 || ratingOnly < 5 {
		t.Errorf("%d reviews, stars %v, %d replies, %d without text", n, stars[1:], replies, ratingOnly)
	}
	if days := res.Dataset.Reviews[0].Date.Noon().Sub(res.Dataset.Reviews[n-1].Date.Noon()).Hours() / 24; days < 2.8*365 {
		t.Errorf("the sample spans %.0f days, want three years", days)
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	var got []string
	status := http.StatusAccepted
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.Header.Get("Content-Type")+" "+string(body))
		w.WriteHeader(status)
		fmt.Fprintln(w, "no such topic")
	}))
	defer srv.Close()
	topics := []string{"/feed.xml", "/reviews.json"}
	if err := Ping(t.Context(), srv.URL, "https://example.com", "ab12", topics); err != nil {
		t.Error(err)
	}
	want := []string{
		"POST application/x-www-form-urlencoded hub.mode=publish&hub.url=https%3A%2F%2Fexample.com%2Ffeed.xml&manifest=ab12",
		"POST application/x-www-form-urlencoded hub.mode=publish&hub.url=https%3A%2F%2Fexample.com%2Freviews.json&manifest=ab12",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the hub got %q, want %q", got, want)
	}
	status = http.StatusBadRequest
	err := Ping(t.Context(), srv.URL, "https://example.com", "ab12", topics)
	if err == nil || strings.Count(err.Error(), "no such topic") != 2 {
		t.Errorf("a hub that refuses both: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"reviews/1.yaml": review("r1", "")})
	pub := filepath.Join(t.TempDir(), "public")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewBuilder(config(dir, pub)).Build(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build: %v", err)
	}
	if _, err := os.Stat(pub); err == nil {
		t.Error("a cancelled build wrote something")
	}
}

// TestRenamedBusiness: a published business keeps its id, unless the editor says that it
// is another one. The example that init wrote may be replaced.
func TestRenamedBusiness(t *testing.T) {
	dir := folder(t, map[string]string{"reviews/1.yaml": review("r1", ""), "business.yaml": "id: my-business\nname: Acme\n"})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	cfg.BaseURL = "http://localhost"
	mustBuild(t, cfg)
	for _, id := range []string{"acme", "acme"} {
		put(t, dir, map[string]string{"business.yaml": "id: " + id + "\nname: Acme\n"})
		mustBuild(t, cfg)
	}
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
	if res := mustBuild(t, cfg); res.Dataset.Business.ID != "acme-ltd" {
		t.Errorf("published as %s", res.Dataset.Business.ID)
	}
}
