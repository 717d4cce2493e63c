package sentiment

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"reviewcast"
)

// A pattern is the words of a phrase as the shipped list and the editors write
// them. Editors write plain words. The shipped list knows more:
//
//	came/showed up late    a choice of words at one place
//	really? late           a word that may be missing
//	quoted .. charged      up to four words between, in the same sentence
//	=late                  this very form; other words match in all their forms
//	@who                   any word of a class
//	#                      a number
//	@not                   a word that says no: not, never, didn't
type pattern []element

type element struct {
	syms     []symbol // a choice; empty: a gap
	optional bool
}

const maxElements = 12 // how long a pattern may be; it bounds the depth of a match

// compile parses a pattern of the shipped lists.
func (d *dictionary) compile(text string) (p pattern) {
	for _, field := range strings.Fields(text) {
		if field == ".." {
			p = append(p, element{})
			continue
		}
		field, optional := strings.CutSuffix(field, "?")
		e := element{optional: optional}
		for choice := range strings.SplitSeq(field, "/") {
			switch {
			case choice == "#":
				e.syms = append(e.syms, d.intern("@#"))
			case choice[0] == '@':
				if !d.lex.isClass[choice[1:]] {
					panic(fmt.Sprintf("lexicon/phrases.txt: pattern %q: there is no class %s", text, choice))
				}
				e.syms = append(e.syms, d.intern(choice))
			default:
				w, exact := strings.CutPrefix(choice, "=")
				if w = d.spelled(bare(Fold(w))); exact {
					e.syms = append(e.syms, d.intern(w))
				} else {
					e.syms = append(e.syms, d.inflected(w))
				}
			}
		}
		p = append(p, e)
	}
	return p
}

// compilePlain parses an editor's phrase: words, which match in their regular forms, or words in quotation marks, which
// match as they are written. It is empty for a text without a word in it ("…") and for one that is too long to match.
func (d *dictionary) compilePlain(text string) (p pattern) {
	text = strings.TrimSpace(text)
	exact := len(text) > 2 && text[0] == '"' && text[len(text)-1] == '"'
	for w := range words(text) {
		key := d.spelled(w)
		if !exact {
			key = stem(key) + "*"
		}
		p = append(p, element{syms: []symbol{d.intern(key)}})
	}
	if len(p) > maxElements {
		return nil
	}
	return p
}

// inflected returns the symbol of a word of the shipped list, which also stands for
// its regular forms. The list has the irregular forms.
func (d *dictionary) inflected(w string) symbol {
	_, known := d.symbols["~"+w]
	id := d.intern("~" + w)
	if known {
		return id
	}
	forms := []string{w}
	if n := len(w); n >= 3 && !strings.Contains(w, "'") {
		last, root := w[n-1], w[:n-1]
		forms = append(forms, w+"s", w+"ed", w+"ing")
		switch last {
		case 'e':
			forms = append(forms, w+"d", root+"ing")
		case 'y':
			forms = append(forms, root+"ies", root+"ied")
		case 's', 'h', 'x', 'z':
			forms = append(forms, w+"es")
		default:
			forms = append(forms, w+string(last)+"ed", w+string(last)+"ing")
		}
	}
	for _, f := range forms {
		d.forms[f] = append(d.forms[f], id)
	}
	return id
}

// words cuts a plain phrase into folded words, exactly as texts are cut, and returns how each is written.
func words(s string) iter.Seq2[string, shape] {
	return func(yield func(string, shape) bool) {
		for i := 0; i < len(s); {
			end, shp := wordEnd(s, i)
			if w := Fold(s[i:end]); w != "" && !yield(bare(w), shp) {
				return
			}
			i = max(end, i+1)
		}
	}
}

// trie finds patterns. Each node has edges by symbol, and perhaps a gap.
type trie struct {
	edges map[edge]int32
	nodes []node
}

type node struct {
	gap     int32 // the node behind a gap; 0: none
	payload int32 // what the pattern means, from 1; 0: no pattern ends here
}

// edge leads from a node to the next by a symbol.
type edge struct {
	from int32
	by   symbol
}

func newTrie() *trie { return &trie{edges: map[edge]int32{}, nodes: make([]node, 1)} }

// insert adds a pattern below a node, 0 for the whole. settle gets the payload at its end, 0 when the pattern is new,
// and returns the payload to store there. An empty pattern changes nothing.
func (t *trie) insert(at int32, p pattern, settle func(have int32) int32) {
	if len(p) == 0 {
		if at != 0 {
			t.nodes[at].payload = settle(t.nodes[at].payload)
		}
		return
	}
	e := p[0]
	if e.optional {
		t.insert(at, p[1:], settle)
	}
	if len(e.syms) == 0 {
		if t.nodes[at].gap == 0 {
			t.nodes = append(t.nodes, node{})
			t.nodes[at].gap = int32(len(t.nodes) - 1)
		}
		t.insert(t.nodes[at].gap, p[1:], settle)
		return
	}
	for _, s := range e.syms {
		next, ok := t.edges[edge{at, s}]
		if !ok {
			t.nodes = append(t.nodes, node{})
			next = int32(len(t.nodes) - 1)
			t.edges[edge{at, s}] = next
		}
		t.insert(next, p[1:], settle)
	}
}

// match is the longest pattern that begins at a token.
type match struct {
	payloads []int32 // of all patterns that match the same words, in ascending order
	words    int     // how many words it names, gaps not counted
	at       [maxElements]int32
}

