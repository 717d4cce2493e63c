package sentiment

import (
	"math"
	"slices"

	"reviewcast"
)

// Vote is a review's one vote about an aspect.
type Vote struct {
	Aspect   int16 // index into Analyzer.Aspects
	Polarity reviewcast.Polarity
	// Mention is the index in Analysis.Aspects of the mention that proves it: of a
	// mixed vote, a negative one.
	Mention int32
}

// Weights of the whole review's score. The rating is the customer's own summary,
// so it weighs more than the words.
const (
	ratingWeight = 2.0
	textWeight   = 1.0
	// neutralScore is the score, either way, below which a review is neutral.
	neutralScore = 0.15
	// vaderAlpha normalizes a sum of valences to -1..1 (Hutto and Gilbert, 2014).
	vaderAlpha = 15.0
)

var noAspects = map[string]reviewcast.Polarity{}

// judge sets the review's votes and its sentiment as a whole.
func (v *vocabulary) judge(rating int, a *Analysis) {
	a.Votes = votesOf(a.Aspects)
	in := &a.Insight
	in.Source, in.Aspects = "stars", noAspects
	score := float64(rating-3) / 2
	praise, blame := float64(a.tone[0]), float64(a.tone[1])
	if a.English && praise+blame > 0 {
		in.Source = "text_and_stars"
		sum := praise - blame
		text := sum / math.Sqrt(sum*sum+vaderAlpha)
		score = (ratingWeight*score + textWeight*text) / (ratingWeight + textWeight)
	}
	in.Score = Round(score, 3)
	switch {
	case rating > 1 && rating < 5 && divided(a.Votes):
		in.Sentiment = reviewcast.Mixed
	case in.Score >= neutralScore:
		in.Sentiment = reviewcast.Positive
	case in.Score <= -neutralScore:
		in.Sentiment = reviewcast.Negative
	default:
		in.Sentiment = reviewcast.Neutral
	}
	if len(a.Votes) > 0 {
		in.Aspects = make(map[string]reviewcast.Polarity, len(a.Votes))
		for _, b := range a.Votes {
			in.Aspects[v.aspects[b.Aspect].ID] = b.Polarity
		}
	}
}

// Round rounds to a number of decimals. It never returns -0.
func Round(f float64, decimals int) float64 {
	p := math.Pow10(decimals)
	r := math.Round(f*p) / p
	if r == 0 {
		return 0
	}
	return r
}

// support is the mention behind one polarity of an aspect, and its certainty.
type support struct {
	mention   int32 // index plus one; 0: none
	certainty float32
}

// votesOf turns mentions into votes, one per aspect, independent of their order.
// Where a review both praises and blames an aspect, the more certain one counts if
// the difference exceeds mixedMargin, and the vote is mixed otherwise. An opinion
// counts before a plain fact, and words before stars.
func votesOf(mentions []AspectMention) []Vote {
	votes := make([]Vote, 0, len(mentions))
	all := make([][polarities]support, 0, len(mentions))
	for i := range mentions {
		m := &mentions[i]
		k := slices.IndexFunc(votes, func(b Vote) bool { return b.Aspect == m.Aspect })
		if k < 0 {
			k = len(votes)
			votes, all = append(votes, Vote{Aspect: m.Aspect}), append(all, [polarities]support{})
		}
		certainty := m.certainty
		if m.Origin == FromStars {
			certainty = starsCertainty
		}
		s := &all[k][m.Polarity]
		if s.mention == 0 {
			*s = support{int32(i) + 1, certainty}
			continue
		}
		if s.certainty = max(s.certainty, certainty); m.Origin < mentions[s.mention-1].Origin {
			s.mention = int32(i) + 1
		}
	}
	for k := range votes {
		s, b := &all[k], &votes[k]
		praise, blame := s[Positive], s[Negative]
		p := Neutral
		switch {
		case praise.mention > 0 && blame.mention > 0 && max(praise.certainty-blame.certainty, blame.certainty-praise.certainty) <= mixedMargin:
			b.Polarity, b.Mention = reviewcast.Mixed, blame.mention-1
			continue
		case praise.mention > 0 && (blame.mention == 0 || praise.certainty > blame.certainty):
			p = Positive
		case blame.mention > 0:
			p = Negative
		}
		b.Polarity, b.Mention = p.Published(), s[p].mention-1
	}
	return votes
}

// divided reports whether the votes contain both praise and blame.
func divided(votes []Vote) bool {
	praise, blame := false, false
	for _, b := range votes {
		praise = praise || b.Polarity == reviewcast.Positive || b.Polarity == reviewcast.Mixed
		blame = blame || b.Polarity == reviewcast.Negative || b.Polarity == reviewcast.Mixed
	}
	return praise && blame
}
