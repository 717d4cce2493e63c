// Package snapshottest makes published directories for the tests of the edge, the hub
// and the MCP server, without the generator: reviews.json in the generator's layout,
// other files as the test needs them, encoded variants, and the manifest.
package snapshottest

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// BaseURL is the origin that the directories are built for.
const BaseURL = "https://reviews.example.com"

// Modified is when the first file of every directory last changed. Each next one changed a minute later.
var Modified = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// Public is a published directory: bodies by path ("/reviews.json"), variants included, no manifest.
type Public map[string][]byte

// Publish makes a directory with a dataset and minimal versions of the other published files.
func Publish(t testing.TB, d reviewcast.Dataset) Public {
	t.Helper()
	return Public{
		reviewcast.PathReviews:  Reviews(t, d),
		reviewcast.PathInsights: []byte(`{"version":1}` + "\n"),
		reviewcast.PathJSONFeed: []byte(`{"version":"https://jsonfeed.org/version/1.1","title":"Reviews","items":[]}` + "\n"),
		reviewcast.PathAtom:     []byte(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Reviews</title></feed>` + "\n"),
		reviewcast.PathOpenAPI:  []byte(`{"openapi":"3.1.0"}` + "\n"),
		reviewcast.PathIndex:    []byte("<!doctype html><title>Reviews</title>\n"),
	}
}

// Reviews writes reviews.json as the generator does, each review on its own line. It sets the counts.
func Reviews(t testing.TB, d reviewcast.Dataset) []byte {
	t.Helper()
	reviews := d.Reviews
	d.Reviews, d.ReviewCount = []reviewcast.Review{}, len(reviews)
	body := bytes.TrimSuffix(Marshal(t, d), []byte("]}"))
	for i, r := range reviews {
		if i > 0 {
			body = append(body, ",\n"...)
		}
		body = append(body, Marshal(t, r)...)
	}
	return append(body, "]}\n"...)
}

// Marshal writes compact JSON without escaping <, > and &.
func Marshal(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// media are the media types by the end of a path.
var media = map[string]string{".json": reviewcast.MediaJSON, ".xml": reviewcast.MediaAtom, ".html": reviewcast.MediaHTML, ".txt": reviewcast.MediaVersions, ".md": reviewcast.MediaMarkdown}

// Manifest lists the directory's files.
func (p Public) Manifest(t testing.TB, sequence int64) []byte {
	t.Helper()
	m := reviewcast.Manifest{Version: 1, BaseURL: BaseURL, Sequence: sequence}
	for _, path := range slices.Sorted(maps.Keys(p)) {
		mediaType, ok := media[filepath.Ext(path)]
		if !ok {
			continue // an encoded variant
		}
		m.Files = append(m.Files, reviewcast.File{Path: path, MediaType: mediaType, SHA256: reviewcast.SHA256(p[path]),
			Size: int64(len(p[path])), LastModified: Modified.Add(time.Duration(len(m.Files)) * time.Minute)})
	}
	return append(Marshal(t, m), '\n')
}

// Write puts the directory on disk, the manifest last.
func (p Public) Write(t testing.TB, dir string, sequence int64) {
	t.Helper()
	for path, body := range p {
		write(t, filepath.Join(dir, path), body)
	}
	write(t, filepath.Join(dir, reviewcast.PathManifest), p.Manifest(t, sequence))
}

func write(t testing.TB, name string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Open opens the directory from memory; it must have nothing wrong with it.
func (p Public) Open(t testing.TB, sequence int64) *snapshot.Snapshot {
	t.Helper()
	f, err := snapshot.FilesOf(p.Manifest(t, sequence), p, snapshot.Config{BaseURL: BaseURL})
	if err != nil {
		t.Fatal(err)
	}
	return Index(t, f)
}

// Swap makes a snapshot and its files the current ones.
func Swap(h *snapshot.Holder, s *snapshot.Snapshot) {
	if h.Files.Load() != s.Files {
		h.Files.Swap(s.Files)
	}
	h.Indexed.Swap(s)
}

// Index indexes files that have nothing wrong with them.
func Index(t testing.TB, f *snapshot.Files) *snapshot.Snapshot {
	t.Helper()
	s, err := f.Index()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
