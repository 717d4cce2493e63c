package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"reviewcast"
)

// parallel is how many files are fetched at once.
const parallel = 8

// outlined is a set of which the manifest, the versions and the change documents
// have been read, and nothing else. What the set at hand has is not read again.
type outlined struct {
	set    *Set
	source Source
	have   map[string][]byte // bodies at hand, by hash
	base   *Set              // the set at hand; may be nil
}

// draftMember tells a manifest that an older dev wrote.
type draftMember struct {
	Draft json.RawMessage `json:"draft"`
}

// outline reads the manifest, the change documents and the versions of a set. have
// is the set at hand, and may be nil.
func outline(ctx context.Context, source Source, manifest []byte, scope Scope, have *Set) (*outlined, error) {
	m, err := reviewcast.ParseManifest(manifest)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", reviewcast.PathManifest, source, err)
	}
	var d draftMember
	if err := json.Unmarshal(manifest, &d); err != nil || d.Draft != nil {
		return nil, fmt.Errorf("%s of %s: %w", reviewcast.PathManifest, source, ErrDraft)
	}
	total := int64(0)
	for _, f := range m.Files {
		if total += f.Size; f.Size > maxSet || total > maxSet {
			return nil, fmt.Errorf("%s of %s lists more than %d bytes", reviewcast.PathManifest, source, int64(maxSet))
		}
	}
	o := &outlined{source: source, base: have, set: &Set{
		Scope: scope, Manifest: m, byHash: map[string][]byte{},
		Files: map[string][]byte{reviewcast.PathManifest: manifest},
	}}
	if have != nil {
		o.have = have.byHash
	}
	if m.ChangeSHA256 == "" {
		return o, nil // the set of a program that knew no changes
	}
	if err := o.readHistory(ctx); err != nil {
		return nil, fmt.Errorf("read the changes of %s: %w", source, err)
	}
	return o, nil
}

// body returns the body with a hash: the one at hand, or the one of the source.
func (o *outlined) body(ctx context.Context, path, sha256 string, limit int64) ([]byte, error) {
	if body, ok := o.set.byHash[sha256]; ok {
		return body, nil
	}
	if body, ok := o.have[sha256]; ok {
		return body, nil
	}
	return o.source.file(ctx, path, sha256, limit)
}

// add puts a body into the set.
func (o *outlined) add(path, sha256 string, body []byte) {
	o.set.Files[path], o.set.byHash[sha256] = body, body
}

// wanted is a file to be read.
type wanted struct {
	path, sha256 string
	limit        int64
}

