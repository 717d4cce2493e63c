package insights

import (
	"math"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// Measured is the accuracy of the method on real reviews, as `make measure`
// computes it. CI compares the two where the reviews are at hand.
var Measured = reviewcast.Measured{
	Precision: 0.848, Recall: 0.707, Reviews: 152, Labels: 611,
	On: "airline lounges, with an editor's vocabulary; the half of the labelled reviews that nothing was changed for",
}

// When a share is certain enough for a level.
const (
	highWidth   = 0.15
	mediumWidth = 0.35
	// minLabels is how many labels the accuracy must rest on for a level above low.
	minLabels = 50
	// phraseShare is the share of votes that phrases must have decided for a high level.
	phraseShare = 0.5
)

// z is the two-sided 95 % quantile of the normal distribution.
const z = 1.959963984540054

// confidence returns the 95 % interval of the positive share. Of the votes, a share of up to e is read wrongly, e
// being the upper bound of what was measured: the interval reaches from Wilson's lower bound with as many positive
// votes fewer to his upper bound with as many of the others more.
func confidence(c reviewcast.SentimentCounts, votes, phrased int, m reviewcast.Measured) reviewcast.Confidence {
	if votes == 0 {
		return reviewcast.Confidence{Low: 0, High: 1, Level: "none"}
	}
	e := 1.0
	if m.Labels > 0 {
		_, e = wilson((1-m.Precision)*float64(m.Labels), float64(m.Labels))
	}
	positive, n := float64(c.PositiveCount), float64(votes)
	low, _ := wilson(positive*(1-e), n)
	_, high := wilson(positive+float64(c.NegativeCount)*e, n)
	out := reviewcast.Confidence{Low: sentiment.Round(low, 2), High: sentiment.Round(high, 2), Level: "low"}
	switch width := high - low; {
	case m.Labels < minLabels:
	case width <= highWidth && float64(phrased) >= phraseShare*n:
		out.Level = "high"
	case width <= mediumWidth:
		out.Level = "medium"
	}
	return out
}

// wilson returns the bounds of the 95 % Wilson score interval of k of n (E. B. Wilson, 1927).
func wilson(k, n float64) (low, high float64) {
	p := k / n
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, centre-half), min(1, centre+half)
}