func (m *match) first() int { return int(m.at[0]) }
func (m *match) last() int  { return int(m.at[m.words-1]) }

// longest finds the longest pattern beginning at tokens[i], within its sentence; of
// equally long ones the one that was entered first.
func (t *trie) longest(tokens []token, i int, taken []bool) (best match) {
	if len(tokens[i].syms) > 0 && (taken == nil || !taken[i]) { // of most tokens nothing is known
		t.walk(tokens, i, 0, 0, taken, new(match), &best)
	}
	return best
}

func (t *trie) walk(tokens []token, i int, at int32, skipped int, taken []bool, cur, best *match) {
	if p := t.nodes[at].payload; p != 0 && cur.words >= best.words {
		switch {
		case cur.words == best.words && cur.at == best.at:
			best.payloads = append(best.payloads, p)
			slices.Sort(best.payloads)
			best.payloads = slices.Compact(best.payloads) // several ways through gaps lead to one pattern
		case cur.words > best.words || p < best.payloads[0]:
			*best = *cur
			best.payloads = []int32{p}
		}
	}
	if g := t.nodes[at].gap; g != 0 {
		const maxGap = 4 // words that ".." may stand for
		for skip := 0; skip <= maxGap && i+skip < len(tokens); skip++ {
			if skip > 0 && (tokens[i+skip-1].sentence != tokens[cur.at[0]].sentence || tokens[i+skip-1].text == "no") { // leaves no clippings
				break
			}
			t.walk(tokens, i+skip, g, 0, taken, cur, best)
		}
	}
	if i >= len(tokens) || cur.words == maxElements || taken != nil && taken[i] ||
		cur.words > 0 && tokens[i].sentence != tokens[cur.at[0]].sentence {
		return
	}
	const maxLight = 2 // in a row: "kept the price" finds "kept just the price"
	if cur.words > 0 && skipped < maxLight && tokens[i].flags&light != 0 {
		t.walk(tokens, i+1, at, skipped+1, taken, cur, best)
	}
	for _, s := range tokens[i].syms {
		if next, ok := t.edges[edge{at, s}]; ok {
			cur.at[cur.words] = int32(i)
			cur.words++
			t.walk(tokens, i+1, next, 0, taken, cur, best)
			cur.words--
			cur.at[cur.words] = 0
		}
	}
}

// match finds the phrases, the longest first, marks their tokens in w.taken and
// w.inPhrase, and sets w.phraseOpinions to those that have a polarity.
func (w *worker) match(language string) []match {
	w.phraseOpinions, w.distances = w.phraseOpinions[:0], w.distances[:0]
	hits := w.matchWith(w.v.phrases, language, w.matchWith(w.v.own, language, nil))
	slices.SortFunc(hits, func(a, b match) int { return a.first() - b.first() })
	sortOpinions(w.phraseOpinions)
	return hits
}

func (w *worker) matchWith(phrases *trie, language string, hits []match) []match {
	for i := range w.tokens {
		m := phrases.longest(w.tokens, i, w.taken)
		if m.words == 0 {
			continue
		}
		e := w.v.entries[m.payloads[0]-1][0]
		if !e.speaks(language) {
			continue
		}
		for _, at := range m.at[:m.words] {
			w.taken[at], w.inPhrase[at] = true, true
			w.named[at] = w.named[at] || e.origin == FromEditor // editors' words are no topics
		}
		switch e.meaning {
		case ignores:
			continue
		case before, others:
			w.distances = append(w.distances, distance{w.tokens[i].clause, i, map[meaning]Rule{before: earlier, others: elsewhere}[e.meaning]})
			continue
		case praises, blames:
			if polarity, _ := w.phrasePolarity(e, m); polarity != reviewcast.Neutral {
				w.phraseOpinions = append(w.phraseOpinions, opinion{m.first(), m.last(), valences[polarity], e.aspect})
			}
		}
		hits = append(hits, m)
	}
	return hits
}

// speaks reports whether the entry applies to texts in a language.
func (e *entry) speaks(language string) bool { return e.language == "" || e.language == language }

// phrasePolarity returns the polarity of a phrase in its context.
func (w *worker) phrasePolarity(e entry, m match) (reviewcast.Polarity, Rule) {
	// A negation before changes nothing where a word of the phrase is one: in "never no trouble", too.
	negates := func(at int32) bool { return w.tokens[at].flags&negator != 0 }
	said := map[meaning]reviewcast.Polarity{praises: reviewcast.Positive, blames: reviewcast.Negative}[e.meaning]
	switch {
	case w.supposed(m.first()):
		return reviewcast.Neutral, conditional
	case !slices.ContainsFunc(m.at[:m.words], negates) && negated(w.tokens, m.first()):
		return opposite[said], afterNegation
	}
	return said, asWritten
}

// supposed reports whether token i is in an "if" or a wish of its clause, or asked for ("please").
func (w *worker) supposed(i int) bool {
	for k, start := i-1, w.clauseStart(i, 12); k >= start; k-- {
		if w.tokens[k].flags&hedge != 0 { // "even if", "as if", "no wonder if" suppose nothing
			return k == 0 || w.tokens[k-1].text != "even" && w.tokens[k-1].text != "as" && w.tokens[k-1].text != "wonder"
		}
	}
	return false
}
