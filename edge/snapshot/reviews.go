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
	dates []reviewcast.Date // by ordinal
}

type span struct{ start, end int }

func (l *list) json(i int) []byte {
	at := l.spans[i]
	return l.raw[at.start:at.end:at.end]
}

// dated returns the range of the ordinals of a date: low reviews are newer, and high are dated on or after it.
func (l *list) dated(d reviewcast.Date) (low, high int) {
	low = sort.Search(len(l.dates), func(i int) bool { return l.dates[i] <= d })
	high = sort.Search(len(l.dates), func(i int) bool { return l.dates[i] < d })
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

// record is what the indexes need of a review.
type record struct {
	Place
	Language     string `json:"language"`
	Source       string `json:"source"`
	Verification struct {
		Method string `json:"method"`
	} `json:"verification"`
	OwnerReply jsontext.Value      `json:"owner_reply"`
	Mentions   reviewcast.Mentions `json:"mentions"`
	Title      string              `json:"title"`
	Text       string              `json:"text"`
}

// check checks what doesn't depend on other reviews.
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

// indexReviews decodes and checks the reviews and builds all indexes but that of their texts.
func (s *Snapshot) indexReviews() error {
	n := s.Len()
	s.reviews.ids = make(map[string]uint32, n)
	var stars [reviewcast.MaxRating + 1][]uint32
	replies := map[bool][]uint32{}
	directories := []*directory{&s.technicians, &s.services, &s.areas, &s.languages, &s.sources, &s.verifications, &s.years, &s.months}
	values := make([]mentions, len(directories))
	for i := range values {
		values[i] = mentions{}
	}
	var r record
	var last Place
	for i := range n {
		r = record{}
		ordinal := uint32(i)
		if err := cmp.Or(json.Unmarshal(s.reviews.json(i), &r), r.check()); err != nil {
			return fmt.Errorf("review %d (%s): %w", i, r.ID, err)
		}
		if _, taken := s.reviews.ids[r.ID]; taken {
			return fmt.Errorf("review id %s is used twice", r.ID)
		}
		s.reviews.ids[r.ID] = ordinal
		s.reviews.dates = append(s.reviews.dates, r.Date)
		if i > 0 && cmp.Or(cmp.Compare(last.Date, r.Date), cmp.Compare(r.ID, last.ID)) < 0 {
			return fmt.Errorf("review %s comes after %s: reviews must be sorted, newest first, then by id", r.ID, last.ID)
		}
		last = r.Place
		s.texts = append(s.texts, fold(r.Title)+between+fold(r.Text))
		s.ratings = append(s.ratings, uint8(r.Rating))
		stars[r.Rating] = append(stars[r.Rating], ordinal)
		has := r.OwnerReply.Kind() == '{'
		replies[has] = append(replies[has], ordinal)
		for i, own := range [][]string{r.Mentions.Technicians, r.Mentions.Services, r.Mentions.ServiceAreas,
			{r.Language}, {r.Source}, {r.Verification.Method}, {string(r.Date[:4])}, {r.Date.Month()}} {
			values[i].add(ordinal, own...)
		}
	}
	for rating, sorted := range stars {
		s.stars[rating] = newSet(sorted, n)
	}
	s.replies = map[bool]set{true: newSet(replies[true], n), false: newSet(replies[false], n)}
	for i, d := range directories {
		*d = newDirectory(values[i], n)
	}
	s.addNames()
	return nil
}

// addNames adds what the languages, technicians, services and areas are called.
func (s *Snapshot) addNames() {
	for tag := range s.languages.mentions {
		s.languages.name(tag, languageNames(tag)...)
	}
	for _, t := range s.dataset.Business.Technicians {
		s.technicians.name(t.ID, NamesOf(t)...)
	}
	for _, v := range s.dataset.Business.Services {
		s.services.name(v.ID, v.Name)
	}
	for _, v := range s.dataset.Business.ServiceAreas {
		s.areas.name(v.ID, v.Name)
	}
}

// NamesOf are the names by which a search finds a technician, beside the id: the whole one, the aliases, the first one.
func NamesOf(t reviewcast.Technician) []string {
	words := strings.Fields(t.Name)
	return slices.Concat([]string{t.Name}, t.Aliases, words[:min(1, len(words))])
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
