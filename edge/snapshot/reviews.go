package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"reviewcast"
)

// list is the reviews in published order.
type list struct {
	raw   []byte // reviews.json
	spans []span // of raw, by ordinal
	ids   map[string]uint32
	days  []day // newest first; one without a date ends them
}

type span struct{ start, end int }

// day is a date and the ordinal of its first review.
type day struct {
	date  reviewcast.Date
	first int
}

func (l *list) json(i int) []byte {
	at := l.spans[i]
	return l.raw[at.start:at.end:at.end]
}

// dated returns the range of the ordinals of a date: low reviews are newer, and high are dated on or after it.
func (l *list) dated(d reviewcast.Date) (low, high int) {
	i, found := slices.BinarySearchFunc(l.days, d, func(at day, d reviewcast.Date) int { return cmp.Compare(d, at.date) })
	low, high = l.days[i].first, l.days[i].first
	if found && i+1 < len(l.days) {
		high = l.days[i+1].first
	}
	return low, high
}

// Place is what a review's position in every order of a search depends on.
type Place struct {
	Rating int             `json:"rating"`
	Date   reviewcast.Date `json:"date"`
	ID     string          `json:"id"`
}

// PlaceOf is the place of a review of a snapshot.
func PlaceOf(review []byte) (p Place) {
	_ = json.Unmarshal(review, &p) // checked on opening
	return p
}

// around returns the first ordinal after a place in published order, and how many ordinals are
// before it. The review that had it may be gone.
func (l *list) around(p Place) (after, before int) {
	low, high := l.dated(p.Date)
	n, found := sort.Find(high-low, func(i int) int { return strings.Compare(p.ID, PlaceOf(l.json(low+i)).ID) })
	if found {
		return low + n + 1, low + n
	}
	return low + n, low + n
}

// split finds the reviews in reviews.json, in whatever layout, and decodes the other members.
func split(body []byte) (spans []span, head reviewcast.Dataset, err error) {
	if jsontext.Value(body).Kind() != '{' {
		return nil, head, errors.New("not a JSON object")
	}
	found := false
	err = json.Unmarshal(body, &head, json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *[]reviewcast.Review) error {
		if found = d.PeekKind() == '['; !found {
			return d.SkipValue()
		}
		_, err := d.ReadToken()
		for err == nil && d.PeekKind() != ']' {
			var v jsontext.Value
			if v, err = d.ReadValue(); err == nil {
				end := int(d.InputOffset())
				spans = append(spans, span{end - len(v), end})
			}
		}
		if err == nil {
			_, err = d.ReadToken()
		}
		return err
	})))
	other := slices.IndexFunc(spans, func(at span) bool { return body[at.start] != '{' })
	switch {
	case err != nil:
	case !found:
		err = errors.New("no array of reviews")
	case other >= 0:
		err = fmt.Errorf("review %d is not an object", other)
	case head.Version != 1:
		err = fmt.Errorf("version %d, want 1", head.Version)
	case head.ReviewCount != len(spans):
		err = fmt.Errorf("review_count %d, but there are %d reviews", head.ReviewCount, len(spans))
	}
	return spans, head, err
}

// between separates a review's folded title from its text. UTF-8 never contains it, so no match reaches from one into
// the other.
const between = "\xff"

type record struct {
	ID           string          `json:"id"`
	Rating       int             `json:"rating"`
	Date         reviewcast.Date `json:"date"`
	Language     string          `json:"language"`
	Source       string          `json:"source"`
	Verification struct {
		Method string `json:"method"`
	} `json:"verification"`
	OwnerReply jsontext.Value      `json:"owner_reply"`
	Mentions   reviewcast.Mentions `json:"mentions"`
}

// readReviews decodes and checks all reviews and folds their texts.
func (s *Snapshot) readReviews() ([]record, error) {
	records := make([]record, s.Len())
	s.texts = make([]string, s.Len())
	var decoded struct {
		record
		Title jsontext.Value `json:"title"`
		Text  jsontext.Value `json:"text"`
	}
	var text, unquoted []byte
	appendFolded := func(v jsontext.Value) (err error) {
		switch v.Kind() {
		case '"':
			if unquoted, err = jsontext.AppendUnquote(unquoted[:0], v); err == nil {
				text = fold(text, unquoted)
			}
			return err
		case 'n', jsontext.KindInvalid: // null or left out
			return nil
		}
		return errors.New("title or text is neither a string nor null")
	}
	for i := range records {
		decoded.record, text = record{}, text[:0]
		decoded.Title, decoded.Text = decoded.Title[:0], decoded.Text[:0]
		err := json.Unmarshal(s.reviews.json(i), &decoded)
		records[i] = decoded.record
		err = cmp.Or(err, records[i].check(), appendFolded(decoded.Title))
		text = append(text, between...)
		if err = cmp.Or(err, appendFolded(decoded.Text)); err != nil {
			return nil, fmt.Errorf("review %d (%s): %w", i, records[i].ID, err)
		}
		s.texts[i] = string(text)
	}
	return records, nil
}

