package changes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/generator/render"
	"reviewcast/internal/mirror"
)

// history publishes versions of a changing set of reviews.
type history struct {
	t         *testing.T
	now       time.Time
	reviews   map[string]*reviewcast.Review
	withdrawn []reviewcast.Withdrawal
	sets      []*mirror.Set // every version that was published
}

func newHistory(t *testing.T) *history {
	return &history{t: t, now: time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC), reviews: map[string]*reviewcast.Review{}}
}

func (h *history) add(id, text string) {
	h.reviews[id] = &reviewcast.Review{ID: id, Author: "A", Rating: 5, Date: reviewcast.Date("2026-01-" + fmt.Sprintf("%02d", 1+len(text)%28)), Text: &text, Source: "direct", Language: "en", Verified: true}
}

func (h *history) withdraw(id, reason string) {
	delete(h.reviews, id)
	h.withdrawn = append(h.withdrawn, reviewcast.Withdrawal{ID: id, Reason: reason, Date: "2026-05-01"})
}

func (h *history) publish(forget bool) *reviewcast.Change {
	h.t.Helper()
	ds := &reviewcast.Dataset{Version: 1}
	in := &reviewcast.Insights{Version: 1, PerReview: map[string]reviewcast.ReviewInsight{}}
	for _, r := range h.reviews {
		ds.Reviews = append(ds.Reviews, *r)
		in.PerReview[r.ID] = reviewcast.ReviewInsight{Score: float64(len(*r.Text))}
	}
	slices.SortFunc(ds.Reviews, func(a, b reviewcast.Review) int { return reviewcast.Compare(&a, &b) })
	ds.ReviewCount = len(ds.Reviews)
	must := func(b []byte, err error) []byte {
		if err != nil {
			h.t.Fatal(err)
		}
		return b
	}
	var reviewLines, insightLines [][]byte
	for i := range ds.Reviews {
		reviewLines = append(reviewLines, must(render.ReviewLine(&ds.Reviews[i])))
	}
	for _, id := range slices.Sorted(maps.Keys(in.PerReview)) {
		insightLines = append(insightLines, must(render.InsightLine(id, in.PerReview[id])))
	}
	reviews, insights := must(render.Dataset(ds, reviewLines)), must(render.Insights(in, insightLines))
	m := &reviewcast.Manifest{Version: 1, Files: []reviewcast.File{
		{Path: reviewcast.PathInsights, SHA256: reviewcast.SHA256(insights), LastModified: h.now},
		{Path: reviewcast.PathReviews, SHA256: reviewcast.SHA256(reviews), LastModified: h.now},
	}}
	var previous *mirror.Set
	if n := len(h.sets); n > 0 {
		previous = h.sets[n-1]
	}
	documents, err := New(Input{Previous: previous, Manifest: m, Dataset: ds, Reviews: reviews, Insights: insights,
		Withdrawn: h.withdrawn, Time: h.now, Forget: forget})
	if err != nil {
		h.t.Fatal(err)
	}
	h.now = h.now.Add(time.Second)
	set := &mirror.Set{Manifest: m, Files: documents}
	set.Files[reviewcast.PathReviews], set.Files[reviewcast.PathInsights] = reviews, insights
	if set.Versions, err = reviewcast.ParseVersions(documents[reviewcast.PathVersions]); err != nil {
		h.t.Fatal(err)
	}
	for _, v := range set.Versions {
		if document := documents[reviewcast.ChangePath(v.Sequence)]; document != nil {
			c := &reviewcast.Change{}
			if err := json.Unmarshal(document, c); err != nil {
				h.t.Fatal(err)
			}
			set.Changes = append(set.Changes, c)
		}
	}
	h.sets = append(h.sets, set)
	return set.Changes[len(set.Changes)-1]
}

