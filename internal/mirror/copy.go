package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reviewcast"
	"reviewcast/internal/durable"
)

// Copy is a directory that holds a copy of a published set. Beside it, pull keeps
// the directory with ".fork" appended, when there is evidence of a fork, and the
// file with ".waiting" appended, while an older version is waited for.
//
// A Copy is used by one goroutine at a time, except for Ping. Processes exclude each other.
type Copy struct {
	Follower
	Dir string
	// Taken is called with each set that the directory holds or is about to hold, before
	// it is written. It may be nil.
	Taken func(*Set)

	pings
	current   *Set // the set in Dir, when it has been read
	unwritten *Set // a newer one that could not be written yet
}

// Update brings the directory up to date with the source, whole or not at all. Files that no manifest lists
// (.gitignore, a CNAME) stay.
func (c *Copy) Update(ctx context.Context) (Report, error) {
	if c.current == nil && c.unwritten == nil { // a copy that is whole is of use although it can't be locked or written
		_, _ = c.Read(ctx) // its error comes again
	}
	locked, err := durable.Lock(ctx, c.Dir, manifestName)
	if err != nil {
		return Report{}, err
	}
	defer locked.Unlock()
	written, err := c.Read(ctx)
	damaged := errors.Is(err, ErrDamaged)
	if err != nil && !errors.Is(err, ErrNeverPublished) && !damaged {
		return Report{}, err
	}
	have := written
	if c.unwritten != nil {
		have = c.unwritten
	}
	if c.Waiting == nil {
		c.Waiting = c.readWaiting()
	}
	before := c.Source.Received()
	set, relation, err := c.update(ctx, have)
	if c.Taken != nil && set != have {
		c.Taken(set)
	}
	var report Report
	if err == nil {
		report = newReport(have, set, relation, c.Source.Received()-before)
	}
	if werr := c.writeWaiting(c.Waiting); err == nil {
		err = werr
	}
	if fork := (*ForkError)(nil); errors.As(err, &fork) {
		return report, errors.Join(fmt.Errorf("%w; %s has the evidence", err, filepath.Clean(c.Dir)+forkSuffix), c.keepEvidence(fork))
	}
	if err != nil || set == written {
		return report, err
	}
	owns := written.owns
	if written == nil && damaged { // nothing says any more what was ours
		owns = set.owns
	}
	if err := locked.Replace(ctx, set.names(), owns); err != nil {
		c.unwritten = set
		return report, err
	}
	c.current, c.unwritten = set, nil
	return report, nil
}

// manifestName is the file by which the others are checked.
var manifestName = strings.TrimPrefix(reviewcast.PathManifest, "/")

// names are the files of the set by their names in a directory.
func (s *Set) names() map[string][]byte {
	files := make(map[string][]byte, len(s.Files))
	for path, body := range s.Files {
		files[strings.TrimPrefix(path, "/")] = body
	}
	return files
}

// owns reports whether a file in a directory is the set's, whatever its scope.
func (s *Set) owns(name string) bool {
	path := "/" + name
	switch {
	case path == reviewcast.PathManifest:
		return true
	case s == nil:
		return false
	case strings.HasPrefix(path, reviewcast.PathChanges):
		return true
	}
	for _, coding := range []string{"", ".gz", ".br", ".zst"} {
		if plain, ok := strings.CutSuffix(path, coding); ok {
			if _, listed := s.Manifest.File(plain); listed {
				return true
			}
		}
	}
	return false
}

// Read returns the set in the directory. When files are damaged, the set has the others, or is nil without its
// manifest or history, and the error wraps ErrDamaged.
func (c *Copy) Read(ctx context.Context) (*Set, error) {
	source := dir(c.Dir)
	manifest, err := source.manifest(ctx)
	if err != nil {
		return nil, err
	}
	if c.current.is(manifest, c.Scope) {
		return c.current, nil
	}
	set, err := readWhole(ctx, source, manifest, c.Scope)
	if set != nil {
		set.damaged = append(set.damaged, c.superfluous(set)...)
	}
	if err == nil {
		if c.current = set; c.Taken != nil {
			c.Taken(set)
		}
	}
	return set, err
}

