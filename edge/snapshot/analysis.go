package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// Analysis is the index of insights.json: the sentiment of each review, and of each aspect in it.
type Analysis struct {
	// Insights is insights.json with an empty per_review; nil when none is published.
	Insights json.RawMessage

	body      []byte
	spans     []span // of each review's value in per_review, by ordinal; empty if it has none
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
func (s *Snapshot) Insight(id string) json.RawMessage {
	a, _ := s.Analysis() // after an error there are no spans
	i, ok := s.reviews.ids[id]
	if !ok || int(i) >= len(a.spans) || a.spans[i].end == 0 {
		return nil
	}
	return a.body[a.spans[i].start:a.spans[i].end:a.spans[i].end]
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
	body := s.Insights()
	if body == nil {
		return &Analysis{}, nil
	}
	n := s.Len()
	a := &Analysis{body: body, spans: make([]span, n), sentiment: newPolarityBits(n), aspects: map[string]*polarityBits{}, names: newDirectory(nil, n)}
	perReview, err := a.index(s.reviews.ids, n)
	if err != nil {
		return &Analysis{}, fmt.Errorf("index %s: %w", reviewcast.PathInsights[1:], err)
	}
	a.Insights = body
	if perReview.end > 0 {
		a.Insights = slices.Concat(body[:perReview.start], []byte("{}"), body[perReview.end:])
	}
	var in reviewcast.Insights
	if err := json.Unmarshal(a.Insights, &in); err != nil {
		return &Analysis{}, fmt.Errorf("index %s: %w", reviewcast.PathInsights[1:], err)
	}
	for _, aspect := range in.Aspects {
		a.names.name(aspect.ID, aspect.Label)
	}
	return a, nil
}

// index reads per_review and returns its position in the body.
func (a *Analysis) index(ordinals map[string]uint32, n int) (perReview span, err error) {
	// A Buffer is read in place. Without the check of names the decoder remembers none.
	d := jsontext.NewDecoder(bytes.NewBuffer(a.body), jsontext.AllowDuplicateNames(true))
	var insight struct {
		Sentiment reviewcast.Polarity            `json:"sentiment"`
		Aspects   map[string]reviewcast.Polarity `json:"aspects"`
	}
	return member(d, "per_review", '{', func() error {
		id, err := d.ReadToken()
		if err != nil {
			return err
		}
		ordinal, published := ordinals[id.String()]
		if !published {
			return d.SkipValue()
		}
		insight.Sentiment = ""
		clear(insight.Aspects)
		value, err := d.ReadValue()
		if err == nil {
			err = jsonv2.Unmarshal(value, &insight)
		}
		if err != nil {
			return err
		}
		end := int(d.InputOffset())
		a.spans[ordinal] = span{end - len(value), end}
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
		return nil
	})
}
