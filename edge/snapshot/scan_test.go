package snapshot_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

var many struct {
	*snapshot.Snapshot
	reviewcast.Dataset
}

// manyReviews returns a snapshot with costly searches, of which none is remembered. The tests that use it run one after the other: opening it takes long.
func manyReviews(t *testing.T) (*snapshot.Snapshot, reviewcast.Dataset) {
	t.Helper()
	if many.Snapshot == nil {
		many.Dataset = corpus.Dataset(4200)
		many.Snapshot = snapshottest.Publish(t, many.Dataset).Open(t, 1)
	}
	many.Forget()
	return many.Snapshot, many.Dataset
}

// A costly search is remembered: it costs nothing the second time, whatever its other
// filters, and its results are those of the first time.
func TestScansAreRemembered(t *testing.T) {
	s, _ := manyReviews(t)
	q := reviewcast.Query{Text: " the ", Limit: 5}
	if s.Cost(q) == 0 {
		t.Fatalf("Cost(%q) = 0, want more: the test needs a costly query", q.Text)
	}
	first := s.Search(q)
	if got := s.Cost(q); got != 0 {
		t.Errorf("Cost of a remembered query = %d, want 0", got)
	}
	if again := s.Search(q); again.Matched != first.Matched {
		t.Errorf("remembered search matched %d, the first %d", again.Matched, first.Matched)
	}
	q.MinRating = 5
	narrow := s.Search(q).Matched
	s.Forget()
	if want := s.Search(q).Matched; narrow != want {
		t.Errorf("remembered search with a filter matched %d, want %d", narrow, want)
	}
}

// The results of a narrow search are not remembered as those of its text.
func TestNarrowScansAreNotRemembered(t *testing.T) {
	s, _ := manyReviews(t)
	q := reviewcast.Query{Text: " the ", Limit: 5, Since: "2026-02-01", MinRating: 5, MaxRating: 5}
	if n := s.Search(reviewcast.Query{Since: q.Since, MinRating: 5, MaxRating: 5}).Matched; n == 0 || n > snapshot.FewTexts {
		t.Fatalf("%d reviews match the filters, want 1 to %d", n, snapshot.FewTexts)
	}
	s.Search(q)
	if n := s.Scans(); n != 0 {
		t.Errorf("%d results are remembered, want 0", n)
	}
}

// Many clients with many queries are answered rightly, and what is remembered has a
// limit.
func TestScansTogether(t *testing.T) {
	s, _ := manyReviews(t)
	text := func(i int) string { return "technician"[:4+i%7] + fmt.Sprint(i % 3)[:i/40] }
	want := make([]int, 80)
	for i := range want {
		want[i] = s.Search(reviewcast.Query{Text: text(i)}).Matched
	}
	s.Forget()
	var wg sync.WaitGroup
	for i := range want {
		wg.Go(func() {
			if got := s.Search(reviewcast.Query{Text: text(i)}).Matched; got != want[i] {
				t.Errorf("Search(%q) matched %d, want %d", text(i), got, want[i])
			}
		})
	}
	wg.Wait()
	for _, words := range corpus.Dataset(20).Reviews {
		if words.Text != nil {
			for i := range min(20, len(*words.Text)-4) {
				s.Search(reviewcast.Query{Text: (*words.Text)[i : i+4]})
			}
		}
	}
	if n := s.Scans(); n == 0 || n > snapshot.Remembered {
		t.Errorf("%d results are remembered after many searches, want 1 to %d", n, snapshot.Remembered)
	}
}

func TestAdmit(t *testing.T) {
	if wait := snapshot.Admit(t.Context(), 5); wait != 0 {
		t.Errorf("Admit without an Admission = %v, want 0", wait)
	}
	asked := 0
	ctx := snapshot.WithAdmission(t.Context(), func(cost int) time.Duration { asked += cost; return time.Second })
	if wait := snapshot.Admit(ctx, 5); wait != time.Second || asked != 5 {
		t.Errorf("Admit = %v after asking for %d, want 1s after 5", wait, asked)
	}
	if wait := snapshot.Admit(ctx, 0); wait != 0 || asked != 5 {
		t.Errorf("Admit of no cost = %v after asking for %d, want 0 without asking", wait, asked)
	}
}
