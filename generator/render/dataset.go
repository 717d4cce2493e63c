package render

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"reviewcast"
)

// Reviews renders /reviews.json in the promised layout. The reviews must be in published order.
func Reviews(d *reviewcast.Dataset) ([]byte, error) { return Content{Dataset: d}.Reviews() }

// Insights renders /insights.json in the layout that the package comment promises.
func Insights(in *reviewcast.Insights) ([]byte, error) { return Content{Insights: in}.insights() }

// Withdrawals renders /withdrawn.json, one withdrawal a line.
func Withdrawals(list []reviewcast.Withdrawal) ([]byte, error) {
	body, err := layOut(&reviewcast.Withdrawals{Version: 1}, elements("withdrawn", list))
	return rendered(reviewcast.PathWithdrawn, body, err)
}

// Reviews renders /reviews.json.
func (c Content) Reviews() ([]byte, error) {
	reviews := section{`"reviews":[`, `]`, c.ReviewLines, nil}
	if c.ReviewLines == nil {
		reviews = elements("reviews", c.Dataset.Reviews)
	}
	head := *c.Dataset
	head.Reviews = nil
	body, err := layOut(&head, reviews)
	return rendered(reviewcast.PathReviews, body, err)
}

func (c Content) insights() ([]byte, error) {
	lines := c.InsightLines
	if lines == nil {
		for _, id := range slices.Sorted(maps.Keys(c.Insights.PerReview)) {
			line, err := InsightLine(id, c.Insights.PerReview[id])
			if err != nil {
				return nil, fmt.Errorf("render %s: review %s: %w", reviewcast.PathInsights, id, err)
			}
			lines = append(lines, line)
		}
	}
	in := c.Insights
	head := *in
	head.Aspects, head.Entities, head.Topics, head.Temporal.Monthly, head.PerReview = nil, reviewcast.Entities{}, nil, nil, nil
	body, err := layOut(&head, elements("aspects", in.Aspects), elements("technicians", in.Entities.Technicians),
		elements("services", in.Entities.Services), elements("problems", in.Entities.Problems), elements("service_areas", in.Entities.ServiceAreas),
		elements("topics", in.Topics), elements("monthly", in.Temporal.Monthly), section{`"per_review":{`, `}`, lines, nil})
	return rendered(reviewcast.PathInsights, body, err)
}

// rendered is the result of rendering a file.
func rendered(path string, body []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", path, err)
	}
	return body, nil
}

// options are the package's rules for JSON: sorted maps, and omitempty as in encoding/json, by which the
// contract's types are read elsewhere.
var options = json.JoinOptions(json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))

// marshal renders a whole file of JSON.
func marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v, options)
	return append(b, '\n'), err
}
