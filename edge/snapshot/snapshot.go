// Package snapshot holds a published directory in memory, checked and indexed.
//
// A Snapshot never changes. Open reads manifest.json and every file that it
// lists, holds each against its hash, and builds what search and since need, or
// fails whole with an error that names the file. A Holder keeps the snapshot
// that is served at the moment; readers load it once per request and swap never
// waits for them. A Watcher follows a directory and swaps when its manifest
// changes; a broken new directory leaves the old snapshot in place.
//
// # Reviews
//
// A review's place in reviews.json, newest first, is its ordinal; ascending
// ordinals are the order of every answer. Each review's JSON is a slice of the
// file's own bytes: it is rendered once, by the generator. The reviews on or
// after a date are a prefix of the list, so Since is a prefix of those bytes.
//
// # Search
//
// Every filter is a set of ordinals: a list when few reviews are in it, a bitmap
// when many are. Dates are a range, stars, technicians and services are sets
// made when opening, and text is found by trigrams: for each three code points
// that follow each other in a title or text (after NFC and case folding) the set
// of reviews that have them. Two end marks behind every title and text make the
// trigrams tell about one and two code points as well, exactly; three are one
// set; for more the rarest sets are intersected and what remains is verified.
package snapshot

import (
	"encoding/json"
	"iter"
	"log/slog"
	"maps"
	"time"

	"reviewcast"
)

// Config says what Open accepts.
type Config struct {
	// BaseURL is the origin that the files must have been rendered for. Empty
	// accepts any.
	BaseURL string
	// Logger is told which encoded variants are left out and why. Nil drops it.
	Logger *slog.Logger
	// FilesOnly leaves the index out, which takes most of the time of opening: only
	// File, Files, Manifest and Sequence may be asked. An editor's preview shows the
	// page by such a one, while the real one is still being made.
	FilesOnly bool
	// Hashed says that the manifest was made of these very bytes, in this process:
	// they aren't hashed again.
	Hashed bool
}

// Snapshot is one published directory: files and indexes. It is immutable and
// safe for concurrent use; callers must not change the bytes that they get.
type Snapshot struct {
	manifest reviewcast.Manifest
	files    map[string]*File
	dataset  reviewcast.Dataset // without reviews
	modified time.Time          // of reviews.json

	reviews     list
	stars       [reviewcast.MaxRating + 1]set // by rating; 0 is unused
	technicians directory
	services    directory
	texts       []shard
	trigrams    trigrams
	prefix      prefix
}

// File is one published file with its body and its encoded variants.
type File struct {
	reviewcast.File
	Body []byte
	// Variants are the encoded bodies that are there, best compression first:
	// br, zstd, gzip.
	Variants []Variant
}

// Variant is a file's body in another content coding.
type Variant struct {
	Coding string // as it stands in Content-Encoding
	Body   []byte
	SHA256 string // hex, of Body
}

// Manifest is the manifest that the snapshot was opened by. It is shared: do not
// change it.
func (s *Snapshot) Manifest() *reviewcast.Manifest { return &s.manifest }

// Sequence is the manifest's sequence.
func (s *Snapshot) Sequence() int64 { return s.manifest.Sequence }

// File finds a published file by its path ("/reviews.json"). The manifest itself
// is one, too: its time is that of the file that changed last.
func (s *Snapshot) File(path string) (*File, bool) {
	f, ok := s.files[path]
	return f, ok
}

// Files gives every published file, the manifest included, in no order.
func (s *Snapshot) Files() iter.Seq[*File] { return maps.Values(s.files) }

// Dataset is reviews.json without its reviews: the business, the aggregate
// rating and the counts.
func (s *Snapshot) Dataset() reviewcast.Dataset { return s.dataset }

// LastModified is when reviews.json last changed.
func (s *Snapshot) LastModified() time.Time { return s.modified }

// Insights is the body of insights.json; nil when none is published.
func (s *Snapshot) Insights() json.RawMessage {
	if f, ok := s.files[reviewcast.PathInsights]; ok {
		return f.Body
	}
	return nil
}

// Len is the number of reviews.
func (s *Snapshot) Len() int { return len(s.reviews.spans) }

// Review finds a review's JSON by its id.
func (s *Snapshot) Review(id string) (json.RawMessage, bool) {
	i, ok := s.reviews.ids[id]
	if !ok {
		return nil, false
	}
	return s.reviews.json(int(i)), true
}