// addAll reads files, several at once, and adds them.
func (o *outlined) addAll(ctx context.Context, files []wanted) error {
	bodies := make([][]byte, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, f := range files {
		g.Go(func() (err error) {
			bodies[i], err = o.body(ctx, f.path, f.sha256, f.limit)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, f := range files {
		o.add(f.path, f.sha256, bodies[i])
	}
	return nil
}

// readHistory reads the change documents from the newest back to changes_from, and
// the versions. The versions are not fetched when the documents lead from those at
// hand.
func (o *outlined) readHistory(ctx context.Context) error {
	m := o.set.Manifest
	listed, _ := m.File(reviewcast.PathVersions)
	versions, known := o.have[listed.SHA256]
	if o.base == nil || len(o.base.Versions) == 0 {
		var err error
		if versions, err = o.source.file(ctx, reviewcast.PathVersions, listed.SHA256, listed.Size); err != nil {
			return err
		}
		known = true
		if err := o.prefetch(ctx, versions); err != nil {
			return err
		}
	}
	if err := o.walkBack(ctx); err != nil {
		return err
	}
	if !known {
		versions, known = o.extendVersions(listed.SHA256)
	}
	if !known {
		var err error
		if versions, err = o.source.file(ctx, reviewcast.PathVersions, listed.SHA256, listed.Size); err != nil {
			return err
		}
	}
	o.add(reviewcast.PathVersions, listed.SHA256, versions)
	var err error
	if o.set.Versions, err = reviewcast.ParseVersions(versions); err != nil {
		return fmt.Errorf("%s: %w", reviewcast.PathVersions, err)
	}
	return o.checkHistory()
}

// prefetch reads the change documents that versions.txt names, several at once.
func (o *outlined) prefetch(ctx context.Context, versions []byte) error {
	lines, err := reviewcast.ParseVersions(versions)
	if err != nil {
		return fmt.Errorf("%s: %w", reviewcast.PathVersions, err)
	}
	var files []wanted
	for _, v := range lines[max(0, len(lines)-reviewcast.MaxChanges):] {
		if v.Sequence >= o.set.Manifest.ChangesFrom && v.Sequence <= o.set.Manifest.Sequence {
			files = append(files, wanted{reviewcast.ChangePath(v.Sequence), v.SHA256, maxDocument})
		}
	}
	return o.addAll(ctx, files)
}

// walkBack reads the documents, each of which names the hash of the one before.
func (o *outlined) walkBack(ctx context.Context) error {
	m := o.set.Manifest
	seq, sha := m.Sequence, m.ChangeSHA256
	for range reviewcast.MaxChanges {
		path := reviewcast.ChangePath(seq)
		body, err := o.body(ctx, path, sha, maxDocument)
		if err != nil {
			return err
		}
		o.add(path, sha, body)
		if seq == m.Sequence {
			o.add(reviewcast.PathLatestChange, sha, body)
		}
		c := &reviewcast.Change{}
		if err := json.Unmarshal(body, c); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if c.Version != 1 || c.Sequence != seq || c.Previous != nil && *c.Previous >= seq {
			return fmt.Errorf("%s is version %d of the format, sequence %d: %w", path, c.Version, c.Sequence, ErrHistory)
		}
		o.set.Changes = append(o.set.Changes, c)
		if c.Previous == nil || c.PreviousSHA256 == nil || *c.Previous < m.ChangesFrom {
			slices.Reverse(o.set.Changes)
			return nil
		}
		seq, sha = *c.Previous, *c.PreviousSHA256
	}
	return fmt.Errorf("changes_from %d is more than %d documents back: %w", m.ChangesFrom, reviewcast.MaxChanges, ErrHistory)
}

// extendVersions makes versions.txt out of the one at hand and the documents since.
func (o *outlined) extendVersions(sha256 string) ([]byte, bool) {
	versions := slices.Clone(o.base.Files[reviewcast.PathVersions])
	for _, c := range o.set.Changes {
		if c.Sequence > o.base.Manifest.Sequence {
			body := o.set.Files[reviewcast.ChangePath(c.Sequence)]
			versions = append(versions, reviewcast.VersionLine{Sequence: c.Sequence, SHA256: reviewcast.SHA256(body)}.String()...)
		}
	}
	return versions, reviewcast.SHA256(versions) == sha256
}

// checkHistory compares the documents with the last lines of versions.txt.
func (o *outlined) checkHistory() error {
	lines, documents := o.set.Versions, o.set.Changes
	if len(lines) < len(documents) {
		return fmt.Errorf("%s has %d lines for %d documents: %w", reviewcast.PathVersions, len(lines), len(documents), ErrHistory)
	}
	lines = lines[len(lines)-len(documents):]
	for i, c := range documents {
		body := o.set.Files[reviewcast.ChangePath(c.Sequence)]
		if want := (reviewcast.VersionLine{Sequence: c.Sequence, SHA256: reviewcast.SHA256(body)}); lines[i] != want {
			return fmt.Errorf("%s has %d %s where version %d is expected: %w", reviewcast.PathVersions, lines[i].Sequence, lines[i].SHA256, c.Sequence, ErrHistory)
		}
	}
	newest := documents[len(documents)-1]
	if newest.SetSHA256 != o.set.Manifest.SetSHA256() {
		return fmt.Errorf("%s belongs to another set of files: %w", reviewcast.ChangePath(newest.Sequence), ErrHistory)
	}
	return nil
}

// fetch completes the set: bodies at hand, then bodies made by changes, then whole
// files.
func (o *outlined) fetch(ctx context.Context) (*Set, error) {
	var patches, files []wanted
	for _, c := range o.set.Changes {
		for _, f := range c.Files {
			if f.Patch == "" {
				continue
			}
			if f.Patch != reviewcast.InsightsPatchPath(c.Sequence) || !reviewcast.IsSHA256(f.PatchSHA256) {
				return nil, fmt.Errorf("%s names the patch %q: %w", reviewcast.ChangePath(c.Sequence), f.Patch, ErrHistory)
			}
			patches = append(patches, wanted{f.Patch, f.PatchSHA256, maxDocument})
		}
	}
	if err := o.addAll(ctx, patches); err != nil {
		return nil, err
	}
	o.apply()
	total := int64(0)
	for _, f := range o.set.Manifest.Files {
		if _, done := o.set.Files[f.Path]; !done && o.set.Scope.Holds(f.Path) {
			files = append(files, wanted{f.Path, f.SHA256, f.Size})
			if o.have[f.SHA256] == nil {
				total += f.Size
			}
		}
	}
	if p := o.source.progress(); p != nil {
		p.done.Store(0)
		p.total.Store(total)
	}
	if err := o.addAll(ctx, files); err != nil {
		return nil, err
	}
	return o.set, nil
}

// apply makes the datasets out of those at hand by the change documents. What the
// documents do not reach, or do not fit, is left to be fetched whole.
func (o *outlined) apply() {
	if o.base == nil {
		return
	}
	for _, path := range []string{reviewcast.PathReviews, reviewcast.PathInsights} {
		listed, ok := o.set.Manifest.File(path)
		body, had := o.base.Files[path]
		if !ok || !had {
			continue
		}
		sha := reviewcast.SHA256(body)
		for _, c := range o.set.Changes {
			for _, f := range c.Files {
				if f.Path != path || f.From != sha {
					continue
				}
				next, err := f.Apply(body, o.ops(&f))
				if err == nil {
					body, sha = next, f.To
				}
			}
		}
		if sha == listed.SHA256 && !bytes.Equal(body, o.base.Files[path]) {
			o.add(path, sha, body)
		}
	}
}

// ops returns the operations of a change, which may stand in a patch.
func (o *outlined) ops(f *reviewcast.FileChange) []reviewcast.Op {
	if f.Patch == "" {
		return f.Ops
	}
	var p reviewcast.Patch
	if json.Unmarshal(o.set.Files[f.Patch], &p) != nil {
		return nil
	}
	return p.Ops
}
