package sentiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Cues are words, pairs and triples of words, and classes of words, that hint at
// an aspect and at what is felt about it: "rang ~ bell", "twice what". Each has its
// weights in lexicon/cues.txt, where anybody can read them; what a sentence's cues
// say is the sum of their weights. They were fitted to sentences written for it,
// by logistic regression (bench/cues).

// A unit is what is read at once: a sentence, or a part of a very long one. It ends
// before the first clause that begins after longUnit words, and after maxUnit.
const (
	longUnit = 40
	maxUnit  = 80
)

// What gets through from clause to clause of what is felt.
const (
	throughComma    = 0.5
	throughStop     = 0.3
	throughContrast = 0.1
	// minShare is what is left when nothing gets through any more.
	minShare = 0.005
)

// maxNearby is how far apart, in words, the two of a pair may stand.
const maxNearby = 4

// cueKey is a cue: how its words stand, and up to three words of the table.
type cueKey uint64

// The kindCount of cues.
const (
	oneWord  = 1 // "dot"
	adjacent = 2 // "the dot"
	nearby   = 3 // "rang ~ bell"
	triple   = 4 // "on the dot"
)

func makeCue(Kind int, a, b, c int32) cueKey {
	return cueKey(Kind)<<60 | cueKey(a)<<40 | cueKey(b)<<20 | cueKey(c)
}

// cueWords are the words of cues by name: a stem ("arriv"), a form ("=arriving"), a
// class of words.txt ("@thing"), "#" a number, "$" a sum of money, "#:#" a time, "?"
// an open question, "+" and "-" a word of praise or blame, "+pricing" a shipped
// phrase that praises the price.
type cueWords struct {
	ids   map[string]int32
	names []string
	learn bool // for the fit, which meets all words for the first time
	// leads has a bit for what follows each word in the table's pairs, so that most
	// pairs are turned away without a look into it.
	leads []uint64
	// ids that are asked for often
	opinions [2]int32
	asked    int32
}

func newCueWords() *cueWords { return &cueWords{ids: map[string]int32{}} }

func (c *cueWords) id(name string) int32 {
	if id, ok := c.ids[name]; ok {
		return id
	}
	if !c.learn {
		return 0
	}
	c.names = append(c.names, name)
	c.ids[name] = int32(len(c.names))
	return int32(len(c.names))
}

// leadsTo is the bit for a pair's second word.
func leadsTo(Kind int, second int32) uint64 { return 1 << ((uint32(second)*4 + uint32(Kind)) % 64) }

// mayBe reports whether the table may have a pair.
func (c *cueWords) mayBe(Kind int, a, b int32) bool {
	return a > 0 && b > 0 && (c.learn || c.leads[a]&leadsTo(Kind, b) != 0)
}

// settle looks up the ids that are asked for often.
func (c *cueWords) resolve() {
	if n := len(c.names) + 1; len(c.leads) < n {
		c.leads = append(c.leads, make([]uint64, n-len(c.leads))...)
	}
	c.opinions = [2]int32{c.id("+"), c.id("-")}
	c.asked = c.id("?")
}

// key reads a cue as the table has it.
func (c *cueWords) key(name string) (cueKey, error) {
	w := strings.Fields(name)
	id := func(i int) int32 { return c.id(w[i]) }
	switch {
	case len(w) == 1:
		return makeCue(oneWord, id(0), 0, 0), nil
	case len(w) == 2:
		return makeCue(adjacent, id(0), id(1), 0), nil
	case len(w) == 3 && w[1] == "~":
		return makeCue(nearby, id(0), id(2), 0), nil
	case len(w) == 3:
		return makeCue(triple, id(0), id(1), id(2)), nil
	}
	return 0, fmt.Errorf("%q is no cue", name)
}

// lead notes what follows a cue's first word.
func (c *cueWords) lead(key cueKey) {
	first := int(key >> 40 & 0xFFFFF)
	for first >= len(c.leads) {
		c.leads = append(c.leads, make([]uint64, first+64)...)
	}
	c.leads[first] |= leadsTo(int(key>>60), int32(key>>20&0xFFFFF))
}

// name writes a cue as the table has it.
func (c *cueWords) name(key cueKey) string {
	n := func(shift int) string { return c.names[key>>shift&0xFFFFF-1] }
	switch key >> 60 {
	case oneWord:
		return n(40)
	case adjacent:
		return n(40) + " " + n(20)
	case nearby:
		return n(40) + " ~ " + n(20)
	}
	return n(40) + " " + n(20) + " " + n(0)
}

// cueForms are the ids of a word's names, 0 for those in no cue.
type cueForms struct {
	form, exact int32
	classes     []int32
}

// class is the class that stands for the word in pairs.
func (f *cueForms) class() int32 {
	if len(f.classes) == 0 {
		return 0
	}
	return f.classes[0]
}

func (d *dictionary) cueForms(w *word, classes []string) (f cueForms) {
	switch {
	case w.flags&numeric != 0 && strings.Contains(w.text, ":"):
		f.form = d.cues.id("#:#")
	case w.flags&numeric != 0:
		f.form = d.cues.id("#")
	default:
		f.form = d.cues.id(w.stem)
		if w.text != w.stem {
			f.exact = d.cues.id("=" + w.text)
		}
	}
	for _, c := range slices.Concat(classes, d.lex.cueClasses[w.text]) {
		if id := d.cues.id("@" + c); id > 0 && c != "#" {
			f.classes = append(f.classes, id)
		}
	}
	return f
}

