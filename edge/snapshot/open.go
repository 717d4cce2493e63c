package snapshot

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"reviewcast"
)

// ErrOtherBaseURL is returned for a directory that was built for another origin, to
// which its links and feed ids point.
var ErrOtherBaseURL = errors.New("the files were built for another base URL")

// Open reads and indexes a published directory. Errors name the file. Every file must
// match the manifest, so a directory that is being replaced file by file is an error;
// the caller tries again.
func Open(fsys fs.FS, c Config) (*Snapshot, error) {
	return open(func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) }, c)
}

// FromArtifacts opens files in memory: manifest.json and the bodies by path
// ("/reviews.json", and "/reviews.json.gz" for an encoded variant). The snapshot keeps
// the bodies.
func FromArtifacts(manifest []byte, bodies map[string][]byte, c Config) (*Snapshot, error) {
	return open(func(name string) ([]byte, error) {
		if "/"+name == reviewcast.PathManifest {
			return manifest, nil
		}
		if body, ok := bodies["/"+name]; ok {
			return body, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}, c)
}

// mismatch is the error for a file that doesn't match the manifest, or not yet. Only
// then may opening the directory again succeed although its manifest hasn't changed.
type mismatch struct{ error }

func (m mismatch) Unwrap() error { return m.error }

// reader reads the file with a slash-separated name, as in [io/fs].
type reader func(name string) ([]byte, error)

func open(read reader, c Config) (*Snapshot, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Snapshot{}
	s.analysis = sync.OnceValues(s.newAnalysis)
	body, err := read(reviewcast.PathManifest[1:])
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	if err := s.readManifest(body, c.BaseURL); err != nil {
		return nil, fmt.Errorf("open snapshot: %s: %w", reviewcast.PathManifest[1:], err)
	}
	if err := s.readFiles(read, c); err != nil {
		return nil, fmt.Errorf("open snapshot: %w", mismatch{err})
	}
	if err := s.readChanges(read, c); err != nil {
		return nil, fmt.Errorf("open snapshot: %w", mismatch{err})
	}
	s.files[reviewcast.PathManifest] = manifestFile(body, s.manifest.Files)
	reviews := s.files[reviewcast.PathReviews]
	s.modified = reviews.LastModified
	if c.FilesOnly {
		return s, nil
	}
	if err := s.index(reviews.Body); err != nil {
		return nil, fmt.Errorf("open snapshot: %s: %w", reviewcast.PathReviews[1:], err)
	}
	return s, nil
}

// readManifest decodes and checks the manifest.
func (s *Snapshot) readManifest(body []byte, baseURL string) error {
	m, err := reviewcast.ParseManifest(body)
	if err != nil {
		return err
	}
	if baseURL != "" && m.BaseURL != baseURL {
		return fmt.Errorf("base_url %s, want %s: %w", m.BaseURL, baseURL, ErrOtherBaseURL)
	}
	s.manifest = *m
	return nil
}

// readFiles reads and checks every listed file and its encoded variants.
func (s *Snapshot) readFiles(read reader, c Config) error {
	files := make([]*File, len(s.manifest.Files))
	errs := make([]error, len(files)) // by file, so that the first one in order is reported
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, listed := range s.manifest.Files {
		g.Go(func() error {
			files[i], errs[i] = readFile(read, listed, c)
			return nil
		})
	}
	_ = g.Wait() // the functions store their errors
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	s.files = make(map[string]*File, len(files)+1)
	for _, f := range files {
		s.files[f.Path] = f
	}
	return nil
}

func readFile(read reader, listed reviewcast.File, config Config) (*File, error) {
	name := listed.Path[1:]
	body, err := read(name)
	if err != nil {
		return nil, err
	}
	if int64(len(body)) != listed.Size {
		return nil, fmt.Errorf("%s has %d bytes, the manifest says %d", name, len(body), listed.Size)
	}
	if !config.Hashed {
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != listed.SHA256 {
			return nil, fmt.Errorf("%s has the sha256 %x, the manifest says %s", name, sum, listed.SHA256)
		}
	}
	return &File{File: listed, Body: body, Variants: readVariants(read, name, body, config)}, nil
}

// readVariants reads the encoded variants of a file. One that doesn't decode to the
// file's bytes is ignored.
func readVariants(read reader, name string, body []byte, config Config) []Variant {
	var variants []Variant
	for _, c := range codings {
		encoded, err := read(name + c.suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = c.check(encoded, body)
		}
		if err != nil {
			config.Logger.Warn("encoded variant ignored", "file", name+c.suffix, "error", err)
			continue
		}
		sum := sha256.Sum256(encoded)
		variants = append(variants, Variant{Coding: c.name, Body: encoded, SHA256: hex.EncodeToString(sum[:])})
	}
	return variants
}

// manifestFile makes the manifest itself a servable file.
func manifestFile(body []byte, listed []reviewcast.File) *File {
	sum := sha256.Sum256(body)
	f := &File{Body: body, File: reviewcast.File{Path: reviewcast.PathManifest, MediaType: reviewcast.MediaJSON,
		SHA256: hex.EncodeToString(sum[:]), Size: int64(len(body))}}
	if len(listed) > 0 {
		f.LastModified = slices.MaxFunc(listed, func(a, b reviewcast.File) int { return a.LastModified.Compare(b.LastModified) }).LastModified
	}
	return f
}

// index reads the reviews and builds the indexes for queries.
func (s *Snapshot) index(body []byte) error {
	var err error
	if s.reviews.raw, s.reviews.spans, s.dataset, err = split(body); err != nil {
		return err
	}
	var g errgroup.Group
	g.Go(func() error {
		s.prefix = newPrefix(s.reviews.raw, s.reviews.spans)
		return nil
	})
	g.Go(func() error {
		records, err := s.readReviews()
		if err != nil {
			return err
		}
		if err := s.indexRecords(records); err != nil {
			return err
		}
		s.trigrams = newTrigrams(s.texts, s.Len())
		return nil
	})
	return g.Wait()
}
