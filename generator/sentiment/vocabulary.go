package sentiment

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"reviewcast"
)

// entry is what a phrase means.
type entry struct {
	aspect   int32 // index into vocabulary.aspects, -1: none
	meaning  meaning
	origin   Origin
	pattern  string
	language string // of a shipped phrase; "": any
}

// vocabulary is everything that texts are searched for, compiled. It is immutable.
type vocabulary struct {
	Aspects      []Term                    // in the editors' order; AspectMention.Aspect and Vote.Aspect index it
	Entities     [Kinds][]reviewcast.Named // everything that the vocabulary has; EntityMention.ID indexes those of its kind
	EditorTopics []EditorTopic             // by key less one

	dict    *dictionary
	own     *trie // the editors' phrases with a polarity; payload: index into entries
	phrases *trie // all other phrases and terms of aspects; payload: index into entries
	entries [][]entry

	things     [Kinds]*trie // of services and problems; payload: index into thingIDs
	thingIDs   [Kinds][][]int32
	thingNames []string
	people     *trie // names of places and technicians; payload: index into nameList
	nameList   []name
	person     *word           // what the last word of a technician's name is to patterns: "technician"
	ownName    map[string]bool // the words of the business's name
	topicRules TopicRules
	topicTrie  *trie // payload: index into topics
}

// newVocabulary compiles a vocabulary. An editor's phrase without a word in it ("…")
// is skipped: the source loader has warned about it.
func newVocabulary(c Config) *vocabulary {
	var v *vocabulary
	if c.Aspects != nil {
		v = aspectVocabulary(c.Aspects)
	} else {
		copied := *shippedVocabulary()
		dict := *copied.dict // its forms are those of shipped phrases alone
		dict.symbols = maps.Clone(dict.symbols)
		copied.dict, copied.entries = &dict, slices.Clip(copied.entries)
		v = &copied
	}
	v.topicRules, v.own, v.people = c.Topics, newTrie(), newTrie()
	v.addEditors(v.own, anyAspect, ignores, c.Ignore)
	for i, a := range v.Aspects {
		v.addEditors(v.own, int32(i), praises, a.Positive)
		v.addEditors(v.own, int32(i), blames, a.Negative)
		v.addEditors(v.own, int32(i), states, a.Neutral)
	}
	v.ownName = map[string]bool{}
	for w := range words(c.Business.Name) {
		if v.dict.lex.function[w]&stopword == 0 {
			v.ownName[w] = true
		}
	}
	v.addEntities(c)
	v.addTopics(c.Topics)
	v.person = &word{text: "technician", syms: v.dict.word("technician").syms}
	return v
}

// shippedVocabulary is that of the shipped aspects, which most businesses have. To compile it takes most of the time.
var shippedVocabulary = sync.OnceValue(func() *vocabulary { return aspectVocabulary(DefaultAspects) })

// aspectVocabulary compiles the shipped phrases, and the editors' terms of aspects.
func aspectVocabulary(aspects []Term) *vocabulary {
	lex := shipped()
	dict := &dictionary{lex: lex, symbols: map[string]symbol{}, forms: map[string][]symbol{}}
	v := &vocabulary{dict: dict, Aspects: aspects, phrases: newTrie()}
	// Of two equally long phrases the one inserted first is found. A term of the editors' comes after the shipped
	// phrases: listing "late" under punctuality names the aspect, and doesn't deny that late is bad.
	v.addShipped(lex, false)
	for i, a := range aspects {
		v.addEditors(v.phrases, int32(i), names, a.Terms)
	}
	v.addShipped(lex, true)
	return v
}

// addEditors inserts editors' phrases of one meaning.
func (v *vocabulary) addEditors(t *trie, aspect int32, m meaning, texts []string) {
	for _, text := range texts {
		v.addPhrase(t, v.dict.compilePlain(text), entry{aspect: aspect, meaning: m, origin: FromEditor, pattern: strings.TrimSpace(text)})
	}
}

// addShipped inserts the shipped terms, or the other shipped phrases: those of no
// aspect, and those of the aspects that extend theirs.
func (v *vocabulary) addShipped(lex *lexicon, terms bool) {
	extending := map[string][]int32{"*": {anyAspect}}
	for i, a := range v.Aspects {
		if a.Extends != "" {
			extending[a.Extends] = append(extending[a.Extends], int32(i))
		}
	}
	for _, s := range lex.phrases {
		if terms != (s.meaning == names) {
			continue
		}
		for _, aspect := range extending[s.extends] {
			s.aspect = aspect
			v.addPhrase(v.phrases, v.dict.compile(s.pattern), s.entry)
		}
	}
}

// addPhrase inserts a phrase. A phrase that exists gets a second meaning for another
// aspect: "fixed it for 90" is about the work and about the price.
func (v *vocabulary) addPhrase(t *trie, p pattern, e entry) {
	t.insert(0, p, func(have int32) int32 {
		if have == 0 {
			v.entries = append(v.entries, []entry{e})
			return int32(len(v.entries))
		}
		group := &v.entries[have-1]
		known := func(old entry) bool { return old.aspect == e.aspect || old.meaning == ignores }
		if !slices.ContainsFunc(*group, known) {
			*group = append(*group, e)
		}
		return have
	})
}

// addThing inserts one way to name a service or a problem. A phrase that two of
// them share names both: unlike with people, that does no harm.
func (v *vocabulary) addThing(k Kind, id int32, text string) {
	v.thingNames = append(v.thingNames, text)
	v.things[k].insert(0, v.dict.compilePlain(text), func(have int32) int32 {
		if have == 0 {
			v.thingIDs[k] = append(v.thingIDs[k], nil)
			have = int32(len(v.thingIDs[k]))
		}
		if ids := &v.thingIDs[k][have-1]; !slices.Contains(*ids, id) {
			*ids = append(*ids, id)
		}
		return have
	})
}

// DefaultAspects are the aspects that home-services customers judge. Their terms
// and phrases are in lexicon/phrases.txt. Editors replace them in insights.yaml.
var DefaultAspects = func() (aspects []Term) {
	for id := range strings.FieldsSeq("punctuality pricing communication workmanship cleanliness professionalism technical_knowledge responsiveness scheduling value warranty") {
		aspects = append(aspects, Term{ID: id, Label: strings.ToUpper(id[:1]) + strings.ReplaceAll(id[1:], "_", " "), Extends: id})
	}
	return aspects
}()
