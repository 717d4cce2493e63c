// Package changes makes what one published version tells about the version before
// it: /changes/{sequence}.json with its patch of /insights.json,
// /changes/latest.json, /changes/versions.txt, and the entries of /withdrawn.json.
//
// Everything is a function of the last published set, the new files and the time
// of the build. The documents say what changed in lines, since the datasets have
// one review a line: nothing here decodes a review, so that a change of 100,000
// reviews costs little more than reading them.
//
// # Retention
//
// A set holds the documents that lead to it, newest first: at most
// [reviewcast.MaxChanges], while they and their patches are together at most
// [reviewcast.MaxChangesSize]. The newest is always there. When a review is withdrawn
// for legal reasons, every document that holds a line with its id goes, and so do
// all older ones; [Input.Forget] drops all but the newest. The lines of
// versions.txt stay: they are hashes.
package changes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"reviewcast"
)

// Previous is the last published set, as far as changes are concerned.
type Previous struct {
	Manifest *reviewcast.Manifest
	// Files are /reviews.json, /insights.json and /changes/versions.txt, by path. The
	// last is missing in a set of a program that knew no changes.
	Files map[string][]byte
	// Documents are the numbered change documents and their patches, by path.
	Documents map[string][]byte
}

// Input is what a version is made of.
type Input struct {
	// Previous is nil for the first version of all.
	Previous *Previous
	// Manifest lists the new files without those below /changes/. New completes it.
	Manifest *reviewcast.Manifest
	// Reviews and Insights are the new datasets as they are published.
	Reviews, Insights []byte
	ReviewCount       int
	AggregateRating   reviewcast.AggregateRating
	// Withdrawn are all withdrawals. Each review that is gone must be one of them.
	Withdrawn []reviewcast.Withdrawal
	// Time is the time of the version, in whole seconds UTC, later than that of the
	// previous set.
	Time time.Time
	// Forget drops all documents but the newest.
	Forget bool
}

// Version is what is published beside the files of the set.
type Version struct {
	Change *reviewcast.Change
	// Latest is the newest document, Versions the new /changes/versions.txt. Both are
	// listed in the manifest.
	Latest, Versions []byte
	// Documents are the numbered documents and patches of the set by path, the newest
	// included.
	Documents map[string][]byte
}

// New makes the documents of a version and completes its manifest: the sequence,
// changes_from, change_sha256, and the two files below /changes/ that a manifest
// lists.
func New(in Input) (*Version, error) {
	m := in.Manifest
	m.Sequence = in.Time.Unix()
	c := &reviewcast.Change{
		Version: 1, SetSHA256: m.SetSHA256(), LastModified: in.Time,
		Reviews:     reviewcast.ReviewChanges{Added: []string{}, Changed: []string{}, Withdrawn: []reviewcast.WithdrawnReview{}},
		ReviewCount: in.ReviewCount, AggregateRating: in.AggregateRating, Files: []reviewcast.FileChange{},
	}
	v := &Version{Change: c, Documents: map[string][]byte{}}
	var versions []byte
	if p := in.Previous; p != nil {
		m.Sequence = max(m.Sequence, p.Manifest.Sequence+1)
		c.Previous = &p.Manifest.Sequence
		if p.Manifest.ChangeSHA256 != "" {
			c.PreviousSHA256 = &p.Manifest.ChangeSHA256
		}
		versions = p.Files[reviewcast.PathVersions]
	}
	c.Sequence = m.Sequence
	ids, err := IDs(in.Reviews)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", reviewcast.PathReviews, err)
	}
	c.IDsSHA256 = reviewcast.IDsSHA256(ids)
	if err := v.describe(in); err != nil {
		return nil, fmt.Errorf("describe version %d: %w", m.Sequence, err)
	}
	if err := v.retain(in); err != nil {
		return nil, fmt.Errorf("make change document %d: %w", m.Sequence, err)
	}
	m.ChangesFrom, m.ChangeSHA256 = c.ChangesFrom, reviewcast.SHA256(v.Latest)
	v.Versions = append(slices.Clip(versions), reviewcast.VersionLine{Sequence: c.Sequence, SHA256: m.ChangeSHA256}.String()...)
	for path, body := range map[string][]byte{reviewcast.PathLatestChange: v.Latest, reviewcast.PathVersions: v.Versions} {
		f := reviewcast.File{Path: path, MediaType: reviewcast.MediaJSON, SHA256: reviewcast.SHA256(body), Size: int64(len(body)), LastModified: in.Time}
		if path == reviewcast.PathVersions {
			f.MediaType = reviewcast.MediaVersions
		}
		m.Files = append(m.Files, f)
	}
	slices.SortFunc(m.Files, func(a, b reviewcast.File) int { return strings.Compare(a.Path, b.Path) })
	return v, nil
}

