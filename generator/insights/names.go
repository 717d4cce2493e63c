package insights

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"reviewcast"
)

// kind is a kind of thing that texts name.
type kind int

const (
	area kind = iota
	technician
	service
	problem
	kinds
)

// all gives the id and name of everything of the kind that the business has.
func (k kind) all(in Input) iter.Seq2[string, string] {
	return func(yield func(id, name string) bool) {
		switch k {
		case technician:
			for _, t := range in.Business.Technicians {
				if !yield(t.ID, t.Name) {
					return
				}
			}
		case problem:
			for _, p := range in.Problems {
				if !yield(p.ID, p.Label) {
					return
				}
			}
		default:
			list := in.Business.Services
			if k == area {
				list = in.Business.ServiceAreas
			}
			for _, n := range list {
				if !yield(n.ID, n.Name) {
					return
				}
			}
		}
	}
}

// of picks the kind's ids out of mentions.
func (k kind) of(m reviewcast.Mentions) []string {
	switch k {
	case technician:
		return m.Technicians
	case service:
		return m.Services
	case area:
		return m.ServiceAreas
	}
	return nil
}

// name is one way to name a place or a person. Names keep their case, are not
// stemmed, and lose their diacritics; of several at one place the longest wins,
// and a place wins over a person.
type name struct {
	text string
	// ids are all whom it may mean, by index within their kind. A technician's
	// name that means several credits nobody.
	places, people []int32
	upper          []bool // by word: written with a capital in business.yaml
	cue            bool   // also a word, a place or a brand: it needs a cue
	first          bool   // a bare first name that nobody listed as an alias
}

// fuzzyName is a name of one word that a misspelling may stand for.
type fuzzyName struct {
	folded string
	symbol symbol
}

// minFuzzy is the length, in letters, from which a name is known by a misspelling
// of one letter. Shorter ones turn into each other: Marc and Mark.
const minFuzzy = 6

