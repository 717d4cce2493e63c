package snapshot_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// pieces are what random texts and queries are made of: letters whose folding or
// normal form is not what it seems, and what stands beside them.
var pieces = []string{
	"a", "A", "e", "E", "é", "É", "e\u0301", "E\u0301", "\u0301", "ß", "ẞ", "ss", "k", "K", "\u212A", "s", "ſ",
	"å", "Å", "\u212B", "A\u030A", "i", "I", "İ", "ı", "ι", "Ι", "\u0345", "\u1FBE", "σ", "ς", "Σ", "ǆ", "ǅ", "Ǆ",
	"я", "Я", "漢", "字", "가", "\u1100\u1161", "👍", "🇫🇷", "\u200B", "\u202E", " ", " ", "\n", "\t", ".", "on time", "On Time",
	"\x00", "\uFFFD", "\U0010FFFF", "<b>", "&", `"`, `\`,
}

func text() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")
	})
}

var people = []reviewcast.Technician{
	{ID: "jose", Name: "José Álvarez", Aliases: []string{"Pepe", "MARC"}},
	{ID: "marc", Name: "Marcus Webb", Aliases: []string{}},
	{ID: "dana-k", Name: "Dana Kim", Aliases: []string{"DK"}},
	{ID: "dana-r", Name: "Dana  Ruiz", Aliases: []string{""}},
}

var works = []reviewcast.Named{{ID: "drains", Name: "Drain Cleaning"}, {ID: "heater", Name: "Straße"}, {ID: "Heat", Name: "DRAINS"}}

var places = []reviewcast.Named{{ID: "north", Name: "Nörd"}, {ID: "south", Name: "South"}}

// dataset makes up to three bitmap words of reviews on a handful of days in two years.
func dataset() *rapid.Generator[reviewcast.Dataset] {
	return rapid.Custom(func(t *rapid.T) reviewcast.Dataset {
		d := reviewcast.Dataset{Version: 1, Business: reviewcast.Business{Technicians: people, Services: works, ServiceAreas: places}}
		some := func(ids ...string) []string {
			return slices.DeleteFunc(ids, func(string) bool { return rapid.IntRange(0, 2).Draw(t, "mention") > 0 })
		}
		for i := range rapid.IntRange(0, 150).Draw(t, "reviews") {
			r := reviewcast.Review{ID: fmt.Sprintf("r%03d", i), Rating: rapid.IntRange(1, 5).Draw(t, "rating"),
				Date: day(rapid.IntRange(1, 9).Draw(t, "day"))}
			if rapid.Bool().Draw(t, "titled") {
				r.Title = new(text().Draw(t, "title"))
			}
			if rapid.IntRange(0, 3).Draw(t, "written") > 0 {
				r.Text = new(text().Draw(t, "text"))
			}
			r.Mentions = reviewcast.Mentions{Technicians: some("dana-k", "dana-r", "gone", "jose", "marc"), Services: some("Heat", "drains", "heater"), ServiceAreas: some("north", "south")}
			r.Language = rapid.SampledFrom([]string{"en", "fr", "FR", "fr-CA"}).Draw(t, "language")
			r.Source = rapid.SampledFrom([]string{"direct", "google"}).Draw(t, "source")
			r.Verification.Method = rapid.SampledFrom(reviewcast.VerificationMethods).Draw(t, "verification")
			if rapid.Bool().Draw(t, "replied") {
				r.OwnerReply = &reviewcast.OwnerReply{Text: "Thanks.", Date: r.Date}
			}
			d.Reviews = append(d.Reviews, r)
		}
		slices.SortStableFunc(d.Reviews, func(a, b reviewcast.Review) int { return strings.Compare(string(b.Date), string(a.Date)) })
		return d
	})
}

// day is one of nine days in several months of two years.
func day(n int) reviewcast.Date {
	return reviewcast.Date(fmt.Sprintf("%d-%02d-%02d", 2024+n/5, 4+n%3, n))
}

// opinions makes the insights of a dataset: some of its reviews, and one that isn't
// published.
func opinions(d reviewcast.Dataset) *rapid.Generator[reviewcast.Insights] {
	return rapid.Custom(func(t *rapid.T) reviewcast.Insights {
		polarity := rapid.SampledFrom([]reviewcast.Polarity{reviewcast.Positive, reviewcast.Neutral, reviewcast.Negative, reviewcast.Mixed})
		in := reviewcast.Insights{Version: 1, Aspects: []reviewcast.Aspect{{ID: "punctuality", Label: "On time"}, {ID: "pricing", Label: "Préis"}},
			PerReview: map[string]reviewcast.ReviewInsight{"withdrawn": {Sentiment: reviewcast.Positive, Aspects: map[string]reviewcast.Polarity{"pricing": reviewcast.Mixed}}}}
		for _, r := range d.Reviews {
			if rapid.IntRange(0, 9).Draw(t, "analysed") == 0 {
				continue
			}
			in.PerReview[r.ID] = reviewcast.ReviewInsight{Sentiment: polarity.Draw(t, "sentiment"),
				Aspects: rapid.MapOfN(rapid.SampledFrom([]string{"punctuality", "pricing", "unlisted"}), polarity, 0, 3).Draw(t, "aspects")}
		}
		return in
	})
}

func query(d reviewcast.Dataset) *rapid.Generator[reviewcast.Query] {
	return rapid.Custom(func(t *rapid.T) reviewcast.Query {
		q := reviewcast.Query{Limit: rapid.IntRange(1, 100).Draw(t, "limit")}
		seldom := func(what string) bool { return rapid.IntRange(0, 4).Draw(t, what) == 0 }
		if seldom("by rating") {
			q.Rating = rapid.IntRange(1, 5).Draw(t, "rating")
		}
		if seldom("by least rating") {
			q.MinRating = rapid.Float64Range(1, 5).Draw(t, "min_rating")
		}
		if seldom("since") {
			q.Since = day(rapid.IntRange(1, 9).Draw(t, "first"))
		}
		if seldom("until") {
			q.Until = day(rapid.IntRange(1, 9).Draw(t, "last"))
		}
		if seldom("by technician") {
			q.Technician = rapid.SampledFrom([]string{"DANA", "dana-k", "dk", "José", "JOSE\u0301", "jose", "marc", "Marcus", "Marcus Webb",
				"marcus w", "gone", "Dana  Ruiz", "Dana Ruiz", "nobody", " "}).Draw(t, "technician")
		}
		if seldom("by service") {
			q.Service = rapid.SampledFrom([]string{"drains", "Drains", "drain", "drain cleaning", "STRAẞE", "heat", "x"}).Draw(t, "service")
		}
		if seldom("by greatest rating") {
			q.MaxRating = rapid.Float64Range(1, 5).Draw(t, "max_rating")
		}
		if seldom("by area") {
			q.ServiceArea = rapid.SampledFrom([]string{"NORTH", "nörd", "south", "west"}).Draw(t, "area")
		}
		if seldom("by language") {
			q.Language = rapid.SampledFrom([]string{"en", "Fr", "fr-ca", "de", "English", "FRENCH", "français", "canadian french", "German"}).Draw(t, "language")
		}
		if seldom("by source") {
			q.Source = rapid.SampledFrom([]string{"GOOGLE", "direct", "yelp"}).Draw(t, "source")
		}
		if seldom("by verification") {
			q.Verification = rapid.SampledFrom(reviewcast.VerificationMethods).Draw(t, "verification")
		}
		if seldom("by reply") {
			q.HasReply = new(rapid.Bool().Draw(t, "has_reply"))
		}
		if seldom("by aspect") {
			q.Aspect = rapid.SampledFrom([]string{"Punctuality", "ON TIME", "préis", "unlisted", "smell"}).Draw(t, "aspect")
		}
		if seldom("by sentiment") {
			q.Sentiment = rapid.SampledFrom([]reviewcast.Polarity{reviewcast.Positive, reviewcast.Neutral, reviewcast.Negative, reviewcast.Mixed}).Draw(t, "sentiment")
		}
		q.Facets = rapid.Bool().Draw(t, "facets")
		q.Order = rapid.SampledFrom([]string{"", "newest", "oldest", "lowest", "highest"}).Draw(t, "order")
		switch rapid.IntRange(0, 3).Draw(t, "by text") {
		case 0:
			q.Text = text().Draw(t, "text")
		case 1:
			q.Text = rapid.SampledFrom(pieces).Draw(t, "text")
		case 2: // a part of a text, cut anywhere between code points
			if len(d.Reviews) > 0 {
				r := rapid.SampledFrom(d.Reviews).Draw(t, "review")
				if r.Text != nil {
					runes := []rune(*r.Text)
					from := rapid.IntRange(0, len(runes)).Draw(t, "from")
					to := rapid.IntRange(from, len(runes)).Draw(t, "to")
					q.Text = rapid.SampledFrom([]func(string) string{strings.ToUpper, strings.ToLower, strings.Clone}).
						Draw(t, "case")(string(runes[from:to]))
				}
			}
		}
		return q
	})
}

// foldByDefinition says what matches in the contract's words: NFC, then simple folding.
func foldByDefinition(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, norm.NFC.String(s))
}

func plainFold(s string) string {
	folded, ok := plainFolded[s]
	if !ok {
		folded = foldByDefinition(s)
		plainFolded[s] = folded
	}
	return folded
}

// plainFolded remembers, as every query looks at the same texts.
var plainFolded = map[string]string{}

// plainLanguages are the names of the languages of dataset.
var plainLanguages = map[string][]string{"en": {"en", "English"}, "fr": {"fr", "French", "français"}, "FR": {"FR", "French", "français"},
	"fr-CA": {"fr-CA", "French", "français", "Canadian French", "français canadien"}}

// plainMatch reports whether a review matches, by looking at it.
func plainMatch(q reviewcast.Query, r reviewcast.Review, b reviewcast.Business, in reviewcast.Insights) bool {
	contains := func(s *string) bool { return s != nil && strings.Contains(plainFold(*s), plainFold(q.Text)) }
	same := func(a, b string) bool { return a != "" && plainFold(a) == plainFold(b) }
	technician := slices.ContainsFunc(r.Mentions.Technicians, func(id string) bool {
		return same(id, q.Technician) || slices.ContainsFunc(b.Technicians, func(p reviewcast.Technician) bool {
			return p.ID == id && (same(p.Name, q.Technician) || same(strings.Fields(p.Name)[0], q.Technician) ||
				slices.ContainsFunc(p.Aliases, func(a string) bool { return same(a, q.Technician) }))
		})
	})
	service := slices.ContainsFunc(r.Mentions.Services, func(id string) bool {
		return same(id, q.Service) || slices.ContainsFunc(b.Services, func(w reviewcast.Named) bool { return w.ID == id && same(w.Name, q.Service) })
	})
	area := slices.ContainsFunc(r.Mentions.ServiceAreas, func(id string) bool {
		return same(id, q.ServiceArea) || slices.ContainsFunc(b.ServiceAreas, func(w reviewcast.Named) bool { return w.ID == id && same(w.Name, q.ServiceArea) })
	})
	insight, analysed := in.PerReview[r.ID]
	opinion := q.Aspect == "" && (q.Sentiment == "" || analysed && insight.Sentiment == q.Sentiment)
	for id, polarity := range insight.Aspects {
		label := slices.ContainsFunc(in.Aspects, func(a reviewcast.Aspect) bool { return a.ID == id && same(a.Label, q.Aspect) })
		if q.Aspect != "" && (same(id, q.Aspect) || label) && (q.Sentiment == "" || q.Sentiment == polarity) {
			opinion = true
		}
	}
	if q.MaxRating != 0 && float64(r.Rating) > q.MaxRating || q.ServiceArea != "" && !area ||
		q.Language != "" && !slices.ContainsFunc(plainLanguages[r.Language], func(name string) bool { return same(name, q.Language) }) || q.Source != "" && !same(r.Source, q.Source) ||
		q.Verification != "" && r.Verification.Method != q.Verification ||
		q.HasReply != nil && (r.OwnerReply != nil) != *q.HasReply || !opinion {
		return false
	}
	return (q.Rating == 0 || r.Rating == q.Rating) && float64(r.Rating) >= q.MinRating &&
		(q.Since == "" || r.Date >= q.Since) && (q.Until == "" || r.Date <= q.Until) &&
		(q.Text == "" || contains(r.Title) || contains(r.Text)) &&
		(q.Technician == "" || technician) && (q.Service == "" || service)
}

// plainOrder sorts reviews that are newest first.
func plainOrder(reviews []reviewcast.Review, order string) {
	switch order {
	case reviewcast.OrderOldest:
		slices.Reverse(reviews)
	case reviewcast.OrderLowest:
		slices.SortStableFunc(reviews, func(a, b reviewcast.Review) int { return a.Rating - b.Rating })
	case reviewcast.OrderHighest:
		slices.SortStableFunc(reviews, func(a, b reviewcast.Review) int { return b.Rating - a.Rating })
	}
}

// plainFacets counts reviews one by one.
func plainFacets(reviews []reviewcast.Review, in reviewcast.Insights) *reviewcast.Facets {
	type sum struct {
		stars int
		reviewcast.FacetCount
		reviewcast.SentimentCounts
	}
	counts := map[string]map[string]*sum{}
	count := func(facet, value string, stars int) *sum {
		if counts[facet] == nil {
			counts[facet] = map[string]*sum{}
		}
		c := counts[facet][value]
		if c == nil {
			c = &sum{}
			counts[facet][value] = c
		}
		c.Count++
		c.stars += stars
		c.AverageRating = math.Round(100*float64(c.stars)/float64(c.Count)) / 100
		return c
	}
	for _, r := range reviews {
		count("rating", strconv.Itoa(r.Rating), r.Rating)
		count("year", string(r.Date[:4]), r.Rating)
		count("month", string(r.Date[:7]), r.Rating)
		count("language", r.Language, r.Rating)
		count("source", r.Source, r.Rating)
		count("verification", r.Verification.Method, r.Rating)
		count("replied", strconv.FormatBool(r.OwnerReply != nil), r.Rating)
		for facet, ids := range map[string][]string{"technician": r.Mentions.Technicians, "service": r.Mentions.Services, "service_area": r.Mentions.ServiceAreas} {
			for _, id := range ids {
				count(facet, id, r.Rating)
			}
		}
		for id, polarity := range in.PerReview[r.ID].Aspects {
			c := count("aspect", id, r.Rating)
			switch polarity {
			case reviewcast.Positive:
				c.PositiveCount++
			case reviewcast.Neutral:
				c.NeutralCount++
			case reviewcast.Negative:
				c.NegativeCount++
			case reviewcast.Mixed:
				c.MixedCount++
			}
		}
	}
	byValue := func(facet string) []string { return slices.Sorted(maps.Keys(counts[facet])) }
	byCount := func(facet string) []string {
		values := byValue(facet)
		slices.SortStableFunc(values, func(a, b string) int { return counts[facet][b].Count - counts[facet][a].Count })
		return values
	}
	list := func(facet string, values []string) []reviewcast.Facet {
		out := []reviewcast.Facet{}
		for _, v := range values {
			out = append(out, reviewcast.Facet{Value: v, FacetCount: counts[facet][v].FacetCount})
		}
		return out
	}
	descending := func(facet string) []string {
		values := byValue(facet)
		slices.Reverse(values)
		return values
	}
	f := &reviewcast.Facets{
		Rating: []reviewcast.RatingFacet{}, Year: list("year", descending("year")), Month: list("month", descending("month")),
		Language: list("language", byCount("language")), Source: list("source", byCount("source")), Verification: list("verification", byCount("verification")),
		Technician: list("technician", byCount("technician")), Service: list("service", byCount("service")), ServiceArea: list("service_area", byCount("service_area")),
		Aspect: []reviewcast.AspectFacet{}, Replied: []reviewcast.ReplyFacet{},
	}
	for _, v := range descending("rating") {
		stars, _ := strconv.Atoi(v)
		f.Rating = append(f.Rating, reviewcast.RatingFacet{Value: stars, FacetCount: counts["rating"][v].FacetCount})
	}
	for _, v := range byCount("aspect") {
		f.Aspect = append(f.Aspect, reviewcast.AspectFacet{Value: v, FacetCount: counts["aspect"][v].FacetCount, SentimentCounts: counts["aspect"][v].SentimentCounts})
	}
	for _, v := range byCount("replied") {
		f.Replied = append(f.Replied, reviewcast.ReplyFacet{Value: v == "true", FacetCount: counts["replied"][v].FacetCount})
	}
	return f
}

// TestSearchIsPlainScan holds the index against a look at every review, over
// random datasets and queries, and pages through the result.
func TestSearchIsPlainScan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := dataset().Draw(rt, "dataset")
		p := snapshottest.Public{reviewcast.PathReviews: snapshottest.Reviews(t, d)}
		var in reviewcast.Insights
		if len(d.Reviews) > 0 && rapid.IntRange(0, 9).Draw(rt, "with insights") > 0 {
			in = opinions(d).Draw(rt, "insights")
			p[reviewcast.PathInsights] = snapshottest.Marshal(t, in)
		}
		s := p.Open(t, 1)
		for range 7 {
			q := query(d).Draw(rt, "query")
			var matches []reviewcast.Review
			for _, r := range d.Reviews {
				if plainMatch(q, r, d.Business, in) {
					matches = append(matches, r)
				}
			}
			if facets := s.Search(q).Facets; q.Facets != (facets != nil) {
				rt.Fatalf("%+v: facets %v", q, facets)
			} else if diff := cmp.Diff(plainFacets(matches, in), facets); q.Facets && diff != "" {
				rt.Fatalf("%+v: facets (-want +got):\n%s", q, diff)
			}
			plainOrder(matches, q.Order)
			var want []string
			for _, r := range matches {
				want = append(want, r.ID)
			}
			var got []string
			var last *snapshot.Place
			for more := true; more; {
				r := s.SearchAfter(q, last)
				if r.Matched != len(want) {
					rt.Fatalf("%+v: matched %d, want %d: %q", q, r.Matched, len(want), want)
				}
				if len(r.Reviews) > q.Limit || r.More && len(r.Reviews) < q.Limit {
					rt.Fatalf("%+v after %v: %d reviews, more %t", q, last, len(r.Reviews), r.More)
				}
				got = append(got, ids(t, r.Reviews)...)
				if more = r.More; more {
					last = new(snapshot.PlaceOf(r.Reviews[len(r.Reviews)-1]))
				}
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("%+v: %q, want %q", q, got, want)
			}
		}
	})
}

func ids(t testing.TB, reviews []json.RawMessage) []string {
	t.Helper()
	var ids []string
	for _, raw := range reviews {
		var r reviewcast.Review
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

// TestSearchManyReviews does the same where sets take both forms.
func TestSearchManyReviews(t *testing.T) {
	s, d := manyReviews(t)
	for _, q := range corpus.Queries {
		q.Limit = reviewcast.MaxLimit
		var want []string
		for _, r := range d.Reviews {
			if plainMatch(q.Query, r, d.Business, reviewcast.Insights{}) {
				want = append(want, r.ID)
			}
		}
		got := s.Search(q.Query)
		if got.Matched != len(want) || !slices.Equal(ids(t, got.Reviews), want[:min(len(want), q.Limit)]) {
			t.Errorf("%s: matched %d, want %d", q.Name, got.Matched, len(want))
		}
	}
}

// TestSearchInvalid: what no published text can contain matches nothing, in every
// length.
func TestSearchInvalid(t *testing.T) {
	s := snapshottest.Publish(t, corpus.Dataset(100)).Open(t, 1)
	for _, text := range []string{"\xFF", "a\xFF", "\xFFab", "on\xFFtime", "\xC3", "\xED\xA0\x80", "\x00", "\x00\x00", "\x00\x00\x00\x00"} {
		if r := s.Search(reviewcast.Query{Text: text, Limit: 20}); r.Matched != 0 || r.More {
			t.Errorf("%q: matched %d", text, r.Matched)
		}
	}
	for _, q := range []reviewcast.Query{{Rating: 6, Limit: 1}, {Rating: -1, Limit: 1}, {MinRating: 5.5, Limit: 1}} {
		if r := s.Search(q); r.Matched != 0 {
			t.Errorf("%+v: matched %d", q, r.Matched)
		}
	}
	if r := s.Search(reviewcast.Query{}); r.Matched != 100 || len(r.Reviews) != 0 || !r.More {
		t.Errorf("limit 0: matched %d, %d reviews, more %t; want a count only", r.Matched, len(r.Reviews), r.More)
	}
	for _, order := range []string{reviewcast.OrderNewest, reviewcast.OrderOldest, reviewcast.OrderLowest, reviewcast.OrderHighest} {
		end := snapshot.Place{Rating: map[string]int{reviewcast.OrderLowest: 5}[order], Date: "0001-01-01"}
		if order == reviewcast.OrderOldest {
			end.Date = "9999-12-31"
		} else if order == reviewcast.OrderHighest {
			end.Rating = 1
		}
		if r := s.SearchAfter(reviewcast.Query{Limit: 5, Order: order}, &end); r.Matched != 100 || len(r.Reviews) != 0 || r.More {
			t.Errorf("%s: %d of %d reviews after the end, more %t", order, len(r.Reviews), r.Matched, r.More)
		}
	}
}

// TestFold folds every code point as the definition does: a shortcut that skipped
// one would lose matches without anybody noticing.
func TestFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if got, want := snapshot.Fold(string(r)), foldByDefinition(string(r)); got != want {
			t.Fatalf("%U folds to %+q, want %+q", r, got, want)
		}
	}
	if got := snapshot.Fold("xe\u0301K é"); got != "XÉK É" {
		t.Errorf("after a prefix: %q", got)
	}
}

// TestLanguageNames: a language is found by its names; one that no review is in is answered with those that are known.
func TestLanguageNames(t *testing.T) {
	d := corpus.Dataset(7)
	for i, tag := range []string{"en", "en", "fr", "fr-CA", "pt-BR", "zh-Hant", "tlh"} {
		d.Reviews[i].Language = tag
	}
	s := snapshottest.Publish(t, d).Open(t, 1)
	for name, want := range map[string]int{"English": 2, "french": 2, "Français": 2, "fr": 1, "Canadian French": 1, "Brazilian Portuguese": 1,
		"portuguese": 1, "português": 1, "Chinese": 1, "Traditional Chinese": 1, "中文": 1, "繁體中文": 1, "Klingon": 1, "TLH": 1, "German": 0, "x": 0} {
		got := s.Search(reviewcast.Query{Language: name})
		if got.Matched != want || (got.Hint != "") != (want == 0) {
			t.Errorf("%s: %d, want %d; hint %q", name, got.Matched, want, got.Hint)
		}
	}
	want := `No review is in "German". Languages, with their reviews: en (2), fr (1), fr-CA (1), pt-BR (1), tlh (1), zh-Hant (1).`
	if got := s.Search(reviewcast.Query{Language: "German"}).Hint; got != want {
		t.Errorf("hint %q, want %q", got, want)
	}
	if got := s.Search(reviewcast.Query{Language: "Klingon", Rating: 6}).Hint; got != "" {
		t.Errorf("a language that reviews have: hint %q", got)
	}
}
