package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// Analysis is the index of insights.json: the sentiment of each review, and of each
// aspect in it. [Snapshot.Analysis] builds it on first use, so that opening a snapshot
// doesn't take longer.
type Analysis struct {
	// Insights is insights.json with an empty per_review; nil when none is published.
	Insights json.RawMessage

	body      []byte
	spans     []span // of each review's value in per_review, by ordinal; empty if it has none
	sentiment polarityBits
	aspects   map[string]*polarityBits
	names     map[string][]string // folded id or label of an aspect -> ids
}

// polarities are the values of a sentiment.
var polarities = [...]reviewcast.Polarity{reviewcast.Positive, reviewcast.Neutral, reviewcast.Negative, reviewcast.Mixed}

// polarityBits are the reviews of each polarity, in the order of polarities.
type polarityBits [len(polarities)]bitmap

func newPolarityBits(n int) (p polarityBits) {
	for i := range p {
		p[i] = newBitmap(n)
	}
	return p
}

// addTo adds the reviews of a polarity to b, those of all if it is empty.
func (p *polarityBits) addTo(b bitmap, polarity reviewcast.Polarity) {
	for i := range p {
		if polarity == "" || polarity == polarities[i] {
			b.or(p[i])
		}
	}
}

// Analysis returns the index of insights.json. It is empty when no insights are
// published, and also, with an error, when they can't be decoded.
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

// aspectReviews returns the reviews that mention an aspect, given by id or label, with
// a polarity, or with any if that is empty.
func (a *Analysis) aspectReviews(name string, polarity reviewcast.Polarity, n int) bitmap {
	b := newBitmap(n)
	for _, id := range a.names[foldString(name)] {
		if p := a.aspects[id]; p != nil {
			p.addTo(b, polarity)
		}
	}
	return b
}

// newAnalysis indexes insights.json.
func (s *Snapshot) newAnalysis() (*Analysis, error) {
	body := s.Insights()
	if body == nil {
		return &Analysis{}, nil
	}
	n := s.Len()
	a := &Analysis{body: body, spans: make([]span, n), sentiment: newPolarityBits(n), aspects: map[string]*polarityBits{}, names: map[string][]string{}}
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
		for _, name := range []string{aspect.ID, aspect.Label} {
			key := foldString(name)
			if name != "" && !slices.Contains(a.names[key], aspect.ID) {
				a.names[key] = append(a.names[key], aspect.ID)
			}
		}
	}
	return a, nil
}

// index reads per_review and returns its position in the body.
func (a *Analysis) index(ordinals map[string]uint32, n int) (perReview span, err error) {
	// A Buffer is read in place. Without the check of names the decoder remembers none.
	d := jsontext.NewDecoder(bytes.NewBuffer(a.body), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil {
		return span{}, err
	} else if t.Kind() != '{' {
		return span{}, errors.New("not a JSON object")
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return span{}, err
		}
		if name.String() != "per_review" || d.PeekKind() != '{' {
			if err := d.SkipValue(); err != nil {
				return span{}, err
			}
			continue
		}
		if _, err := d.ReadToken(); err != nil {
			return span{}, err
		}
		perReview.start = int(d.InputOffset()) - 1
		for d.PeekKind() != '}' {
			if err := a.indexReview(d, ordinals, n); err != nil {
				return span{}, err
			}
		}
		if _, err := d.ReadToken(); err != nil {
			return span{}, err
		}
		perReview.end = int(d.InputOffset())
	}
	return perReview, nil
}

// indexReview reads one member of per_review. It reads tokens instead of decoding a
// struct: per_review has a member for every review.
func (a *Analysis) indexReview(d *jsontext.Decoder, ordinals map[string]uint32, n int) error {
	id, err := d.ReadValue()
	if err != nil {
		return err
	}
	ordinal, published := ordinals[string(unquoted(id))]
	if !published || d.PeekKind() != '{' {
		return d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	start := int(d.InputOffset()) - 1
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		switch name := string(name); {
		case name == `"sentiment"`:
			err = readPolarity(d, &a.sentiment, ordinal)
		case name == `"aspects"` && d.PeekKind() == '{':
			err = a.indexAspects(d, ordinal, n)
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err = d.ReadToken()
	a.spans[ordinal] = span{start, int(d.InputOffset())}
	return err
}

// indexAspects reads the aspects of a review.
func (a *Analysis) indexAspects(d *jsontext.Decoder, ordinal uint32, n int) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		p := a.aspects[string(unquoted(name))]
		if p == nil {
			id := string(unquoted(name))
			bits := newPolarityBits(n)
			p = &bits
			a.aspects[id] = p
			a.names[foldString(id)] = []string{id}
		}
		if err := readPolarity(d, p, ordinal); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// readPolarity reads a polarity and records the review under it.
func readPolarity(d *jsontext.Decoder, to *polarityBits, ordinal uint32) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	for i, polarity := range polarities {
		if string(unquoted(value)) == string(polarity) {
			to[i].add(ordinal)
		}
	}
	return nil
}

// unquoted is the content of a JSON string without escapes, such as an id.
func unquoted(raw jsontext.Value) []byte { return bytes.Trim(raw, `"`) }