// superfluous lists files of ours that the set doesn't have: other change documents, and unwanted pages.
func (c *Copy) superfluous(set *Set) []string {
	var paths []string
	for _, f := range set.Manifest.Files {
		if _, err := os.Lstat(dir(c.Dir).name(f.Path)); err == nil && !c.Scope.Holds(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	_ = filepath.WalkDir(dir(c.Dir).name(reviewcast.PathChanges), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what can't be read isn't known to be too much
		}
		rel, err := filepath.Rel(c.Dir, name)
		if path := "/" + filepath.ToSlash(rel); err == nil && set.Files[path] == nil {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// readWhole reads every file in a directory that a manifest lists, and every change document and patch. Those that
// are missing or have another hash are listed as damaged, and the error names the first of them.
func readWhole(ctx context.Context, source dir, manifest []byte, scope Scope) (*Set, error) {
	m, err := reviewcast.ParseManifest(manifest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", source.name(reviewcast.PathManifest), ErrDamaged, err)
	}
	o := &outlined{set: newSet(scope, m, manifest)}
	set := o.set
	var damage error
	take := func(path, sha256 string, limit int64) {
		body, err := source.file(ctx, path, sha256, limit) // each, though two may have the same bytes
		if err != nil {
			damage = cmp.Or(damage, fmt.Errorf("%w: %w", ErrDamaged, err))
			set.damaged = append(set.damaged, path)
			return
		}
		o.add(path, sha256, body)
	}
	for _, f := range m.Files {
		if scope.Holds(f.Path) {
			take(f.Path, f.SHA256, f.Size)
		}
	}
	if m.ChangeSHA256 == "" {
		return set, damage
	}
	set.Versions, err = reviewcast.ParseVersions(set.Files[reviewcast.PathVersions])
	if err != nil || len(set.Versions) == 0 { // without its history it can't be compared
		return nil, cmp.Or(damage, fmt.Errorf("%s: %w", source.name(reviewcast.PathVersions), ErrDamaged))
	}
	for _, v := range set.Versions {
		if v.Sequence < m.ChangesFrom {
			continue
		}
		path := reviewcast.ChangePath(v.Sequence)
		take(path, v.SHA256, maxDocument)
		c := &reviewcast.Change{}
		if json.Unmarshal(set.Files[path], c) != nil {
			continue // it is damaged
		}
		set.Changes = append(set.Changes, c)
		for _, f := range c.Files {
			if f.Patch == reviewcast.InsightsPatchPath(c.Sequence) {
				take(f.Patch, f.PatchSHA256, maxDocument)
			}
		}
	}
	return set, damage
}

// The files beside the directory.
const (
	forkSuffix    = ".fork"
	waitingSuffix = ".waiting"
)

// keepEvidence writes what shows a fork beside the directory, in place of evidence
// that is there already.
func (c *Copy) keepEvidence(fork *ForkError) error {
	path := filepath.Clean(c.Dir) + forkSuffix
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	for name, body := range fork.Evidence() {
		name := filepath.Join(path, filepath.FromSlash(name))
		if err := cmp.Or(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, body, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// readWaiting returns nil when there is nothing to wait for, or nothing that can be
// read: then the time begins anew.
func (c *Copy) readWaiting() *Waiting {
	data, err := os.ReadFile(filepath.Clean(c.Dir) + waitingSuffix)
	w := &Waiting{}
	if err != nil || json.Unmarshal(data, w) != nil {
		return nil
	}
	return w
}

func (c *Copy) writeWaiting(w *Waiting) error {
	name := filepath.Clean(c.Dir) + waitingSuffix
	if w == nil {
		return os.RemoveAll(name) // no error when there is none
	}
	body, err := reviewcast.EncodeJSON(w)
	if err != nil {
		return err
	}
	return os.WriteFile(name, body, 0o644)
}
