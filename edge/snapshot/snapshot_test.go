package snapshot_test

import (
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
)

func TestOpen(t *testing.T) {
	s := snapshottest.Publish(t, corpus.Dataset(300)).Open(t, 1)
	if s.Len() != 300 || s.Sequence() != 1 {
		t.Errorf("%d reviews, sequence %d", s.Len(), s.Sequence())
	}
	want := corpus.Dataset(300)
	raw, ok := s.Review(want.Reviews[7].ID)
	if got := string(snapshottest.Marshal(t, want.Reviews[7])); !ok || string(raw) != got {
		t.Errorf("Review(%s) = %s; want %s", want.Reviews[7].ID, raw, got)
	}
	if _, ok := s.Review("nobody"); ok {
		t.Error("an unknown id was found")
	}
	if d := s.Dataset(); d.Reviews != nil || d.ReviewCount != 300 || d.Business.Name != want.Business.Name {
		t.Errorf("Dataset() = %+v", d)
	}
	f, ok := s.File(reviewcast.PathManifest)
	if !ok || f.LastModified != snapshottest.Modified.Add(5*time.Minute) {
		t.Errorf("manifest.json: %v, last modified %v", ok, f.LastModified)
	}
}
