package insights

import (
	"fmt"
	"slices"
	"strings"

	"reviewcast"
)

// Term is an aspect or a problem of the vocabulary.
type Term struct {
	ID, Label string
	// Terms name it; what is felt about it is read from the words around them.
	// An aspect without terms that bears the id of a shipped one has its terms.
	Terms []string
	// Positive, Negative and Neutral are the editors' phrases, which settle the
	// matter by themselves and come before everything shipped. For aspects only.
	Positive, Negative, Neutral []string
}

// Origin says where the polarity of a mention comes from.
type Origin string

// The origins, in the order in which they are asked.
const (
	FromEditor  Origin = "editor"  // a phrase of insights.yaml
	FromTrade   Origin = "trade"   // a phrase that comes with reviewcast
	FromCues    Origin = "cues"    // the cues of the sentence, weighed
	FromLexicon Origin = "lexicon" // the words around, weighed by distance
	FromStars   Origin = "stars"   // the text is silent; the stars are not
)

// entry is what a phrase means.
type entry struct {
	aspect  int32 // index into vocabulary.aspects, -1: none
	meaning meaning
	origin  Origin
	pattern string
	denies  bool // it holds a "not" of its own, so one before it changes nothing
}

// vocabulary is everything that texts are searched for, compiled. It isn't
// changed once it is made, so any number of goroutines may use it.
type vocabulary struct {
	dict    *dictionary
	aspects []Term
	own     *trie // the editors' phrases that settle the matter; payload: index into entries
	phrases *trie // everything else that speaks of aspects; payload: index into entries
	entries [][]entry
	// cues have weights for the aspects that come with reviewcast: cueAspects gives the
	// place in the table of each, -1 for an editor's own. entryCues are the cues that
	// phrases are.
	cues       *cueTable
	cueAspects []int8
	entryCues  [][3][]int32

	things     [kinds]*trie // of services and problems; payload: index into thingIDs
	thingIDs   [kinds][][]int32
	ids        [kinds][]string // by index
	people     *trie           // names of places and technicians; payload: index into nameList
	nameList   []name
	fuzzyNames []fuzzyName
	topics     []ruled
	topicTrie  *trie // payload: index into topics; nil when the editors made none
}

// newVocabulary compiles the words of an input. An editor's phrase with nothing to
// look for in it ("…") is skipped: the source loader has warned of it.
func newVocabulary(in Input) *vocabulary { return makeVocabulary(in, shipped().cues.words) }

func makeVocabulary(in Input, cues *cueWords) *vocabulary {
	lex := shipped()
	v := &vocabulary{dict: newDictionary(lex, cues), cues: lex.cues, aspects: in.Aspects, own: newTrie(), phrases: newTrie(), people: newTrie()}
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
				v.addPhrase(v.phrases, p.pattern, false, entry{aspect: at, meaning: p.meaning, origin: FromTrade, pattern: p.pattern, denies: denies(p.pattern)})
			}
		}
	}
	editors(v.own, anyAspect, ignores, in.Ignore)
	for i, a := range v.aspects {
		editors(v.own, i, praises, a.Positive)
		editors(v.own, i, blames, a.Negative)
		editors(v.own, i, states, a.Neutral)
	}
	// Of two equally long phrases the one that was entered first is found. A term of
	// the editors' comes after the shipped phrases: who lists "late" under punctuality
	// names the aspect, and doesn't unsay that late is bad.
	trade(false)
	for i, a := range v.aspects {
		editors(v.phrases, i, names, a.Terms)
	}
	trade(true)
	v.makeEntryCues()
	for _, a := range v.aspects {
		v.cueAspects = append(v.cueAspects, int8(slices.Index(v.cues.aspects, a.ID)))
	}
	v.addThings(service, in.Business.Services, in.ServiceAliases)
	problems := make([]reviewcast.Named, len(in.Problems))
	aliases := map[string][]string{}
	for i, p := range in.Problems {
		problems[i] = reviewcast.Named{ID: p.ID, Name: p.Label}
		aliases[p.ID] = p.Terms
	}
	v.addThings(problem, problems, aliases)
	v.addNames(in)
	if len(in.Topics.Pin)+len(in.Topics.Merge) > 0 {
		v.addTopics(in.Topics)
	}
	return v
}

// addPhrase enters a phrase. One that stands there already gets a second meaning
// when that is of another aspect: "fixed it for 90" speaks of the work and of the
// price.
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

func denies(pattern string) bool {
	for _, w := range strings.Fields(pattern) {
		switch strings.TrimSuffix(w, "?") {
		case "@not", "no", "not", "never", "without", "nobody", "nothing", "none", "neither", "hardly", "zero", "didn't", "don't", "can't", "couldn't", "wasn't", "isn't", "won't", "doesn't":
			return true
		}
	}
	return false
}

// addThings enters services or problems by label and aliases. A phrase that two
// of them share names both: unlike people, nobody is wronged by it.
func (v *vocabulary) addThings(k kind, list []reviewcast.Named, aliases map[string][]string) {
	v.things[k] = newTrie()
	for i, n := range list {
		v.ids[k] = append(v.ids[k], n.ID)
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
