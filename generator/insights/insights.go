// Package insights counts what customers say, with the sentence that proves it.
// Everything is a function of the published reviews and of the editors'
// vocabulary: no clock, no chance, no network, no model that nobody can inspect,
// and no number without a review behind it. What was fitted to sentences is a table
// of words and weights that anybody can read (lexicon/cues.txt).
//
// The way of a text: it is cut into words, sentences (UAX 29) and clauses; names
// of places and people are found, then services and problems, then the phrases of
// the aspects, each by longest match over folded, stemmed words; each mention of
// an aspect gets a polarity from the first of these that speaks: an editor's
// phrase, a shipped trade phrase, the cues of the sentence, the words around it
// weighed by distance, and, in a sentence that says nothing at all, the review's
// stars. Cues find aspects that no phrase names, too. What is found in one
// review depends on that review and the vocabulary alone, so a Cache keeps it.
// The reviews' findings are then counted: one vote an aspect a review.
//
// Compute is the whole package. Explain shows one review as Compute sees it, Judge
// measures the lexicon rule on others' sentences, Draft writes what an editor may
// want to say, and CheckClaims holds what editors said against the counts.
// docs/insights.md is the manual for readers and editors.
package insights

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"reviewcast"
)

// Input is all that the insights rest on.
type Input struct {
	Business reviewcast.Business
	// ServiceAliases and AreaAliases are other names of services and areas, by id.
	ServiceAliases, AreaAliases map[string][]string
	Aspects                     []Term // nil: DefaultAspects
	Problems                    []Term
	// Ignore are phrases that look like an aspect and are none ("late husband").
	Ignore    []string
	Topics    TopicRules
	Reviews   []Review // published ones, in any order
	FAQ       []reviewcast.FAQ
	Summary   *string
	PullQuote *reviewcast.PullQuote
	// Cache keeps what was found in each review from one Compute to the next; nil
	// keeps nothing.
	Cache *Cache
}

// Review is a published review and what its job record says.
type Review struct {
	*reviewcast.Review
	Job reviewcast.Mentions
}

// Result is what Compute finds.
type Result struct {
	Insights *reviewcast.Insights
	// Mentions are those of Input.Reviews, in the same order: the union of the
	// job record and the unambiguous names in title and text.
	Mentions []reviewcast.Mentions
	// Ambiguous are the names in texts that several technicians bear and that are
	// therefore credited to nobody, for the editor; sorted by name.
	Ambiguous []AmbiguousName
}

// AmbiguousName is a name that several technicians bear.
type AmbiguousName struct {
	Name          string
	TechnicianIDs []string
	ReviewIDs     []string // newest first
}

// found is a review and what is in it.
type found struct {
	Review
	*analysis
	verdict verdict
}

// Compute counts. It reads its input and changes nothing of it but the cache.
func Compute(in Input) Result {
	cache := in.Cache
	if cache == nil {
		cache = &Cache{}
	}
	v := cache.vocabulary(in)
	order := make([]int32, len(in.Reviews))
	for i := range order {
		order[i] = int32(i)
	}
	byAge := func(a, b int32) int {
		x, y := in.Reviews[a], in.Reviews[b]
		return cmp.Or(strings.Compare(string(y.Date), string(x.Date)), strings.Compare(x.ID, y.ID))
	}
	if !slices.IsSortedFunc(order, byAge) {
		slices.SortFunc(order, byAge)
	}
	all := make([]found, len(in.Reviews))
	reviews := make([]Review, len(in.Reviews))
	for to, from := range order {
		reviews[to] = in.Reviews[from]
		all[to].Review = in.Reviews[from]
	}
	cache.analyze(v, all)

	ents := newEntityCounter(in, v)
	mentions := ents.mentions(all)
	res := Result{Mentions: make([]reviewcast.Mentions, len(in.Reviews)), Ambiguous: ambiguous(v, all)}
	for to, from := range order {
		res.Mentions[from] = mentions[to]
	}
	digest := shipped().sha256
	ins := &reviewcast.Insights{
		Version: 1,
		Method: reviewcast.Method{
			Name: MethodName, Version: MethodVersion, LexiconSHA256: &digest, Languages: []string{"en"},
		},
		ReviewCount: len(all),
		DateRange:   dateRange(reviews),
		Temporal:    reviewcast.Temporal{Trend: starTrend(reviews)},
		FAQ:         in.FAQ,
		Summary:     in.Summary,
		PullQuote:   in.PullQuote,
	}
	var wg sync.WaitGroup // the parts read the same findings and write apart
	wg.Go(func() { ins.Topics = topics(in.Topics, v, all) })
	wg.Go(func() { ins.PerReview = perReview(v, all) })
	ins.Aspects = aspects(v, all)
	ins.Entities = ents.count(all)
	ins.OverallSentiment = overall(all)
	ins.Temporal.Monthly = monthly(all)
	wg.Wait()
	res.Insights = ins
	return res
}

// The method, as insights.json names it. The version changes when the same texts
// and vocabulary give other numbers.
const (
	MethodName    = "phrases-cues-lexicon"
	MethodVersion = "2"
)

// maxWorkers is how many goroutines parallel starts at most.
func maxWorkers() int { return runtime.GOMAXPROCS(0) }

// parallel calls do for every index below n, a batch at a time, on all cores.
// worker numbers the goroutines.
func parallel(n int, do func(worker, i int)) {
	const batch = 256
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := 0
	take := func() (lo, hi int) {
		mu.Lock()
		defer mu.Unlock()
		lo, hi = next, min(next+batch, n)
		next = hi
		return lo, hi
	}
	for w := range min(maxWorkers(), n/batch+1) {
		wg.Go(func() {
			for lo, hi := take(); lo < hi; lo, hi = take() {
				for i := lo; i < hi; i++ {
					do(w, i)
				}
			}
		})
	}
	wg.Wait()
}

// Mean is sum/n with two decimals, nil when n is 0: an average of nothing is not
// zero.
func Mean(sum, n int) *float64 {
	if n == 0 {
		return nil
	}
	m := round(float64(sum)/float64(n), 2)
	return &m
}

func round(f float64, decimals int) float64 {
	p := math.Pow10(decimals)
	r := math.Round(f*p) / p
	if r == 0 {
		return 0 // never -0
	}
	return r
}
