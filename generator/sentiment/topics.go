package sentiment

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// TopicRules are what the editors say about topics. All phrases are compared by
// stem, so "water heaters" is "water heater".
type TopicRules struct {
	Pin    []string // listed first, however rare, as long as somebody says it
	Hide   []string
	Rename map[string]string   // gives a phrase another label
	Merge  map[string][]string // makes one topic of several phrases, under the label that is the key
}

// TopicKey identifies a topic: a phrase by its hash, which has the highest bit, or a
// topic of the editors' by its index plus one.
type TopicKey uint64

const hashed TopicKey = 1 << 63

// EditorTopic is a topic that the editors defined.
type EditorTopic struct {
	Label  string
	Pinned bool
}

// Rank is 0 for a topic of the editors', and 1 for a phrase.
func (k TopicKey) Rank() int { return int(k >> 63) }

// TopicKeyOf returns the key of a phrase of two or three words, 0 for any other.
func TopicKeyOf(phrase string) TopicKey {
	var hashes []uint64
	for w := range words(phrase) {
		hashes = append(hashes, hash(stem(w)))
	}
	if len(hashes) < 2 || len(hashes) > 3 {
		return 0
	}
	return topicKey(hashes...)
}

func topicKey(hashes ...uint64) TopicKey {
	h := uint64(0)
	for _, x := range hashes {
		h = (h ^ x) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return TopicKey(h) | hashed
}

// topicKeys returns the keys of a text: of the phrases of two content words, of those of three whose first and
// last are content words, and of the editors' topics; each once, sorted.
func (w *worker) topicKeys() []TopicKey {
	var keys []TopicKey
	t := w.tokens
	for i := range t {
		if m := w.v.topicTrie.longest(t, i, nil); m.words > 0 {
			keys = append(keys, TopicKey(m.payloads[0]))
		}
		if i+1 >= len(t) || !w.topical(i) || !w.adjoins(i+1) {
			continue
		}
		if w.topical(i + 1) {
			keys = append(keys, topicKey(t[i].hash, t[i+1].hash))
		}
		if i+2 < len(t) && w.adjoins(i+2) && w.topical(i+2) && !w.named[i+1] {
			keys = append(keys, topicKey(t[i].hash, t[i+1].hash, t[i+2].hash))
		}
	}
	slices.Sort(keys)
	return slices.Clone(slices.Compact(keys)) // the unused capacity is not kept
}

// Unmatched returns the keys of the phrases of a text that no phrase or term of an aspect matches, each once.
func (a *Analyzer) Unmatched(text, language string) []TopicKey {
	w := a.workers.Get().(*worker)
	defer a.workers.Put(w)
	w.segment(text)
	w.entities(false, nil)
	w.match(language)
	var out []TopicKey
	for i, t := range w.tokens {
		if i > 0 && !w.taken[i-1] && !w.taken[i] && w.contentWord(i-1) && w.contentWord(i) && w.adjoins(i) {
			out = append(out, topicKey(w.tokens[i-1].hash, t.hash))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// vague are words that say nothing of what a review is about, sorted.
var vague = strings.Fields("ask asked bit came come comes coming day days enter entered entering first gave get gets getting give given gives go going gone got itself last look looked looking looks lot lots made make makes " +
	"making next number offer offered offering offers part parts place places said say says second take taken takes taking tell thing things time times told took use used uses using visit visited visiting visits way went")

// topical reports whether a word can begin or end a topic: one that isn't vague, and that
// judges nothing, since the aspects count what is praised and criticised.
func (w *worker) topical(i int) bool {
	t := &w.tokens[i]
	if t.valence != 0 || t.flags&middling != 0 || !w.contentWord(i) {
		return false
	}
	_, isVague := slices.BinarySearch(vague, t.text)
	return !isVague
}

// contentWord reports whether a word says something: no function word, no
// number, no name, not the business's own either.
func (w *worker) contentWord(i int) bool {
	t := &w.tokens[i]
	return !w.v.ownName[t.text] && t.flags&(stopword|numeric|negator|light|subject) == 0 && len(t.text) > 2 && !w.named[i]
}

// adjoins reports whether token i follows the one before without punctuation.
func (w *worker) adjoins(i int) bool {
	return w.tokens[i].gap == tight && w.tokens[i].clause == w.tokens[i-1].clause
}

// WrittenTopic returns how a text writes a phrase, in lower case, and, for a phrase of three words, the keys of
// the two phrases of two words within it. The string is empty when the text doesn't have the phrase.
func (a *Analyzer) WrittenTopic(text string, k TopicKey) (written string, parts [2]TopicKey) {
	w := a.workers.Get().(*worker)
	defer a.workers.Put(w)
	w.segment(text)
	t := w.tokens
	for i := 0; i+1 < len(t); i++ {
		n := 0
		if topicKey(t[i].hash, t[i+1].hash) == k {
			n = 2
		} else if i+2 < len(t) && topicKey(t[i].hash, t[i+1].hash, t[i+2].hash) == k {
			n = 3
			parts = [2]TopicKey{topicKey(t[i].hash, t[i+1].hash), topicKey(t[i+1].hash, t[i+2].hash)}
		}
		if n > 0 {
			return strings.Join(strings.Fields(strings.ToLower(text[t[i].start:t[i+n-1].end])), " "), parts
		}
	}
	return "", parts
}

// addTopics compiles the editors' topics.
func (v *vocabulary) addTopics(rules TopicRules) {
	v.topicTrie = newTrie()
	add := func(label string, pinned bool, phrases ...string) {
		at := slices.IndexFunc(v.EditorTopics, func(t EditorTopic) bool { return t.Label == label })
		if at < 0 {
			at = len(v.EditorTopics)
			v.EditorTopics = append(v.EditorTopics, EditorTopic{Label: label})
		}
		v.EditorTopics[at].Pinned = v.EditorTopics[at].Pinned || pinned
		for _, phrase := range phrases {
			v.topicTrie.insert(0, v.dict.compilePlain(phrase), func(have int32) int32 { return cmp.Or(have, int32(at+1)) })
		}
	}
	for _, label := range slices.Sorted(maps.Keys(rules.Merge)) {
		add(label, slices.Contains(rules.Pin, label), append([]string{label}, rules.Merge[label]...)...)
	}
	for _, phrase := range rules.Pin {
		if _, merged := rules.Merge[phrase]; !merged {
			add(cmp.Or(rules.Rename[phrase], phrase), true, phrase)
		}
	}
}

// HiddenTopics returns the keys of the phrases that are counted elsewhere: those of the
// editors' rules, and the names of services and problems.
func (a *Analyzer) HiddenTopics() map[TopicKey]bool {
	hidden, r := map[TopicKey]bool{}, a.topicRules
	for _, phrase := range slices.Concat(append(slices.Collect(maps.Values(r.Merge)), r.Hide, r.Pin, a.thingNames)...) {
		if g := TopicKeyOf(phrase); g != 0 {
			hidden[g] = true
		}
	}
	return hidden
}

// NewTopicLabel returns the label that the editors' rules give to a topic, false when they give none.
func (a *Analyzer) NewTopicLabel(label string) (string, bool) {
	for from, to := range a.topicRules.Rename {
		if Fold(from) == Fold(label) || TopicKeyOf(from) != 0 && TopicKeyOf(from) == TopicKeyOf(label) {
			return to, true
		}
	}
	return "", false
}
