package render

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"reviewcast"
)

// Withdrawals renders /withdrawn.json, one withdrawal a line.
func Withdrawals(list []reviewcast.Withdrawal) ([]byte, error) {
	return layOut(&reviewcast.Withdrawals{Version: 1}, elements("withdrawn", list))
}

// Dataset renders /reviews.json in the promised layout. lines are [ReviewLine] of each review, in published order.
func Dataset(d *reviewcast.Dataset, lines [][]byte) ([]byte, error) {
	head := *d
	head.Reviews = nil
	return layOut(&head, section{`"reviews":[`, `]`, lines, nil})
}

// Insights renders /insights.json in the layout that the package comment promises. lines are [InsightLine] of each
// entry of PerReview, sorted by id.
func Insights(in *reviewcast.Insights, lines [][]byte) ([]byte, error) {
	head := *in
	head.Aspects, head.Entities, head.Topics, head.Temporal.Monthly, head.PerReview = nil, reviewcast.Entities{}, nil, nil, nil
	return layOut(&head, elements("aspects", in.Aspects), elements("technicians", in.Entities.Technicians),
		elements("services", in.Entities.Services), elements("problems", in.Entities.Problems), elements("service_areas", in.Entities.ServiceAreas),
		elements("topics", in.Topics), elements("monthly", in.Temporal.Monthly), section{`"per_review":{`, `}`, lines, nil})
}

// options are the package's rules for JSON: sorted maps, and omitempty as in encoding/json, by which the
// contract's types are read elsewhere.
var options = json.JoinOptions(json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))

// marshal renders a whole file of JSON.
func marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v, options)
	return append(b, '\n'), err
}

// ReviewLine renders one review as on its line of reviews.json, without comma and newline.
func ReviewLine(r *reviewcast.Review) ([]byte, error) { return json.Marshal(r, options) }

// InsightLine renders one entry of per_review as it stands on its line of
// insights.json: `"r-1":{…}`, without the comma and the newline.
func InsightLine(id string, in reviewcast.ReviewInsight) ([]byte, error) {
	line, err := json.Marshal(map[string]reviewcast.ReviewInsight{id: in}, options)
	return bytes.TrimPrefix(bytes.TrimSuffix(line, []byte("}")), []byte("{")), err
}

// section is a list or an object of a file with one element a line.
type section struct {
	open, shut string   // `"reviews":[` and `]`
	lines      [][]byte // as ReviewLine and InsightLine give them
	err        error    // of rendering them
}

// elements makes the section of a list.
func elements[T any](name string, list []T) section {
	s := section{open: `"` + name + `":[`, shut: "]"}
	for i := range list {
		line, err := json.Marshal(&list[i], options)
		if err != nil {
			s.err = cmp.Or(s.err, fmt.Errorf("element %d of %s: %w", i, name, err))
		}
		s.lines = append(s.lines, line)
	}
	return s
}

// layOut renders head, and puts the sections into its empty members, in their order in head.
func layOut(head any, sections ...section) ([]byte, error) {
	framed, err := marshal(head)
	// What is before the rating seldom changes: change documents copy its line.
	framed = bytes.Replace(framed, []byte(`,"aggregate_rating":`), []byte(",\n"+`"aggregate_rating":`), 1)
	size := len(framed)
	for _, s := range sections {
		err = cmp.Or(err, s.err)
		for _, line := range s.lines {
			size += len(line) + len(",\n")
		}
	}
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, size+len(sections))
	for _, s := range sections {
		if len(s.lines) == 0 {
			continue
		}
		// No string can hold the member's name in this form: its quotation marks would be escaped.
		before, after, _ := bytes.Cut(framed, []byte(s.open+s.shut))
		out = append(append(append(out, before...), s.open...), '\n')
		for _, line := range s.lines {
			out = append(append(out, line...), ",\n"...)
		}
		out = append(append(out[:len(out)-len(",\n")], '\n'), s.shut...)
		framed = after
	}
	return append(out, framed...), nil
}
