package mcpserver

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// errNothingPublished answers calls before the first snapshot.
var errNothingPublished = errors.New("nothing is published here yet; try again in a moment")

// view is a snapshot as agents see it. It is immutable, and everything in it is clean
// (see cleanText).
type view struct {
	*snapshot.Snapshot
	dataset  reviewcast.Dataset  // without reviews
	insights reviewcast.Insights // without per_review
	names    directories
	examples *strings.Replacer // see newExamples

	business jsontext.Value // results of the tools without arguments, made once
	summary  jsontext.Value
	topics   jsontext.Value
	faq      jsontext.Value
	ids      func() []string      // of all reviews, newest first
	altered  func() []alteredText // see alteredTexts
}

// newView decodes a snapshot's insights. The reviews were checked when the snapshot
// was opened.
func newView(s *snapshot.Snapshot) (*view, error) {
	v := &view{Snapshot: s}
	var err error
	if v.dataset, err = cleaned(s.Dataset()); err != nil {
		return nil, fmt.Errorf("view dataset: %w", err)
	}
	analysis, err := s.Analysis()
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	if analysis.Insights != nil {
		if err := json.Unmarshal(cleanJSON(analysis.Insights), &v.insights); err != nil {
			return nil, fmt.Errorf("view %s: %w", reviewcast.PathInsights[1:], err)
		}
	}
	v.names = newDirectories(v.dataset.Business, v.insights)
	v.examples = newExamples(v)
	for _, made := range []struct {
		to   *jsontext.Value
		from any
	}{
		{&v.business, newBusiness(v)},
		{&v.summary, newSummary(v, "")},
		{&v.topics, newTopicList(v)},
		{&v.faq, faqList{FAQ: v.insights.FAQ}},
	} {
		if *made.to, err = encode(made.from); err != nil {
			return nil, fmt.Errorf("view %T: %w", made.from, err)
		}
	}
	v.ids = sync.OnceValue(v.reviewIDs)
	v.altered = sync.OnceValue(v.alteredTexts)
	return v, nil
}

// cleaned returns a copy of a value with all its strings clean.
func cleaned[T any](value T) (clean T, err error) {
	raw, err := encode(value)
	if err != nil {
		return clean, err
	}
	return clean, json.Unmarshal(cleanJSON(raw), &clean)
}

// encode writes JSON as in the published files: nil and empty lists as [], sorted map
// members, and <, > and & unescaped.
func encode(value any) (jsontext.Value, error) {
	return json.Marshal(value, json.Deterministic(true))
}

// review finds a review's JSON.
func (v *view) review(id string) (jsontext.Value, bool) {
	raw, ok := v.Review(id)
	if !ok {
		return nil, false
	}
	return cleanJSON(raw), true
}

// reviewIDs lists the ids of all reviews.
func (v *view) reviewIDs() []string {
	all := v.SearchFrom(reviewcast.Query{Limit: v.Len()}, 0).Reviews
	ids := make([]string, 0, len(all))
	for _, raw := range all {
		ids = append(ids, keyOf(raw).ID)
	}
	return ids
}

// alteredText is a review whose text or title agents see without invisible characters.
type alteredText struct {
	ordinal     int
	title, text string // clean
}

// alteredTexts finds the reviews with invisible characters. A phrase that an agent
// copied from one doesn't occur in the published text.
func (v *view) alteredTexts() (altered []alteredText) {
	for i, raw := range v.SearchFrom(reviewcast.Query{Limit: v.Len()}, 0).Reviews {
		if bytes.Equal(raw, cleanJSON(raw)) {
			continue
		}
		r, a := readReview(raw), alteredText{ordinal: i}
		if r.Title != nil {
			a.title = cleanText(*r.Title)
		}
		if r.Text != nil {
			a.text = cleanText(*r.Text)
		}
		altered = append(altered, a)
	}
	return altered
}

// alsoMatching returns the ordinals of altered reviews that contain a query as agents
// see them.
func (v *view) alsoMatching(query string) (ordinals []int) {
	if query == "" {
		return nil
	}
	for _, a := range v.altered() {
		if indexFold(a.text, query) >= 0 || indexFold(a.title, query) >= 0 {
			ordinals = append(ordinals, a.ordinal)
		}
	}
	return ordinals
}

// key is a review's position in the published order: date descending, then id
// ascending.
type key struct {
	Date reviewcast.Date `json:"date"`
	ID   string          `json:"id"`
}

func keyOf(review []byte) (k key) {
	_ = json.Unmarshal(review, &k) // checked when the snapshot was opened
	return k
}

// compare is the published order.
func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(other.Date, k.Date), cmp.Compare(k.ID, other.ID))
}

// views caches the view of the current snapshot. The first call after a swap makes
// it.
type views struct {
	holder  *snapshot.Holder
	mu      sync.Mutex // held while a view is made
	current atomic.Pointer[attempt]
}

// attempt is the result of making the view of a snapshot. A failure is kept, too: the
// same bytes would fail at every request.
type attempt struct {
	of   *snapshot.Snapshot
	view *view
	err  error
}

// load returns the current view, or the reason why there is none.
func (c *views) load() (*view, error) {
	s := c.holder.Load()
	if s == nil {
		return nil, errNothingPublished
	}
	if a := c.current.Load(); a != nil && a.of == s {
		return a.view, a.err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.current.Load(); a != nil && a.of == s {
		return a.view, a.err
	}
	v, err := newView(s)
	c.current.Store(&attempt{s, v, err})
	return v, err
}

// of returns the view of a snapshot that may no longer be current, nil when it has
// none.
func (c *views) of(s *snapshot.Snapshot) *view {
	if s == nil {
		return nil
	}
	if a := c.current.Load(); a != nil && a.of == s {
		return a.view
	}
	v, err := newView(s)
	if err != nil {
		return nil
	}
	return v
}

// same reports whether a resource is the same in two views; either may be nil.
func same(a, b *view, uri string) bool {
	return bytes.Equal(a.resource(uri), b.resource(uri))
}
