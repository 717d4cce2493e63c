// Package snapshot holds a published directory in memory, checked and indexed.
//
// [Files] are a version's files: [OpenFiles] reads manifest.json and every file that it lists, and checks each against
// its hash. Any error makes it fail and names the file. A [Snapshot] is Files with the indexes for search and since,
// which take most of the time. Both are immutable. A [Holder] holds the current files and, a little later, the current
// snapshot; readers load one of them once per request, and a swap never waits for them. A [Watcher] follows a directory
// and swaps when its manifest changes; an invalid new directory leaves the old files in place.
//
// # Reviews
//
// A review's position in reviews.json, newest first, is its ordinal. All results are in the order of ordinals. Each
// review's JSON is a slice of the file's bytes; nothing is encoded again. The reviews on or after a date are a prefix
// of the list, so the body of [Since] is a prefix of those bytes.
//
// # Search
//
// Every filter is a set of ordinals: a list when it is small, a bitmap when it is large. Dates are ranges; stars,
// technicians and services are sets that are built on opening. Text is found by trigrams: for each three consecutive
// code points of a title or text (after NFC and case folding), the set of reviews that contain them. Two end marks
// after every title and text make the trigrams exact for one and two code points, too. Three code points are one set.
// For longer queries the rarest sets are intersected and the remaining reviews are verified.
package snapshot

import (
	"encoding/json"
	"iter"
	"log/slog"
	"maps"
	"time"

	"reviewcast"
)

// Config configures OpenFiles and FilesOf.
type Config struct {
	BaseURL string                 // the origin that the files must have been built for; empty accepts any
	Logger  *slog.Logger           // receives warnings about encoded variants that are ignored; it may be nil
	Holds   func(path string) bool // whether a listed file is in the directory; nil: every one is
	Hashed  bool                   // this process made the manifest from these bytes: they are not hashed again
}

// Files are the files of a published directory, checked against its manifest. They are
// immutable and safe for concurrent use; callers must not change the bytes.
type Files struct {
	manifest reviewcast.Manifest
	files    map[string]*File
}

// Snapshot is a published directory with indexes, immutable. Callers must not change the bytes.
type Snapshot struct {
	*Files
	dataset reviewcast.Dataset // without reviews

	reviews list
	stars   [reviewcast.MaxRating + 1]set // by rating; 0 is unused
	ratings []uint8                       // by ordinal
	replies map[bool]set                  // with an owner reply, and without

	technicians, services, areas      directory
	languages, sources, verifications directory
	years, months                     directory // named 2026 and 2026-03

	texts    []string // folded, by ordinal: the title, the byte between, and the text
	trigrams trigrams
	scans    scans
	blocks   []block                   // for since
	analysis func() (*Analysis, error) // see Analysis
}

// File is one published file with its body and its encoded variants.
type File struct {
	reviewcast.File
	Body     []byte
	Variants []Variant // the encoded bodies, best compression first: br, zstd, gzip
}

// Variant is a file's body in another content coding.
type Variant struct {
	Coding string // as in Content-Encoding
	Body   []byte
	SHA256 string // hex, of Body
}

// Sequence returns the manifest's sequence.
func (f *Files) Sequence() int64 { return f.manifest.Sequence }

// File finds a published file by its path ("/reviews.json"), the manifest included.
func (f *Files) File(path string) (*File, bool) {
	file, ok := f.files[path]
	return file, ok
}

// All iterates over all files, including the manifest, in no order.
func (f *Files) All() iter.Seq[*File] { return maps.Values(f.files) }

// Dataset returns reviews.json without its reviews.
func (s *Snapshot) Dataset() reviewcast.Dataset { return s.dataset }

// LastModified returns when reviews.json last changed.
func (f *Files) LastModified() time.Time { return f.files[reviewcast.PathReviews].LastModified }

// Len returns the number of reviews.
func (s *Snapshot) Len() int { return len(s.reviews.spans) }

// Review finds a review's JSON by its id.
func (s *Snapshot) Review(id string) (json.RawMessage, bool) {
	i, ok := s.reviews.ids[id]
	if !ok {
		return nil, false
	}
	return s.reviews.json(int(i)), true
}
