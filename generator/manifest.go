package generator

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"reviewcast"
)

// nextManifest lists a site's files, and compares them with those of the manifest
// before. A file with equal bytes keeps its last_modified. All others get the time of
// the version: now, but at least a second after the version before, since HTTP dates
// count in seconds and an If-Modified-Since with the old date must not hide the new
// bytes (RFC 9110, section 13.1.3). What is below /changes/ is left to package
// changes.
func nextManifest(before *reviewcast.Manifest, site *Site, now time.Time) (m *reviewcast.Manifest, changed, removed []string, version time.Time) {
	m = &reviewcast.Manifest{Version: 1, BaseURL: site.BaseURL, Sequence: before.Sequence}
	version = now.UTC().Truncate(time.Second)
	if last := before.LastModified(); !version.After(last) {
		version = last.Add(time.Second)
	}
	for _, a := range site.Artifacts {
		f := reviewcast.File{Path: a.Path, MediaType: a.MediaType, SHA256: hex.EncodeToString(a.SHA256[:]), Size: int64(len(a.Body)), LastModified: version}
		if old, known := before.File(a.Path); known && old.SHA256 == f.SHA256 {
			f.LastModified = old.LastModified
		} else {
			changed = append(changed, a.Path)
		}
		m.Files = append(m.Files, f)
	}
	for _, old := range before.Files {
		if _, still := m.File(old.Path); !still && !strings.HasPrefix(old.Path, reviewcast.PathChanges) {
			removed = append(removed, old.Path)
		}
	}
	if len(changed)+len(removed) > 0 {
		m.Sequence++
	}
	return m, changed, removed, version
}

// encodeManifest writes a manifest for people to read: indented, one member a line.
func encodeManifest(m *reviewcast.Manifest) ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	return append(data, '\n'), err
}
