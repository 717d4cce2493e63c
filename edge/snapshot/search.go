package snapshot

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"reviewcast"
)

// Result is the result of a search.
type Result struct {
	// Query is the search.
	Query reviewcast.Query
	// Matched is the number of reviews that match, returned or not.
	Matched int
	// Reviews are the JSON of the first matches in the query's order, at most its limit.
	Reviews []json.RawMessage
	// Facets count all matches; nil unless the query asks for them.
	Facets *reviewcast.Facets
	// More says that there are matches after these.
	More bool
}

// AppendMembers appends the members of a [reviewcast.SearchResult] to b, without the braces around them.
func (r Result) AppendMembers(b []byte) []byte {
	query, _ := json.Marshal(r.Query) // strings and numbers always marshal
	size := 128 + len(query)
	for _, review := range r.Reviews {
		size += len(review) + 1
	}
	b = slices.Grow(b, size)
	b = fmt.Appendf(b, `"matched":%d,"returned":%d,"reviews":[`, r.Matched, len(r.Reviews))
	for i, review := range r.Reviews {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, review...)
	}
	b = fmt.Appendf(b, `],"query":%s`, query)
	if r.Facets == nil {
		return b
	}
	facets, _ := json.Marshal(r.Facets) // ids and numbers always marshal
	return fmt.Appendf(b, `,"facets":%s`, facets)
}

// Search finds the reviews that match all filters of a query, in its order. Text must be UTF-8.
func (s *Snapshot) Search(q reviewcast.Query) Result { return s.SearchAfter(q, nil) }

// SearchAfter is Search, but returns only reviews after a place in the query's order, if it isn't nil. Matched still
// counts all matches. The reviews with the ordinals in also match the query's text even if they don't contain it.
func (s *Snapshot) SearchAfter(q reviewcast.Query, last *Place, also ...int) Result {
	found := s.match(q, also)
	r := Result{Query: q, Matched: found.len()}
	if q.Facets {
		r.Facets = s.facets(found)
	}
	if r.Matched == 0 {
		return r
	}
	r.Reviews = make([]json.RawMessage, 0, min(r.Matched, max(q.Limit, 0)))
	for i := range s.ordered(found, q.Order, last) {
		if len(r.Reviews) >= q.Limit {
			r.More = true
			break
		}
		r.Reviews = append(r.Reviews, s.reviews.json(int(i)))
	}
	return r
}

// ordered iterates over found in an order, from what follows a place on.
func (s *Snapshot) ordered(found bitmap, order string, last *Place) iter.Seq[uint32] {
	start, end := 0, s.Len()
	if last != nil {
		start, end = s.reviews.around(*last)
	}
	switch order {
	case reviewcast.OrderOldest:
		return found.backward(end)
	case reviewcast.OrderLowest, reviewcast.OrderHighest:
	default:
		return found.all(start)
	}
	return func(yield func(uint32) bool) {
		for step := range reviewcast.MaxRating {
			stars := reviewcast.MinRating + step
			if order == reviewcast.OrderHighest {
				stars = reviewcast.MaxRating - step
			}
			low := 0
			switch { // until the last one's stars come, all are before it
			case last != nil && last.Rating != stars:
				continue
			case last != nil:
				low, last = start, nil
			}
			rated := slices.Clone(found)
			s.stars[stars].intersect(rated)
			for i := range rated.all(low) {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// match returns the ordinals that match the query. Those in also count as matching its text.
func (s *Snapshot) match(q reviewcast.Query, also []int) bitmap {
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
	if q.Rating != 0 || q.MinRating > reviewcast.MinRating || q.MaxRating != 0 {
		rated := newBitmap(n)
		for stars := reviewcast.MinRating; stars <= reviewcast.MaxRating; stars++ {
			f := float64(stars)
			if (q.Rating == 0 || stars == q.Rating) && f >= q.MinRating && (q.MaxRating == 0 || f <= q.MaxRating) {
				s.stars[stars].addTo(rated)
			}
		}
		found.and(rated)
	}
	for _, f := range []struct {
		name string
		in   directory
	}{
		{q.Technician, s.technicians}, {q.Service, s.services}, {q.ServiceArea, s.areas},
		{q.Language, s.languages}, {q.Source, s.sources}, {q.Verification, s.verifications},
	} {
		if f.name != "" {
			found.and(f.in.reviews(f.name, n))
		}
	}
	if q.HasReply != nil {
		replied := newBitmap(n)
		s.replied.addTo(replied)
		if !*q.HasReply {
			for w := range replied {
				replied[w] = ^replied[w]
			}
		}
		found.and(replied)
	}
	s.matchSentiment(q, found)
	if q.Text != "" {
		var kept []uint32
		for _, i := range also {
			if found.has(uint32(i)) {
				kept = append(kept, uint32(i))
			}
		}
		s.matchText(q.Text, found)
		for _, i := range kept {
			found.add(i)
		}
	}
	return found
}

// matchSentiment removes the reviews that don't have the query's aspect and sentiment.
func (s *Snapshot) matchSentiment(q reviewcast.Query, found bitmap) {
	if q.Aspect == "" && q.Sentiment == "" {
		return
	}
	switch a, err := s.Analysis(); {
	case err != nil || a.Insights == nil:
		clear(found)
	case q.Aspect != "":
		found.and(a.aspectReviews(q.Aspect, q.Sentiment, s.Len()))
	default:
		b := newBitmap(s.Len())
		a.sentiment.addTo(b, q.Sentiment)
		found.and(b)
	}
}
