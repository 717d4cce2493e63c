package insights

import (
	"cmp"
	"slices"
	"strings"

	"reviewcast"
)

// Which phrases become topics.
const (
	maxTopics = 20
	// A phrase is a topic when at least minTopicReviews reviews have it and
	// minTopicShare of those with text: below that it is chance.
	minTopicReviews = 3
	minTopicShare   = 0.003
	// absorbs is the share of a two-word phrase's reviews from which the three-word
	// phrase around it stands for both.
	absorbs = 0.65
	// topicSample is how many reviews are read again for the form in which most
	// customers write a topic.
	topicSample = 8
)

const hashed = 1 << 63

func gram(hashes ...uint64) uint64 {
	h := uint64(0)
	for _, x := range hashes {
		h = (h ^ x) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h | hashed
}

// gramOf is the gram of a phrase of two or three words; 0 of any other.
func gramOf(phrase string) uint64 {
	var hashes []uint64
	for w := range words(phrase) {
		hashes = append(hashes, hash(stem(w)))
	}
	if len(hashes) < 2 || len(hashes) > 3 {
		return 0
	}
	return gram(hashes...)
}

// phrases gives the grams of a text: the phrases of two words that mean something
// by themselves, those of three whose first and last word do, and the editors'
// topics; each once, sorted.
func (w *worker) phrases() []uint64 {
	w.grams = w.grams[:0]
	t := w.tokens
	for i := range t {
		if w.v.topicTrie != nil && len(t[i].syms) > 0 {
			if m := w.v.topicTrie.longest(t, i, nil); m.payload > 0 {
				w.grams = append(w.grams, uint64(m.payload))
			}
		}
		if i+1 >= len(t) || !w.telling(i) || !w.follows(i+1) {
			continue
		}
		if w.telling(i + 1) {
			w.grams = append(w.grams, gram(t[i].hash, t[i+1].hash))
		}
		if i+2 < len(t) && w.follows(i+2) && w.telling(i+2) && !w.named[i+1] {
			w.grams = append(w.grams, gram(t[i].hash, t[i+1].hash, t[i+2].hash))
		}
	}
	if len(w.grams) == 0 {
		return nil
	}
	slices.Sort(w.grams)
	return slices.Clone(slices.Compact(w.grams))
}

// telling tells whether a word can begin or end a topic: no function word, no
// figure, no name.
func (w *worker) telling(i int) bool {
	t := &w.tokens[i]
	return t.flags&(stopword|numeric|negator|light|subject) == 0 && t.boost == 0 && len(t.text) > 2 && !w.named[i]
}

func (w *worker) follows(i int) bool {
	return w.tokens[i].gap == tight && w.tokens[i].clause == w.tokens[i-1].clause
}

// topicSum is what is counted of one topic.
type topicSum struct {
	gram            uint64
	n, stars        int
	recent, earlier int
	examples        []string
	sample          []*found
}

// topics finds what comes up again and again.
func topics(rules TopicRules, v *vocabulary, all []found) []reviewcast.Topic {
	hidden := rules.hidden()
	sums, texts, stars, recent := sumTopics(hidden, v, all)
	out := []reviewcast.Topic{}
	taken := map[string]bool{}
	w := newWorker(v)
	grown := map[uint64]int{} // two-word grams that a longer topic stands for
	type labelled struct {
		*topicSum
		label  string
		parts  [2]uint64
		pinned bool
	}
	list := make([]labelled, 0, len(sums))
	for _, s := range sums {
		l := labelled{topicSum: s}
		if s.gram&hashed == 0 {
			r := v.topics[s.gram-1]
			l.label, l.pinned = r.label, r.pinned
		} else {
			l.label, l.parts = w.label(s)
			if hidden[l.parts[0]] || hidden[l.parts[1]] {
				continue
			}
			for _, p := range l.parts {
				grown[p] = max(grown[p], s.n)
			}
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b labelled) int {
		if a.pinned != b.pinned {
			if a.pinned {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.label, b.label))
	})
	for _, s := range list {
		if len(out) >= maxTopics && !s.pinned {
			break
		}
		if n := grown[s.gram]; s.gram&hashed != 0 && float64(n) >= absorbs*float64(s.n) {
			continue
		}
		if to, ok := renamed(rules, s.label); ok {
			s.label = to
		}
		id := slug(s.label)
		if id == "" || taken[id] {
			continue
		}
		taken[id] = true
		t := reviewcast.Topic{
			ID: id, Label: s.label, MentionCount: s.n, Share: round(float64(s.n)/float64(texts), 3),
			AverageRating: Mean(s.stars, s.n), AverageRatingWithout: Mean(stars-s.stars, texts-s.n),
			RecentShare: share(s.recent, recent), EarlierShare: share(s.earlier, texts-recent), ExampleReviewIDs: s.examples,
		}
		out = append(out, t)
	}
	return out
}

func share(n, of int) *float64 {
	if of == 0 {
		return nil
	}
	f := round(float64(n)/float64(of), 3)
	return &f
}

func renamed(rules TopicRules, label string) (string, bool) {
	for from, to := range rules.Rename {
		if fold(from) == fold(label) || gramOf(from) != 0 && gramOf(from) == gramOf(label) {
			return to, true
		}
	}
	return "", false
}

// sumTopics counts the grams that are frequent enough, most frequent first, at
// most three times as many as are listed. A first pass over small counters that
// several grams share leaves out nearly all of them; the second is exact.
func sumTopics(hidden map[uint64]bool, v *vocabulary, all []found) (sums []*topicSum, texts, stars, recent int) {
	var w windows
	if len(all) > 0 {
		w = windowsTo(all[0].Date)
	}
	const shift = 64 - 18
	rough := make([]int32, 1<<18)
	for i := range all {
		if all[i].Text == nil {
			continue
		}
		texts++
		stars += all[i].Rating
		if all[i].Date >= w.recent {
			recent++
		}
		for _, g := range all[i].grams {
			rough[(g*0x9E3779B97F4A7C15)>>shift]++
		}
	}
	least := max(minTopicReviews, int(minTopicShare*float64(texts)))
	by := map[uint64]*topicSum{}
	for i := range all {
		r := &all[i]
		for _, g := range r.grams {
			if g&hashed != 0 && (rough[(g*0x9E3779B97F4A7C15)>>shift] < int32(least) || hidden[g]) {
				continue
			}
			s := by[g]
			if s == nil {
				s = &topicSum{gram: g}
				by[g] = s
			}
			s.n++
			s.stars += r.Rating
			if r.Date >= w.recent {
				s.recent++
			} else {
				s.earlier++
			}
			if len(s.examples) < maxExamples {
				s.examples = append(s.examples, r.ID)
			}
			if len(s.sample) < topicSample {
				s.sample = append(s.sample, r)
			}
		}
	}
	for g, s := range by {
		if g&hashed == 0 && (v.topics[g-1].pinned || s.n >= least) || s.n >= least {
			sums = append(sums, s)
		}
	}
	slices.SortFunc(sums, func(a, b *topicSum) int {
		return cmp.Or(cmp.Compare(a.gram&hashed, b.gram&hashed), cmp.Compare(b.n, a.n), cmp.Compare(a.gram, b.gram))
	})
	return sums[:min(len(sums), 3*maxTopics+len(v.topics))], texts, stars, recent
}

// label finds how most of the sampled reviews write a gram, and the two-word
// grams within it.
func (w *worker) label(s *topicSum) (text string, parts [2]uint64) {
	written := map[string]int{}
	for _, r := range s.sample {
		w.read(*r.Text)
		t := w.tokens
		for i := 0; i+1 < len(t); i++ {
			n := 0
			if gram(t[i].hash, t[i+1].hash) == s.gram {
				n = 2
			} else if i+2 < len(t) && gram(t[i].hash, t[i+1].hash, t[i+2].hash) == s.gram {
				n = 3
				parts = [2]uint64{gram(t[i].hash, t[i+1].hash), gram(t[i+1].hash, t[i+2].hash)}
			}
			if n > 0 {
				said := (*r.Text)[t[i].start:t[i+n-1].end]
				written[strings.Join(strings.Fields(strings.ToLower(said)), " ")]++
				break
			}
		}
	}
	text, _ = mostWritten(written)
	return text, parts
}

// slug makes a topic's id: ASCII letters and digits, joined by hyphens.
func slug(label string) string {
	parts := strings.FieldsFunc(fold(label), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := strings.Join(parts, "-")
	if len(s) > reviewcast.MaxIDLength {
		s = strings.TrimRight(s[:reviewcast.MaxIDLength], "-")
	}
	return s
}
