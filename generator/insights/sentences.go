package insights

import (
	"iter"

	"reviewcast/generator/sentiment"
)

// Sentences returns the sentence behind each vote of a review, by the id of its
// aspect. The insights publish the best of them as evidence.
func (r *Analyzed) Sentences(an *sentiment.Analyzer) iter.Seq2[string, string] {
	return func(yield func(aspect, sentence string) bool) {
		if r.Text == nil {
			return
		}
		for _, v := range r.Votes {
			where := readable(*r.Text, &r.Aspects[v.Mention])
			if !yield(an.Aspects()[v.Aspect].ID, (*r.Text)[where.Start:where.End]) {
				return
			}
		}
	}
}
