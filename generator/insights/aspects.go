package insights

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// How much evidence is published with an aspect.
const (
	maxQuotes   = 3 // of each polarity
	maxExamples = 5 // review ids
	maxPhrases  = 5
	maxPhrase   = 28 // the length, in bytes, up to which words show as a phrase
	// phraseSample is how many of the mentions with the same words are read for the
	// form in which most customers write them.
	phraseSample = 20
)

type aspectSum struct {
	votes    int
	possible int
	phrased  int // votes that a phrase decides
	stars    int
	counts   reviewcast.SentimentCounts
	months   []reviewcast.AspectMonth // newest first; Score is a sum
	trend    trendSum
	quotes   map[reviewcast.Polarity][]quote // the best maxExamples first
	phrases  map[phraseKey]*phraseSum
}

// phraseKey identifies a phrase, or a term with its opinion word.
type phraseKey struct {
	phrase  int32
	opinion string
}

// phraseSum counts mentions, and the first ways in which they are written.
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
	sums := make([]aspectSum, len(an.Aspects))
	for i := range sums {
		sums[i] = aspectSum{months: []reviewcast.AspectMonth{}, quotes: map[reviewcast.Polarity][]quote{}, phrases: map[phraseKey]*phraseSum{}}
	}
	texts, textStars := 0, 0
	w := windowsOf(all)
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
		for _, aspect := range r.Possible {
			sums[aspect].possible++
		}
		for k := range r.Aspects {
			sums[r.Aspects[k].Aspect].phrase(r, &r.Aspects[k])
		}
	}
	out := make([]reviewcast.Aspect, len(an.Aspects))
	for i, t := range an.Aspects {
		out[i] = sums[i].publish(t, texts, textStars)
	}
	return out
}

func (s *aspectSum) vote(r *Analyzed, b sentiment.Vote, w windows, age int) {
	s.votes++
	s.stars += r.Rating
	s.counts.Add(b.Polarity)
	value := map[reviewcast.Polarity]float64{reviewcast.Positive: 1, reviewcast.Negative: -1}[b.Polarity]
	s.trend.add(w, r.Date, value)
	if month := r.Date.Month(); len(s.months) == 0 || s.months[len(s.months)-1].Month != month {
		s.months = append(s.months, reviewcast.AspectMonth{Month: month})
	}
	m := &s.months[len(s.months)-1]
	m.MentionCount++
	m.Score += value
	at := &r.Aspects[b.Mention]
	if at.Origin != sentiment.FromLexicon {
		s.phrased++
	}
	// The best quotes of each polarity are kept. A review has one vote, so none is quoted twice.
	list, q := s.quotes[at.Polarity], quote{r, at, age}
	place, _ := slices.BinarySearchFunc(list, q, compare)
	list = slices.Insert(list, place, q)
	s.quotes[at.Polarity] = list[:min(maxExamples, len(list))]
}

// compare orders quotes: first what proves its vote more surely, then as surely in a
// more readable sentence, then the newer.
func compare(a, b quote) int {
	return cmp.Or(cmp.Compare(doubt(a), doubt(b)), cmp.Compare(a.m.Origin, b.m.Origin), cmp.Compare(awkward(a.m), awkward(b.m)), cmp.Compare(a.age, b.age))
}

// doubt is 0 for a vote that is firm and agrees with the review's stars and its other
// sentences, and rises with each reason to doubt it.
func doubt(q quote) (n int) {
	if sentiment.Against(q.m.Polarity, q.review.Rating) {
		n++
	}
	disagrees := func(m sentiment.AspectMention) bool {
		return m.Aspect == q.m.Aspect && m.Polarity != q.m.Polarity && m.Use == sentiment.Counted
	}
	if slices.ContainsFunc(q.review.Aspects, disagrees) {
		n++
	}
	const firmScore = 1.2 // of opinion words that are near and clear
	if q.m.Origin == sentiment.FromLexicon && max(q.m.Score, -q.m.Score) < firmScore {
		n++
	}
	return n
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

// phrase counts what a mention says in the customer's words: a shipped phrase, or a term and its opinion word. The
// editors' own phrases tell them nothing new, and numbers belong to one case.
func (s *aspectSum) phrase(r *Analyzed, m *sentiment.AspectMention) {
	if m.Use != sentiment.Counted || m.Origin == sentiment.FromEditor || m.Origin == sentiment.FromLexicon && m.OpinionWord == "" {
		return
	}
	key := phraseKey{m.Phrase, ""}
	start, end := m.Start, m.End
	if m.Origin == sentiment.FromLexicon {
		key.opinion = m.OpinionWord
		start, end = min(start, m.Opinion.Start), max(end, m.Opinion.End)
	}
	p := s.phrases[key]
	if p == nil {
		p = &phraseSum{written: map[string]int{}}
		s.phrases[key] = p
	}
	if p.n++; p.n > phraseSample || end-start > maxPhrase {
		return
	}
	text := strings.Join(strings.Fields(strings.ToLower((*r.Text)[start:end])), " ")
	if !strings.ContainsAny(text, "0123456789.!?;:()") {
		p.written[text]++
	}
}

// topPhrases returns the words that customers use most, in their most frequent form.
func (s *aspectSum) topPhrases() []string {
	total := map[string]int{}
	for _, p := range s.phrases {
		for _, text := range most(p.written, 1) {
			total[text] += p.n
		}
	}
	return most(total, maxPhrases)
}

// most returns the n keys with the highest counts, ties in alphabetical order.
func most(counts map[string]int, n int) []string {
	keys := slices.AppendSeq([]string{}, maps.Keys(counts)) // never nil, which would be published as null
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) })
	return keys[:min(n, len(keys))]
}

