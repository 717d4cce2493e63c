package snapshot

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// Analysis is the index of insights.json: the sentiment of each review, and of each aspect in it.
type Analysis struct {
	// Insights is insights.json without per_review; nil when none is published.
	Insights *reviewcast.Insights

	perReview map[string]jsontext.Value // by id
	sentiment *polarityBits
	aspects   map[string]*polarityBits
	names     directory // of aspects, by id and label
}

var polarities = [...]reviewcast.Polarity{reviewcast.Positive, reviewcast.Neutral, reviewcast.Negative, reviewcast.Mixed}

// polarityBits are the reviews of each polarity, in the order of polarities.
type polarityBits [len(polarities)]bitmap

func newPolarityBits(n int) *polarityBits {
	var p polarityBits
	for i := range p {
		p[i] = newBitmap(n)
	}
	return &p
}

// add records a review's polarity. An empty or unknown one is ignored.
func (p *polarityBits) add(polarity reviewcast.Polarity, ordinal uint32) {
	if i := slices.Index(polarities[:], polarity); i >= 0 {
		p[i].add(ordinal)
	}
}

// addTo adds the reviews of a polarity to b, those of all if it is empty.
func (p *polarityBits) addTo(b bitmap, polarity reviewcast.Polarity) {
	for i := range p {
		if polarity == "" || polarity == polarities[i] {
			b.or(p[i])
		}
	}
}

// Analysis returns the index of insights.json, built on first use; it is empty without insights, or with an error.
func (s *Snapshot) Analysis() (*Analysis, error) { return s.analysis() }

// Insight returns a review's value in per_review; nil if it has none.
func (s *Snapshot) Insight(id string) jsontext.Value {
	a, _ := s.Analysis() // after an error there are no values
	return a.perReview[id]
}

// aspectReviews returns the reviews that mention an aspect, by id or label, with a polarity or, if empty, any.
func (a *Analysis) aspectReviews(name string, polarity reviewcast.Polarity, n int) bitmap {
	b := newBitmap(n)
	for _, id := range a.names.ids(name) {
		if p := a.aspects[id]; p != nil {
			p.addTo(b, polarity)
		}
	}
	return b
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
	a := &Analysis{Insights: &in.Insights, perReview: in.PerReview, sentiment: newPolarityBits(n), aspects: map[string]*polarityBits{}, names: newDirectory(nil, n)}
	for id, value := range in.PerReview {
		var insight struct {
			Sentiment reviewcast.Polarity            `json:"sentiment"`
			Aspects   map[string]reviewcast.Polarity `json:"aspects"`
		}
		if err := json.Unmarshal(value, &insight); err != nil {
			return &Analysis{}, fmt.Errorf("index %s: %w", reviewcast.PathInsights[1:], err)
		}
		ordinal := s.reviews.ids[id]
		a.sentiment.add(insight.Sentiment, ordinal)
		for aspect, polarity := range insight.Aspects {
			p := a.aspects[aspect]
			if p == nil {
				p = newPolarityBits(n)
				a.aspects[aspect] = p
				a.names.name(aspect)
			}
			p.add(polarity, ordinal)
		}
	}
	for _, aspect := range in.Aspects {
		a.names.name(aspect.ID, aspect.Label)
	}
	return a, nil
}
