// Package changes makes the files below /changes/: what one published version says about the version before it.
//
// Everything is a function of the last published set, the new files and the time of the build. The documents say
// what changed in lines, since the datasets have one review a line: nothing here decodes a review.
//
// A set holds the documents that lead to it, newest first: at most [reviewcast.MaxChanges], while they and their
// patches are together at most [reviewcast.MaxChangesSize]. The newest is always there. When a review is withdrawn
// for legal reasons, every document that holds a line with its id is removed, and so are all older ones;
// [Input.Forget] removes all but the newest. The lines of versions.txt stay: they are hashes.
package changes

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/internal/mirror"
)

// Input is what a version is made of.
type Input struct {
	Previous          *mirror.Set          // the last published set; nil for the first version of all
	Manifest          *reviewcast.Manifest // lists the new files without those below /changes/; New completes it
	Dataset           *reviewcast.Dataset
	Reviews, Insights []byte                  // the new datasets as they are published
	Withdrawn         []reviewcast.Withdrawal // all withdrawals; each review that is gone must be one of them
	Time              time.Time               // of the version, in whole seconds UTC, later than that of the previous set
	Forget            bool                    // removes all documents but the newest
}

// version is a version in the making.
type version struct {
	Input
	change *reviewcast.Change
	files  map[string][]byte
}

// New makes the files below /changes/, by path, and completes the manifest with them.
func New(in Input) (map[string][]byte, error) {
	m, ds := in.Manifest, in.Dataset
	ids := make([]string, len(ds.Reviews))
	for i := range ds.Reviews {
		ids[i] = ds.Reviews[i].ID
	}
	c := &reviewcast.Change{
		Version: 1, Sequence: in.Time.Unix(), SetSHA256: m.SetSHA256(), LastModified: in.Time,
		Reviews:     reviewcast.ReviewChanges{Added: []string{}, Changed: []string{}, Withdrawn: []reviewcast.WithdrawnReview{}},
		ReviewCount: ds.ReviewCount, AggregateRating: ds.AggregateRating, IDsSHA256: reviewcast.IDsSHA256(ids),
		Files: []reviewcast.FileChange{},
	}
	v := &version{in, c, map[string][]byte{}}
	var versions []byte
	if p := in.Previous; p != nil {
		c.Sequence = max(c.Sequence, p.Manifest.Sequence+1)
		c.Previous = &p.Manifest.Sequence
		if p.Manifest.ChangeSHA256 != "" {
			c.PreviousSHA256 = &p.Manifest.ChangeSHA256
		}
		versions = p.Files[reviewcast.PathVersions]
		if err := v.describe(); err != nil {
			return nil, fmt.Errorf("describe version %d: %w", c.Sequence, err)
		}
	}
	latest := v.encode()
	m.Sequence, m.ChangesFrom, m.ChangeSHA256 = c.Sequence, c.ChangesFrom, reviewcast.SHA256(latest)
	v.files[reviewcast.ChangePath(c.Sequence)] = latest
	v.list(reviewcast.PathLatestChange, reviewcast.MediaJSON, latest)
	line := reviewcast.VersionLine{Sequence: c.Sequence, SHA256: m.ChangeSHA256}.String()
	v.list(reviewcast.PathVersions, reviewcast.MediaVersions, append(slices.Clip(versions), line...))
	return v.files, nil
}

// list adds a file to the manifest, too.
func (v *version) list(path, mediaType string, body []byte) {
	m := v.Manifest
	v.files[path] = body
	m.Files = append(m.Files, reviewcast.File{Path: path, MediaType: mediaType, SHA256: reviewcast.SHA256(body),
		Size: int64(len(body)), LastModified: v.Time})
	slices.SortFunc(m.Files, func(a, b reviewcast.File) int { return strings.Compare(a.Path, b.Path) })
}

// describe fills in what changed: the operations on the datasets, and the lists of reviews.
func (v *version) describe() error {
	c := v.change
	if f, ops := v.difference(reviewcast.PathInsights, v.Insights); f != nil {
		if f.Ops != nil {
			patch := encoded(reviewcast.Patch{Path: f.Path, From: f.From, To: f.To, Ops: ops})
			f.Ops, f.Patch, f.PatchSHA256 = nil, reviewcast.InsightsPatchPath(c.Sequence), reviewcast.SHA256(patch)
			v.files[f.Patch] = patch
		}
		c.Files = append(c.Files, *f)
	}
	if f, ops := v.difference(reviewcast.PathReviews, v.Reviews); f != nil {
		c.Files = append(c.Files, *f)
		return v.listReviews(ops)
	}
	return nil
}

