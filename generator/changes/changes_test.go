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
)

// history publishes versions of a changing set of reviews.
type history struct {
	t         *testing.T
	now       time.Time
	reviews   map[string]*reviewcast.Review
	withdrawn []reviewcast.Withdrawal
	sets      []*Previous // every version that was published
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

func (h *history) publish(forget bool) *Version {
	h.t.Helper()
	ds := &reviewcast.Dataset{Version: 1}
	in := &reviewcast.Insights{Version: 1, PerReview: map[string]reviewcast.ReviewInsight{}}
	for _, r := range h.reviews {
		ds.Reviews = append(ds.Reviews, *r)
		in.PerReview[r.ID] = reviewcast.ReviewInsight{Score: float64(len(*r.Text))}
	}
	slices.SortFunc(ds.Reviews, func(a, b reviewcast.Review) int { return reviewcast.Compare(&a, &b) })
	ds.ReviewCount = len(ds.Reviews)
	reviews, err := render.Reviews(ds)
	if err != nil {
		h.t.Fatal(err)
	}
	insights, err := render.Insights(in)
	if err != nil {
		h.t.Fatal(err)
	}
	m := &reviewcast.Manifest{Version: 1, Files: []reviewcast.File{
		{Path: reviewcast.PathInsights, SHA256: reviewcast.SHA256(insights), LastModified: h.now},
		{Path: reviewcast.PathReviews, SHA256: reviewcast.SHA256(reviews), LastModified: h.now},
	}}
	var previous *Previous
	if n := len(h.sets); n > 0 {
		previous = h.sets[n-1]
	}
	v, err := New(Input{Previous: previous, Manifest: m, Reviews: reviews, Insights: insights, ReviewCount: ds.ReviewCount,
		Withdrawn: h.withdrawn, Time: h.now, Forget: forget})
	if err != nil {
		h.t.Fatal(err)
	}
	h.now = h.now.Add(time.Second)
	h.sets = append(h.sets, &Previous{Manifest: m, Documents: v.Documents, Files: map[string][]byte{
		reviewcast.PathReviews: reviews, reviewcast.PathInsights: insights, reviewcast.PathVersions: v.Versions,
	}})
	return v
}

// follow updates a copy of one version to another by the documents that the later
// one publishes; false when they don't reach back so far.
func follow(t *testing.T, from, to *Previous) (map[string][]byte, bool) {
	t.Helper()
	var chain []reviewcast.Change
	for seq := to.Manifest.Sequence; seq != from.Manifest.Sequence; {
		data, ok := to.Documents[reviewcast.ChangePath(seq)]
		if !ok {
			return nil, false
		}
		var c reviewcast.Change
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		chain = append(chain, c)
		if c.Previous == nil {
			return nil, false
		}
		seq = *c.Previous
	}
	files := maps.Clone(from.Files)
	for _, c := range slices.Backward(chain) {
		for _, f := range c.Files {
			ops := f.Ops
			if f.Patch != "" {
				var p reviewcast.Patch
				if err := json.Unmarshal(to.Documents[f.Patch], &p); err != nil {
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
	for seed := range uint64(20) {
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

func checkRetention(t *testing.T, set *Previous) {
	t.Helper()
	size, newest := 0, 0
	for path, body := range set.Documents {
		size += len(body)
		if strings.Contains(path, fmt.Sprint(set.Manifest.Sequence)) {
			newest += len(body)
		}
	}
	if size > reviewcast.MaxChangesSize(len(set.Files[reviewcast.PathReviews])) && size > newest {
		t.Errorf("documents of %d bytes beside reviews of %d", size, len(set.Files[reviewcast.PathReviews]))
	}
	versions, err := reviewcast.ParseVersions(set.Files[reviewcast.PathVersions])
	if err != nil {
		t.Fatal(err)
	}
	if last := versions[len(versions)-1]; last.Sequence != set.Manifest.Sequence || last.SHA256 != set.Manifest.ChangeSHA256 {
		t.Errorf("versions.txt ends in %v, the manifest says %d %s", last, set.Manifest.Sequence, set.Manifest.ChangeSHA256)
	}
}

func TestFirstVersion(t *testing.T) {
	h := newHistory(t)
	h.add("r1", "Fine.")
	v := h.publish(false)
	c := v.Change
	if c.Previous != nil || c.PreviousSHA256 != nil || c.ChangesFrom != c.Sequence || len(c.Reviews.Added) != 0 || len(c.Files) != 0 {
		t.Errorf("first version: %s", v.Latest)
	}
	if c.Sequence != h.sets[0].Manifest.LastModified().Unix() {
		t.Errorf("sequence %d is not the time of the build", c.Sequence)
	}
	for _, list := range []string{`"added":[]`, `"changed":[]`, `"withdrawn":[]`, `"files":[]`} {
		if !bytes.Contains(v.Latest, []byte(list)) {
			t.Errorf("no %s in %s", list, v.Latest)
		}
	}
}

func TestSequenceGrowsWhateverTheClock(t *testing.T) {
	h := newHistory(t)
	h.add("r1", "Fine.")
	first := h.publish(false)
	h.now = h.now.Add(-time.Hour)
	h.add("r2", "Good.")
	if second := h.publish(false); second.Change.Sequence != first.Change.Sequence+1 {
		t.Errorf("sequence %d after %d", second.Change.Sequence, first.Change.Sequence)
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
	got := h.publish(false).Change.Reviews
	want := reviewcast.ReviewChanges{Added: []string{"e"}, Changed: []string{"b"},
		Withdrawn: []reviewcast.WithdrawnReview{{ID: "a", Reason: "legal"}, {ID: "c", Reason: "withdrawn"}}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lists %v, want %v", got, want)
	}
	delete(h.reviews, "d") // and nobody says why
	_, err := New(Input{Previous: h.sets[1], Manifest: &reviewcast.Manifest{}, Reviews: []byte("{\n]}\n"), Insights: []byte("{}\n"), Withdrawn: h.withdrawn, Time: h.now})
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
	if len(forgot.Documents) != 2 || forgot.Manifest.ChangesFrom != forgot.Manifest.Sequence {
		t.Errorf("after forget: changes_from %d, %d documents", forgot.Manifest.ChangesFrom, len(forgot.Documents))
	}
	if n := bytes.Count(forgot.Files[reviewcast.PathVersions], []byte("\n")); n != 6 {
		t.Errorf("versions.txt has %d lines, want 6", n)
	}
}

func holds(set *Previous, text string) bool {
	for _, bodies := range []map[string][]byte{set.Files, set.Documents} {
		for _, body := range bodies {
			if bytes.Contains(body, []byte(text)) {
				return true
			}
		}
	}
	return false
}

func TestAfterAnOlderProgram(t *testing.T) {
	h := newHistory(t)
	h.add("r1", strings.Repeat("text ", 100))
	h.publish(false)
	old := h.sets[0]
	old.Manifest.ChangeSHA256, old.Manifest.ChangesFrom, old.Documents = "", 0, nil
	delete(old.Files, reviewcast.PathVersions)
	old.Manifest.Sequence = 7
	h.add("r2", "Hm.")
	v := h.publish(false)
	if c := v.Change; *c.Previous != 7 || c.PreviousSHA256 != nil || c.ChangesFrom != c.Sequence || len(c.Reviews.Added) != 1 {
		t.Errorf("after a set without changes: %s", v.Latest)
	}
}

func TestMonths(t *testing.T) {
	h := newHistory(t)
	h.add("r1", "Fine.")
	h.add("r2", "Fine.")
	h.publish(false)
	reviews := h.sets[0].Files[reviewcast.PathReviews]
	months, err := Months(reviews, func(id string) bool { return id == "r2" })
	if err != nil || len(months) != 1 || months["r2"] != "2026-01" {
		t.Errorf("months %v, %v", months, err)
	}
	ids, err := IDs(reviews)
	if err != nil || !slices.Equal(ids, []string{"r1", "r2"}) {
		t.Errorf("ids %v, %v", ids, err)
	}
	if _, err := IDs([]byte("{\n{\"x\":1}\n]}\n")); err == nil {
		t.Error("a foreign layout is read")
	}
}
