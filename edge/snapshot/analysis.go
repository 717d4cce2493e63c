package snapshot

import (
	"fmt"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// Analysis is the index of insights.json: the sentiment of each review, and of each aspect in it.
type Analysis struct {
	Insights *reviewcast.Insights // insights.json without per_review; nil when none is published

	perReview map[string]jsontext.Value         // by id
	sentiment map[string]set                    // by polarity
	aspects   map[reviewcast.Polarity]directory // by the polarity of the mention, all of them at ""
}

var polarities = [...]reviewcast.Polarity{reviewcast.Positive, reviewcast.Neutral, reviewcast.Negative, reviewcast.Mixed}

// Analysis returns the index of insights.json, built on first use; it is empty without insights, or with an error.
func (s *Snapshot) Analysis() (*Analysis, error) { return s.analysis() }

// Insight returns a review's value in per_review; nil if it has none.
func (s *Snapshot) Insight(id string) jsontext.Value {
	a, _ := s.Analysis() // after an error there are no values
	return a.perReview[id]
}

func (s *Snapshot) newAnalysis() (*Analysis, error) {
	file, published := s.File(reviewcast.PathInsights)
	if !published {
		return &Analysis{}, nil
	}
	n := s.Len()
	var in struct {
		reviewcast.Insights
		PerReview map[string]jsontext.Value `json:"per_review"`
	}
	if err := json.Unmarshal(file.Body, &in); err != nil {
		return &Analysis{}, fmt.Errorf("index %s: %w", reviewcast.PathInsights[1:], err)
	}
	maps.DeleteFunc(in.PerReview, func(id string, _ jsontext.Value) bool { _, published := s.reviews.ids[id]; return !published })
	a := &Analysis{Insights: &in.Insights, perReview: in.PerReview, aspects: map[reviewcast.Polarity]directory{}}
	sentiment, aspects := mentions{}, map[reviewcast.Polarity]mentions{"": {}}
	for _, p := range polarities {
		aspects[p] = mentions{}
	}
	for id, value := range in.PerReview {
		var insight struct {
			Sentiment reviewcast.Polarity            `json:"sentiment"`
			Aspects   map[string]reviewcast.Polarity `json:"aspects"`
		}
		if err := json.Unmarshal(value, &insight); err != nil {
			return &Analysis{}, fmt.Errorf("index %s: %w", reviewcast.PathInsights[1:], err)
		}
		ordinal := s.reviews.ids[id]
		sentiment.add(ordinal, string(insight.Sentiment))
		for aspect, polarity := range insight.Aspects {
			if known := aspects[polarity]; known != nil && polarity != "" {
				known.add(ordinal, aspect)
				aspects[""].add(ordinal, aspect)
			}
		}
	}
	a.sentiment = newDirectory(sentiment, n).mentions
	for polarity, reviews := range aspects {
		d := newDirectory(reviews, n)
		for _, aspect := range in.Aspects {
			d.name(aspect.ID, aspect.Label)
		}
		a.aspects[polarity] = d
	}
	return a, nil
}
