package insights

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// How much evidence is published with an aspect.
const (
	maxQuotes   = 3 // of each polarity
	maxExamples = 5 // review ids
	maxPhrases  = 5
	// phraseSample is how many mentions of a phrase are read for the form in which
	// most customers write it.
	phraseSample = 100
	// maxPhrase is the length, in bytes, up to which a mention shows as a phrase.
	maxPhrase = 40
)

// aspectSum is what is counted of one aspect.
type aspectSum struct {
	votes      int
	stars      int
	score      float64
	counts     reviewcast.SentimentCounts
	months     []reviewcast.AspectMonth // newest first
	monthScore float64
	trend      trendSum
	examples   []string
	quotes     [3][]quote // by polarity
	phrases    map[int32]*phraseSum
}

// phraseSum counts a pattern, and the first ways in which it is written.
type phraseSum struct {
	n       int
	written map[string]int
}

// quote is a candidate for the evidence.
type quote struct {
	review *Analyzed
	m      *sentiment.AspectMention
	age    int // 0: the newest review
}

// aspects counts every aspect of the vocabulary, in its order: one vote a review.
// An aspect that no review mentions has the count 0 and the confidence none.
func aspects(an *sentiment.Analyzer, all []Analyzed) []reviewcast.Aspect {
	sums := make([]aspectSum, len(an.Aspects()))
	for i := range sums {
		sums[i].phrases = map[int32]*phraseSum{}
	}
	texts, textStars := 0, 0
	var w windows
	if len(all) > 0 {
		w = windowsTo(all[0].Date)
	}
	for i := range all {
		r := &all[i]
		if r.Text == nil {
			continue
		}
		texts++
		textStars += r.Rating
		for _, b := range r.Votes {
			sums[b.Aspect].vote(r, b, w, i)
		}
		for k := range r.Aspects {
			sums[r.Aspects[k].Aspect].phrase(r, &r.Aspects[k])
		}
	}
	out := make([]reviewcast.Aspect, len(an.Aspects()))
	for i, t := range an.Aspects() {
		out[i] = sums[i].publish(t, texts, textStars)
	}
	return out
}

func (s *aspectSum) vote(r *Analyzed, b sentiment.Vote, w windows, age int) {
	s.votes++
	s.stars += r.Rating
	count(&s.counts, b.Polarity)
	value := map[reviewcast.Polarity]float64{reviewcast.Positive: 1, reviewcast.Negative: -1}[b.Polarity]
	s.score += value
	s.trend.add(w, r.Date, value)
	if month := r.Date.Month(); len(s.months) == 0 || s.months[len(s.months)-1].Month != month {
		s.months = append(s.months, reviewcast.AspectMonth{Month: month})
		s.monthScore = 0
	}
	m := &s.months[len(s.months)-1]
	m.MentionCount++
	s.monthScore += value
	m.Score = s.monthScore / float64(m.MentionCount)
	if len(s.examples) < maxExamples {
		s.examples = append(s.examples, r.ID)
	}
	at := &r.Aspects[b.Mention]
	s.offer(quote{r, at, age})
}

// offer keeps the best quotes of each polarity, by origin, then by readable length,
// then the newest. A review has one vote, so none is quoted twice.
func (s *aspectSum) offer(q quote) {
	list := &s.quotes[q.m.Polarity]
	if n := len(*list); n == maxQuotes && !better(q, (*list)[n-1]) {
		return
	}
	at, _ := slices.BinarySearchFunc(*list, q, func(a, b quote) int {
		if better(a, b) {
			return -1
		}
		return 1
	})
	*list = slices.Insert(*list, at, q)
	if len(*list) > maxQuotes {
		*list = (*list)[:maxQuotes]
	}
}

func better(a, b quote) bool {
	return cmp.Or(cmp.Compare(a.m.Origin, b.m.Origin), cmp.Compare(awkward(a.m), awkward(b.m)), cmp.Compare(a.age, b.age)) < 0
}

// awkward is 0 for a sentence that can be read by itself.
func awkward(m *sentiment.AspectMention) int {
	switch n := m.Sentence.End - m.Sentence.Start; {
	case n < 16:
		return 1
	case n > 220:
		return 2
	}
	return 0
}

func (s *aspectSum) phrase(r *Analyzed, m *sentiment.AspectMention) {
	if m.Phrase == 0 { // cues and figures are no phrase
		return
	}
	p := s.phrases[m.Phrase]
	if p == nil {
		p = &phraseSum{written: map[string]int{}}
		s.phrases[m.Phrase] = p
	}
	p.n++
	if p.n <= phraseSample && !m.HasFigures() && m.End-m.Start <= maxPhrase {
		p.written[strings.Join(strings.Fields(strings.ToLower((*r.Text)[m.Start:m.End])), " ")]++
	}
}

