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
	Mention  int32 // the index in Analysis.Aspects of the mention that proves it: of a mixed vote, a negative one
}

// Weights and limits of the whole review's score. The rating is the customer's own summary, so it weighs more than the words.
const (
	ratingWeight = 2.0
	textWeight   = 1.0
	neutralScore = 0.15 // the score, either way, below which a review is neutral
	vaderAlpha   = 15.0 // normalizes a sum of valences to -1..1 (Hutto and Gilbert, 2014)
	// againstTone is the score from which opinion words count alone in a text whose
	// other words say the opposite. Phrases always do.
	againstTone = 1.2
	clearly     = 2 // how many times as much one side of a text must weigh as the other
)

// leaning returns the polarity of a text one side of which weighs much more than the other, and neutral for others.
func leaning(tone [2]float32) reviewcast.Polarity {
	switch {
	case tone[0] > clearly*tone[1]:
		return reviewcast.Positive
	case tone[1] > clearly*tone[0]:
		return reviewcast.Negative
	}
	return reviewcast.Neutral
}

// judge sets the review's votes and its sentiment as a whole.
func (v *vocabulary) judge(rating int, a *Analysis) {
	a.Votes, a.Possible = votesOf(a.Aspects, a.tone)
	a.dropDoubtful(rating)
	in := &a.Insight
	in.Source, in.Aspects = "stars", make(map[string]reviewcast.Polarity, len(a.Votes))
	score := float64(rating-3) / 2
	praise, blame := float64(a.tone[0]), float64(a.tone[1])
	if a.Language == english && praise+blame > 0 {
		in.Source = "text_and_stars"
		sum := praise - blame
		text := sum / math.Sqrt(sum*sum+vaderAlpha)
		score = (ratingWeight*score + textWeight*text) / (ratingWeight + textWeight)
	}
	in.Score = Round(score, 3)
	var votes reviewcast.SentimentCounts
	for _, b := range a.Votes {
		in.Aspects[v.Aspects[b.Aspect].ID] = b.Polarity
		votes.Add(b.Polarity)
	}
	divided := votes.MixedCount > 0 || votes.PositiveCount > 0 && votes.NegativeCount > 0
	in.Sentiment = polarityOf(in.Score, neutralScore)
	if rating > 1 && rating < 5 && divided {
		in.Sentiment = reviewcast.Mixed
	}
}

// dropDoubtful turns votes that contradict the rest of the review into possible ones: opinion words against most of its
// words, unless they are strong, and any vote against its stars that only one sign supports.
func (a *Analysis) dropDoubtful(rating int) {
	a.Votes = slices.DeleteFunc(a.Votes, func(b Vote) bool {
		proof := &a.Aspects[b.Mention]
		var rule Rule
		switch {
		case Against(b.Polarity, rating) && !a.sure(b):
			rule = againstStars
		case opposite[b.Polarity] == leaning(a.tone) && proof.Origin == FromLexicon && max(proof.Score, -proof.Score) < againstTone:
			rule = againstText
		default:
			return false
		}
		for i := range a.Aspects {
			if m := &a.Aspects[i]; m.Aspect == b.Aspect && m.Use == Counted {
				m.Use, m.Rule = Possible, rule
			}
		}
		a.Possible = append(a.Possible, b.Aspect)
		return true
	})
}

// Against reports whether a polarity is the opposite of a rating.
func Against(p reviewcast.Polarity, rating int) bool {
	return p == reviewcast.Negative && rating > 3 || p == reviewcast.Positive && rating < 3
}

