package insights

import "slices"

// TopicRules are what the editors say about topics. All phrases are compared by
// stem, so "water heaters" is "water heater".
type TopicRules struct {
	Pin  []string // listed first, however rare, as long as somebody says it
	Hide []string
	// Rename gives a phrase another label.
	Rename map[string]string
	// Merge makes one topic of several phrases, under the label that is the key.
	Merge map[string][]string
}

// ruled is a topic that the editors made: its number is its gram, so that it
// counts along with the others, whose hashes all have the highest bit.
type ruled struct {
	label  string
	pinned bool
}

// addTopics compiles the editors' topics.
func (v *vocabulary) addTopics(rules TopicRules) {
	v.topicTrie = newTrie()
	add := func(label string, pinned bool, phrases ...string) {
		at := int32(-1)
		for i, t := range v.topics {
			if t.label == label {
				at = int32(i)
			}
		}
		if at < 0 {
			v.topics = append(v.topics, ruled{label: label})
			at = int32(len(v.topics) - 1)
		}
		v.topics[at].pinned = v.topics[at].pinned || pinned
		for _, phrase := range phrases {
			if p, err := v.dict.compile(phrase, true); err == nil {
				v.topicTrie.add(p, func(have int32) int32 {
					if have != 0 {
						return have
					}
					return at + 1
				})
			}
		}
	}
	labels := make([]string, 0, len(rules.Merge))
	for label := range rules.Merge {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	for _, label := range labels {
		add(label, slices.Contains(rules.Pin, label), append([]string{label}, rules.Merge[label]...)...)
	}
	for _, phrase := range rules.Pin {
		label := phrase
		if renamed, ok := rules.Rename[phrase]; ok {
			label = renamed
		}
		if _, merged := rules.Merge[phrase]; !merged {
			add(label, true, phrase)
		}
	}
}

// hidden gives the grams that aren't counted by themselves.
func (r TopicRules) hidden() map[uint64]bool {
	hidden := map[uint64]bool{}
	hide := func(phrases []string) {
		for _, phrase := range phrases {
			if g := gramOf(phrase); g != 0 {
				hidden[g] = true
			}
		}
	}
	hide(r.Hide)
	hide(r.Pin)
	for _, phrases := range r.Merge {
		hide(phrases)
	}
	return hidden
}
