package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"reviewcast"
)

// Result is the result of a search.
type Result struct {
	Query   reviewcast.Query   // the search
	Matched int                // the number of reviews that match, returned or not
	Reviews []json.RawMessage  // the JSON of the first matches in the query's order, at most its limit
	Facets  *reviewcast.Facets // count all matches; nil unless the query asks for them
	More    bool               // there are matches after these
	Hint    string             // says which languages the reviews have if the query's is none of them
}

// AppendMembers appends the members of a [reviewcast.SearchResult] to b, without the braces around them.
func (r Result) AppendMembers(b []byte) []byte {
	frame, _ := json.Marshal(reviewcast.SearchResult{ // strings and numbers always marshal
		Matched: r.Matched, Returned: len(r.Reviews), Reviews: []reviewcast.Review{}, Query: r.Query, Facets: r.Facets, Hint: r.Hint})
	before, after, _ := bytes.Cut(frame[1:len(frame)-1], []byte("[]")) // of the reviews, which are JSON already
	b = append(append(b, before...), '[')
	for i, review := range r.Reviews {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, review...)
	}
	return append(append(b, ']'), after...)
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
		r.Hint = s.languageHint(q.Language)
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
			rated.keep(s.stars[stars])
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
		low, _ = s.reviews.dated(q.Until)
	}
	if q.Since != "" {
		_, high = s.reviews.dated(q.Since)
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
	s.technicians.intersect(found, q.Technician)
	s.services.intersect(found, q.Service)
	s.areas.intersect(found, q.ServiceArea)
	s.languages.intersect(found, q.Language)
	s.sources.intersect(found, q.Source)
	s.verifications.intersect(found, q.Verification)
	if q.HasReply != nil {
		found.keep(s.replies[*q.HasReply])
	}
	if q.Aspect != "" || q.Sentiment != "" {
		a, _ := s.Analysis() // after an error it is empty
		if q.Aspect != "" {
			a.aspects[q.Sentiment].intersect(found, q.Aspect)
		} else {
			found.keep(a.sentiment[string(q.Sentiment)])
		}
	}
	if q.Text != "" {
		kept := slices.DeleteFunc(slices.Clone(also), func(i int) bool { return !found.has(uint32(i)) })
		s.matchText(q.Text, found)
		for _, i := range kept {
			found.add(uint32(i))
		}
	}
	return found
}

// A scan reads the texts of the reviews that have all trigrams of a query. Only scans take more
// than a millisecond: they are limited in number, remembered, and charged by [Snapshot.Cost].
const (
	remembered   = 64   // how many results a snapshot keeps before it forgets all of them: 800 kB at 100,000 reviews
	fewTexts     = 1000 // the most texts that are read without remembering the result
	textsPerUnit = 3000 // how many texts are read in a millisecond, by BenchmarkSearch
)

// scanning holds a token for each scan that runs. One core is left for other requests.
var scanning = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))

// scans are the results of the last scans, by folded query.
type scans struct {
	mu      sync.Mutex
	results map[string]bitmap
}

func (c *scans) get(folded string) (bitmap, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.results[folded]
	return b, ok
}

func (c *scans) add(folded string, b bitmap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil || len(c.results) == remembered {
		c.results = map[string]bitmap{}
	}
	c.results[folded] = b
}

// matchText removes from found the reviews whose title and text don't contain the query.
func (s *Snapshot) matchText(query string, found bitmap) {
	if !utf8.ValidString(query) {
		clear(found)
		return
	}
	folded := fold(query)
	if b, ok := s.scans.get(folded); ok {
		found.and(b)
		return
	}
	if s.trigrams.filter([]rune(folded), found) {
		return
	}
	if found.len() <= fewTexts {
		s.scan(folded, found)
		return
	}
	scanning <- struct{}{}
	defer func() { <-scanning }()
	b, ok := s.scans.get(folded) // another request may have made it meanwhile
	if !ok {
		b = newBitmap(s.Len())
		b.addRange(0, s.Len())
		s.trigrams.filter([]rune(folded), b)
		s.scan(folded, b)
		s.scans.add(folded, b)
	}
	found.and(b)
}

// scan is matchText for a folded query, by reading.
func (s *Snapshot) scan(folded string, found bitmap) {
	for i := range found.all(0) {
		if !strings.Contains(s.texts[i], folded) {
			found.remove(i)
		}
	}
}

// Cost estimates how much more than an ordinary request a search costs, in milliseconds of
// computing time; most searches cost 0.
func (s *Snapshot) Cost(q reviewcast.Query) int {
	folded := fold(q.Text)
	query := []rune(folded)
	if _, ok := s.scans.get(folded); ok || !utf8.ValidString(q.Text) || len(query) <= 3 {
		return 0
	}
	return slices.MinFunc(s.trigrams.of(query), rarer).n / textsPerUnit // a scan reads the texts with its rarest trigram
}

type admissionKey struct{}

// WithAdmission returns a context in which admit decides whether a request may start work of a cost (see
// [Snapshot.Cost]). It returns how long the client has to wait first, 0 if it may go on.
func WithAdmission(ctx context.Context, admit func(cost int) (wait time.Duration)) context.Context {
	return context.WithValue(ctx, admissionKey{}, admit)
}

// Admit asks the function of [WithAdmission], if there is one.
func Admit(ctx context.Context, cost int) (wait time.Duration) {
	if admit, ok := ctx.Value(admissionKey{}).(func(int) time.Duration); ok && cost > 0 {
		return admit(cost)
	}
	return 0
}
