package snapshot_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// watched is a watcher of a directory with n reviews, sequence 1, and its log.
func watched(t *testing.T, n int) (w *snapshot.Watcher, dir string, log *bytes.Buffer) {
	t.Helper()
	dir, log = filepath.Join(t.TempDir(), "public"), &bytes.Buffer{}
	snapshottest.Publish(t, corpus.Dataset(n)).Write(t, dir, 1)
	return &snapshot.Watcher{Dir: dir, Holder: &snapshot.Holder{},
		Config: snapshot.Config{BaseURL: snapshottest.BaseURL, Logger: slog.New(slog.NewTextHandler(log, nil))}}, dir, log
}

func look(t *testing.T, w *snapshot.Watcher, want int) {
	t.Helper()
	if err := w.Look(); err != nil {
		t.Fatal(err)
	}
	if got := served(t, w); got != want {
		t.Fatalf("%d reviews are served, want %d", got, want)
	}
}

// served is the number of reviews in the files that are served.
func served(t *testing.T, w *snapshot.Watcher) int {
	t.Helper()
	s, err := w.Holder.Files.Load().Index()
	if err != nil {
		t.Fatal(err)
	}
	return s.Len()
}

// TestLook follows a directory through builds that exchange it by name.
func TestLook(t *testing.T) {
	w, dir, log := watched(t, 5)
	look(t, w, 5)
	first := w.Holder.Files.Load()
	look(t, w, 5)
	if w.Holder.Files.Load() != first {
		t.Error("nothing changed, and yet the files are others")
	}

	exchange(t, dir, snapshottest.Publish(t, corpus.Dataset(6)), 2)
	look(t, w, 6)

	log.Reset()
	exchange(t, dir, snapshottest.Publish(t, corpus.Dataset(5)), 1)
	look(t, w, 5)
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "sequence_before=2") {
		t.Errorf("going back is not in the log: %s", log)
	}
	log.Reset()
	exchange(t, dir, snapshottest.Publish(t, corpus.Dataset(7)), 1) // of the same sequence, from elsewhere
	look(t, w, 7)
	if !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("another directory of the same sequence is not in the log: %s", log)
	}
}

// exchange puts another directory in a directory's place, as a build does.
func exchange(t *testing.T, dir string, p snapshottest.Public, sequence int64) {
	t.Helper()
	staged := dir + ".staged"
	p.Write(t, staged, sequence)
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(staged, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir + ".old"); err != nil {
		t.Fatal(err)
	}
}

// TestLookHalfWritten replaces the files one by one, in both orders. Until the last
// is there the old snapshot is served; what stands in the way is logged once.
func TestLookHalfWritten(t *testing.T) {
	w, dir, log := watched(t, 5)
	look(t, w, 5)
	next := snapshottest.Publish(t, corpus.Dataset(6))
	put := func(path string, body []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, path), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	// The manifest last: nothing is looked at before it changes.
	put(reviewcast.PathReviews, next[reviewcast.PathReviews])
	look(t, w, 5)
	put(reviewcast.PathManifest, next.Manifest(t, 2))
	look(t, w, 6)

	// The manifest first.
	log.Reset()
	next = snapshottest.Publish(t, corpus.Dataset(7))
	put(reviewcast.PathManifest, next.Manifest(t, 3))
	first := w.Look()
	if first == nil || !strings.Contains(first.Error(), "reviews.json has") {
		t.Fatalf("half a directory was taken: %v", first)
	}
	_ = w.Look()
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || served(t, w) != 6 {
		t.Errorf("%d lines in the log, %d reviews served, want 1 and 6: %s", n, served(t, w), log)
	}
	put(reviewcast.PathReviews, next[reviewcast.PathReviews][:100])
	_ = w.Look()
	if n := strings.Count(log.String(), "level=ERROR"); n != 2 {
		t.Errorf("another cause is not logged: %s", log)
	}
	put(reviewcast.PathReviews, next[reviewcast.PathReviews])
	look(t, w, 7)

	// What was wrong once and is wrong again is said again.
	log.Reset()
	put(reviewcast.PathManifest, []byte("{"))
	_ = w.Look()
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || served(t, w) != 7 {
		t.Errorf("%d lines in the log: %s", n, log)
	}
}

