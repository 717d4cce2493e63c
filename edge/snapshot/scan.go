package snapshot

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"time"
	"unicode/utf8"

	"reviewcast"
)

// A scan reads the texts of the reviews that have all trigrams of a query. Only scans take more
// than a millisecond: they are limited in number, remembered, and charged by [Snapshot.Cost].
const (
	// remembered is how many results a snapshot keeps before it forgets all of them: 800 kB at 100,000 reviews.
	remembered = 64
	// fewTexts is the most texts that are read without remembering the result.
	fewTexts = 1000
	// textsPerUnit is how many texts are read in a millisecond, by BenchmarkSearch.
	textsPerUnit = 3000
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
	folded := string(fold(nil, []byte(query)))
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
	want := []byte(folded)
	for i := range found.all(0) {
		if !bytes.Contains(s.texts[i/shardSize].of(int(i%shardSize)), want) {
			found.remove(i)
		}
	}
}

// Cost estimates how much more than an ordinary request a search costs, in milliseconds of
// computing time; most searches cost 0.
func (s *Snapshot) Cost(q reviewcast.Query) int {
	folded := string(fold(nil, []byte(q.Text)))
	if _, ok := s.scans.get(folded); ok || !utf8.ValidString(q.Text) {
		return 0
	}
	return s.trigrams.atMost([]rune(folded)) / textsPerUnit
}

// An Admission decides whether a request may start work of a cost (see [Snapshot.Cost]). It returns
// how long the client has to wait first, 0 if it may go on.
type Admission func(cost int) (wait time.Duration)

type admissionKey struct{}

// WithAdmission returns a context whose costly work an Admission decides about.
func WithAdmission(ctx context.Context, a Admission) context.Context {
	return context.WithValue(ctx, admissionKey{}, a)
}

// Admit asks the context's Admission, if there is one.
func Admit(ctx context.Context, cost int) (wait time.Duration) {
	if a, ok := ctx.Value(admissionKey{}).(Admission); ok && cost > 0 {
		return a(cost)
	}
	return 0
}
