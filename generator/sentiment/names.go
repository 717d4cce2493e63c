package sentiment

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"reviewcast"
)

// Kind is a kind of thing that texts name.
type Kind int

// The kinds.
const (
	Area Kind = iota
	Technician
	Service
	Problem
	Kinds // how many there are
)

// Of returns the kind's ids in m, which has none of problems.
func (k Kind) Of(m reviewcast.Mentions) []string {
	return [Kinds][]string{Area: m.ServiceAreas, Technician: m.Technicians, Service: m.Services}[k]
}

// name is one way to name a place or a person. Names keep their case, are not stemmed, and lose their diacritics; of
// several at one place the longest wins, and a place wins over a person.
type name struct {
	folded string
	// ids are all whom it may mean, by index within their kind. A Technician's name that several bear credits nobody.
	ids   [Service][]int32 // by kind, Area or Technician
	upper []bool           // by word: written with a capital in business.yaml
	cue   bool             // also a word, a place or a brand: it needs a cue
	first bool             // a bare first name that nobody listed as an alias
}

// addName inserts one way to name a place or a technician. first says that it is
// a first name that nobody listed as an alias.
func (v *vocabulary) addName(k Kind, id int32, text string, first bool) {
	var p pattern
	var upper []bool // by word: it has a capital
	for word, written := range words(text) {
		p = append(p, element{syms: []symbol{v.dict.intern(word + " ")}})
		upper = append(upper, written&capital != 0)
	}
	if len(p) == 0 || len(p) > maxElements || !slices.Contains(upper, true) && k == Technician && len(p) == 1 && len(text) < 3 {
		return
	}
	n := name{folded: bare(Fold(strings.TrimSpace(text))), upper: upper, first: first}
	n.cue = len(p) == 1 && k != Area && v.dict.isWord(n.folded)
	v.people.insert(0, p, func(have int32) int32 {
		if have == 0 {
			v.nameList = append(v.nameList, n)
			have = int32(len(v.nameList))
		}
		at := &v.nameList[have-1]
		list := &at.ids[k]
		// A listed alias is worth more than a first name that was guessed.
		if at.first && !first {
			at.first, *list = false, nil
		} else if first && !at.first && len(*list) > 0 {
			return have
		}
		if !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
		return have
	})
}

// addEntities inserts everything that texts may name, by name and aliases. A first name is inserted after all aliases.
func (v *vocabulary) addEntities(c Config) {
	v.Entities = [Kinds][]reviewcast.Named{Area: c.Business.ServiceAreas, Service: c.Business.Services}
	aliases := [Kinds]map[string][]string{Area: c.AreaAliases, Service: c.ServiceAliases, Technician: {}, Problem: {}}
	for _, t := range c.Business.Technicians {
		v.Entities[Technician] = append(v.Entities[Technician], reviewcast.Named{ID: t.ID, Name: t.Name})
		aliases[Technician][t.ID] = t.Aliases
	}
	for _, p := range c.Problems {
		v.Entities[Problem] = append(v.Entities[Problem], reviewcast.Named{ID: p.ID, Name: p.Label})
		aliases[Problem][p.ID] = p.Terms
	}
	for k := range Kinds {
		v.things[k] = newTrie()
		for i, n := range v.Entities[k] {
			for _, text := range append([]string{n.Name}, aliases[k][n.ID]...) {
				if k < Service {
					v.addName(k, int32(i), text, false)
				} else {
					v.addThing(k, int32(i), text)
				}
			}
		}
	}
	for i, t := range v.Entities[Technician] {
		if first, _, more := strings.Cut(t.Name, " "); more && utf8.RuneCountInString(first) > 2 {
			v.addName(Technician, int32(i), first, true)
		}
	}
}

// isWord reports whether a folded name is also something else.
func (d *dictionary) isWord(folded string) bool {
	_, valued := d.lex.valence[folded]
	return valued || d.lex.function[folded]&^(nameCue|nameVerb) != 0
}