// TestLookRefuses what was rendered for another origin, and a directory that is
// gone.
func TestLookRefuses(t *testing.T) {
	w, dir, _ := watched(t, 5)
	look(t, w, 5)
	name := filepath.Join(dir, reviewcast.PathManifest)
	manifest, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(manifest, []byte(snapshottest.BaseURL), []byte("https://other.example"), 1)
	if err := os.WriteFile(name, other, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.Look(); err == nil || !strings.Contains(err.Error(), "another base URL") {
		t.Errorf("another origin: %v", err)
	}
	if err := os.WriteFile(name, manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	look(t, w, 5)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := w.Look(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	if served(t, w) != 5 {
		t.Error("the last good snapshot is gone")
	}
}

// TestRun waits for the swaps that Run makes by itself, and for the index that follows.
func TestRun(t *testing.T) {
	w, dir, _ := watched(t, 5)
	wake := make(chan struct{})
	w.Wake = wake
	swapped, indexed := make(chan [2]*snapshot.Files, 1), make(chan *snapshot.Snapshot, 1)
	w.Holder.Files.Subscribe(func(old, new *snapshot.Files) { swapped <- [2]*snapshot.Files{old, new} })
	w.Holder.Indexed.Subscribe(func(_, new *snapshot.Snapshot) { indexed <- new })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()

	first := <-swapped
	if w.Holder.Indexed.Load() != nil {
		t.Error("a snapshot without an index is served")
	}
	var index sync.WaitGroup
	index.Go(func() { w.Holder.Index(ctx, slog.New(slog.DiscardHandler)) })
	if s := <-indexed; s.Files != first[1] || s.Len() != 5 {
		t.Errorf("indexed are %d reviews", s.Len())
	}
	exchange(t, dir, snapshottest.Publish(t, corpus.Dataset(6)), 2)
	wake <- struct{}{}
	second := <-swapped
	if first[0] != nil || second[0] != first[1] || second[1].Sequence() != 2 {
		t.Errorf("subscribers were told of %v, then %v", first, second)
	}
	if s := <-indexed; s.Files != second[1] || s.Len() != 6 {
		t.Errorf("indexed are %d reviews", s.Len())
	}
	cancel()
	index.Wait()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestUnindexable: files that can't be indexed are served; search stays at the version
// before.
func TestUnindexable(t *testing.T) {
	h := &snapshot.Holder{}
	good := snapshottest.Publish(t, corpus.Dataset(3)).Open(t, 1)
	snapshottest.Swap(h, good)
	p := snapshottest.Publish(t, corpus.Dataset(3))
	p[reviewcast.PathReviews] = []byte("{}")
	f, err := snapshot.FilesOf(p.Manifest(t, 2), p, snapshot.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h.Files.Swap(f)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // Index looks once
	h.Index(ctx, slog.New(slog.NewTextHandler(&log, nil)))
	if h.Files.Load() != f || h.Indexed.Load() != good || !strings.Contains(log.String(), "reviews.json") {
		t.Errorf("files %d, snapshot %d; log: %s", h.Files.Load().Sequence(), h.Indexed.Load().Sequence(), &log)
	}
}

// TestSwapUnderReaders: whatever a reader loads is of one piece.
func TestSwapUnderReaders(t *testing.T) {
	var snapshots []*snapshot.Snapshot
	for n := 60; n < 64; n++ {
		snapshots = append(snapshots, snapshottest.Publish(t, corpus.Dataset(n)).Open(t, int64(n)))
	}
	h := &snapshot.Holder{}
	snapshottest.Swap(h, snapshots[0])
	stop := make(chan struct{})
	var readers, started sync.WaitGroup
	for range 4 {
		started.Add(1)
		readers.Go(func() {
			for first := true; ; first = false {
				s := h.Indexed.Load()
				n := int(s.Sequence())
				if r := s.Search(reviewcast.Query{Limit: 100}); r.Matched != n || len(r.Reviews) != n {
					t.Errorf("snapshot %d: %d reviews match", n, r.Matched)
				}
				if x := s.Since("0001-01-01"); x.Matched != n || len(gunzip(t, new(gzip.Reader), x.Gzip())) == 0 {
					t.Errorf("snapshot %d: since has %d", n, x.Matched)
				}
				if first {
					started.Done()
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 100 {
		snapshottest.Swap(h, snapshots[i%len(snapshots)])
	}
	started.Wait()
	close(stop)
	readers.Wait()
}

func TestSubscribe(t *testing.T) {
	a, b := snapshottest.Publish(t, corpus.Dataset(1)).Open(t, 1), snapshottest.Publish(t, corpus.Dataset(2)).Open(t, 2)
	h := &snapshot.Holder{}
	var told []string
	tell := func(name string) func(old, new *snapshot.Snapshot) {
		return func(old, new *snapshot.Snapshot) {
			if h.Indexed.Load() != new {
				t.Error("told before the swap")
			}
			told = append(told, name)
		}
	}
	h.Indexed.Subscribe(tell("first"))
	h.Indexed.Subscribe(tell("second"))
	snapshottest.Swap(h, a)
	snapshottest.Swap(h, b)
	if got := strings.Join(told, " "); got != "first second first second" {
		t.Errorf("told: %s", got)
	}
}