// topPhrases returns the words that customers use most, in their most frequent form.
func (s *aspectSum) topPhrases() []string {
	total := map[string]int{}
	for _, p := range s.phrases {
		if text, ok := mostWritten(p.written); ok {
			total[text] += p.n
		}
	}
	return most(total, maxPhrases)
}

func mostWritten(written map[string]int) (string, bool) {
	top := most(written, 1)
	if len(top) == 0 {
		return "", false
	}
	return top[0], true
}

// most returns the n keys with the highest counts, ties in alphabetical order.
func most(counts map[string]int, n int) []string {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	return keys[:min(n, len(keys))]
}

func (s *aspectSum) publish(t sentiment.Term, texts, textStars int) reviewcast.Aspect {
	a := reviewcast.Aspect{
		ID: t.ID, Label: t.Label, MentionCount: s.votes, SentimentCounts: s.counts,
		Confidence:    wilson(s.counts.PositiveCount, s.votes),
		AverageRating: Mean(s.stars, s.votes), AverageRatingWithout: Mean(textStars-s.stars, texts-s.votes),
		TopPhrases: s.topPhrases(), ExampleReviewIDs: s.examples, Evidence: s.evidence(),
		Monthly: s.months, Trend: s.trend.trend(scoreStep),
	}
	if a.ExampleReviewIDs == nil {
		a.ExampleReviewIDs = []string{}
	}
	if texts > 0 {
		a.NotMentionedPct = sentiment.Round(100*float64(texts-s.votes)/float64(texts), 1)
	}
	if s.votes > 0 {
		a.PositivePct = sentiment.Round(100*float64(s.counts.PositiveCount)/float64(s.votes), 1)
		a.Score = sentiment.Round(s.score/float64(s.votes), 3)
	}
	if a.Monthly == nil {
		a.Monthly = []reviewcast.AspectMonth{}
	}
	slices.Reverse(a.Monthly)
	for i := range a.Monthly {
		a.Monthly[i].Score = sentiment.Round(a.Monthly[i].Score, 3)
	}
	return a
}

// evidence lists quotes, the negative ones beside the positive: where there is a
// negative vote, there is its sentence.
func (s *aspectSum) evidence() []reviewcast.Evidence {
	out := []reviewcast.Evidence{}
	for _, f := range []sentiment.Polarity{sentiment.Positive, sentiment.Negative, sentiment.Neutral} {
		for i, q := range s.quotes[f] {
			if f == sentiment.Neutral && i > 0 {
				break // one is enough to show what neither praise nor blame looks like
			}
			out = append(out, q.publish())
		}
	}
	return out
}

func (q quote) publish() reviewcast.Evidence {
	text := *q.review.Text
	where := readable(text, q.m)
	start, end := codePoints(text, where)
	return reviewcast.Evidence{
		ReviewID: q.review.ID, Start: start, End: end, Quote: text[where.Start:where.End],
		Polarity: q.m.Polarity.Published(), Source: q.m.Origin.String(),
	}
}

// maxQuote is the length, in bytes, beyond which a sentence is cut to the words
// around the mention: some people never set a full stop.
const maxQuote = 400

func readable(text string, m *sentiment.AspectMention) sentiment.Span {
	s := m.Sentence
	s.Start, s.End = min(s.Start, m.Start), max(s.End, m.End) // figures may be a sentence apart
	if s.End-s.Start <= maxQuote {
		return s
	}
	lo, hi := max(s.Start, m.Start-maxQuote/2), min(s.End, max(m.End, m.Start+maxQuote/2))
	if at := strings.IndexAny(text[lo:m.Start], " \n"); lo > s.Start && at >= 0 {
		lo += int32(at) + 1
	} else if lo > s.Start {
		lo = m.Start
	}
	if at := strings.LastIndexAny(text[m.End:hi], " \n"); hi < s.End && at >= 0 {
		hi = m.End + int32(at)
	} else if hi < s.End {
		hi = m.End
	}
	return sentiment.Span{Start: lo, End: hi}
}

// codePoints turns bytes into the offsets that are published.
func codePoints(text string, s sentiment.Span) (start, end int) {
	for range text[:s.Start] {
		start++
	}
	end = start
	for range text[s.Start:s.End] {
		end++
	}
	return start, end
}

// wilson is the 95 % Wilson score interval of a share, with two decimals (E. B.
// Wilson, 1927). The level says how wide it is: high is within 15 points, medium
// within 35.
func wilson(k, n int) reviewcast.Confidence {
	if n == 0 {
		return reviewcast.Confidence{Low: 0, High: 1, Level: "none"}
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	c := reviewcast.Confidence{Low: sentiment.Round(max(0, centre-half), 2), High: sentiment.Round(min(1, centre+half), 2), Level: "low"}
	switch width := 2 * half; {
	case width <= 0.15:
		c.Level = "high"
	case width <= 0.35:
		c.Level = "medium"
	}
	return c
}
