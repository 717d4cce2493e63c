// Package verify recomputes what a published set claims: its hashes, the chain of its change documents, and every
// count that follows from its reviews.
//
// With a size and a hash of /changes/versions.txt that somebody noted before, it proves more: that since then no
// review vanished, and none was edited, without a published change. It can prove neither that reviews are genuine
// nor what was never published.
//
// A forger who controls the site can make every hash and count right again, but not the noted prefix: it holds the
// hash of the noted version's document, which holds those of the ids of its reviews and of its files. [Verify]
// walks from the newest version back by the lists of the documents, and must arrive at exactly that hash.
package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/internal/mirror"
)

// Result is what a verification found. Each entry is a sentence.
type Result struct {
	Contradictions sentences // claims that are not so
	Unknown        sentences // claims that can't be checked, with the reason
	Proven         sentences // claims that were recomputed

	Note     Note  // of versions.txt now; empty for a set without changes
	Sequence int64 // 0 when the set could not be read
	Reviews  int
	Rating   *float64
}

type sentences []string

func (s *sentences) add(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// section runs a check, and adds what it proves when it finds no contradiction.
func (r *Result) section(proves string, check func()) {
	before := len(r.Contradictions)
	if check(); len(r.Contradictions) == before {
		r.Proven.add("%s", proves)
	}
}

// Note identifies a state of /changes/versions.txt by its size and sha256. The zero value is none.
type Note struct {
	Size   int64
	SHA256 string
}

// String is "SIZE:HASH".
func (n Note) String() string { return fmt.Sprintf("%d:%s", n.Size, n.SHA256) }

// ParseNote reads what String writes.
func ParseNote(s string) (Note, error) {
	size, hash, _ := strings.Cut(s, ":")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || n < 0 || !reviewcast.IsSHA256(hash) {
		return Note{}, fmt.Errorf("%q is not what verify printed the last time; write that with its colon and what is behind, such as 76:1524e6…, or leave it out", s)
	}
	return Note{n, hash}, nil
}

// Verify reads a set and recomputes what it claims, since a noted state if there is one.
func Verify(ctx context.Context, source mirror.Source, scope mirror.Scope, since Note) *Result {
	r := &Result{}
	set, err := mirror.Read(ctx, source, scope)
	switch {
	case errors.Is(err, mirror.ErrDamaged) || errors.Is(err, mirror.ErrHistory):
		r.Contradictions.add("%v", err)
		return r
	case err != nil:
		r.Unknown.add("%v", err)
		return r
	}
	r.Sequence = set.Manifest.Sequence
	r.Proven.add("all %d files have the hashes that the manifest and the change documents name", len(set.Files)-1)
	v := &verifier{Result: r, set: set}
	if !v.decode() {
		return r
	}
	r.Reviews, r.Rating = len(v.dataset.Reviews), v.dataset.AggregateRating.RatingValue
	r.section("review_count, the rating, its distribution and the order of the reviews follow from the reviews", v.checkDataset)
	r.section("the counts and quotes of the insights follow from the reviews and from what is listed for each", v.checkInsights)
	if len(set.Versions) == 0 {
		r.Unknown.add("the set was published by a program that kept no changes: nothing can be said about earlier versions")
		return r
	}
	versions := set.Files[reviewcast.PathVersions]
	r.Note = Note{int64(len(versions)), reviewcast.SHA256(versions)}
	v.checkHistory(since)
	return r
}

// verifier holds the decoded set.
type verifier struct {
	*Result
	set       *mirror.Set
	dataset   reviewcast.Dataset
	insights  reviewcast.Insights
	reviews   map[string]*reviewcast.Review    // by id
	withdrawn map[string]reviewcast.Withdrawal // by id in lower case
}

// decode decodes the files, and reports whether all could be.
func (v *verifier) decode() bool {
	var list reviewcast.Withdrawals
	for path, to := range map[string]any{reviewcast.PathReviews: &v.dataset, reviewcast.PathInsights: &v.insights, reviewcast.PathWithdrawn: &list} {
		body, ok := v.set.Files[path]
		if !ok && path == reviewcast.PathWithdrawn {
			continue // a program that knew no changes
		}
		if err := json.Unmarshal(body, to); err != nil {
			v.Contradictions.add("%s is not what the description of the site says: %v", path, err)
			return false
		}
	}
	v.reviews, v.withdrawn = map[string]*reviewcast.Review{}, map[string]reviewcast.Withdrawal{}
	for i := range v.dataset.Reviews {
		v.reviews[v.dataset.Reviews[i].ID] = &v.dataset.Reviews[i]
	}
	for _, w := range list.Withdrawn {
		v.withdrawn[strings.ToLower(w.ID)] = w
	}
	return true
}
