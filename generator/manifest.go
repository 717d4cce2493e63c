package generator

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"reviewcast"
)

// nextManifest lists a site's files and tells which of them changed since the
// manifest before. A file with equal bytes keeps its last_modified. A changed one
// is dated now, but always at least a second after its last date: HTTP dates
// count in seconds, and an If-Modified-Since of the old date must not hide the
// new bytes (RFC 9110, section 13.1.3).
func nextManifest(before *reviewcast.Manifest, site *Site, now time.Time) (m *reviewcast.Manifest, changed, removed []string) {
	m = &reviewcast.Manifest{Version: 1, BaseURL: site.BaseURL, Sequence: before.Sequence}
	now = now.UTC().Truncate(time.Second)
	for _, a := range site.Artifacts {
		f := reviewcast.File{Path: a.Path, MediaType: a.MediaType, SHA256: hex.EncodeToString(a.SHA256[:]), Size: int64(len(a.Body)), LastModified: now}
		old, known := before.File(a.Path)
		switch {
		case known && old.SHA256 == f.SHA256:
			f.LastModified = old.LastModified
		case known && !now.After(old.LastModified):
			f.LastModified = old.LastModified.Add(time.Second)
			fallthrough
		default:
			changed = append(changed, a.Path)
		}
		m.Files = append(m.Files, f)
	}
	for _, old := range before.Files {
		if _, still := m.File(old.Path); !still {
			removed = append(removed, old.Path)
		}
	}
	if len(changed)+len(removed) > 0 {
		m.Sequence++
	}
	return m, changed, removed
}

// encodeManifest writes a manifest as people read it: indented, one member a
// line.
func encodeManifest(m *reviewcast.Manifest) ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	return append(data, '\n'), err
}