// misspelt returns the place in nameList, from 1, of the one person's name of one word
// that a word is a letter away from; 0 when there is none, or more than one.
func (v *vocabulary) misspelt(folded string) (found int32) {
	const minFuzzy = 6 // letters: shorter names turn into each other, such as Marc and Mark
	if utf8.RuneCountInString(folded) < minFuzzy || v.dict.isWord(folded) {
		return 0
	}
	for i, n := range v.nameList {
		if len(n.upper) > 1 || len(n.ids[Technician]) == 0 || n.cue || n.folded[0] != folded[0] || utf8.RuneCountInString(n.folded) < minFuzzy {
			continue
		}
		// An s at the end is a plural or a family, not a slip.
		if folded == n.folded+"s" || levenshtein.ComputeDistance(n.folded, folded) > 1 {
			continue
		}
		if found != 0 {
			return 0
		}
		found = int32(i + 1)
	}
	return found
}

// EntityMention is a place, person, service or problem named in a text.
type EntityMention struct {
	ID         int32 // index into Analyzer.Entities of its kind
	Kind       Kind
	Start, End int32 // bytes
	Sentence   Span  // of the title or the text
	Title      bool
	Rule       Rule
	bearers    []int32 // of a name that several people bear
}

// Bearers returns the ids of all technicians who bear an ambiguous name.
func (a *Analyzer) Bearers(e *EntityMention) (ids []string) {
	for _, i := range e.bearers {
		ids = append(ids, a.Entities[Technician][i].ID)
	}
	return ids
}

// Ambiguous reports whether several people bear the name, so that nobody is credited. ID is the first of them.
func (e *EntityMention) Ambiguous() bool { return e.Rule == sharedName }

// findNames looks for places and people, marks their tokens as taken, and appends what it finds. A name that several
// people bear is appended once, with the first of them and sharedName.
func (w *worker) findNames(title bool, dst []EntityMention) []EntityMention {
	v, tokens := w.v, w.tokens
	for i := 0; i < len(tokens); i++ {
		t := &tokens[i]
		rule, found, last := byName, int32(0), i
		if t.name != 0 {
			found, last = v.longestName(tokens, i)
		} else if t.shape&capital != 0 {
			rule, found = byMisspelling, v.misspelt(t.text)
		}
		if found == 0 {
			continue
		}
		n := &v.nameList[found-1]
		places, people := n.ids[Area], n.ids[Technician]
		f := EntityMention{Start: t.start, End: tokens[last].end, Sentence: w.sents[t.sentence], Title: title, Rule: rule}
		if len(places) > 0 && (len(people) == 0 || !v.speaksOfPerson(tokens, i, last)) {
			for _, id := range places {
				f.Kind, f.ID = Area, id
				dst = append(dst, f)
			}
		} else {
			if len(n.upper) == 1 && someoneElse(tokens, i, last) {
				i = last
				continue
			}
			if n.cue && rule == byName {
				if !v.speaksOfPerson(tokens, i, last) {
					continue
				}
				f.Rule = byCue
			} else if n.first && rule == byName {
				f.Rule = byFirstName
			}
			f.Kind, f.ID = Technician, people[0]
			if len(people) > 1 {
				f.Rule, f.bearers = sharedName, people
			}
			dst = append(dst, f)
			tokens[last].word = v.person
		}
		for k := i; k <= last; k++ {
			w.taken[k] = true
		}
		i = last
	}
	return dst
}

// longestName finds the longest name that begins at tokens[i] and is written as names are: its place in nameList, from 1,
// and its last token. 0: none.
func (v *vocabulary) longestName(tokens []token, i int) (found int32, last int) {
	at := int32(0)
	for k := i; k < len(tokens); k++ {
		// A name contains no comma; the point of "Daniel R." ends it.
		if k > i && tokens[k].gap == comma || k > i && tokens[k].gap == stop && tokens[k].shape&opensRun != 0 && len(tokens[k-1].text) > 1 {
			break
		}
		next, ok := v.people.edges[edge{at, tokens[k].name}]
		if tokens[k].name == 0 || !ok {
			break
		}
		at = next
		if p := v.people.nodes[at].payload; p != 0 && v.nameList[p-1].written(tokens[i:k+1]) {
			found, last = p, k
		}
	}
	return found, last
}

