package reviewcast

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Manifest is /manifest.json: what is published. Mirrors and edges start here.
type Manifest struct {
	Version int    `json:"version"`
	BaseURL string `json:"base_url"` // that the files were rendered for
	// Sequence orders the versions of a set: max(previous + 1, the Unix time of the build in seconds).
	Sequence int64 `json:"sequence"`
	// ChangesFrom is the oldest version whose document the set holds, ChangeSHA256 the hash of the newest.
	// Older programs published sets without both.
	ChangesFrom  int64  `json:"changes_from,omitempty"`
	ChangeSHA256 string `json:"change_sha256,omitempty"`
	// Files are sorted by path. Neither the manifest itself nor encoded variants
	// (reviews.json.gz) nor numbered change documents are listed.
	Files []File `json:"files"`
}

// File is one published file.
type File struct {
	Path         string    `json:"path"` // begins with a slash
	MediaType    string    `json:"media_type"`
	SHA256       string    `json:"sha256"` // hex, of the unencoded bytes
	Size         int64     `json:"size"`   // bytes, unencoded
	LastModified time.Time `json:"last_modified"`
}

// ErrManifest reports bytes that are no manifest of a published set.
var ErrManifest = errors.New("not the manifest of a published set")

// ParseManifest reads a manifest, and checks its paths, hashes and order. The error wraps ErrManifest.
func ParseManifest(data []byte) (*Manifest, error) {
	m := &Manifest{}
	fail := func(format string, args ...any) (*Manifest, error) {
		return nil, fmt.Errorf("%w: %s", ErrManifest, fmt.Sprintf(format, args...))
	}
	if err := json.Unmarshal(data, m); err != nil {
		return fail("%v", err)
	}
	if m.Version != 1 {
		return fail("version %d, want 1", m.Version)
	}
	if m.Sequence < 0 || m.ChangesFrom < 0 || m.ChangesFrom > m.Sequence {
		return fail("sequence %d, changes_from %d", m.Sequence, m.ChangesFrom)
	}
	previous := ""
	for _, f := range m.Files {
		switch {
		case !strings.HasPrefix(f.Path, "/") || !fs.ValidPath(f.Path[1:]) || f.Path == "/." || f.Path == PathManifest || strings.ContainsAny(f.Path, "\\\x00"):
			return fail("path %q cannot be published", f.Path)
		case f.Path <= previous:
			return fail("path %s comes after %s; files are sorted by path, each once", f.Path, previous)
		case !IsSHA256(f.SHA256) || f.Size < 0:
			return fail("%s has no sha256 of 64 lower-case hex digits, or a negative size", f.Path)
		}
		previous = f.Path
	}
	if _, ok := m.File(PathReviews); !ok {
		return fail("%s is not listed", PathReviews)
	}
	if m.ChangeSHA256 == "" {
		return m, nil
	}
	latest, _ := m.File(PathLatestChange)
	if _, ok := m.File(PathVersions); !ok || latest.SHA256 != m.ChangeSHA256 {
		return fail("change_sha256 is not the hash of %s, or %s is not listed", PathLatestChange, PathVersions)
	}
	return m, nil
}

// File finds the file at a path; false when it isn't published.
func (m *Manifest) File(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}

// Owns reports whether a file of the set's directory, named without the first slash, belongs to the set: the manifest,
// a listed file or an encoded variant of it, or a file below /changes/.
func (m *Manifest) Owns(name string) bool {
	path := "/" + name
	for _, coding := range []string{"", ".gz", ".br", ".zst"} {
		if plain, ok := strings.CutSuffix(path, coding); ok {
			if _, listed := m.File(plain); listed {
				return true
			}
		}
	}
	return path == PathManifest || strings.HasPrefix(path, PathChanges)
}

// SetSHA256 is the sha256, in hex, of a line "{sha256} {path}\n" for each file that isn't below /changes/,
// sorted by path.
func (m *Manifest) SetSHA256() string {
	var lines []byte
	for _, f := range m.Files {
		if !strings.HasPrefix(f.Path, PathChanges) {
			lines = fmt.Appendf(lines, "%s %s\n", f.SHA256, f.Path)
		}
	}
	return SHA256(lines)
}

// LastModified is the time of the set: the latest of its files.
func (m *Manifest) LastModified() time.Time {
	var latest time.Time
	for _, f := range m.Files {
		if f.LastModified.After(latest) {
			latest = f.LastModified
		}
	}
	return latest
}
