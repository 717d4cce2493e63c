package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/sentiment"
)

// TestGolden loads a whole folder, in all formats, and compares everything that
// comes out.
func TestGolden(t *testing.T) {
	c, _, problems, err := NewLoader("testdata/folder", Config{Today: today}).Load(t.Context(), nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	places := map[string]diagnostic.Position{}
	for _, r := range c.Reviews {
		places[r.ID] = c.Position(r)
	}
	got, err := json.MarshalIndent(struct {
		*Content
		Places map[string]diagnostic.Position
	}{c, places}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const golden = "testdata/folder.golden.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestLoadErrors(t *testing.T) {
	if _, _, _, err := NewLoader(filepath.Join(t.TempDir(), "nowhere"), Config{}).Load(t.Context(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error("missing folder: ", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := writeFolder(t, map[string]string{"reviews/a.yaml": goodYAML, "reviews/b.jsonl": sampleJSON(1)})
	if _, _, _, err := NewLoader(dir, Config{}).Load(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error("cancelled: ", err)
	}
	l := NewLoader(dir, Config{})
	if _, _, _, err := l.Load(ctx, nil); err == nil {
		t.Error("cancelled, no error")
	}
	if c := mustLoad(t, l); len(c.Reviews) != 2 {
		t.Errorf("after a cancelled load: %d reviews", len(c.Reviews))
	}
}

func TestMissingFile(t *testing.T) {
	c, _, problems, err := NewLoader(t.TempDir(), Config{}).Load(t.Context(), nil)
	want := []diagnostic.Problem{{Severity: diagnostic.Error, File: BusinessFile, Code: "missing-file", Message: "the file is missing",
		Suggestion: "if it was deleted, put it back from the bin or from your own copy; if it is elsewhere, move it into this folder, beside reviews/; for a new business, create it with at least its id and its name, or begin in an empty folder with: reviewcast init content"}}
	if c != nil || err != nil || !slices.Equal(problems, want) {
		t.Error(c, problems, err)
	}
	if got := problems[0].String(); got != "business.yaml: the file is missing; if it was deleted, put it back from the bin or from your own copy; if it is elsewhere, move it into this folder, beside reviews/; for a new business, create it with at least its id and its name, or begin in an empty folder with: reviewcast init content" {
		t.Error(got)
	}
}

// TestDefaults loads the least that is enough.
func TestDefaults(t *testing.T) {
	dir := writeFolder(t, map[string]string{BusinessFile: "id: n\nname: Northside\n"})
	c := mustLoad(t, NewLoader(dir, Config{}))
	want := &Content{
		Site: Site{Language: "en", AuthorNames: "initials"},
		Config: sentiment.Config{
			Business: reviewcast.Business{ID: "n", Name: "Northside", Category: "LocalBusiness", TimeZone: "UTC", Language: "en", Hours: []string{}, SameAs: []string{},
				Services: []reviewcast.Named{}, Technicians: []reviewcast.Technician{}, ServiceAreas: []reviewcast.Named{}},
			ServiceAliases: map[string][]string{}, AreaAliases: map[string][]string{},
		},
		Reviews: []*Review{}, Today: c.Today, BusinessAt: diagnostic.Position{File: BusinessFile, Line: 1, Col: 5},
		BaseURLAt: diagnostic.Position{File: SiteFile},
	}
	if diff := cmp.Diff(want, c, cmpopts.IgnoreUnexported(Content{})); diff != "" {
		t.Error(diff)
	}
}

// TestNamed: ids, names and aliases are found whatever their case, unless several have them.
func TestNamed(t *testing.T) {
	c := mustLoad(t, NewLoader(writeFolder(t, map[string]string{
		BusinessFile: "id: n\nname: N\nservices:\n- {id: Drains, name: Drain cleaning, aliases: [Both]}\n- {id: heat, name: Heating, aliases: [both]}\n",
	}), Config{}))
	for name, want := range map[string]string{"drains": "Drains", "HEAT": "heat", "heating": "heat", "drain CLEANING": "Drains", "BOTH": "", "Drain": ""} {
		if got, ok := c.Named("services", name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got, ok, want)
		}
	}
}

// TestToday: the calendar day is the business's, not the machine's.
func TestToday(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		BusinessFile:     "id: n\nname: N\ntime_zone: Pacific/Auckland\n",
		"reviews/a.yaml": "id: a\nauthor: M\nrating: 5\ndate: 2026-03-02\n",
	})
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC) // 23:00 in Auckland
	clock := func() time.Time { return now }
	l := NewLoader(dir, Config{Now: clock})
	c, _, problems, err := l.Load(t.Context(), nil)
	if c != nil || len(problems) != 1 || problems[0].Code != "future-date" || err != nil {
		t.Fatal(problems, err)
	}
	now = now.Add(time.Hour)
	mustLoad(t, l)
}

// TestHidden: what isn't published is loaded all the same, with its reason.
func TestHidden(t *testing.T) {
	const review = "- {id: %s, author: M, rating: 5, date: 2026-03-01, verification: %s}\n"
	dir := writeFolder(t, map[string]string{
		"reviews/a.yaml": fmt.Sprintf(strings.Repeat(review, 5), "a", "{method: job}", "b", "{method: job}", "c", "{method: job}", "d", "null", "e", "null"),
		WithdrawnFile:    "- {id: B, reason: withdrawn, date: 2026-03-02}\n- {id: c, reason: legal, date: 2026-03-02}\n- {id: e, reason: legal, date: 2026-03-02}\n",
	})
	want := map[string]Hidden{"a": "", "b": Withdrawn, "c": Legal, "d": Unverified, "e": Legal}
	for _, r := range mustLoad(t, NewLoader(dir, Config{})).Reviews {
		if r.Hidden != want[r.ID] || r.Published != (r.Hidden == "") {
			t.Errorf("%s: hidden %q, published %v", r.ID, r.Hidden, r.Published)
		}
	}
}

// TestReload: a Loader sees every change, and parses nothing else again.
func TestReload(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"reviews/a.yaml":  goodYAML,
		"reviews/b.jsonl": sampleJSON(1) + "\n",
		"reviews/c.csv":   "id,author,rating,date\nc1,M,5,2026-03-01\n",
	})
	l := NewLoader(dir, Config{})
	ids := func() string {
		var ids []string
		for _, r := range mustLoad(t, l).Reviews {
			ids = append(ids, fmt.Sprintf("%s:%d", r.ID, r.Rating))
		}
		slices.Sort(ids)
		return strings.Join(ids, " ")
	}
	step := func(name, want string) {
		t.Helper()
		if got := ids(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	step("first", "a1:5 c1:5 g-000001:2")
	before := l.tree.get("reviews/b.jsonl").records[0]
	writeOld(t, dir, "reviews/a.yaml", []byte(strings.Replace(goodYAML, "5", "44", 1)[:len(goodYAML)+1]))
	if _, _, problems, _ := l.Load(t.Context(), nil); len(problems) != 1 {
		t.Error("a broken file: ", problems)
	}
	if l.tree.get("reviews/b.jsonl").records[0] != before {
		t.Error("a file that hasn't changed was read again")
	}

	// Same size: only the time or the bytes tell.
	path := filepath.Join(dir, "reviews", "a.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(goodYAML, "5", "4", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	step("same size", "a1:4 c1:5 g-000001:2")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(goodYAML, "5", "3", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	step("same size and time", "a1:3 c1:5 g-000001:2")
	fresh := l.tree.get("reviews/a.yaml")
	step("nothing", "a1:3 c1:5 g-000001:2")
	if fresh != l.tree.get("reviews/a.yaml") {
		t.Error("a fresh file with the same bytes was parsed again")
	}

	// The same for JSONL, which is read in pieces.
	path = filepath.Join(dir, "reviews", "b.jsonl")
	for _, rating := range []string{"3", "4", "4"} {
		data := strings.Replace(sampleJSON(1)+"\n", `"rating":2`, `"rating":`+rating, 1)
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		step("JSONL", "a1:3 c1:5 g-000001:"+rating)
	}

	// An old file in the place of another.
	other := filepath.Join(dir, "reviews", "other.pdf")
	if err := os.Rename(filepath.Join(dir, "reviews", "c.csv"), other); err != nil {
		t.Fatal(err)
	}
	step("gone", "a1:3 g-000001:4")
	if err := os.Remove(filepath.Join(dir, "reviews", "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, filepath.Join(dir, "reviews", "a.csv")); err != nil {
		t.Fatal(err)
	}
	step("renamed", "c1:5 g-000001:4")

	// business.yaml is asked again though no review has changed.
	writeOld(t, dir, BusinessFile, []byte("id: n\nname: N\ntechnicians: [{id: luca, name: Luca}]\n"))
	_, _, problems, err := l.Load(t.Context(), nil)
	if err != nil || len(problems) != 3 || problems[0].Code != "unknown-technician" {
		t.Error("business.yaml changed: ", problems, err)
	}
}

// TestOwnContent: what a caller does to the values of one Content doesn't show in the
// next; its reviews are shared.
func TestOwnContent(t *testing.T) {
	l := NewLoader(writeFolder(t, map[string]string{"reviews/a.yaml": goodYAML}), Config{})
	c := mustLoad(t, l)
	c.Business.Name = "Southside"
	if d := mustLoad(t, l); d.Reviews[0] != c.Reviews[0] || d.Business.Name != "Northside Plumbing" {
		t.Error(d.Reviews[0], d.Business.Name)
	}
}

// TestSameWhateverTheWorkers: the number of workers, of which each reads a file,
// doesn't change what comes out, problems included.
func TestSameWhateverTheWorkers(t *testing.T) {
	var lines bytes.Buffer
	for i := range 2*diagnostic.MaxListed + 200 { // half have an error: more than are listed
		line := sampleJSON(i)
		if i%2 == 1 {
			line = strings.Replace(line, `"rating":`, `"rating":"x`+strings.Repeat("é", i%7), 1)
		}
		if i%3 == 0 {
			line = strings.Replace(line, `["marta-k"]`, `["marta"]`, 1)
		}
		lines.WriteString(line)
		lines.WriteString(strings.Repeat("\n", 1+i%2))
	}
	files := map[string]string{"reviews/all.jsonl": lines.String()}
	for i := range 40 {
		files[fmt.Sprintf("reviews/%d/%d.yaml", i%3, i)] = strings.Replace(sampleYAML(10_000+i), "rating: 5", "rating: 6", 1)
	}
	dir := writeFolder(t, files)
	var first []diagnostic.Problem
	for _, n := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(n)
		_, _, problems, err := NewLoader(dir, Config{Today: today}).Load(t.Context(), nil)
		runtime.GOMAXPROCS(old)
		if err != nil || len(problems) < diagnostic.MaxListed {
			t.Fatal(len(problems), err)
		}
		if first == nil {
			first = problems
		}
		if !slices.Equal(first, problems) {
			t.Fatal(cmp.Diff(first, problems))
		}
	}
	if i := slices.IndexFunc(first, func(p diagnostic.Problem) bool { return p.Code == "too-many-problems" }); i < 0 ||
		first[i].String() != "reviews/all.jsonl: 100 more problems in this file are not listed; fix the listed ones and check again" {
		t.Error(i, first[max(i, 0)])
	}
}

// TestSameWhateverTheFiles: how reviews are spread over files doesn't show in
// their order.
func TestSameWhateverTheFiles(t *testing.T) {
	one, many := map[string]string{}, map[string]string{}
	for i := range 50 {
		many[fmt.Sprintf("reviews/%02d/%d.yaml", i%7, i)] = sampleYAML(i)
		one["reviews/all.jsonl"] = sampleJSON(i) + "\n" + one["reviews/all.jsonl"]
	}
	a := mustLoad(t, NewLoader(writeFolder(t, one), Config{}))
	b := mustLoad(t, NewLoader(writeFolder(t, many), Config{}))
	if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(Content{}, Review{})); diff != "" {
		t.Error(diff)
	}
}

// TestBlockOfText: which line break belongs to the customer.
func TestBlockOfText(t *testing.T) {
	tests := []struct{ yaml, want string }{
		{"text: |\n  one\n  two\n", "one\ntwo"},
		{"text: |\n  one\n\n\nlanguage: de\n", "one"},
		{"text: |+\n  one\n\n\nlanguage: de\n", "one\n\n\n"},
		{"text: |+ # kept\n  one\n", "one\n"},
		{"text: |2+\n   one\n", " one\n"},
		{"text: |-\n  one\n", "one"},
		{"text: >\n  one\n  two\n\n  three\n", "one two\nthree"},
		{"text: >+\n  one\n\n", "one\n\n"},
		{"title: a+|b\ntext: | # not +\n  one | +\n", "one | +"},
		{"text: \"one\\n\"\n", "one\n"},
		{"text: ' one '\n", " one "},
		{"text: \" one\n  two\\\n  three\"\n", " one twothree"},
		{"text: plain\n  and on\n", "plain and on"},
		{"text: \"\\u2028\\u200B\\uFEFF\"\n", "\u2028\u200B\uFEFF"},
		{"text: <b>&amp;</b> 🙂\n", "<b>&amp;</b> 🙂"},
	}
	for _, test := range tests {
		c := mustLoad(t, NewLoader(writeFolder(t, map[string]string{"reviews/a.yaml": goodYAML + test.yaml}), Config{}))
		if text := c.Reviews[0].Text; text == nil || *text != test.want {
			t.Errorf("%q: got %v, want %q", test.yaml, c.Reviews[0].Text, test.want)
		}
	}
	for _, blank := range []string{"text: |\n\n", "text: \" \\n\\u00A0\"\n", "text:\n", "text: ~\n", "text: ''\n"} {
		c := mustLoad(t, NewLoader(writeFolder(t, map[string]string{"reviews/a.yaml": goodYAML + blank}), Config{}))
		if c.Reviews[0].Text != nil {
			t.Errorf("%q: got %q", blank, *c.Reviews[0].Text)
		}
	}
}

func TestSummary(t *testing.T) {
	for data, want := range map[string]string{"# Good\r\n\r\nYes.\r\n\n": "# Good\n\nYes.", "\uFEFF  a \n": "  a ", " \n\n": "", "": ""} {
		c := mustLoad(t, NewLoader(writeFolder(t, map[string]string{SummaryFile: data}), Config{}))
		got := ""
		if c.Summary != nil {
			got = *c.Summary
		}
		if got != want || (c.Summary == nil) != (want == "") {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

// TestOutputInside: the output folder of a build is never read as content, and what a
// build writes beside it is passed over.
func TestOutputInside(t *testing.T) {
	for _, output := range []string{"public", "reviews/public"} {
		dir := writeFolder(t, map[string]string{
			BusinessFile: sampleBusiness, output + "/a.yaml": "- id: not-content\n", output + ".staging/b.yaml": "- id: not-content\n", output + ".lock": "",
		})
		content, _, problems, err := NewLoader(dir, Config{Today: today, OutputDir: filepath.Join(dir, filepath.FromSlash(output))}).Load(t.Context(), nil)
		if err != nil || content == nil || len(content.Reviews) > 0 || len(problems) != 1 || problems[0].Code != "output-inside" || problems[0].File != output {
			t.Errorf("%s: %v, %v", output, problems, err)
		}
	}
	for output, want := range map[string]string{"": "", "content/public": "public", "content": "", "public": "", "content/a/b": "a/b", "contents": ""} {
		if got := OutputName("content", output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