// sure reports whether a vote against the stars has a second sign: the words of the whole review have its polarity,
// too, its sentence says that it is an exception ("but", "only complaint"), or two sentences agree. Weak opinion words
// are no sign, and where another sentence disagrees, none is sure.
func (a *Analysis) sure(b Vote) bool {
	proof, signs, last := &a.Aspects[b.Mention], 0, Span{}
	if proof.Origin == FromLexicon && max(proof.Score, -proof.Score) < 2*countedScore {
		return false
	}
	if proof.Polarity == leaning(a.tone) {
		return true
	}
	for i := range a.Aspects {
		m := &a.Aspects[i]
		if m.Aspect != b.Aspect || m.Use != Counted || m.Polarity == reviewcast.Neutral {
			continue
		}
		if m.Polarity != proof.Polarity {
			return false
		}
		if m.contrasted || m.exception || signs > 0 && m.Sentence != last {
			signs++
		}
		signs, last = signs+1, m.Sentence
	}
	return signs > 1
}

// Round rounds to a number of decimals. It never returns -0.
func Round(f float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(f*p)/p + 0 // -0 + 0 is 0
}

// sides is what the sentences of a review say of one aspect.
type sides struct {
	aspect   int16
	of       map[reviewcast.Polarity]side
	contrast bool // one of the mentions is contrasted
	editors  bool // editors' phrases decide
}

// side is what says one polarity.
type side struct {
	sentences int     // with counted mentions
	score     float32 // the sum of the strongest score of each
	last      Span
	proof     int32 // the best mention
}

// votesOf turns mentions into votes, one per aspect. Where a review both praises and blames an aspect, the polarity of
// most sentences wins. A tie is mixed if both sides are firm; otherwise the stronger side wins.
func votesOf(mentions []AspectMention, tone [2]float32) (votes []Vote, possible []int16) {
	var all []*sides
	for i := range mentions {
		m := &mentions[i]
		if m.Use == Unused {
			continue
		}
		k := slices.IndexFunc(all, func(s *sides) bool { return s.aspect == m.Aspect })
		if k < 0 {
			k = len(all)
			all = append(all, &sides{aspect: m.Aspect, of: map[reviewcast.Polarity]side{}})
		}
		s := all[k]
		if editors := m.Origin == FromEditor && m.Use == Counted; editors && !s.editors {
			*s = sides{aspect: m.Aspect, of: map[reviewcast.Polarity]side{}, editors: true} // an editor's phrase outranks everything else
		} else if m.Use == Possible || s.editors && !editors {
			continue
		}
		s.add(mentions, int32(i))
	}
	for _, s := range all {
		if len(s.of) == 0 {
			possible = append(possible, s.aspect)
			continue
		}
		polarity, proof := s.verdict(tone)
		votes = append(votes, Vote{s.aspect, polarity, proof})
	}
	return votes, possible
}

func (s *sides) add(mentions []AspectMention, i int32) {
	m := &mentions[i]
	s.contrast = s.contrast || m.contrasted
	said, known := s.of[m.Polarity]
	strength := max(m.Score, -m.Score)
	if !known || said.last != m.Sentence {
		said.sentences++
		said.last = m.Sentence
		said.score += strength
	}
	if best := &mentions[said.proof]; !known || m.Origin < best.Origin || m.Origin == best.Origin && strength > max(best.Score, -best.Score) {
		said.proof = i
	}
	s.of[m.Polarity] = said
}

func (s *sides) verdict(tone [2]float32) (reviewcast.Polarity, int32) {
	praise, blame := s.of[reviewcast.Positive], s.of[reviewcast.Negative]
	p := reviewcast.Neutral
	switch {
	case praise.sentences > blame.sentences:
		p = reviewcast.Positive
	case blame.sentences > praise.sentences:
		p = reviewcast.Negative
	case praise.sentences > 0 && s.contrast && praise.last == blame.last && min(praise.score, blame.score) >= phraseValence:
		return reviewcast.Mixed, blame.proof
	case praise.score > blame.score, praise.score == blame.score && praise.sentences > 0 && tone[0] > tone[1]:
		p = reviewcast.Positive
	case praise.sentences > 0:
		p = reviewcast.Negative
	}
	return p, s.of[p].proof
}
