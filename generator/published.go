package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/internal/mirror"
)

// published is the last published set. The zero value is that of a business that has
// published nothing yet.
type published struct {
	set *mirror.Set
	ids map[string]bool // of its reviews
}

// Limits on reading the last published set from an address.
const (
	previousTimeout = 2 * time.Minute
	// previousMaxAge is how old a manifest out of a cache may be. A build that takes
	// an older set for the last one would publish a second version on top of it.
	previousMaxAge = 5 * time.Second
)

// previous returns the last published set. A directory is read again when its
// manifest has changed, an address once for each Build and once for all Prepares.
func (b *Builder) previous(ctx context.Context) (*published, error) {
	where := b.cfg.Previous
	if where == "" {
		where = b.cfg.PublicDir
	} else if err := checkNamed(where); err != nil {
		return nil, err
	}
	if b.published != nil && b.published.current(where) {
		return b.published, nil
	}
	p, err := readPublished(ctx, where)
	if err != nil {
		return nil, fmt.Errorf("read the last published set from %s: %w", where, err)
	}
	b.published = p
	return p, nil
}

// readPublished reads the last published set from a directory or an http(s) URL.
func readPublished(ctx context.Context, where string) (*published, error) {
	src, err := mirror.Open(where, mirror.Config{Timeout: previousTimeout, MaxAge: previousMaxAge})
	if err != nil {
		return nil, err
	}
	set, err := mirror.Read(ctx, src, mirror.Record)
	if errors.Is(err, mirror.ErrNeverPublished) {
		return &published{}, nil
	} else if err != nil {
		return nil, err
	}
	reviews := set.Files[reviewcast.PathReviews]
	p := &published{set: set, ids: map[string]bool{}}
	for line := range strings.Lines(string(reviews)) {
		if id, _, ok := reviewcast.ReviewLine(line); ok {
			p.ids[strings.Clone(id)] = true
		}
	}
	// The first two lines and the last one are not reviews.
	if n := bytes.Count(reviews, []byte("\n")); n > len(p.ids)+3 {
		return nil, fmt.Errorf("read %s: %d of %d lines are reviews; the file was not written by reviewcast", reviewcast.PathReviews, len(p.ids), n)
	}
	return p, nil
}

// current reports whether p is still what is published at where. What was read from
// an address is not asked for again.
func (p *published) current(where string) bool {
	if mirror.IsURL(where) {
		return true
	}
	data, err := os.ReadFile(filepath.Join(where, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return p.set == nil
	}
	return err == nil && p.set != nil && bytes.Equal(data, p.set.Files[reviewcast.PathManifest])
}

// manifest returns the manifest of the set; an empty one when there is none.
func (p *published) manifest() *reviewcast.Manifest {
	if p.set == nil {
		return &reviewcast.Manifest{}
	}
	return p.set.Manifest
}

// checkNamed refuses a last published set that was named and isn't there: taking
// a mistyped name for a first build would forget every published review.
func checkNamed(where string) error {
	if mirror.IsURL(where) {
		return nil // 404 for its manifest is an answer
	}
	if info, err := os.Stat(where); err != nil || !info.IsDir() {
		return fmt.Errorf("--previous %s is not a directory; name the directory of the last published set, or its address with https://", where)
	}
	return nil
}
