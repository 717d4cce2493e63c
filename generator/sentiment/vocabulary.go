package sentiment

import (
	"fmt"
	"slices"
	"strings"

	"reviewcast"
)

// entry is what a phrase means.
type entry struct {
	aspect      int32 // index into vocabulary.aspects, -1: none
	meaning     meaning
	origin      Origin
	pattern     string
	hasNegation bool // contains a negation, so that one before it changes nothing
}

// vocabulary is everything that texts are searched for, compiled. It is immutable.
type vocabulary struct {
	dict    *dictionary
	aspects []Term
	own     *trie // the editors' phrases with a polarity; payload: index into entries
	phrases *trie // all other phrases and terms of aspects; payload: index into entries
	entries [][]entry
	// cues have weights for the aspects that come with reviewcast: cueAspects gives the
	// place in the table of each, -1 for an editor's own. entryCues are the cues that
	// phrases are.
	cues       *cueTable
	cueAspects []int8
	entryCues  [][3][]int32

	things     [Kinds]*trie // of services and problems; payload: index into thingIDs
	thingIDs   [Kinds][][]int32
	entities   [Kinds][]Entity
	people     *trie // names of places and technicians; payload: index into nameList
	nameList   []name
	fuzzyNames []fuzzyName
	topics     []EditorTopic
	topicRules TopicRules
	topicTrie  *trie // payload: index into topics; nil when the editors made none
}

// newVocabulary compiles a vocabulary. An editor's phrase without a word in it ("…")
// is skipped: the source loader has warned about it.
func newVocabulary(c Config) *vocabulary { return makeVocabulary(c, shipped().cues.words) }

func makeVocabulary(c Config, cues *cueWords) *vocabulary {
	lex := shipped()
	v := &vocabulary{dict: newDictionary(lex, cues), cues: lex.cues, aspects: c.Aspects, topicRules: c.Topics, own: newTrie(), phrases: newTrie(), people: newTrie()}
	if v.aspects == nil {
		v.aspects = DefaultAspects
	}
	index := map[string]int32{"": -1}
	for i, a := range v.aspects {
		index[a.ID] = int32(i)
	}
	editors := func(t *trie, aspect int, m meaning, texts []string) {
		for _, text := range texts {
			v.addPhrase(t, text, true, entry{aspect: int32(aspect), meaning: m, origin: FromEditor, pattern: strings.TrimSpace(text)})
		}
	}
	trade := func(terms bool) {
		for _, p := range lex.phrases {
			at, known := index[p.aspect]
			if known && terms == (p.meaning == names) && (p.meaning != names || at < 0 || len(v.aspects[at].Terms) == 0) {
				v.addPhrase(v.phrases, p.pattern, false, entry{aspect: at, meaning: p.meaning, origin: FromTrade, pattern: p.pattern, hasNegation: hasNegation(p.pattern)})
			}
		}
	}
	editors(v.own, anyAspect, ignores, c.Ignore)
	for i, a := range v.aspects {
		editors(v.own, i, praises, a.Positive)
		editors(v.own, i, blames, a.Negative)
		editors(v.own, i, states, a.Neutral)
	}
	// Of two equally long phrases the one inserted first is found. A term of
	// the editors' comes after the shipped phrases: who lists "late" under punctuality
	// names the aspect, and doesn't deny that late is bad.
	trade(false)
	for i, a := range v.aspects {
		editors(v.phrases, i, names, a.Terms)
	}
	trade(true)
	v.makeEntryCues()
	for k := range Kinds {
		v.entities[k] = c.entities(k)
	}
	for _, a := range v.aspects {
		v.cueAspects = append(v.cueAspects, int8(slices.Index(v.cues.aspects, a.ID)))
	}
	v.addThings(Service, c.Business.Services, c.ServiceAliases)
	problems := make([]reviewcast.Named, len(c.Problems))
	aliases := map[string][]string{}
	for i, p := range c.Problems {
		problems[i] = reviewcast.Named{ID: p.ID, Name: p.Label}
		aliases[p.ID] = p.Terms
	}
	v.addThings(Problem, problems, aliases)
	v.addNames(c)
	if len(c.Topics.Pin)+len(c.Topics.Merge) > 0 {
		v.addTopics(c.Topics)
	}
	return v
}

// addPhrase inserts a phrase. A phrase that exists gets a second meaning for another
// aspect: "fixed it for 90" is about the work and about the price.
func (v *vocabulary) addPhrase(t *trie, text string, plain bool, e entry) {
	p, err := v.dict.compile(text, plain)
	if err != nil {
		if plain {
			return
		}
		panic(fmt.Sprintf("lexicon/phrases.txt: %s", err))
	}
	t.add(p, func(have int32) int32 {
		if have == 0 {
			v.entries = append(v.entries, []entry{e})
			return int32(len(v.entries))
		}
		group := &v.entries[have-1]
		for _, old := range *group {
			if old.aspect == e.aspect || old.meaning == ignores {
				return have
			}
		}
		*group = append(*group, e)
		return have
	})
}

func hasNegation(pattern string) bool {
	for _, w := range strings.Fields(pattern) {
		switch strings.TrimSuffix(w, "?") {
		case "@not", "no", "not", "never", "without", "nobody", "nothing", "none", "neither", "hardly", "zero", "didn't", "don't", "can't", "couldn't", "wasn't", "isn't", "won't", "doesn't":
			return true
		}
	}
	return false
}

// addThings inserts services or problems by label and aliases. A phrase that two of
// them share names both: unlike with people, that does no harm.
func (v *vocabulary) addThings(k Kind, list []reviewcast.Named, aliases map[string][]string) {
	v.things[k] = newTrie()
	for i, n := range list {
		for _, text := range append([]string{n.Name}, aliases[n.ID]...) {
			p, err := v.dict.compile(text, true)
			if err != nil {
				continue
			}
			v.things[k].add(p, func(have int32) int32 {
				if have == 0 {
					v.thingIDs[k] = append(v.thingIDs[k], []int32{int32(i)})
					return int32(len(v.thingIDs[k]))
				}
				ids := &v.thingIDs[k][have-1]
				if (*ids)[len(*ids)-1] != int32(i) {
					*ids = append(*ids, int32(i))
				}
				return have
			})
		}
	}
}
