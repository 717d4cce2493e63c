package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reviewcast/internal/mirror"
	"reviewcast/internal/verify"
)

// TestBuildsAreVerified: what the generator publishes follows, version by version,
// from what it published before: a copy has the same bytes, and nothing that a verifier
// recomputes is contradicted.
func TestBuildsAreVerified(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			e := newEditor(t, seed)
			server := httptest.NewServer(http.FileServer(http.Dir(e.public)))
			defer server.Close()
			source, err := mirror.Open(server.URL, mirror.Config{})
			if err != nil {
				t.Fatal(err)
			}
			copied := &mirror.Copy{Dir: filepath.Join(t.TempDir(), "copy"), Follower: mirror.Follower{Source: source}}
			var notes []verify.Note
			for range long(t, "VERSIONS", 2) {
				e.edit()
				e.build()
				if _, err := copied.Update(t.Context()); err != nil {
					t.Fatal(err)
				}
				since := verify.Note{}
				if len(notes) > 0 {
					since = notes[e.IntN(len(notes))]
				}
				r := e.verify(copied.Dir, since)
				notes = append(notes, r.Note)
			}
		})
	}
}

// editor edits a content folder at random.
type editor struct {
	*testing.T
	*rand.Rand
	content, public string
	reviews         map[string]map[string]any
	withdrawn       []string
	n               int
}

func newEditor(t *testing.T, seed uint64) *editor {
	dir := t.TempDir()
	e := &editor{T: t, Rand: rand.New(rand.NewPCG(seed, 11)), content: filepath.Join(dir, "content"), public: filepath.Join(dir, "public"), reviews: map[string]map[string]any{}}
	writeFile(t, filepath.Join(e.content, "business.yaml"), "id: acme\nname: Acme\ntechnicians:\n  - {id: ana, name: Ana Lima, aliases: [Ana]}\nservices:\n  - {id: drains, name: Drain cleaning}\n")
	for range 30 {
		e.write("")
	}
	return e
}

var spoken = []string{
	"Ana was here on time and left everything clean.", "Much too expensive for what they did.", "The drain cleaning took an hour.",
	"They were late, and nobody called.", "Fair price, friendly people.", "Ils sont venus à l'heure 👍", "Great work; would call again.", "The quote was honest.",
}

// write creates or replaces a review.
func (e *editor) write(id string) {
	if e.n++; id == "" {
		id = fmt.Sprintf("r-%d", e.n)
	}
	r := map[string]any{"id": id, "author": "Ada L.", "rating": 1 + e.IntN(5), "date": fmt.Sprintf("2026-%02d-%02d", 1+e.IntN(10), 1+e.IntN(28)), "verification": map[string]string{"method": "job"}}
	if e.IntN(6) > 0 {
		text := fmt.Sprintf("Visit %d.", e.n)
		for range 1 + e.IntN(4) {
			text += " " + spoken[e.IntN(len(spoken))]
		}
		r["text"] = text
	}
	e.reviews[id] = r
}

func (e *editor) edit() {
	for range 1 + e.IntN(3) {
		ids := slices.Sorted(maps.Keys(e.reviews))
		id := ids[e.IntN(len(ids))]
		switch e.IntN(5) {
		case 0:
			e.write(id)
		case 1:
			reason := []string{"withdrawn", "legal"}[e.IntN(2)]
			e.withdrawn = append(e.withdrawn, fmt.Sprintf("- {id: %s, reason: %s, date: 2026-11-20}\n", id, reason))
			delete(e.reviews, id)
		default:
			e.write("")
		}
	}
}

func (e *editor) build() {
	e.Helper()
	var lines strings.Builder
	for _, id := range slices.Sorted(maps.Keys(e.reviews)) {
		line, err := json.Marshal(e.reviews[id])
		if err != nil {
			e.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	writeFile(e.T, filepath.Join(e.content, "reviews", "all.jsonl"), lines.String())
	writeFile(e.T, filepath.Join(e.content, "withdrawn.yaml"), strings.Join(e.withdrawn, ""))
	buildSite(e.T, e.content, e.public)
}

// verify verifies both the site and its copy.
func (e *editor) verify(copied string, since verify.Note) *verify.Result {
	e.Helper()
	var results []*verify.Result
	for _, dir := range []string{e.public, copied} {
		source, err := mirror.Open(dir, mirror.Config{})
		if err != nil {
			e.Fatal(err)
		}
		r := verify.Verify(e.Context(), source, mirror.All, since)
		if len(r.Contradictions) > 0 {
			e.Fatalf("%s: %q", dir, r.Contradictions)
		}
		results = append(results, r)
	}
	if a, b := fmt.Sprintf("%+v", results[0].Proven), fmt.Sprintf("%+v", results[1].Proven); a != b || results[0].Note != results[1].Note || results[0].Sequence == 0 {
		e.Fatalf("the site: %s\nits copy: %s", a, b)
	}
	return results[0]
}