// follow updates a copy of one version to another by the documents that the later
// one publishes; false when they don't reach back so far.
func follow(t *testing.T, from, to *mirror.Set) (map[string][]byte, bool) {
	t.Helper()
	at := slices.IndexFunc(to.Changes, func(c *reviewcast.Change) bool { return c.Previous != nil && *c.Previous == from.Manifest.Sequence })
	if from == to {
		at = len(to.Changes)
	}
	if at < 0 {
		return nil, false
	}
	files := maps.Clone(from.Files)
	for _, c := range to.Changes[at:] {
		for _, f := range c.Files {
			ops := f.Ops
			if f.Patch != "" {
				var p reviewcast.Patch
				if err := json.Unmarshal(to.Files[f.Patch], &p); err != nil {
					t.Fatalf("patch %s: %v", f.Patch, err)
				}
				ops = p.Ops
			}
			if ops == nil {
				return nil, false
			}
			next, err := f.Apply(files[f.Path], ops)
			if err != nil {
				t.Fatal(err)
			}
			files[f.Path] = next
		}
	}
	return files, true
}

// TestHistories follows random histories from every version to every later one.
func TestHistories(t *testing.T) {
	followed := 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := newHistory(t)
		for i := range 60 {
			h.add(fmt.Sprintf("r%d", i), strings.Repeat("word ", 20+rng.IntN(40)))
		}
		for range 12 {
			ids := slices.Sorted(maps.Keys(h.reviews))
			switch rng.IntN(5) {
			case 0:
				h.withdraw(ids[rng.IntN(len(ids))], reviewcast.ReasonWithdrawn)
			case 1:
				h.add(ids[rng.IntN(len(ids))], strings.Repeat("edited ", 1+rng.IntN(40)))
			case 2: // nothing
			default:
				h.add(fmt.Sprintf("n%d", rng.IntN(1000)), strings.Repeat("new ", 1+rng.IntN(40)))
			}
			h.publish(false)
		}
		last := h.sets[len(h.sets)-1]
		for _, from := range h.sets {
			files, ok := follow(t, from, last)
			if reached := from.Manifest.Sequence >= last.Manifest.ChangesFrom; reached && !ok {
				t.Fatalf("seed %d: from %d followed: %v; changes_from is %d", seed, from.Manifest.Sequence, ok, last.Manifest.ChangesFrom)
			}
			if !ok {
				continue
			}
			followed++
			for _, path := range []string{reviewcast.PathReviews, reviewcast.PathInsights} {
				if !bytes.Equal(files[path], last.Files[path]) {
					t.Fatalf("seed %d: %s of %d differs after following from %d", seed, path, last.Manifest.Sequence, from.Manifest.Sequence)
				}
			}
		}
		checkRetention(t, last)
	}
	if followed < 50 {
		t.Errorf("only %d histories could be followed", followed)
	}
}

func checkRetention(t *testing.T, set *mirror.Set) {
	t.Helper()
	size := 0
	for _, c := range set.Changes {
		size += len(set.Files[reviewcast.ChangePath(c.Sequence)]) + len(set.Files[reviewcast.InsightsPatchPath(c.Sequence)])
	}
	if size > reviewcast.MaxChangesSize(len(set.Files[reviewcast.PathReviews])) && len(set.Changes) > 1 {
		t.Errorf("documents of %d bytes beside reviews of %d", size, len(set.Files[reviewcast.PathReviews]))
	}
	versions := set.Versions
	if last := versions[len(versions)-1]; last.Sequence != set.Manifest.Sequence || last.SHA256 != set.Manifest.ChangeSHA256 {
		t.Errorf("versions.txt ends in %v, the manifest says %d %s", last, set.Manifest.Sequence, set.Manifest.ChangeSHA256)
	}
}

func TestFirstVersion(t *testing.T) {
	h := newHistory(t)
	h.add("r1", "Fine.")
	c := h.publish(false)
	latest := h.sets[0].Files[reviewcast.PathLatestChange]
	if c.Previous != nil || c.PreviousSHA256 != nil || c.ChangesFrom != c.Sequence || len(c.Reviews.Added) != 0 || len(c.Files) != 0 {
		t.Errorf("first version: %s", latest)
	}
	if c.Sequence != h.sets[0].Manifest.LastModified().Unix() {
		t.Errorf("sequence %d is not the time of the build", c.Sequence)
	}
	for _, list := range []string{`"added":[]`, `"changed":[]`, `"withdrawn":[]`, `"files":[]`} {
		if !bytes.Contains(latest, []byte(list)) {
			t.Errorf("no %s in %s", list, latest)
		}
	}
}

