package render

import (
	"fmt"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"reviewcast"
)

// Withdrawals renders /withdrawn.json, one withdrawal a line.
func Withdrawals(list []reviewcast.Withdrawal) ([]byte, error) {
	body, err := layOut(&reviewcast.Withdrawals{Version: 1}, elements("withdrawn", list))
	return rendered(reviewcast.PathWithdrawn, body, err)
}

// Dataset renders /reviews.json in the promised layout. lines are [ReviewLine] of each review, in published order.
func Dataset(d *reviewcast.Dataset, lines [][]byte) ([]byte, error) {
	head := *d
	head.Reviews = nil
	body, err := layOut(&head, section{`"reviews":[`, `]`, lines, nil})
	return rendered(reviewcast.PathReviews, body, err)
}

// Insights renders /insights.json in the layout that the package comment promises. lines are [InsightLine] of each
// entry of PerReview, sorted by id.
func Insights(in *reviewcast.Insights, lines [][]byte) ([]byte, error) {
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