func (v *vocabulary) addNames(in Input) {
	add := func(k kind, id int32, text string, first bool) {
		var p pattern
		n := name{text: text, first: first, cue: true}
		for i, end := 0, 0; i < len(text); i = end {
			var shp shape
			if end, shp = wordEnd(text, i); end == i {
				_, size := utf8.DecodeRuneInString(text[i:])
				end += size
				continue
			}
			folded := bare(fold(text[i:end]))
			if folded == "" {
				continue
			}
			p = append(p, element{syms: []symbol{v.dict.intern(v.dict.names, folded)}})
			n.upper = append(n.upper, shp&capital != 0)
		}
		if len(p) == 0 || len(p) > maxElements || !slices.Contains(n.upper, true) && k == technician && len(p) == 1 && len(text) < 3 {
			return
		}
		if len(p) > 1 || k == area {
			n.cue = false
		} else {
			n.cue = v.dict.isWord(bare(fold(strings.TrimSpace(text))))
		}
		v.people.add(p, func(have int32) int32 {
			if have == 0 {
				v.nameList = append(v.nameList, n)
				have = int32(len(v.nameList))
			}
			at := &v.nameList[have-1]
			list := &at.people
			if k == area {
				list = &at.places
			}
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
	for i, a := range in.Business.ServiceAreas {
		v.ids[area] = append(v.ids[area], a.ID)
		for _, text := range append([]string{a.Name}, in.AreaAliases[a.ID]...) {
			add(area, int32(i), text, false)
		}
	}
	for i, t := range in.Business.Technicians {
		v.ids[technician] = append(v.ids[technician], t.ID)
		for _, text := range append([]string{t.Name}, t.Aliases...) {
			add(technician, int32(i), text, false)
		}
	}
	for i, t := range in.Business.Technicians {
		if first, _, more := strings.Cut(t.Name, " "); more && utf8.RuneCountInString(first) > 2 {
			add(technician, int32(i), first, true)
		}
	}
	for _, n := range v.nameList {
		folded := bare(fold(n.text))
		if len(n.upper) == 1 && len(n.people) > 0 && !n.cue && utf8.RuneCountInString(folded) >= minFuzzy {
			v.fuzzyNames = append(v.fuzzyNames, fuzzyName{folded, v.dict.names[folded]})
		}
	}
	if len(v.fuzzyNames) > 0 {
		v.dict.misspelt = v.misspelt
	}
}

// isWord tells whether a folded name is also something else.
func (d *dictionary) isWord(folded string) bool {
	_, valued := d.lex.valence[folded]
	f := d.lex.function[folded]
	return valued || f.flags&^(nameCue|nameVerb) != 0 || f.boost != 0
}

// misspelt finds the one name that a word is a letter away from; 0 when there is
// none, or more than one.
func (v *vocabulary) misspelt(folded string) symbol {
	if utf8.RuneCountInString(folded) < minFuzzy || v.dict.isWord(folded) {
		return 0
	}
	found := symbol(0)
	for _, n := range v.fuzzyNames {
		if n.folded[0] != folded[0] || max(len(n.folded), len(folded))-min(len(n.folded), len(folded)) > 1 {
			continue
		}
		// An s at the end is a plural or a family, not a slip.
		if folded == n.folded+"s" || levenshtein.ComputeDistance(n.folded, folded) > 1 && !swapped(n.folded, folded) {
			continue
		}
		if found != 0 {
			return 0
		}
		found = n.symbol
	}
	return found
}

// swapped tells whether two neighbouring letters changed places.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// named is a place, person, service or problem found in a text.
type named struct {
	id         int32 // index within its kind
	kind       kind
	start, end int32 // bytes
	title      bool
	rule       nameRule
}

// nameRule says how a name was recognised, or why it wasn't credited.
type nameRule uint8

const (
	byName nameRule = iota
	byFirstName
	byCue
	byMisspelling
	tooManyBearIt // credited to nobody, listed for the editor
)

// findNames looks for places and people, marks their tokens as taken, and appends
// what it finds. A name that several people bear is appended once, with the first
// of them and tooManyBearIt.
func (v *vocabulary) findNames(tokens []token, taken []bool, title bool, dst []named) []named {
	for i := 0; i < len(tokens); i++ {
		t := &tokens[i]
		rule := byName
		m := match{}
		if t.name != 0 {
			m = v.longestName(tokens, i)
		} else if t.fuzzy != 0 && t.shape&capital != 0 {
			if next, ok := v.people.edges.get(key(0, t.fuzzy)); ok && v.people.nodes[next].payload != 0 {
				m = match{payload: v.people.nodes[next].payload, words: 1}
				m.at[0], rule = int32(i), byMisspelling
			}
		}
		if m.payload == 0 {
			continue
		}
		n := &v.nameList[m.payload-1]
		last := m.last()
		f := named{start: tokens[m.first()].start, end: tokens[last].end, title: title, rule: rule}
		switch {
		case len(n.places) > 0 && (!n.isPerson() || !v.speaksOfPerson(tokens, i, last)):
			for _, id := range n.places {
				f.kind, f.id = area, id
				dst = append(dst, f)
			}
		case len(n.people) > 0:
			if len(n.upper) == 1 && someoneElse(tokens, i, last) {
				i = last
				continue
			}
			if n.cue && rule == byName {
				if !v.speaksOfPerson(tokens, i, last) {
					continue
				}
				f.rule = byCue
			} else if n.first && rule == byName {
				f.rule = byFirstName
			}
			f.kind, f.id = technician, n.people[0]
			if len(n.people) > 1 {
				f.rule = tooManyBearIt
			}
			dst = append(dst, f)
		default:
			continue
		}
		for k := i; k <= last; k++ {
			taken[k] = true
		}
		i = last
	}
	return dst
}

func (n *name) isPerson() bool { return len(n.people) > 0 }

// longestName finds the longest name that begins at tokens[i] and is written as
// names are.
func (v *vocabulary) longestName(tokens []token, i int) (best match) {
	at, cur := int32(0), match{}
	for k := i; k < len(tokens) && k-i < maxElements; k++ {
		// A name goes over no comma; the point of "Daniel R." ends it.
		if k > i && tokens[k].gap == comma || k > i && tokens[k].gap == stop && tokens[k].shape&opensRun != 0 && len(tokens[k-1].text) > 1 {
			break
		}
		next, ok := v.people.edges.get(key(at, tokens[k].name))
		if tokens[k].name == 0 || !ok {
			break
		}
		at = next
		cur.at[cur.words] = int32(k)
		cur.words++
		if p := v.people.nodes[at].payload; p != 0 && v.nameList[p-1].written(tokens[i:k+1]) {
			best = cur
			best.payload = p
		}
	}
	return best
}

// written tells whether the tokens have their capitals. A text all in capitals
// can't tell Will from will, so words need theirs alone.
func (n *name) written(tokens []token) bool {
	for i, upper := range n.upper {
		if upper && tokens[i].shape&capital == 0 || n.cue && tokens[i].shape&shouted != 0 {
			return false
		}
	}
	return true
}
