package snapshot_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
)

// TestSince asks for every beginning of a list that has several blocks: the body
// is what it should be, and the gzip form is one member that decodes to it.
func TestSince(t *testing.T) {
	const n = 220 // fewer than one a day, in three blocks
	d := corpus.Dataset(n)
	s := snapshottest.Publish(t, d).Open(t, 1)
	var reviews []byte
	var decoder gzip.Reader
	for i, r := range d.Reviews {
		x := s.Since(r.Date)
		if x.Matched != i+1 {
			t.Fatalf("since %s: matched %d, want %d", r.Date, x.Matched, i+1)
		}
		if i > 0 {
			reviews = append(reviews, ",\n"...)
		}
		reviews = append(reviews, snapshottest.Marshal(t, r)...)
		body := bytes.Join(x.Body(), nil)
		head := fmt.Appendf(nil, `{"since":"%s","matched":%d,"returned":%d,"reviews":[`, r.Date, i+1, i+1)
		if !bytes.Equal(body, slices.Concat(head, reviews, []byte("]}\n"))) {
			t.Fatalf("since %s: %s", r.Date, body)
		}
		if plain := gunzip(t, &decoder, x.Gzip()); !bytes.Equal(plain, body) {
			t.Fatalf("since %s: the gzip form decodes to %d other bytes", r.Date, len(plain))
		}
	}
	for date, want := range map[reviewcast.Date]int{"0001-01-01": n, "9999-12-31": 0, corpus.Newest: 1} {
		x := s.Since(date)
		body := bytes.Join(x.Body(), nil)
		if x.Matched != want || !bytes.Equal(gunzip(t, &decoder, x.Gzip()), body) {
			t.Errorf("since %s: matched %d, want %d", date, x.Matched, want)
		}
		if want == 0 && string(body) != fmt.Sprintf(`{"since":"%s","matched":0,"returned":0,"reviews":[]}`+"\n", date) {
			t.Errorf("since %s: %s", date, body)
		}
	}
}

// gunzip decodes one member and nothing behind it.
func gunzip(t *testing.T, r *gzip.Reader, parts [][]byte) []byte {
	t.Helper()
	encoded := bytes.NewReader(bytes.Join(parts, nil))
	if err := r.Reset(encoded); err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if encoded.Len() > 0 {
		t.Fatalf("%d bytes behind the member", encoded.Len())
	}
	return plain
}

// TestSinceSum: the sum follows from the body, and what is published outside the
// range doesn't move it.
func TestSinceSum(t *testing.T) {
	base := corpus.Dataset(150)
	const within, outside = 120, 121
	date := base.Reviews[within].Date
	sum := func(change func(*reviewcast.Dataset)) [32]byte {
		d := base
		d.Reviews = slices.Clone(base.Reviews)
		change(&d)
		return snapshottest.Publish(t, d).Open(t, 1).Since(date).Sum()
	}
	before := sum(func(*reviewcast.Dataset) {})
	for what, change := range map[string]func(*reviewcast.Dataset){
		"an older text":    func(d *reviewcast.Dataset) { d.Reviews[outside].Text = new("Something else.") },
		"an older review":  func(d *reviewcast.Dataset) { d.Reviews = d.Reviews[:within+1] },
		"the business":     func(d *reviewcast.Dataset) { d.Business.Name = "Other & Sons" },
		"the count before": func(d *reviewcast.Dataset) { d.Unpublished.Withdrawn = 17 },
	} {
		if sum(change) != before {
			t.Errorf("%s moved the sum", what)
		}
	}
	sums := map[[32]byte]string{before: "nothing"}
	for what, change := range map[string]func(*reviewcast.Dataset){
		"the newest text": func(d *reviewcast.Dataset) { d.Reviews[0].Text = new("Something else.") },
		"the last text":   func(d *reviewcast.Dataset) { d.Reviews[within].Text = new("Something else.") },
		"one review less": func(d *reviewcast.Dataset) { d.Reviews = slices.Delete(d.Reviews, 5, 6) },
	} {
		changed := sum(change)
		if other, taken := sums[changed]; taken {
			t.Errorf("%s has the same sum as %s", what, other)
		}
		sums[changed] = what
	}
	s := snapshottest.Publish(t, base).Open(t, 1)
	if s.Since("9999-12-30").Sum() == s.Since("9999-12-31").Sum() {
		t.Error("two empty bodies with different dates have the same sum")
	}
}