func (s *aspectSum) publish(t sentiment.Term, texts, textStars int) reviewcast.Aspect {
	a := reviewcast.Aspect{
		ID: t.ID, Label: t.Label, MentionCount: s.votes, SentimentCounts: s.counts,
		PossibleCount:   s.possible,
		NotMentionedPct: reviewcast.Quotient(100*(texts-s.votes), max(texts, 1), 1),
		PositivePct:     reviewcast.Quotient(100*s.counts.PositiveCount, max(s.votes, 1), 1),
		Score:           reviewcast.Quotient(s.counts.PositiveCount-s.counts.NegativeCount, max(s.votes, 1), 3),
		Confidence:      confidence(s.counts, s.votes, s.phrased, Measured),
		AverageRating:   reviewcast.Mean(s.stars, s.votes), AverageRatingWithout: reviewcast.Mean(textStars-s.stars, texts-s.votes),
		TopPhrases: s.topPhrases(), ExampleReviewIDs: s.examples(), Evidence: s.evidence(),
		Monthly: s.months, Trend: s.trend.trend(),
	}
	slices.Reverse(a.Monthly)
	for i := range a.Monthly {
		a.Monthly[i].Score = sentiment.Round(a.Monthly[i].Score/float64(a.Monthly[i].MentionCount), 3)
	}
	return a
}

// examples lists typical reviews: those with the most frequent polarity, the surest first.
func (s *aspectSum) examples() []string {
	typical := reviewcast.Positive
	switch c := &s.counts; {
	case c.NeutralCount > c.PositiveCount && c.NeutralCount > c.NegativeCount+c.MixedCount:
		typical = reviewcast.Neutral
	case c.NegativeCount+c.MixedCount > c.PositiveCount:
		typical = reviewcast.Negative
	}
	ids := []string{}
	for _, q := range s.quotes[typical] {
		ids = append(ids, q.review.ID)
	}
	return ids
}

// evidence lists quotes, the negative ones beside the positive: where there is a negative vote, there is its sentence.
func (s *aspectSum) evidence() []reviewcast.Evidence {
	out := []reviewcast.Evidence{}
	for _, f := range []reviewcast.Polarity{reviewcast.Positive, reviewcast.Negative, reviewcast.Neutral} {
		for i, q := range s.quotes[f] {
			if i == maxQuotes || f == reviewcast.Neutral && i > 0 {
				break // one is enough to show what neither praise nor blame looks like
			}
			out = append(out, q.publish())
		}
	}
	return out
}

func (q quote) publish() reviewcast.Evidence {
	text := *q.review.Text
	where := readable(text, q.m.Sentence, q.m.Start, q.m.End)
	start, quote := utf8.RuneCountInString(text[:where.Start]), text[where.Start:where.End]
	return reviewcast.Evidence{
		ReviewID: q.review.ID, Start: start, End: start + utf8.RuneCountInString(quote), Quote: quote,
		Polarity: q.m.Polarity, Source: q.m.Origin.String(),
	}
}

// Sentence returns the sentence behind a vote of the review. The insights publish the best of them as evidence.
func (r *Analyzed) Sentence(v sentiment.Vote) string {
	m := &r.Aspects[v.Mention]
	return around(*r.Text, m.Sentence, m.Start, m.End)
}

// Naming returns the sentence in which the review names an entity, or its title.
func (r *Analyzed) Naming(m *sentiment.EntityMention) string {
	return around(r.textOf(m), m.Sentence, m.Start, m.End)
}

func (r *Analyzed) textOf(m *sentiment.EntityMention) string {
	if m.Title {
		return *r.Title
	}
	return *r.Text
}

// around returns what is readable of a sentence, with an ellipsis where it is cut.
func around(text string, s sentiment.Span, start, end int32) string {
	where := readable(text, s, start, end)
	said := text[where.Start:where.End]
	if where.Start > s.Start {
		said = "… " + said
	}
	if where.End < s.End {
		said += " …"
	}
	return said
}

// readable cuts a long sentence to the words around the mention: some people never set a full stop.
func readable(text string, s sentiment.Span, start, end int32) sentiment.Span {
	const maxQuote = 400 // bytes
	if s.End-s.Start <= maxQuote {
		return s
	}
	lo, hi := max(s.Start, start-maxQuote/2), min(s.End, max(end, start+maxQuote/2))
	if at := strings.IndexAny(text[lo:start], " \n"); lo > s.Start && at >= 0 {
		lo += int32(at) + 1
	} else if lo > s.Start {
		lo = start
	}
	if hi < s.End {
		hi = end + int32(max(0, strings.LastIndexAny(text[end:hi], " \n")))
	}
	return sentiment.Span{Start: lo, End: hi}
}