// written reports whether the tokens have their capitals. A text all in capitals
// can't tell Will from will, so words need theirs alone.
func (n *name) written(tokens []token) bool {
	for i, upper := range n.upper {
		if upper && tokens[i].shape&capital == 0 || n.cue && tokens[i].shape&allCaps != 0 {
			return false
		}
	}
	return true
}

// someoneElse reports whether a first name is part of a longer name that the
// business doesn't know: "Frank Sinatra", "St. Grace", "Jack Daniels".
func someoneElse(tokens []token, i, last int) bool {
	if last+1 < len(tokens) {
		n := &tokens[last+1]
		if n.gap == tight && n.shape&capital != 0 && n.shape&allCaps == 0 && n.flags&(pronoun|knownWord|stopword|subject|auxiliary|joins|contrast) == 0 &&
			tokens[last].shape&allCaps == 0 && !titled(tokens, i) && n.valence == 0 && len(n.text) > 1 {
			return true
		}
	}
	if i == 0 || tokens[i].gap != tight {
		return false
	}
	p := &tokens[i-1]
	return p.shape&capital != 0 && p.shape&(allCaps|opensRun) == 0 && p.flags&(nameCue|stopword|subject|pronoun|joins) == 0 && p.valence == 0 && !titled(tokens, i)
}

// titled reports whether the text around begins every word with a capital, as
// titles do, so that capitals distinguish nothing.
func titled(tokens []token, i int) bool {
	upper, all := 0, 0
	for k := max(0, i-4); k < min(len(tokens), i+5); k++ {
		if tokens[k].flags&numeric == 0 && len(tokens[k].text) > 3 && tokens[k].sentence == tokens[i].sentence {
			all++
			if tokens[k].shape&capital != 0 {
				upper++
			}
		}
	}
	return all >= 3 && upper*4 >= all*3
}

// speaksOfPerson reports whether a name that is also a word is used as a person's: a cue precedes it ("our technician
// Will", "thanks to Grace", "a guy named Art"), or a verb of work follows it ("Will fixed it").
func (v *vocabulary) speaksOfPerson(tokens []token, i, last int) bool {
	if tokens[i].shape&allCaps != 0 || titled(tokens, i) {
		return false
	}
	for back := 1; back <= 2 && i-back >= 0; back++ {
		p := &tokens[i-back]
		if tokens[i-back+1].gap != tight {
			break
		}
		if p.flags&nameCue != 0 {
			return true
		}
		if !slices.Contains([]string{"to", "you", "was", "is"}, p.text) {
			break
		}
		if (p.text == "was" || p.text == "is") && i-back > 0 && tokens[i-back-1].text == "name" {
			return true
		}
	}
	if i > 1 && tokens[i-1].text == "for" && tokens[i].gap == tight && (tokens[i-2].text == "ask" || tokens[i-2].text == "asked") {
		return true
	}
	if i > 0 && tokens[i].gap == tight {
		if p := &tokens[i-1]; p.shape&capital != 0 && p.shape&opensRun == 0 || slices.Contains([]string{"the", "a", "in", "at"}, p.text) {
			return false
		}
	}
	next := last + 1
	if next >= len(tokens) || tokens[next].gap != tight || tokens[next].flags&nameVerb == 0 {
		return false
	}
	// "the Bill came to", "May came with"
	return next+1 == len(tokens) || !slices.Contains([]string{"came", "arrived", "went", "got"}, tokens[next].text) ||
		!slices.Contains([]string{"to", "due", "by", "with", "back", "from", "in"}, tokens[next+1].text)
}
