package mirror

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"reviewcast"
)

// Report is what an Update changed, and what it cost.
type Report struct {
	// Updated reports whether there is a new set.
	Updated bool
	// Relation is how the source's history relates to that of the set at hand.
	Relation reviewcast.Relation
	// Added, Changed and Withdrawn count reviews.
	Added, Changed, Withdrawn int
	// Repaired counts the files of the set at hand that were damaged or missing.
	Repaired int
	// Files counts the files whose bytes changed, came or went.
	Files int
	// Before and After are the ratings; nil without reviews.
	Before, After *float64
	// Bytes came over the network, encoded as they came.
	Bytes int64
}

func newReport(have, set *Set, relation reviewcast.Relation, received int64) Report {
	if have == set {
		return Report{}
	}
	r := Report{Updated: true, Relation: relation, After: rating(set), Bytes: received}
	if have == nil {
		have = &Set{}
	} else {
		r.Before, r.Repaired = rating(have), len(have.damaged)
	}
	for path, body := range set.Files {
		if old, ok := have.Files[path]; !ok || !bytes.Equal(old, body) {
			r.Files++
		}
	}
	for path := range have.Files {
		if _, still := set.Files[path]; !still {
			r.Files++
		}
	}
	before, after := have.Files[reviewcast.PathReviews], set.Files[reviewcast.PathReviews]
	if bytes.Equal(before, after) || before == nil && r.Repaired > 0 {
		return r
	}
	old := maps.Collect(reviewcast.ReviewLines(before))
	for id, line := range reviewcast.ReviewLines(after) {
		if was, known := old[id]; !known {
			r.Added++
		} else if was != line {
			r.Changed++
		}
		delete(old, id)
	}
	r.Withdrawn = len(old)
	return r
}

// rating is the mean of the stars as a set publishes it; nil in a set of a program that knew no changes.
func rating(s *Set) *float64 {
	if n := len(s.Changes); n > 0 {
		return s.Changes[n-1].AggregateRating.RatingValue
	}
	return nil
}

// String is one line, such as "3 added, 1 changed, 1 withdrawn; rating 4.61 → 4.62; 2.8 kB".
func (r Report) String() string {
	if !r.Updated {
		return "nothing has changed; " + byteCount(r.Bytes)
	}
	var parts []string
	if r.Repaired > 0 {
		parts = append(parts, fmt.Sprintf("files repaired: %d", r.Repaired))
	}
	for _, n := range []struct {
		count int
		what  string
	}{{r.Added, "added"}, {r.Changed, "changed"}, {r.Withdrawn, "withdrawn"}} {
		if n.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.count, n.what))
		}
	}
	line := strings.Join(parts, ", ")
	if line == "" {
		line = fmt.Sprintf("no review changed, files: %d", r.Files)
	}
	rating := stars(r.After)
	if before := stars(r.Before); r.Before != nil && before != rating {
		rating = before + " → " + rating
	}
	return line + "; rating " + rating + "; " + byteCount(r.Bytes)
}

func stars(rating *float64) string {
	if rating == nil {
		return "none"
	}
	return strconv.FormatFloat(*rating, 'f', 2, 64)
}

// byteCount writes a number of bytes with the decimal prefixes of the SI.
func byteCount(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_950:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
