package render

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// examples are the bodies that the API's description shows. They are what the
// renderers make of an excerpt of the dataset, so that each is complete and true
// to its schema.
type examples struct {
	dataset, insights, jsonFeed, manifest, description jsontext.Value
	search, since, mcpRequest, mcpResponse             jsontext.Value
	atom                                               string
	sinceDate                                          reviewcast.Date
}

// Limits of the excerpt: enough to see the form, short enough to read.
const (
	exampleReviews  = 2
	exampleTextSize = 600 // code points
)

func newExamples(c Channel, e *reviewcast.Dataset) (*examples, error) {
	oldest := e.Reviews[len(e.Reviews)-1].Date
	ex := &examples{sinceDate: oldest}
	n := len(e.Reviews)
	atom, err := Atom(c, e)
	if err != nil {
		return nil, err
	}
	ex.atom = string(atom)
	if ex.jsonFeed, err = JSONFeed(c, e); err != nil {
		return nil, err
	}
	for _, example := range []struct {
		into  *jsontext.Value
		value any
	}{
		{&ex.dataset, e},
		{&ex.insights, exampleInsights},
		{&ex.manifest, exampleManifest(c)},
		{&ex.description, map[string]any{
			"openapi": "3.1.0", "info": map[string]any{"title": c.Title, "version": reviewcast.Version}, "paths": map[string]any{},
		}},
		{&ex.search, reviewcast.SearchResult{Matched: n, Returned: n, Reviews: e.Reviews, Query: reviewcast.Query{Since: oldest, Limit: reviewcast.DefaultLimit}}},
		{&ex.since, reviewcast.SinceResult{Since: oldest, Matched: n, Returned: n, Reviews: e.Reviews}},
		{&ex.mcpRequest, map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": "search_reviews", "arguments": map[string]any{"rating": 5, "limit": 3}},
		}},
		{&ex.mcpResponse, map[string]any{
			"jsonrpc": "2.0", "id": 1,
			"result": map[string]any{"content": []any{map[string]any{"type": "text", "text": "No review matches."}}, "isError": false},
		}},
	} {
		if *example.into, err = json.Marshal(example.value, options); err != nil {
			return nil, err
		}
	}
	return ex, nil
}

// excerpt is a dataset of a few short reviews, the newest there are, with numbers
// that are true of them. Without one it has a made-up review.
func excerpt(d *reviewcast.Dataset) *reviewcast.Dataset {
	e := *d
	e.Reviews = nil
	for i := range d.Reviews {
		if r := &d.Reviews[i]; r.Text == nil || utf8.RuneCountInString(*r.Text) <= exampleTextSize {
			if e.Reviews = append(e.Reviews, *r); len(e.Reviews) == exampleReviews {
				break
			}
		}
	}
	if len(e.Reviews) == 0 {
		e.Reviews = []reviewcast.Review{exampleReview}
	}
	e.AggregateRating = reviewcast.Aggregate(e.Reviews)
	e.ReviewCount = len(e.Reviews)
	return &e
}
