package insights

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// Which phrases become topics.
const (
	maxTopics = 20
	// A phrase is a topic when at least minTopicReviews reviews have it and
	// minTopicShare of those with text: fewer are coincidence.
	minTopicReviews = 3
	minTopicShare   = 0.003
	absorbs         = 0.65 // the share of a two-word phrase's reviews from which the three-word phrase around it replaces it
	// A word at an end of more than one phrase in commonPart, and of more than minCommon, is the
	// trade's own: "airline lounge" is no topic of reviews of lounges.
	minCommon, commonPart = 5, 6
	topicSample           = 8 // how many reviews are read again for the form in which most customers write a topic
)

type topicSum struct {
	tally
	key    sentiment.TopicKey
	label  string
	parts  [2]sentiment.TopicKey // of a phrase of three words, the two of two words within it
	rank   int                   // 0: pinned
	sample []*Analyzed
}

// topics counts the phrases that many reviews have, and the editors' topics.
func topics(a *sentiment.Analyzer, all []Analyzed) []reviewcast.Topic {
	hidden := a.HiddenTopics()
	list, texts := sumTopics(hidden, a, all)
	out := []reviewcast.Topic{}
	taken := map[string]bool{}
	grown := map[sentiment.TopicKey]int{} // phrases of two words that a longer topic includes
	for _, s := range list {
		s.rank = 1
		if s.key.Rank() == 0 {
			own := a.EditorTopics[s.key-1]
			if s.label = own.Label; own.Pinned {
				s.rank = 0
			}
			continue
		}
		s.setLabel(a)
		for _, p := range s.parts {
			grown[p] = max(grown[p], s.n)
		}
	}
	list = slices.DeleteFunc(list, func(s *topicSum) bool { return hidden[s.parts[0]] || hidden[s.parts[1]] })
	slices.SortStableFunc(list, func(a, b *topicSum) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.n, a.n), strings.Compare(a.label, b.label))
	})
	ends := map[string]int{}
	for _, s := range list {
		for _, w := range endsOf(s.label) {
			ends[w]++
		}
	}
	for _, s := range list {
		if len(out) >= maxTopics && s.rank > 0 {
			break
		}
		common := func(w string) bool { return ends[w] > max(minCommon, len(list)/commonPart) }
		if n := grown[s.key]; s.key.Rank() > 0 && (slices.ContainsFunc(endsOf(s.label), common) || float64(n) >= absorbs*float64(s.n)) {
			continue
		}
		if to, ok := a.NewTopicLabel(s.label); ok {
			s.label = to
		}
		id := slug(s.label)
		if id == "" || taken[id] {
			continue
		}
		taken[id] = true
		out = append(out, reviewcast.Topic{
			ID: id, Label: s.label, MentionCount: s.n, Share: reviewcast.Quotient(s.n, texts.n, 3),
			AverageRating: reviewcast.Mean(s.stars, s.n), AverageRatingWithout: reviewcast.Mean(texts.stars-s.stars, texts.n-s.n),
			RecentShare: share(s.windows[0], texts.windows[0]), EarlierShare: share(s.n-s.windows[0], texts.n-texts.windows[0]),
			ExampleReviewIDs: s.examples, SentimentCounts: s.counts, Trend: shareTrend(texts.windows, s.windows),
		})
	}
	return out
}

// share is part/whole, nil when whole is 0: a share of nothing is not zero.
func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(reviewcast.Quotient(part, whole, 3))
}

// endsOf returns the first and the last word of a label.
func endsOf(label string) []string {
	return []string{label[:max(strings.IndexByte(label, ' '), 0)], label[strings.LastIndexByte(label, ' ')+1:]}
}

// sumTopics counts the phrases that are frequent enough, most frequent first, at most three times as many as are
// listed. Nearly all phrases are rare, so that only how often they occur is counted at first.
func sumTopics(hidden map[sentiment.TopicKey]bool, a *sentiment.Analyzer, all []Analyzed) (sums []*topicSum, texts tally) {
	w, counts := windowsOf(all), map[sentiment.TopicKey]int{}
	for i := range all {
		if all[i].Text == nil {
			continue
		}
		texts.add(&all[i], w)
		for _, k := range all[i].Topics {
			counts[k]++
		}
	}
	least := max(minTopicReviews, int(minTopicShare*float64(texts.n)))
	by := map[sentiment.TopicKey]*topicSum{}
	for i := range all {
		for _, k := range all[i].Topics {
			pinned := k.Rank() == 0 && a.EditorTopics[k-1].Pinned
			if counts[k] < least && !pinned || hidden[k] {
				continue
			}
			if by[k] == nil {
				by[k] = &topicSum{key: k}
			}
			by[k].add(&all[i], w)
		}
	}
	sums = slices.SortedFunc(maps.Values(by), func(a, b *topicSum) int {
		return cmp.Or(cmp.Compare(a.key.Rank(), b.key.Rank()), cmp.Compare(b.n, a.n), cmp.Compare(a.key, b.key))
	})
	return sums[:min(len(sums), 3*maxTopics+len(a.EditorTopics))], texts
}

func (s *topicSum) add(r *Analyzed, w windows) {
	s.tally.add(r, w)
	if len(s.sample) < topicSample {
		s.sample = append(s.sample, r)
	}
}

// setLabel sets label to the form in which most of the sampled reviews write a phrase, and parts.
func (s *topicSum) setLabel(a *sentiment.Analyzer) {
	written := map[string]int{}
	for _, r := range s.sample {
		var form string
		form, s.parts = a.WrittenTopic(*r.Text, s.key)
		written[form]++
	}
	s.label = strings.Join(most(written, 1), "")
}

// slug returns a topic's id: ASCII letters and digits, joined by hyphens.
func slug(label string) string {
	parts := strings.FieldsFunc(sentiment.Fold(label), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := strings.Join(parts, "-")
	return strings.TrimRight(s[:min(len(s), reviewcast.MaxIDLength)], "-")
}
