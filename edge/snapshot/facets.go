package snapshot

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"reviewcast"
)

type tally struct{ count, stars int }

func (t tally) plus(o tally) tally { return tally{t.count + o.count, t.stars + o.stars} }

func (t tally) facet() reviewcast.FacetCount {
	return reviewcast.FacetCount{Count: t.count, AverageRating: math.Round(100*float64(t.stars)/float64(t.count)) / 100}
}

// starBits are the reviews whose rating has bit 0, 1 and 2 set: sums of stars are weighted counts of bits.
type starBits [3]bitmap

func newStarBits(stars [reviewcast.MaxRating + 1]set, n int) (b starBits) {
	for i := range b {
		b[i] = newBitmap(n)
		for rating, s := range stars {
			if rating>>i&1 == 1 {
				s.addTo(b[i])
			}
		}
	}
	return b
}

// word tallies the reviews of word w of a bitmap.
func (b *starBits) word(w int, word uint64) tally {
	return tally{bits.OnesCount64(word),
		bits.OnesCount64(word&b[0][w]) + 2*bits.OnesCount64(word&b[1][w]) + 4*bits.OnesCount64(word&b[2][w])}
}

// and tallies the reviews that are in both bitmaps.
func (b *starBits) and(found, other bitmap) (t tally) {
	for w, word := range found {
		if word &= other[w]; word != 0 {
			t = t.plus(b.word(w, word))
		}
	}
	return t
}

// set tallies the reviews of found that are in a set.
func (b *starBits) set(found bitmap, s set) (t tally) {
	if s.bits != nil {
		return b.and(found, s.bits)
	}
	for _, i := range s.list {
		if word := found[i>>6] & (1 << (i & 63)); word != 0 {
			t = t.plus(b.word(int(i>>6), word))
		}
	}
	return t
}

// span tallies the reviews of found from ordinal low up to, not including, high.
func (b *starBits) span(found bitmap, low, high int) (t tally) {
	for w := low >> 6; w<<6 < high; w++ {
		word := found[w]
		if first := w << 6; first < low {
			word &= ^uint64(0) << (low - first)
		}
		if last := high - w<<6; last < 64 {
			word &= 1<<last - 1
		}
		t = t.plus(b.word(w, word))
	}
	return t
}

func (s *Snapshot) facets(found bitmap) *reviewcast.Facets {
	f := &reviewcast.Facets{
		Rating: []reviewcast.RatingFacet{}, Replied: []reviewcast.ReplyFacet{},
		Language: s.directoryFacets(found, s.languages), Source: s.directoryFacets(found, s.sources),
		Verification: s.directoryFacets(found, s.verifications), Technician: s.directoryFacets(found, s.technicians),
		Service: s.directoryFacets(found, s.services), ServiceArea: s.directoryFacets(found, s.areas),
		Aspect: s.aspectFacets(found),
	}
	all := tally{}
	for rating := reviewcast.MaxRating; rating >= reviewcast.MinRating; rating-- {
		if t := s.starBits.set(found, s.stars[rating]); t.count > 0 {
			f.Rating = append(f.Rating, reviewcast.RatingFacet{Value: rating, FacetCount: t.facet()})
			all = all.plus(t)
		}
	}
	f.Year, f.Month = s.dateFacets(found)
	replied := s.starBits.set(found, s.replied)
	for i, t := range []tally{{all.count - replied.count, all.stars - replied.stars}, replied} {
		if t.count > 0 {
			f.Replied = append(f.Replied, reviewcast.ReplyFacet{Value: i == 1, FacetCount: t.facet()})
		}
	}
	slices.SortStableFunc(f.Replied, func(a, b reviewcast.ReplyFacet) int { return b.Count - a.Count })
	return f
}

func (s *Snapshot) directoryFacets(found bitmap, d directory) []reviewcast.Facet {
	facets := []reviewcast.Facet{}
	for id, set := range d.mentions {
		if t := s.starBits.set(found, set); t.count > 0 {
			facets = append(facets, reviewcast.Facet{Value: id, FacetCount: t.facet()})
		}
	}
	slices.SortFunc(facets, func(a, b reviewcast.Facet) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
	})
	return facets
}

// dateFacets counts by year and month. The reviews of a month are a range of ordinals.
func (s *Snapshot) dateFacets(found bitmap) (years, months []reviewcast.Facet) {
	years, months = []reviewcast.Facet{}, []reviewcast.Facet{}
	year := tally{}
	for at := 0; at < len(s.months); at++ {
		month, high := s.months[at].date, s.Len()
		if at+1 < len(s.months) {
			high = s.months[at+1].first
		}
		t := s.starBits.span(found, s.months[at].first, high)
		if t.count > 0 {
			months = append(months, reviewcast.Facet{Value: string(month), FacetCount: t.facet()})
		}
		year = year.plus(t)
		if at+1 == len(s.months) || s.months[at+1].date[:4] != month[:4] {
			if year.count > 0 {
				years = append(years, reviewcast.Facet{Value: string(month[:4]), FacetCount: year.facet()})
			}
			year = tally{}
		}
	}
	return years, months
}

func (s *Snapshot) aspectFacets(found bitmap) []reviewcast.AspectFacet {
	a, _ := s.Analysis() // after an error there are no aspects
	facets := []reviewcast.AspectFacet{}
	for id, p := range a.aspects {
		all, counts := tally{}, [len(polarities)]int{}
		for i := range p {
			t := s.starBits.and(found, p[i])
			all, counts[i] = all.plus(t), t.count
		}
		if all.count > 0 {
			facets = append(facets, reviewcast.AspectFacet{Value: id, FacetCount: all.facet(), SentimentCounts: reviewcast.SentimentCounts{
				PositiveCount: counts[0], NeutralCount: counts[1], NegativeCount: counts[2], MixedCount: counts[3]}})
		}
	}
	slices.SortFunc(facets, func(a, b reviewcast.AspectFacet) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
	})
	return facets
}
