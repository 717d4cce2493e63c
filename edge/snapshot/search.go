package snapshot

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"reviewcast"
)

// Result is what a search finds.
type Result struct {
	// Matched is how many reviews match, returned or not.
	Matched int
	// Reviews are the JSON of the newest that match, at most the query's limit.
	Reviews []json.RawMessage
	// Next is where SearchFrom goes on; -1 when nothing is left.
	Next int
}

// Search finds the reviews that match all filters of a query, newest first. Text
// that isn't UTF-8 matches nothing.
func (s *Snapshot) Search(q reviewcast.Query) Result { return s.SearchFrom(q, 0) }

// SearchFrom is Search with only the reviews from an ordinal on returned: 0, or a
// Result's Next. Matched counts them all.
func (s *Snapshot) SearchFrom(q reviewcast.Query, ordinal int) Result {
	found := s.match(q)
	r := Result{Matched: found.len(), Next: -1}
	if r.Matched == 0 || ordinal < 0 {
		return r
	}
	r.Reviews = make([]json.RawMessage, 0, min(r.Matched, max(q.Limit, 0)))
	for i := range found.all(ordinal) {
		if len(r.Reviews) >= q.Limit {
			r.Next = int(i)
			break
		}
		r.Reviews = append(r.Reviews, s.reviews.json(int(i)))
	}
	return r
}

// match finds all ordinals that match the query.
func (s *Snapshot) match(q reviewcast.Query) bitmap {
	n := s.Len()
	found := newBitmap(n)
	low, high := 0, n
	if q.Until != "" {
		low = s.reviews.newerThan(q.Until)
	}
	if q.Since != "" {
		high = s.reviews.after(q.Since)
	}
	found.addRange(low, high)
	if q.Rating != 0 {
		s.star(q.Rating).intersect(found)
	}
	if q.MinRating > reviewcast.MinRating {
		enough := newBitmap(n)
		for stars := reviewcast.MinRating; stars <= reviewcast.MaxRating; stars++ {
			if float64(stars) >= q.MinRating {
				s.star(stars).addTo(enough)
			}
		}
		found.and(enough)
	}
	if q.Technician != "" {
		found.and(s.technicians.reviews(q.Technician, n))
	}
	if q.Service != "" {
		found.and(s.services.reviews(q.Service, n))
	}
	if q.Text != "" {
		s.matchText(q.Text, found)
	}
	return found
}

func (s *Snapshot) star(rating int) set {
	if rating < 0 || rating >= len(s.stars) {
		return set{}
	}
	return s.stars[rating]
}

// matchText keeps in found the reviews whose title or text contains the query.
func (s *Snapshot) matchText(query string, found bitmap) {
	if !utf8.ValidString(query) {
		clear(found)
		return
	}
	folded := fold(nil, []byte(query))
	if s.trigrams.filter([]rune(string(folded)), found) {
		return
	}
	for i := range found.all(0) {
		if !bytes.Contains(s.texts[i/shardSize].of(int(i%shardSize)), folded) {
			found.remove(i)
		}
	}
}