// said is a cue where it stands.
type said struct {
	cue         cueKey
	row         int32 // of the table
	value       float32
	first, last int32 // tokens
}

// extractCues leaves the cues of tokens lo to hi, which are one unit, in w.said.
func (w *worker) extractCues(lo, hi int, hits []hit) {
	w.said = w.said[:0]
	cues, t := w.v.dict.cues, w.tokens
	say := func(key cueKey, value float32, first, last int) {
		row, known := w.v.cues.rows.get(uint64(key))
		if known || cues.learn {
			w.said = append(w.said, said{key, row, value, int32(first), int32(last)})
		}
	}
	word := func(id int32, value float32, first, last int) {
		if id > 0 {
			say(makeCue(oneWord, id, 0, 0), value, first, last)
		}
	}
	pair := func(Kind int, a, b int32, first, last int) {
		if cues.mayBe(Kind, a, b) {
			say(makeCue(Kind, a, b, 0), 1, first, last)
		}
	}
	var silent cueForms
	forms := func(i int) *cueForms {
		if w.named[i] {
			return &silent // a name is no cue, nor what editors ignore
		}
		return &t[i].cue
	}
	for i := lo; i < hi; i++ {
		a := forms(i)
		word(a.form, 1, i, i)
		word(a.exact, 1, i, i)
		for _, c := range a.classes {
			word(c, 1, i, i)
		}
		for k := i + 1; k < hi && k <= i+maxNearby && t[k].gap != stop; k++ {
			b, Kind := forms(k), nearby
			if k == i+1 {
				Kind = adjacent
				pair(Kind, a.class(), b.class(), i, k)
				if k+1 < hi && t[k+1].gap != stop {
					if c := forms(k + 1).form; c > 0 && cues.mayBe(triple, a.form, b.form) {
						say(makeCue(triple, a.form, b.form, c), 1, i, k+1)
					}
				}
			}
			pair(Kind, a.form, b.form, i, k)
			pair(Kind, a.class(), b.form, i, k)
			pair(Kind, a.form, b.class(), i, k)
		}
	}
	for _, v := range w.opinions {
		if v.aspect == anyAspect && v.at >= lo && v.at < hi && v.valence != 0 {
			id := cues.opinions[0]
			if v.valence < 0 {
				id = cues.opinions[1]
			}
			word(id, float32(math.Abs(v.valence)/4), v.at, v.last)
		}
	}
	for _, h := range hits {
		if first := h.m.first(); first >= lo && first < hi {
			for _, id := range w.v.phraseCues(h) {
				word(id, 1, first, h.m.last())
			}
		}
	}
	if t[hi-1].shape&asked != 0 {
		word(cues.asked, 1, hi-1, hi-1)
	}
}

// phraseCues gives the cues that a shipped phrase is.
func (v *vocabulary) phraseCues(h hit) []int32 {
	return v.entryCues[h.m.payload-1][h.polarity]
}

// makeEntryCues looks the cues of all phrases up, by what was felt. There are tens of
// thousands of them and a few dozen cues.
func (v *vocabulary) makeEntryCues() {
	v.entryCues = make([][3][]int32, len(v.entries))
	known := map[[2]int32][3][]int32{}
	for i, group := range v.entries {
		for _, e := range group {
			// An editor's term names a shipped aspect as the shipped terms do.
			ours := e.origin == FromTrade && e.meaning != ignores
			if !ours && (e.meaning != names || e.aspect < 0) {
				continue
			}
			key := [2]int32{int32(e.meaning), e.aspect}
			ids, ok := known[key]
			if !ok {
				ids = v.cuesOf(e)
				known[key] = ids
			}
			if len(group) == 1 {
				v.entryCues[i] = ids
				continue
			}
			for f := range ids {
				v.entryCues[i][f] = append(v.entryCues[i][f], ids[f]...)
			}
		}
	}
}

// cuesOf gives the cue that a phrase is, if there is one, by what was felt.
func (v *vocabulary) cuesOf(e entry) (ids [3][]int32) {
	aspect := "*"
	if e.aspect >= 0 {
		aspect = v.aspects[e.aspect].ID
	}
	for f := Neutral; f <= Negative; f++ {
		m := e.meaning
		if m == praises || m == blames {
			m = [...]meaning{states, praises, blames}[f]
		}
		if id := v.dict.cues.id(string(rune(m)) + aspect); id > 0 {
			ids[f] = []int32{id}
		}
	}
	return ids
}

// unitEnd gives the end of the unit that begins at token lo of a sentence.
func unitEnd(t []token, lo, hi int) int {
	for i := lo + longUnit; i < hi; i++ {
		if t[i].clause != t[i-1].clause || i-lo == maxUnit {
			return i
		}
	}
	return hi
}

// through is what gets into the clause that begins with t from the one before.
func through(t *token) float64 {
	switch {
	case t.flags&contrast != 0:
		return throughContrast
	case t.gap == stop:
		return throughStop
	}
	return throughComma
}

// borders gives what gets through from each clause of a unit to the next.
func borders(unit []token, dst []float64) []float64 {
	for i := 1; i < len(unit); i++ {
		if unit[i].clause != unit[i-1].clause {
			dst = append(dst, through(&unit[i]))
		}
	}
	return dst
}