func TestSequenceGrowsWhateverTheClock(t *testing.T) {
	h := newHistory(t)
	h.add("r1", "Fine.")
	first := h.publish(false)
	h.now = h.now.Add(-time.Hour)
	h.add("r2", "Good.")
	if second := h.publish(false); second.Sequence != first.Sequence+1 {
		t.Errorf("sequence %d after %d", second.Sequence, first.Sequence)
	}
}

func TestReviewLists(t *testing.T) {
	h := newHistory(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		h.add(id, strings.Repeat("text ", 200))
	}
	h.publish(false)
	h.add("b", "Edited.")
	h.withdraw("c", reviewcast.ReasonWithdrawn)
	h.withdraw("a", reviewcast.ReasonLegal)
	h.add("e", "New.")
	got := h.publish(false).Reviews
	want := reviewcast.ReviewChanges{Added: []string{"e"}, Changed: []string{"b"},
		Withdrawn: []reviewcast.WithdrawnReview{{ID: "a", Reason: "legal"}, {ID: "c", Reason: "withdrawn"}}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lists %v, want %v", got, want)
	}
	delete(h.reviews, "d") // and nobody says why
	m := &reviewcast.Manifest{Files: []reviewcast.File{{Path: reviewcast.PathReviews, SHA256: "other"}}}
	_, err := New(Input{Previous: h.sets[1], Manifest: m, Dataset: &reviewcast.Dataset{}, Reviews: []byte("{\n]}\n"), Withdrawn: h.withdrawn, Time: h.now})
	if err == nil || !strings.Contains(err.Error(), "withdrawn.yaml") {
		t.Errorf("a vanished review: %v", err)
	}
}

// TestLegalErasure follows an erased text through everything that is published.
func TestLegalErasure(t *testing.T) {
	const secret = "Zanzibar"
	h := newHistory(t)
	for i := range 200 {
		h.add(fmt.Sprintf("r%d", i), strings.Repeat("word ", 60))
	}
	h.publish(false)
	h.add("Bad", secret+" word word word") // its line is the first, so that no later document repeats it for its comma
	h.publish(false)
	h.add("fine", "Fine.")
	h.publish(false)
	h.add("fine2", "Fine.")
	h.publish(false)
	before := h.sets[3]
	if before.Manifest.ChangesFrom != h.sets[0].Manifest.Sequence || !holds(before, secret) {
		t.Fatal("the history before is not as it should be")
	}
	h.withdraw("Bad", reviewcast.ReasonLegal)
	h.publish(false)
	after := h.sets[4]
	if holds(after, secret) {
		t.Error("the text is still published")
	}
	if want := h.sets[2].Manifest.Sequence; after.Manifest.ChangesFrom != want {
		t.Errorf("changes_from %d, want %d: the documents after the one with the text stay", after.Manifest.ChangesFrom, want)
	}
	h.add("fine3", "Fine.")
	h.publish(true)
	forgot := h.sets[5]
	if len(forgot.Changes) != 1 || forgot.Manifest.ChangesFrom != forgot.Manifest.Sequence {
		t.Errorf("after forget: changes_from %d, %d documents", forgot.Manifest.ChangesFrom, len(forgot.Changes))
	}
	if n := bytes.Count(forgot.Files[reviewcast.PathVersions], []byte("\n")); n != 6 {
		t.Errorf("versions.txt has %d lines, want 6", n)
	}
}

func holds(set *mirror.Set, text string) bool {
	for _, body := range set.Files {
		if bytes.Contains(body, []byte(text)) {
			return true
		}
	}
	return false
}

func TestAfterAnOlderProgram(t *testing.T) {
	h := newHistory(t)
	h.add("r1", strings.Repeat("text ", 100))
	h.publish(false)
	old := h.sets[0]
	old.Manifest.ChangeSHA256, old.Manifest.ChangesFrom, old.Changes = "", 0, nil
	delete(old.Files, reviewcast.PathVersions)
	old.Manifest.Sequence = 7
	h.add("r2", "Hm.")
	if c := h.publish(false); *c.Previous != 7 || c.PreviousSHA256 != nil || c.ChangesFrom != c.Sequence || len(c.Reviews.Added) != 1 {
		t.Errorf("after a set without changes: %+v", c)
	}
}
