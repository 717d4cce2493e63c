package mirror

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"reviewcast"
)

const parallel = 8 // how many files are fetched at once

// outlined is a set of which only the manifest, the versions and the changes have been read.
type outlined struct {
	set    *Set
	source Source
	base   *Set // the set at hand; may be nil

	fetched atomic.Int64 // bytes
}

// outline reads the manifest, the change documents and the versions of a set. have
// is the set at hand, and may be nil. With an error of the history it returns what it could read, too.
func outline(ctx context.Context, source Source, manifest []byte, scope Scope, have *Set) (*outlined, error) {
	m, err := reviewcast.ParseManifest(manifest)
	if err != nil {
		return nil, fmt.Errorf("%s of %s was changed or cut off; put it back from the recycle bin, or fetch what is online with: reviewcast pull https://… %[2]s: %[3]w", reviewcast.PathManifest, source, err)
	}
	o := &outlined{source: source, base: have, set: newSet(scope, m, manifest)}
	total := int64(0)
	for _, f := range o.missing() {
		if total += f.Size; f.Size > maxSet || total > maxSet {
			return nil, fmt.Errorf("%s of %s: %w", reviewcast.PathManifest, source, ErrTooLarge)
		}
	}
	if m.ChangeSHA256 == "" {
		return o, nil // the set of a program that knew no changes
	}
	if err := o.readHistory(ctx); err != nil {
		return o, fmt.Errorf("read the changes of %s: %w", source, err)
	}
	return o, nil
}

func newSet(scope Scope, m *reviewcast.Manifest, manifest []byte) *Set {
	return &Set{Scope: scope, Manifest: m, byHash: map[string][]byte{}, Files: map[string][]byte{reviewcast.PathManifest: manifest}}
}

// body returns the body with the file's hash: the local one, or that of the source. Without a local set every file
// is read, even if two have the same hash: [Read] reports on each.
func (o *outlined) body(ctx context.Context, f reviewcast.File) ([]byte, error) {
	if o.base != nil {
		for _, known := range []*Set{o.set, o.base} {
			if body, ok := known.byHash[f.SHA256]; ok {
				return body, nil
			}
		}
	}
	if o.fetched.Load() > maxSet {
		return nil, ErrTooLarge
	}
	body, err := o.source.file(ctx, f.Path, f.SHA256, f.Size)
	o.fetched.Add(int64(len(body)))
	return body, err
}

// add puts a body into the set.
func (o *outlined) add(path, sha256 string, body []byte) {
	o.set.Files[path], o.set.byHash[sha256] = body, body
}

// document is a file below /changes/ that no manifest lists.
func document(path, sha256 string) reviewcast.File {
	return reviewcast.File{Path: path, SHA256: sha256, Size: maxDocument}
}

