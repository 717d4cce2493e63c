package generator

import (
	"crypto/sha256"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/generator/render"
)

func TestManifestDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 500, time.UTC)
	site := func(body string) *Site {
		return &Site{Artifacts: []render.Artifact{{Path: "/a", Body: []byte(body), SHA256: sha256.Sum256([]byte(body))}, {Path: "/b", Body: []byte("b")}}}
	}
	m1, changed, _, _ := nextManifest(&reviewcast.Manifest{}, site("1"), now)
	if m1.Sequence != 1 || len(changed) != 2 {
		t.Fatalf("first: sequence %d, changed %v", m1.Sequence, changed)
	}
	m2, changed, _, _ := nextManifest(m1, site("2"), now)
	if got := m2.Files[0].LastModified; !got.Equal(m1.Files[0].LastModified.Add(time.Second)) {
		t.Errorf("a change within the second is dated %s, the old one %s: a client that asks If-Modified-Since would miss it", got, m1.Files[0].LastModified)
	}
	if !m2.Files[1].LastModified.Equal(m1.Files[1].LastModified) || len(changed) != 1 || changed[0] != "/a" {
		t.Errorf("an unchanged file is dated anew, or reported: %v", changed)
	}
	back, _, _, _ := nextManifest(m2, site("3"), now.Add(-time.Hour))
	if !back.Files[0].LastModified.After(m2.Files[0].LastModified) {
		t.Error("a clock that went back makes a date that goes back")
	}
	_, _, removed, _ := nextManifest(m2, &Site{Artifacts: site("2").Artifacts[:1]}, now)
	if len(removed) != 1 || removed[0] != "/b" {
		t.Errorf("removed %v, want /b", removed)
	}
}
