package reviewcast

import (
	"slices"
	"strings"
	"time"
)

// Manifest is /manifest.json: what is published. Mirrors and edges start here.
// It is the only body that carries a clock value.
type Manifest struct {
	Version int `json:"version"`
	// BaseURL is the origin that the files were rendered for.
	BaseURL string `json:"base_url"`
	// Sequence grows by one with every build that changes a file, so that of two
	// manifests the newer is known without a clock.
	Sequence int64 `json:"sequence"`
	// Files are sorted by path. Neither the manifest itself nor encoded variants
	// (reviews.json.gz) are listed.
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

// File finds the file at a path; false when it isn't published.
func (m *Manifest) File(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}