// describe fills in what changed: the lists of reviews, and the operations on the
// datasets.
func (v *Version) describe(in Input) error {
	if in.Previous == nil {
		return nil
	}
	c := v.Change
	before := in.Previous.Files[reviewcast.PathReviews]
	ops, changed := difference(reviewcast.PathReviews, before, in.Reviews)
	if changed != nil {
		gone, come := movedLines(before, ops)
		if err := fill(&c.Reviews, gone, come, in.Withdrawn); err != nil {
			return err
		}
	}
	patch, patched := difference(reviewcast.PathInsights, in.Previous.Files[reviewcast.PathInsights], in.Insights)
	if patched != nil {
		if fits, err := small(patch, in.Insights); err != nil {
			return err
		} else if fits {
			patched.Patch = reviewcast.InsightsPatchPath(c.Sequence)
			body, err := reviewcast.EncodeJSON(reviewcast.Patch{Path: patched.Path, From: patched.From, To: patched.To, Ops: patch})
			if err != nil {
				return err
			}
			patched.PatchSHA256, v.Documents[patched.Patch] = reviewcast.SHA256(body), body
		}
		c.Files = append(c.Files, *patched)
	}
	if changed != nil {
		if fits, err := small(ops, in.Reviews); err != nil {
			return err
		} else if fits {
			changed.Ops = ops
		}
		c.Files = append(c.Files, *changed)
	}
	return nil
}

// retain chooses the older documents that the set keeps, and encodes the newest.
func (v *Version) retain(in Input) error {
	c := v.Change
	c.ChangesFrom = c.Sequence
	newest, err := reviewcast.EncodeJSON(c)
	if err != nil {
		return err
	}
	if in.Previous != nil && !in.Forget {
		size := len(newest)
		for _, patch := range v.Documents {
			size += len(patch)
		}
		c.ChangesFrom = v.keep(in, reviewcast.MaxChangesSize(len(in.Reviews))-size)
	}
	if v.Latest, err = reviewcast.EncodeJSON(c); err != nil {
		return err
	}
	v.Documents[reviewcast.ChangePath(c.Sequence)] = v.Latest
	return nil
}

// keep keeps documents of the previous set, newest first, while there is room for
// them in bytes, and returns the sequence of the oldest.
func (v *Version) keep(in Input, room int) (oldest int64) {
	erased := legal(in.Withdrawn)
	oldest = v.Change.Sequence
	seq := v.Change.Previous
	for n := 1; n < reviewcast.MaxChanges && seq != nil; n++ { // the newest is one of them
		path := reviewcast.ChangePath(*seq)
		document, ok := in.Previous.Documents[path]
		var c reviewcast.Change
		if !ok || json.Unmarshal(document, &c) != nil {
			break
		}
		patchPath := reviewcast.InsightsPatchPath(*seq)
		patch, patched := in.Previous.Documents[patchPath]
		room -= len(document) + len(patch)
		if room < 0 || names(document, erased) || names(patch, erased) {
			break
		}
		v.Documents[path] = document
		if patched {
			v.Documents[patchPath] = patch
		}
		oldest, seq = *seq, c.Previous
	}
	return oldest
}
