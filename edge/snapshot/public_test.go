package snapshot_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/edge/snapshot"
)

const baseURL = "https://reviews.example.com"

var built = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// public is a published directory in the making: bodies by path, encoded variants
// included, without the manifest.
type public map[string][]byte

// publish makes a directory with the reviews of a dataset.
func publish(t testing.TB, d reviewcast.Dataset) public {
	t.Helper()
	return public{
		reviewcast.PathReviews:  reviewsJSON(t, d),
		reviewcast.PathInsights: []byte(`{"version":1}` + "\n"),
		reviewcast.PathIndex:    []byte("<!doctype html><title>Reviews</title>\n"),
	}
}

// reviewsJSON writes reviews.json as the generator does: a review a line.
func reviewsJSON(t testing.TB, d reviewcast.Dataset) []byte {
	t.Helper()
	reviews := d.Reviews
	d.Reviews, d.ReviewCount = []reviewcast.Review{}, len(reviews)
	body := bytes.TrimSuffix(marshal(t, d), []byte("]}"))
	for i, r := range reviews {
		if i > 0 {
			body = append(body, ",\n"...)
		}
		body = append(body, marshal(t, r)...)
	}
	return append(body, "]}\n"...)
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// manifest lists the files of the directory.
func (p public) manifest(t testing.TB, sequence int64) []byte {
	t.Helper()
	m := reviewcast.Manifest{Version: 1, BaseURL: baseURL, Sequence: sequence}
	for _, path := range slices.Sorted(maps.Keys(p)) {
		switch filepath.Ext(path) {
		case ".gz", ".br", ".zst":
			continue
		}
		sum := sha256.Sum256(p[path])
		media := reviewcast.MediaJSON
		if filepath.Ext(path) == ".html" {
			media = reviewcast.MediaHTML
		}
		m.Files = append(m.Files, reviewcast.File{Path: path, MediaType: media, SHA256: hex.EncodeToString(sum[:]),
			Size: int64(len(p[path])), LastModified: built.Add(time.Duration(len(m.Files)) * time.Minute)})
	}
	return marshal(t, m)
}

// fs is the directory in memory.
func (p public) fs(t testing.TB, sequence int64) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{"manifest.json": {Data: p.manifest(t, sequence)}}
	for path, body := range p {
		fsys[path[1:]] = &fstest.MapFile{Data: body}
	}
	return fsys
}

// write puts the directory on disk, the manifest last.
func (p public) write(t testing.TB, dir string, sequence int64) {
	t.Helper()
	for path, body := range p {
		writeFile(t, filepath.Join(dir, path), body)
	}
	writeFile(t, filepath.Join(dir, "manifest.json"), p.manifest(t, sequence))
}

func writeFile(t testing.TB, name string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// open opens a directory that has nothing wrong with it.
func (p public) open(t testing.TB) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.FromArtifacts(p.manifest(t, 1), p, snapshot.Config{BaseURL: baseURL})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openCorpus opens a directory of n made-up reviews.
func openCorpus(t testing.TB, n int) *snapshot.Snapshot {
	t.Helper()
	return publish(t, corpus.Dataset(n)).open(t)
}
