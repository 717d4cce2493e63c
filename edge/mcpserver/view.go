package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// errNothingPublished answers calls before the first snapshot.
var errNothingPublished = errors.New("nothing is published here yet; try again in a moment")

// view is a snapshot as agents see it: immutable and clean (see cleanText).
type view struct {
	*snapshot.Snapshot
	dataset  reviewcast.Dataset       // without reviews
	insights reviewcast.Insights      // without per_review
	names    map[string]namedList     // by kind; see newNames
	examples *strings.Replacer        // see newExamples
	ids      func() []string          // of all reviews, newest first
	altered  func() map[int][2]string // see alteredTexts
}

// newView decodes a snapshot's insights. The reviews were checked on indexing.
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
		if v.insights, err = cleaned(*analysis.Insights); err != nil {
			return nil, fmt.Errorf("view %s: %w", reviewcast.PathInsights[1:], err)
		}
	}
	v.names = newNames(v.dataset.Business, v.insights)
	v.examples = newExamples(v)
	v.ids = sync.OnceValue(func() []string { return v.newest(v.Len()) })
	v.altered = sync.OnceValue(v.alteredTexts)
	return v, nil
}

func cleaned[T any](value T) (clean T, err error) {
	raw, err := encode(value)
	if err == nil {
		err = json.Unmarshal(cleanJSON(raw), &clean)
	}
	return clean, err
}

// encode writes JSON as in the published files: empty lists as [], members sorted, no HTML escapes.
func encode(value any) (jsontext.Value, error) { return json.Marshal(value, json.Deterministic(true)) }

// newest returns the ids of the newest n reviews.
func (v *view) newest(n int) (ids []string) {
	for _, raw := range v.Search(reviewcast.Query{Limit: n}).Reviews {
		ids = append(ids, snapshot.PlaceOf(raw).ID)
	}
	return ids
}

// alteredTexts returns the reviews with invisible characters as agents see them, and copy phrases from, by ordinal.
func (v *view) alteredTexts() map[int][2]string {
	altered := map[int][2]string{}
	for i, raw := range v.Search(reviewcast.Query{Limit: v.Len()}).Reviews {
		if clean := cleanJSON(raw); !bytes.Equal(raw, clean) {
			var r struct{ Title, Text string }
			_ = json.Unmarshal(clean, &r) // checked when the snapshot was opened
			altered[i] = [2]string{r.Title, r.Text}
		}
	}
	return altered
}

// alsoMatching returns the ordinals of altered reviews that contain a query as agents see them.
func (v *view) alsoMatching(query string) (ordinals []int) {
	if query == "" || len(v.altered()) == 0 {
		return nil
	}
	match := matching(query)
	for ordinal, seen := range v.altered() {
		if match.MatchString(seen[0]) || match.MatchString(seen[1]) {
			ordinals = append(ordinals, ordinal)
		}
	}
	return ordinals
}

// views makes the view of the current snapshot once, at the first call after a swap.
type views struct {
	holder *snapshot.Holder

	mu   sync.Mutex
	of   *snapshot.Snapshot
	view *view // of it
	err  error // why there is no view: the same bytes fail every time
}

// load returns the current view, or the reason why there is none.
func (c *views) load() (*view, error) {
	s := c.holder.Indexed.Load()
	if s == nil {
		return nil, errNothingPublished
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != s {
		c.view, c.err = newView(s)
		c.of = s
	}
	return c.view, c.err
}
