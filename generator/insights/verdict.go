package insights

import (
	"math"
	"slices"

	"reviewcast"
)

// verdict is what a review says as a whole, and of each aspect: its votes.
type verdict struct {
	votes     []vote // in the order of the text
	score     float64
	sentiment reviewcast.Polarity
	fromText  bool
}

// vote is a review's one vote about an aspect.
type vote struct {
	aspect   int16
	polarity reviewcast.Polarity
	// mention is the index of the mention that proves it: of a mixed vote, the
	// negative one.
	mention int32
}

// Weights of the whole review's score. The stars are the customer's own sum, so
// they weigh more than our reading of the words.
const (
	starWeight = 2.0
	textWeight = 1.0
	// calm is the score, either way, below which a review is neutral.
	calm = 0.15
	// vaderAlpha normalises a sum of valences to -1..1 (Hutto and Gilbert 2014).
	vaderAlpha = 15.0
)

func judge(r *found) verdict {
	v := verdict{votes: votesOf(r.mentions)}
	v.score = float64(r.Rating-3) / 2
	praised, blamed := float64(r.loudness[0]), float64(r.loudness[1])
	if r.english && praised+blamed > 0 {
		v.fromText = true
		sum := praised - blamed
		text := sum / math.Sqrt(sum*sum+vaderAlpha)
		v.score = (starWeight*v.score + textWeight*text) / (starWeight + textWeight)
	}
	v.score = round(v.score, 3)
	switch {
	case r.Rating > 1 && r.Rating < 5 && v.divided():
		v.sentiment = reviewcast.Mixed
	case v.score >= calm:
		v.sentiment = reviewcast.Positive
	case v.score <= -calm:
		v.sentiment = reviewcast.Negative
	default:
		v.sentiment = reviewcast.Neutral
	}
	return v
}

// says is what a review says of an aspect with one polarity.
type says struct {
	mention int32 // which proves it, from 1; 0: none
	sure    float32
}

// votesOf turns mentions into votes, one an aspect, whatever their order: where a
// review both praises and blames, what is surer by more than apart counts, so that
// the stars give way to the text; and else it is mixed. What is felt counts before
// plain facts.
func votesOf(mentions []mention) []vote {
	votes := make([]vote, 0, len(mentions))
	all := make([][3]says, 0, len(mentions))
	for i := range mentions {
		m := &mentions[i]
		k := slices.IndexFunc(votes, func(b vote) bool { return b.aspect == m.aspect })
		if k < 0 {
			k = len(votes)
			votes, all = append(votes, vote{aspect: m.aspect}), append(all, [3]says{})
		}
		sure := m.sure
		if m.origin == byStars {
			sure = unsaidByText
		}
		s := &all[k][m.polarity]
		if s.mention == 0 {
			*s = says{int32(i) + 1, sure}
			continue
		}
		if s.sure = max(s.sure, sure); m.origin < mentions[s.mention-1].origin {
			s.mention = int32(i) + 1
		}
	}
	for k := range votes {
		s, b := &all[k], &votes[k]
		praise, blame := s[positive], s[negative]
		felt := neutral
		switch {
		case praise.mention > 0 && blame.mention > 0 && max(praise.sure-blame.sure, blame.sure-praise.sure) <= apart:
			b.polarity, b.mention = reviewcast.Mixed, blame.mention-1
			continue
		case praise.mention > 0 && (blame.mention == 0 || praise.sure > blame.sure):
			felt = positive
		case blame.mention > 0:
			felt = negative
		}
		b.polarity, b.mention = felt.polarity(), s[felt].mention-1
	}
	return votes
}

// divided tells whether the review both praises and blames.
func (v *verdict) divided() bool {
	praise, blame := false, false
	for _, b := range v.votes {
		praise = praise || b.polarity == reviewcast.Positive || b.polarity == reviewcast.Mixed
		blame = blame || b.polarity == reviewcast.Negative || b.polarity == reviewcast.Mixed
	}
	return praise && blame
}

var noAspects = map[string]reviewcast.Polarity{}

func perReview(v *vocabulary, all []found) map[string]reviewcast.ReviewInsight {
	m := make(map[string]reviewcast.ReviewInsight, len(all))
	for i := range all {
		r := &all[i]
		ri := reviewcast.ReviewInsight{Sentiment: r.verdict.sentiment, Score: r.verdict.score, Aspects: noAspects, Source: "stars"}
		if r.verdict.fromText {
			ri.Source = "text_and_stars"
		}
		if len(r.verdict.votes) > 0 {
			ri.Aspects = make(map[string]reviewcast.Polarity, len(r.verdict.votes))
			for _, b := range r.verdict.votes {
				ri.Aspects[v.aspects[b.aspect].ID] = b.polarity
			}
		}
		m[r.ID] = ri
	}
	return m
}

func overall(all []found) reviewcast.OverallSentiment {
	var o reviewcast.OverallSentiment
	if len(all) == 0 {
		return o
	}
	var counts reviewcast.SentimentCounts
	sum := 0.0
	for i := range all {
		count(&counts, all[i].verdict.sentiment)
		sum += all[i].verdict.score
	}
	n := float64(len(all))
	pct := func(c int) float64 { return round(100*float64(c)/n, 1) }
	o.Score = round(sum/n, 3)
	o.PositivePct, o.NeutralPct, o.NegativePct = pct(counts.PositiveCount), pct(counts.NeutralCount), pct(counts.NegativeCount)
	return o
}

func count(c *reviewcast.SentimentCounts, p reviewcast.Polarity) {
	switch p {
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
