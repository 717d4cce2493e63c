package snapshot

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"reviewcast"
	"reviewcast/internal/mirror"
)

// OpenFiles reads a published directory. Errors name the file. A directory that is being replaced
// file by file is an error; the caller tries again.
func OpenFiles(fsys fs.FS, c Config) (*Files, error) {
	return openFiles(func(name string) ([]byte, error) { return readRegular(fsys, name, &bytes.Buffer{}) }, c)
}

// FilesOf returns files in memory: manifest.json and the bodies by path ("/reviews.json", and
// "/reviews.json.gz" for a variant), which it keeps.
func FilesOf(manifest []byte, bodies map[string][]byte, c Config) (*Files, error) {
	return openFiles(func(name string) ([]byte, error) {
		if "/"+name == reviewcast.PathManifest {
			return manifest, nil
		}
		if body, ok := bodies["/"+name]; ok {
			return body, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}, c)
}

// reader reads the file with a slash-separated name, as in [io/fs].
type reader func(name string) ([]byte, error)

// readRegular reads a file into a buffer.
func readRegular(fsys fs.FS, name string, buffer *bytes.Buffer) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")} // opening a FIFO may never return
	}
	if err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buffer.Reset()
	buffer.Grow(int(info.Size()) + bytes.MinRead) // a buffer that grows takes twice as much
	_, err = buffer.ReadFrom(f)
	return buffer.Bytes(), err
}

func openFiles(read reader, c Config) (*Files, error) {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	body, err := read(reviewcast.PathManifest[1:])
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	m, err := reviewcast.ParseManifest(body)
	if err == nil && c.BaseURL != "" && m.BaseURL != c.BaseURL {
		err = fmt.Errorf("base_url %s, want %s: the files were built for another base URL; to serve them, start again without --base-url", m.BaseURL, c.BaseURL)
	}
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %s: %w", reviewcast.PathManifest[1:], err)
	}
	f := &Files{manifest: *m, files: make(map[string]*File, len(m.Files)+1)}
	if err := f.read(read, c); err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	manifest := unlisted(reviewcast.PathManifest, reviewcast.SHA256(body))
	manifest.Size, manifest.LastModified = int64(len(body)), m.LastModified()
	f.files[reviewcast.PathManifest] = &File{File: manifest, Body: body}
	return f, nil
}

// Index builds the indexes for queries.
func (f *Files) Index() (*Snapshot, error) {
	s := &Snapshot{Files: f, reviews: list{raw: f.files[reviewcast.PathReviews].Body}}
	s.analysis = sync.OnceValues(s.newAnalysis)
	var err error
	if s.reviews.spans, s.dataset, err = split(s.reviews.raw); err == nil {
		err = s.indexReviews()
	}
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", reviewcast.PathReviews[1:], err)
	}
	s.blocks = newBlocks(s.reviews.raw, s.reviews.spans)
	s.trigrams = newTrigrams(s.texts)
	return s, nil
}

// readFile reads, checks and keeps a file with its encoded variants, and returns its body. A size of 0 is any.
func (f *Files) readFile(read reader, file reviewcast.File, config Config) (body []byte, err error) {
	name := file.Path[1:]
	if body, err = read(name); err != nil {
		return nil, err
	}
	if file.Size = cmp.Or(file.Size, int64(len(body))); int64(len(body)) != file.Size {
		return nil, fmt.Errorf("%s has %d bytes, the manifest says %d", name, len(body), file.Size)
	}
	if !config.Hashed {
		if sum := reviewcast.SHA256(body); sum != file.SHA256 {
			return nil, fmt.Errorf("%s has the sha256 %s, want %s", name, sum, file.SHA256)
		}
	}
	f.files[file.Path] = &File{File: file, Body: body, Variants: readVariants(read, name, body, config)}
	return body, nil
}

// coding is a content coding in which the generator may have written a file.
type coding struct {
	name   string // in Content-Encoding
	suffix string // of the encoded file
	decode func(io.Reader) (io.ReadCloser, error)
}

// codings are the codings that OpenFiles looks for, best compression first.
var codings = []coding{
	{"br", ".br", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(brotli.NewReader(r)), nil }},
	{"zstd", ".zst", func(r io.Reader) (io.ReadCloser, error) {
		// RFC 9659: browsers refuse windows over 8 MiB.
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		return d.IOReadCloser(), err // which nobody reads after an error
	}},
	{"gzip", ".gz", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
}

// check returns an error unless encoded decodes to want. A decompression bomb costs no more than the file.
func (c coding) check(encoded, want []byte) error {
	r, err := c.decode(bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := io.ReadAll(io.LimitReader(r, int64(len(want))+1))
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("the decoded bytes differ from the file")
	}
	return err
}

// readVariants reads the encoded variants of a file. One that doesn't decode to its bytes is ignored.
func readVariants(read reader, name string, body []byte, config Config) []Variant {
	var variants []Variant
	for _, c := range codings {
		encoded, err := read(name + c.suffix)
		if err == nil {
			err = c.check(encoded, body)
		}
		if err == nil {
			variants = append(variants, Variant{Coding: c.name, Body: encoded, SHA256: reviewcast.SHA256(encoded)})
		} else if !errors.Is(err, fs.ErrNotExist) {
			config.Logger.Warn("encoded variant ignored", "file", name+c.suffix, "error", err)
		}
	}
	return variants
}

// read reads every listed file that the directory holds, and the change documents, which the manifest doesn't list,
// with their patches. Each of these is checked against the hash in the next one, or in the manifest.
func (f *Files) read(from reader, c Config) error {
	for _, listed := range f.manifest.Files {
		if c.Holds == nil || c.Holds(listed.Path) {
			if _, err := f.readFile(from, listed, c); err != nil {
				return err
			}
		}
	}
	if f.manifest.ChangeSHA256 == "" {
		return nil
	}
	add := func(path, sha256 string) ([]byte, error) { return f.readFile(from, unlisted(path, sha256), c) }
	changes, err := mirror.ReadChanges(&f.manifest, add)
	if err != nil {
		return err
	}
	for _, change := range changes {
		f.files[reviewcast.ChangePath(change.Sequence)].LastModified = change.LastModified
		patches, err := mirror.Patches(change)
		if err != nil {
			return err
		}
		for _, p := range patches {
			if _, err := add(p.Path, p.SHA256); err != nil {
				return err
			}
			f.files[p.Path].LastModified = change.LastModified
		}
	}
	return nil
}

// unlisted is a JSON file that the manifest doesn't list.
func unlisted(path, sha256 string) reviewcast.File {
	return reviewcast.File{Path: path, MediaType: reviewcast.MediaJSON, SHA256: sha256}
}