// difference returns the entry of a dataset, nil if it is unchanged, and the operations, which the entry also
// holds if they are small.
func (v *version) difference(path string, next []byte) (*reviewcast.FileChange, []reviewcast.Op) {
	old, _ := v.Previous.Manifest.File(path)
	now, _ := v.Manifest.File(path)
	if old.SHA256 == now.SHA256 {
		return nil, nil
	}
	f := &reviewcast.FileChange{Path: path, From: old.SHA256, To: now.SHA256, Size: int64(len(next))}
	ops := reviewcast.Diff(v.Previous.Files[path], next)
	if len(encoded(ops)) <= reviewcast.MaxOpsSize(len(next)) {
		f.Ops = ops
	}
	return f, ops
}

// listReviews makes the lists of reviews from the added lines and the old lines that no operation copies. A line
// that only gained or lost its comma is in no list.
func (v *version) listReviews(ops []reviewcast.Op) error {
	old := strings.SplitAfter(string(v.Previous.Files[reviewcast.PathReviews]), "\n")
	come := map[string]string{}
	for _, op := range ops {
		clear(old[op.Start:op.End])
		if id, review, ok := reviewcast.ReviewLine(op.Line); ok {
			come[id] = review
		}
	}
	lists := &v.change.Reviews
	for _, line := range old {
		id, review, ok := reviewcast.ReviewLine(line)
		now, still := come[id]
		delete(come, id)
		listed := func(w reviewcast.Withdrawal) bool { return strings.EqualFold(w.ID, id) }
		if !ok || now == review {
			continue
		} else if still {
			lists.Changed = append(lists.Changed, id)
		} else if i := slices.IndexFunc(v.Withdrawn, listed); i >= 0 {
			lists.Withdrawn = append(lists.Withdrawn, reviewcast.WithdrawnReview{ID: id, Reason: v.Withdrawn[i].Reason})
		} else {
			return fmt.Errorf("review %s is no longer published and not listed in withdrawn.yaml", id)
		}
	}
	lists.Added = slices.AppendSeq(lists.Added, maps.Keys(come))
	slices.Sort(lists.Added)
	slices.Sort(lists.Changed)
	slices.SortFunc(lists.Withdrawn, func(a, b reviewcast.WithdrawnReview) int { return strings.Compare(a.ID, b.ID) })
	return nil
}

// encode chooses the older documents that the set keeps, and encodes the newest.
func (v *version) encode() []byte {
	v.change.ChangesFrom = v.change.Sequence
	newest := encoded(v.change)
	if v.Previous == nil || v.Forget {
		return newest
	}
	room := reviewcast.MaxChangesSize(len(v.Reviews)) - len(newest)
	for _, patch := range v.files { // so far only the newest one
		room -= len(patch)
	}
	documents := v.Previous.Changes
	for _, c := range slices.Backward(documents[max(0, len(documents)-reviewcast.MaxChanges+1):]) {
		path, patchPath := reviewcast.ChangePath(c.Sequence), reviewcast.InsightsPatchPath(c.Sequence)
		document, patch := v.Previous.Files[path], v.Previous.Files[patchPath]
		room -= len(document) + len(patch)
		if room < 0 || v.holdsErased(document) || v.holdsErased(patch) {
			break
		}
		v.change.ChangesFrom, v.files[path] = c.Sequence, document
		if patch != nil {
			v.files[patchPath] = patch
		}
	}
	return encoded(v.change)
}

func encoded(v any) []byte {
	body, _ := reviewcast.EncodeJSON(v) // types of the contract always encode
	return body
}

// holdsErased reports whether a line in a document or a patch, where quotation marks are escaped, names a
// review that was withdrawn for legal reasons.
func (v *version) holdsErased(document []byte) bool {
	lower := bytes.ToLower(document)
	return slices.ContainsFunc(v.Withdrawn, func(w reviewcast.Withdrawal) bool {
		return w.Reason == reviewcast.ReasonLegal && bytes.Contains(lower, []byte(`\"`+strings.ToLower(w.ID)+`\"`))
	})
}