func (r *record) check() error {
	switch {
	case !reviewcast.ValidID(r.ID):
		return errors.New("id is not valid")
	case r.Rating < reviewcast.MinRating || r.Rating > reviewcast.MaxRating:
		return fmt.Errorf("rating %d is not 1 to 5", r.Rating)
	case !r.Date.Valid():
		return fmt.Errorf("date %q is not a calendar date", r.Date)
	}
	return nil
}

// indexRecords checks the order of the reviews and builds all indexes but that of their texts.
func (s *Snapshot) indexRecords(records []record) error {
	n := len(records)
	s.reviews.ids = make(map[string]uint32, n)
	var stars [reviewcast.MaxRating + 1][]uint32
	var replied []uint32
	technicians, services, areas, languages, sources, verifications := mentions{}, mentions{}, mentions{}, mentions{}, mentions{}, mentions{}
	for i, r := range records {
		ordinal := uint32(i)
		if _, taken := s.reviews.ids[r.ID]; taken {
			return fmt.Errorf("review id %s is used twice", r.ID)
		}
		s.reviews.ids[r.ID] = ordinal
		if i == 0 || r.Date != records[i-1].Date {
			s.reviews.days = append(s.reviews.days, day{r.Date, i})
		}
		if i == 0 || r.Date.Month() != records[i-1].Date.Month() {
			s.months = append(s.months, day{reviewcast.Date(r.Date.Month()), i})
		}
		if i > 0 && cmp.Or(strings.Compare(string(records[i-1].Date), string(r.Date)), strings.Compare(r.ID, records[i-1].ID)) < 0 {
			return fmt.Errorf("review %s comes after %s: reviews must be sorted, newest first, then by id", r.ID, records[i-1].ID)
		}
		stars[r.Rating] = append(stars[r.Rating], ordinal)
		s.ratings = append(s.ratings, uint8(r.Rating))
		if r.OwnerReply.Kind() == '{' {
			replied = append(replied, ordinal)
		}
		technicians.add(ordinal, r.Mentions.Technicians...)
		services.add(ordinal, r.Mentions.Services...)
		areas.add(ordinal, r.Mentions.ServiceAreas...)
		languages.add(ordinal, r.Language)
		sources.add(ordinal, r.Source)
		verifications.add(ordinal, r.Verification.Method)
	}
	s.reviews.days = append(s.reviews.days, day{first: n})
	for rating, sorted := range stars {
		s.stars[rating] = newSet(sorted, n)
	}
	s.replied = newSet(replied, n)
	s.languages, s.sources, s.verifications = newDirectory(languages, n), newDirectory(sources, n), newDirectory(verifications, n)
	for tag := range languages {
		s.languages.name(tag, languageNames(tag)...)
	}
	s.technicians = newDirectory(technicians, n)
	for _, t := range s.dataset.Business.Technicians {
		names := append([]string{t.Name}, t.Aliases...)
		if fields := strings.Fields(t.Name); len(fields) > 0 {
			names = append(names, fields[0])
		}
		s.technicians.name(t.ID, names...)
	}
	s.services, s.areas = newDirectory(services, n), newDirectory(areas, n)
	for _, v := range s.dataset.Business.Services {
		s.services.name(v.ID, v.Name)
	}
	for _, v := range s.dataset.Business.ServiceAreas {
		s.areas.name(v.ID, v.Name)
	}
	return nil
}

// mentions are the sorted ordinals of the reviews that have each value.
type mentions map[string][]uint32

// add records the values of a review. Empty ones are ignored.
func (m mentions) add(ordinal uint32, values ...string) {
	for _, v := range values {
		if v != "" {
			m[v] = append(m[v], ordinal)
		}
	}
}