// addAll reads files, several at once, and adds them.
func (o *outlined) addAll(ctx context.Context, files []reviewcast.File) error {
	bodies := make([][]byte, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, f := range files {
		g.Go(func() (err error) {
			bodies[i], err = o.body(ctx, f)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, f := range files {
		o.add(f.Path, f.SHA256, bodies[i])
	}
	return nil
}

// readHistory reads the change documents back to changes_from, and versions.txt unless the local one with their
// lines has its hash. It compares the documents with the last lines of versions.txt and with the manifest.
func (o *outlined) readHistory(ctx context.Context) (err error) {
	m := o.set.Manifest
	listed, _ := m.File(reviewcast.PathVersions)
	if o.set.Changes, err = ReadChanges(m, func(path, sha256 string) ([]byte, error) {
		body, err := o.body(ctx, document(path, sha256))
		if err == nil {
			o.add(path, sha256, body)
		} else {
			o.set.damaged = append(o.set.damaged, path)
		}
		return body, err
	}); err != nil {
		return err
	}
	var versions []byte
	if o.base != nil {
		versions = append(slices.Clone(o.base.Files[reviewcast.PathVersions]), o.lines(o.base.Manifest.Sequence)...)
	}
	if reviewcast.SHA256(versions) != listed.SHA256 {
		if versions, err = o.body(ctx, listed); err != nil {
			return err
		}
	}
	o.add(reviewcast.PathVersions, listed.SHA256, versions)
	if o.set.Versions, err = reviewcast.ParseVersions(versions); err != nil {
		return fmt.Errorf("%s: %w", reviewcast.PathVersions, err)
	}
	if !bytes.HasSuffix(versions, o.lines(-1)) {
		return fmt.Errorf("%s doesn't end with the versions of the change documents: %w", reviewcast.PathVersions, ErrHistory)
	}
	newest := o.set.Changes[len(o.set.Changes)-1]
	if newest.SetSHA256 != m.SetSHA256() {
		return fmt.Errorf("%s belongs to another set of files: %w", reviewcast.ChangePath(newest.Sequence), ErrHistory)
	}
	return nil
}

// ReadChanges reads the change documents of a set, each of which names the hash of the one before, and returns them
// oldest first, also with an error. read returns the file at a path with a hash, and checks it.
func ReadChanges(m *reviewcast.Manifest, read func(path, sha256 string) ([]byte, error)) (changes []*reviewcast.Change, _ error) {
	seq, sha := m.Sequence, m.ChangeSHA256
	defer func() { slices.Reverse(changes) }()
	for range reviewcast.MaxChanges {
		path := reviewcast.ChangePath(seq)
		body, err := read(path, sha)
		if err != nil {
			return changes, err
		}
		c := &reviewcast.Change{}
		if err := json.Unmarshal(body, c); err != nil {
			return changes, fmt.Errorf("%s: %w", path, err)
		}
		if c.Version != 1 || c.Sequence != seq {
			return changes, fmt.Errorf("%s is version %d of the format, sequence %d: %w", path, c.Version, c.Sequence, ErrHistory)
		}
		if c.Previous != nil && *c.Previous >= seq {
			return changes, fmt.Errorf("%s: its previous version, %d, is not older: %w", path, *c.Previous, ErrHistory)
		}
		changes = append(changes, c)
		if c.Previous == nil || c.PreviousSHA256 == nil || *c.Previous < m.ChangesFrom {
			return changes, nil
		}
		seq, sha = *c.Previous, *c.PreviousSHA256
	}
	return changes, fmt.Errorf("changes_from %d is more than %d documents back: %w", m.ChangesFrom, reviewcast.MaxChanges, ErrHistory)
}

// lines are the lines of versions.txt for the documents after a sequence.
func (o *outlined) lines(after int64) (lines []byte) {
	for _, c := range o.set.Changes {
		if c.Sequence > after {
			body := o.set.Files[reviewcast.ChangePath(c.Sequence)]
			lines = append(lines, reviewcast.VersionLine{Sequence: c.Sequence, SHA256: reviewcast.SHA256(body)}.String()...)
		}
	}
	return lines
}

// fetch completes the set: bodies at hand, then bodies made by changes, then whole files.
func (o *outlined) fetch(ctx context.Context) (*Set, error) {
	patches, err := Patches(o.set.Changes...)
	if err != nil {
		return nil, err
	}
	if err := o.addAll(ctx, patches); err != nil {
		return nil, err
	}
	o.apply()
	if err := o.addAll(ctx, o.missing()); err != nil {
		return nil, err
	}
	for _, f := range o.set.Manifest.Files {
		if body, held := o.set.Files[f.Path]; held && int64(len(body)) != f.Size {
			return nil, fmt.Errorf("%s has %d bytes, the manifest says %d: %w", f.Path, len(body), f.Size, ErrHistory)
		}
	}
	return o.set, nil
}

// Patches lists the patches that change documents name.
func Patches(changes ...*reviewcast.Change) (files []reviewcast.File, err error) {
	for _, c := range changes {
		for _, f := range c.Files {
			if f.Patch == "" {
				continue
			}
			if f.Patch != reviewcast.InsightsPatchPath(c.Sequence) || !reviewcast.IsSHA256(f.PatchSHA256) {
				return nil, fmt.Errorf("%s names the patch %q: %w", reviewcast.ChangePath(c.Sequence), f.Patch, ErrHistory)
			}
			files = append(files, document(f.Patch, f.PatchSHA256))
		}
	}
	return files, nil
}

// missing lists the files of the scope that the set doesn't have yet.
func (o *outlined) missing() (files []reviewcast.File) {
	for _, f := range o.set.Manifest.Files {
		if _, done := o.set.Files[f.Path]; !done && o.set.Scope.Holds(f.Path) {
			files = append(files, f)
		}
	}
	return files
}

// apply makes the datasets by the change documents; what those don't reach is fetched whole.
func (o *outlined) apply() {
	base := cmp.Or(o.base, &Set{})
	for _, path := range []string{reviewcast.PathReviews, reviewcast.PathInsights} {
		listed, ok := o.set.Manifest.File(path)
		body, had := base.Files[path]
		if !ok || !had {
			continue
		}
		sha := reviewcast.SHA256(body)
		for _, c := range o.set.Changes {
			for _, f := range c.Files {
				if f.Path != path || f.From != sha {
					continue
				}
				ops := f.Ops
				if f.Patch != "" {
					var p reviewcast.Patch
					_ = json.Unmarshal(o.set.Files[f.Patch], &p) // Apply checks what it makes
					ops = p.Ops
				}
				if next, err := f.Apply(body, ops); err == nil {
					body, sha = next, f.To
				}
			}
		}
		if sha == listed.SHA256 && !bytes.Equal(body, base.Files[path]) {
			o.add(path, sha, body)
		}
	}
}
