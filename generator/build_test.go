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
	"sync"
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
		ContentDir: content, PublicDir: public, BaseURL: "https://reviews.example.com", Encodings: "none",
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

// mustPrepare is mustBuild without writing, and without the pages below the front page.
func mustPrepare(t *testing.T, cfg Config) *Result {
	t.Helper()
	res, err := NewBuilder(cfg).Prepare(t.Context(), nil)
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	return res
}

// fourPublished are the files that were built from the reviews r1 to r4, once for all tests.
var fourPublished struct {
	sync.Once
	files map[string]string
}

// alreadyPublished gives a content folder with the reviews r1 to r4, and where they are published.
func alreadyPublished(t *testing.T) (dir string, cfg Config) {
	t.Helper()
	dir = folder(t, map[string]string{
		"reviews/1.yaml": review("r1", "  text: Quick, and kind to the cat.\n"), "reviews/2.yaml": review("r2", ""),
		"reviews/3.yaml": review("r3", ""), "reviews/4.yaml": review("r4", ""),
	})
	cfg = config(dir, filepath.Join(t.TempDir(), "public"))
	fourPublished.Do(func() {
		mustBuild(t, cfg)
		fourPublished.files = read(t, cfg.PublicDir)
	})
	put(t, cfg.PublicDir, fourPublished.files)
	return dir, cfg
}

// sample is the sample business as a checkout has it, built once: its files, and what else is known of it.
var sample struct {
	sync.Once
	*Result
	files map[string]string
}

// builtSample gives the sample business, built once.
func builtSample(t *testing.T) (*Result, map[string]string) {
	t.Helper()
	sample.Do(func() {
		cfg := config("../content", filepath.Join(t.TempDir(), "public"))
		cfg.Today, cfg.BaseURL = "2026-11-21", ""
		sample.Result = mustBuild(t, cfg)
		sample.files = read(t, cfg.PublicDir)
	})
	return sample.Result, sample.files
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
	_, live := alreadyPublished(t)
	if err := os.CopyFS(public, os.DirFS(live.PublicDir)); err != nil {
		t.Fatal(err)
	}
	put(t, content, map[string]string{"reviews/a.yaml": strings.Replace(one, "id: a", "id: d", 1)})
	if res := prepare("reviews/a.yaml"); !slices.ContainsFunc(res.Problems, func(p diagnostic.Problem) bool { return p.Code == "vanished" }) {
		t.Errorf("a published review is gone, and the problems are %v", res.Problems)
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
	for folder, want := range map[string]string{"content": "site.yaml: the address of your reviews is missing", "content/../site.yaml": "../site.yaml: beside the content folder"} {
		cfg.ContentDir = filepath.Join(t.TempDir(), "content")
		put(t, cfg.ContentDir, map[string]string{"business.yaml": "id: acme\nname: Acme\n"})
		if folder != "content" {
			put(t, filepath.Dir(cfg.ContentDir), map[string]string{"site.yaml": "base_url: https://reviews.acme.test\n"})
		}
		_, err := NewBuilder(cfg).Build(t.Context())
		p, ok := errors.AsType[*ProblemsError](err)
		if !ok || len(p.Problems) != 1 || p.Problems[0].Severity != diagnostic.Error || !strings.HasPrefix(p.Problems[0].String(), want) {
			t.Errorf("%s: %+v, want %s", folder, err, want)
		}
	}
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
	if res := mustPrepare(t, config(empty, filepath.Join(t.TempDir(), "public"))); len(res.Problems)+len(res.Dataset.Reviews) > 0 {
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
	res = mustPrepare(t, config(dir, filepath.Join(t.TempDir(), "public")))
	if res.Dataset.AggregateRating.RatingValue != nil || res.Insights.DateRange.Latest != nil {
		t.Error("numbers about nothing aren't null")
	}
	if err := os.Mkdir(filepath.Join(dir, "reviews"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustPrepare(t, config(dir, filepath.Join(t.TempDir(), "public")))
}

// TestSample holds the sample business to what its editors' manual says of it.
func TestSample(t *testing.T) {
	t.Parallel()
	res, _ := builtSample(t)
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
