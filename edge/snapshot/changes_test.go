package snapshot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// withChanges makes a directory that publishes the documents of versions 7 and 9, the
// newest with a patch, on top of version 5.
func withChanges(t *testing.T) (manifest []byte, public snapshottest.Public) {
	t.Helper()
	p := snapshottest.Publish(t, corpus.Dataset(3))
	encode := func(v any) []byte {
		body, err := reviewcast.EncodeJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	five, seven := int64(5), int64(7)
	first := encode(reviewcast.Change{Version: 1, Sequence: 7, Previous: &five, ChangesFrom: 5})
	hash := reviewcast.SHA256(first)
	patch := reviewcast.InsightsPatchPath(9)
	p[reviewcast.ChangePath(7)] = first
	p[patch] = encode(reviewcast.Patch{Path: reviewcast.PathInsights, From: "a", To: "b", Ops: []reviewcast.Op{{Line: "{}"}}})
	latest := encode(reviewcast.Change{Version: 1, Sequence: 9, Previous: &seven, PreviousSHA256: &hash, ChangesFrom: 5,
		Files: []reviewcast.FileChange{{Path: reviewcast.PathInsights, From: "a", To: "b", Size: 3, Patch: patch, PatchSHA256: reviewcast.SHA256(p[patch])}}})
	p[reviewcast.PathLatestChange] = latest
	p[reviewcast.PathVersions] = []byte(reviewcast.VersionLine{Sequence: 9, SHA256: reviewcast.SHA256(latest)}.String())
	var m reviewcast.Manifest
	if err := json.Unmarshal(p.Manifest(t, 9), &m); err != nil {
		t.Fatal(err)
	}
	m.ChangesFrom, m.ChangeSHA256 = 5, reviewcast.SHA256(latest)
	files := m.Files[:0]
	for _, f := range m.Files {
		if f.Path == reviewcast.PathLatestChange || f.Path == reviewcast.PathVersions || !strings.HasPrefix(f.Path, reviewcast.PathChanges) {
			files = append(files, f)
		}
	}
	m.Files = files
	p[reviewcast.ChangePath(9)] = latest
	return append(snapshottest.Marshal(t, m), '\n'), p
}

func TestChangesAreServed(t *testing.T) {
	manifest, p := withChanges(t)
	s, err := snapshot.FromArtifacts(manifest, p, snapshot.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{reviewcast.ChangePath(7), reviewcast.ChangePath(9), reviewcast.InsightsPatchPath(9), reviewcast.PathLatestChange} {
		if f, ok := s.File(path); !ok || string(f.Body) != string(p[path]) {
			t.Errorf("%s is not served", path)
		}
	}
}

// TestChangesAreChecked damages what belongs to the chain: the directory is not opened.
func TestChangesAreChecked(t *testing.T) {
	for name, damage := range map[string]func(snapshottest.Public){
		"no newest":     func(p snapshottest.Public) { delete(p, reviewcast.ChangePath(9)) },
		"no older":      func(p snapshottest.Public) { delete(p, reviewcast.ChangePath(7)) },
		"no patch":      func(p snapshottest.Public) { delete(p, reviewcast.InsightsPatchPath(9)) },
		"another older": func(p snapshottest.Public) { p[reviewcast.ChangePath(7)] = append(p[reviewcast.ChangePath(7)], '\n') },
		"another patch": func(p snapshottest.Public) {
			p[reviewcast.InsightsPatchPath(9)] = []byte(strings.Replace(string(p[reviewcast.InsightsPatchPath(9)]), `"from":"a"`, `"from":"c"`, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			manifest, p := withChanges(t)
			damage(p)
			if _, err := snapshot.FromArtifacts(manifest, p, snapshot.Config{}); err == nil {
				t.Error("opened")
			}
		})
	}
}
