package snapshot

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"reviewcast"
)

type tally struct{ count, stars int }

func (t *tally) add(o tally) { t.count, t.stars = t.count+o.count, t.stars+o.stars }

func (t tally) facet() reviewcast.FacetCount {
	return reviewcast.FacetCount{Count: t.count, AverageRating: *reviewcast.Mean(t.stars, t.count)}
}

// tally counts the reviews of found that are in a set, with their stars.
func (s *Snapshot) tally(found bitmap, in set) (t tally) {
	for _, i := range in.list {
		if found.has(i) {
			t.add(tally{1, int(s.ratings[i])})
		}
	}
	for w, word := range in.bits {
		for word &= found[w]; word != 0; word &= word - 1 {
			t.add(tally{1, int(s.ratings[w<<6+bits.TrailingZeros64(word)])})
		}
	}
	return t
}

func (s *Snapshot) facets(found bitmap) *reviewcast.Facets {
	f := &reviewcast.Facets{
		Rating: []reviewcast.RatingFacet{}, Replied: []reviewcast.ReplyFacet{},
		Language: s.directoryFacets(found, s.languages), Source: s.directoryFacets(found, s.sources),
		Verification: s.directoryFacets(found, s.verifications), Technician: s.directoryFacets(found, s.technicians),
		Service: s.directoryFacets(found, s.services), ServiceArea: s.directoryFacets(found, s.areas),
		Aspect: s.aspectFacets(found), Year: s.directoryFacets(found, s.years), Month: s.directoryFacets(found, s.months),
	}
	for _, dates := range [][]reviewcast.Facet{f.Year, f.Month} {
		slices.SortFunc(dates, func(a, b reviewcast.Facet) int { return cmp.Compare(b.Value, a.Value) })
	}
	for rating := reviewcast.MaxRating; rating >= reviewcast.MinRating; rating-- {
		if t := s.tally(found, s.stars[rating]); t.count > 0 {
			f.Rating = append(f.Rating, reviewcast.RatingFacet{Value: rating, FacetCount: t.facet()})
		}
	}
	for _, has := range []bool{false, true} {
		if t := s.tally(found, s.replies[has]); t.count > 0 {
			f.Replied = append(f.Replied, reviewcast.ReplyFacet{Value: has, FacetCount: t.facet()})
		}
	}
	slices.SortStableFunc(f.Replied, func(a, b reviewcast.ReplyFacet) int { return b.Count - a.Count })
	return f
}

func (s *Snapshot) directoryFacets(found bitmap, d directory) []reviewcast.Facet {
	facets := []reviewcast.Facet{}
	for id, set := range d.mentions {
		if t := s.tally(found, set); t.count > 0 {
			facets = append(facets, reviewcast.Facet{Value: id, FacetCount: t.facet()})
		}
	}
	slices.SortFunc(facets, func(a, b reviewcast.Facet) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Value, b.Value)) })
	return facets
}

func (s *Snapshot) aspectFacets(found bitmap) []reviewcast.AspectFacet {
	a, _ := s.Analysis() // after an error there are no aspects
	facets := []reviewcast.AspectFacet{}
	for id := range a.aspects[""].mentions {
		all, counts := tally{}, [len(polarities)]int{}
		for i, p := range polarities {
			t := s.tally(found, a.aspects[p].mentions[id])
			all.add(t)
			counts[i] = t.count
		}
		if all.count > 0 {
			facets = append(facets, reviewcast.AspectFacet{Value: id, FacetCount: all.facet(), SentimentCounts: reviewcast.SentimentCounts{
				PositiveCount: counts[0], NeutralCount: counts[1], NegativeCount: counts[2], MixedCount: counts[3]}})
		}
	}
	slices.SortFunc(facets, func(a, b reviewcast.AspectFacet) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Value, b.Value)) })
	return facets
}

// directory finds the reviews that mention a person or thing by any of its names.
type directory struct {
	mentions map[string]set      // by id
	names    map[string][]string // folded name, alias, first name or id -> ids
}

// newDirectory makes a directory from the ordinals of each id, which is a name, too.
func newDirectory(mentions map[string][]uint32, n int) directory {
	d := directory{mentions: make(map[string]set, len(mentions)), names: map[string][]string{}}
	for id, ordinals := range mentions {
		slices.Sort(ordinals)
		d.mentions[id] = newSet(slices.Compact(ordinals), n)
		d.name(id)
	}
	return d
}

// name adds names for an id. A name that several ids have finds them all.
func (d *directory) name(id string, names ...string) {
	for _, name := range append(names, id) {
		key := fold(name)
		if name != "" && !slices.Contains(d.names[key], id) {
			d.names[key] = append(d.names[key], id)
		}
	}
}

// intersect removes from b what mentions no id with the name. An empty name is no filter.
func (d directory) intersect(b bitmap, name string) {
	if name == "" {
		return
	}
	named := make(bitmap, len(b))
	for _, id := range d.names[fold(name)] {
		d.mentions[id].addTo(named)
	}
	b.and(named)
}

// languageNames returns the names of a language in English and in itself, also without its region.
func languageNames(tag string) []string {
	t, err := language.Parse(tag)
	if err != nil {
		return nil
	}
	base, _ := t.Base()
	alone := language.Make(base.String())
	return []string{display.English.Tags().Name(t), display.Self.Name(t), display.English.Tags().Name(alone), display.Self.Name(alone)}
}

// languageHint says which languages the reviews have if name is none of them.
func (s *Snapshot) languageHint(name string) string {
	if name == "" || s.languages.names[fold(name)] != nil || s.Len() == 0 {
		return ""
	}
	var known []string
	for _, f := range s.directoryFacets(s.match(reviewcast.Query{}, nil), s.languages) {
		known = append(known, fmt.Sprintf("%s (%d)", f.Value, f.Count))
	}
	return fmt.Sprintf("No review is in %q. Languages, with their reviews: %s.", name, strings.Join(known, ", "))
}
