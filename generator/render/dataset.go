package render

import (
	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"reviewcast"
)

// Reviews renders /reviews.json in the layout that the package comment promises.
// The dataset's reviews must be in their published order.
func Reviews(d *reviewcast.Dataset) ([]byte, error) {
	return (&Renderer{}).Reviews(d)
}

// Reviews renders /reviews.json alone, and takes what hasn't changed since from what
// it rendered last, as Files does. The dataset must not be changed afterwards.
func (r *Renderer) Reviews(d *reviewcast.Dataset) ([]byte, error) {
	last := r.reviews
	if last == nil {
		last = &lastReviews{}
	}
	next, err := last.next(d)
	if err != nil {
		return nil, err
	}
	r.reviews = next
	return next.body, nil
}

// Insights renders /insights.json; each member of per_review has its own line.
func Insights(in *reviewcast.Insights) ([]byte, error) {
	l, err := (&lastInsights{}).next(in)
	if err != nil {
		return nil, err
	}
	return l.body, nil
}

// options are the package's rules for JSON: members of maps are sorted, and
// omitempty means what it means to encoding/json, by which the contract's types
// are read elsewhere. The rest this encoder does anyway: no null for an empty list
// or object, no escapes for the sake of HTML, an error for text that isn't UTF-8.
var options = json.JoinOptions(json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))

// marshal renders a whole file of JSON.
func marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v, options)
	return append(b, '\n'), err
}
