package insights

import (
	"crypto/sha256"
	"fmt"

	"reviewcast"
)

// Cache keeps what was found in each review, so that in watch mode only changed
// reviews are read again. It holds the reviews of the last Compute and no other,
// and forgets everything when the vocabulary changes. The zero Cache is empty. It
// is for one Compute at a time.
type Cache struct {
	fingerprint [sha256.Size]byte
	v           *vocabulary
	workers     []*worker
	entries     map[string]kept
	// Analyzed counts the reviews that the last Compute had to read.
	Analyzed int
}

// kept is a review's text and what was found in it. The text itself is compared,
// and costs nothing where the loader gives the same string again.
type kept struct {
	title, text *string
	language    string
	rating      int
	analysis    *analysis
}

func same(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func (k *kept) is(r *reviewcast.Review) bool {
	return k.analysis != nil && k.rating == r.Rating && k.language == r.Language && same(k.title, r.Title) && same(k.text, r.Text)
}

// vocabulary compiles the input's words, unless they are the last ones.
func (c *Cache) vocabulary(in Input) *vocabulary {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %q %q %q %q", in.Business.Services, in.Business.Technicians, in.Business.ServiceAreas,
		in.ServiceAliases, in.AreaAliases, in.Aspects, in.Problems, in.Ignore, in.Topics)
	fmt.Fprint(h, in.Aspects == nil)
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	if c.v == nil || sum != c.fingerprint {
		*c = Cache{fingerprint: sum, v: newVocabulary(in)}
	}
	return c.v
}

// analyze fills in the findings of all reviews.
func (c *Cache) analyze(v *vocabulary, all []found) {
	var todo []int32
	next := make(map[string]kept, len(all))
	for i := range all {
		k := c.entries[all[i].ID]
		if k.is(all[i].Review.Review) {
			all[i].analysis = k.analysis
			next[all[i].ID] = k
			continue
		}
		todo = append(todo, int32(i))
	}
	c.Analyzed = len(todo)
	results := make([]analysis, len(todo))
	for len(c.workers) < maxWorkers() {
		c.workers = append(c.workers, newWorker(v))
	}
	parallel(len(todo), func(w, i int) {
		results[i] = c.workers[w].analyze(all[todo[i]].Review.Review)
	})
	for i, at := range todo {
		r := &all[at]
		r.analysis = &results[i]
		next[r.ID] = kept{r.Title, r.Text, r.Language, r.Rating, r.analysis}
	}
	c.entries = next
	parallel(len(all), func(_, i int) { all[i].verdict = judge(&all[i]) })
}
