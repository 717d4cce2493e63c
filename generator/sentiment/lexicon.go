package sentiment

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
)

// The word lists. lexicon/README.md says where each comes from and under what
// licence; Method.LexiconSHA256 is the hash of all of them.
//
//go:embed lexicon/vader.txt lexicon/huliu-positive.txt lexicon/huliu-negative.txt lexicon/words.txt lexicon/phrases.txt lexicon/people.txt
var lists embed.FS

// lexicon is the shipped word lists, parsed once.
type lexicon struct {
	valence  map[string]float32
	function map[string]flags    // words that change the meaning of others
	classes  map[string][]string // by word
	isClass  map[string]bool
	spelling map[string]string
	signs    map[rune]*word // with a valence: 👍
	phrases  []phrase
	sha256   string
}

// shipped parses the lists. They are part of the program, and a test parses them, so a malformed line is a panic.
var shipped = sync.OnceValue(func() *lexicon {
	lex := &lexicon{
		valence: make(map[string]float32, 14000), function: map[string]flags{}, classes: map[string][]string{}, isClass: map[string]bool{},
		spelling: map[string]string{}, signs: map[rune]*word{},
	}
	const huliuWeight = 1.0 // of a word that only Hu and Liu's list knows: half of what a typical word of VADER's has
	h := sha256.New()
	for _, name := range []string{"vader.txt", "huliu-positive.txt", "huliu-negative.txt", "words.txt", "phrases.txt", "people.txt"} { // hashed in this order
		body, _ := lists.ReadFile("lexicon/" + name) // it is embedded
		fmt.Fprintf(h, "%s %d\n", name, len(body))
		h.Write(body)
		section := ""
		for line := range strings.Lines(string(body)) {
			switch s := strings.TrimRight(line, "\r\n"); {
			case strings.TrimSpace(s) == "" || s[0] == ';' || strings.HasPrefix(s, "//"):
			case name == "vader.txt":
				w, v, _ := strings.Cut(s, "\t")
				lex.valence[w] = number(v)
			case name == "huliu-positive.txt":
				lex.valence[s] = huliuWeight
			case name == "huliu-negative.txt":
				lex.valence[s] = -huliuWeight
			case name == "phrases.txt":
				lex.phraseLine(strings.TrimSpace(s), &section)
			default:
				lex.wordLine(s)
			}
		}
	}
	lex.sha256 = hex.EncodeToString(h.Sum(nil))
	return lex
})

func number(s string) float32 {
	f, err := strconv.ParseFloat(s, 32)
	if err != nil {
		panic(err)
	}
	return float32(f)
}

// wordLine reads a line of words.txt or people.txt: what it is about, then words.
func (lex *lexicon) wordLine(s string) {
	fields := strings.Fields(s)
	what, rest := fields[0], fields[1:]
	kind, value, _ := strings.Cut(what, "=")
	class, isClass := strings.CutPrefix(what, "@")
	if isClass {
		lex.isClass[class] = true
	}
	for _, w := range rest {
		switch {
		case kind == "valence":
			lex.valence[w] = number(value)
		case kind == "sign":
			lex.signs[[]rune(w)[0]] = &word{text: w, valence: number(value)}
		case kind == "spelling":
			lex.spelling[w] = value
		case isClass:
			lex.classes[w] = append(lex.classes[w], class)
		case flagNames[what] != 0:
			lex.function[w] |= flagNames[what]
		default:
			panic(fmt.Sprintf("lexicon: unknown word %q in %q", what, s))
		}
	}
}

var flagNames = map[string]flags{
	"negator": negator, "contrast": contrast, "exception": exception, "joins": joins, "subject": subject, "stopword": stopword,
	"numeric": numeric, "auxiliary": auxiliary, "hedge": hedge, "pronoun": pronoun,
	"light": light, "middling": middling, "burden": burden, "nameword": nameWord, "namecue": nameCue, "nameverb": nameVerb,
}

// phrase is a pattern of phrases.txt: what it means for all aspects that extend one.
type phrase struct {
	extends string // "*": of no aspect, but with a polarity
	entry
}

// meaning is what a pattern means out of context.
type meaning byte

const (
	names   meaning = ':' // names the aspect; its polarity is in the words around it
	praises meaning = '+'
	blames  meaning = '-'
	states  meaning = '0' // a fact
	ignores meaning = '!' // looks like the aspect and isn't
	before  meaning = '<' // its clause is about an earlier time
	others  meaning = '~' // what follows in its clause is about another business
)

// decides reports whether the phrase has a polarity of its own.
func (m meaning) decides() bool { return m == praises || m == blames || m == states }

// phraseLine parses "[aspect]", "[aspect language]" or "+ pattern | pattern".
func (lex *lexicon) phraseLine(s string, section *string) {
	if s[0] == '[' && s[len(s)-1] == ']' {
		*section = strings.Trim(s, "[]")
		return
	}
	if len(s) < 3 || s[1] != ' ' || !strings.ContainsRune(":+-0!<~", rune(s[0])) {
		panic(fmt.Sprintf("lexicon/phrases.txt: want [aspect] or one of : + - 0 ! < ~ and patterns, not %q", s))
	}
	aspect, language, _ := strings.Cut(*section, " ")
	for pattern := range strings.SplitSeq(s[2:], "|") {
		if pattern = strings.TrimSpace(pattern); pattern != "" {
			lex.phrases = append(lex.phrases, phrase{aspect, entry{meaning: meaning(s[0]), origin: FromTrade, pattern: pattern, language: cmp.Or(language, english)}})
		}
	}
}

// word is everything known about one spelling of a word.
type word struct {
	text string // folded and bare: "didn't" stays, "Marcus's" is marcus
	hash uint64 // of the stem, for counting phrases
	// syms are the symbols that stand for the word in patterns: its stem, itself, and
	// the classes that it belongs to. Most words have none.
	syms    []symbol
	valence float32 // -4 to 4; from the word lists
	flags   flags
	name    symbol // in patterns of names, where nothing is stemmed
}

type flags uint32

const (
	negator flags = 1 << iota
	contrast
	exception // "only", "complaint": what follows differs from the rest
	joins     // "and", "so": a new clause when a subject follows
	subject   // "he", "the": what begins a clause after a joining word
	stopword  // never begins or ends a topic
	numeric
	knownWord // an English word that the lists know, so no misspelt name
	auxiliary
	hedge // "if", "wish"
	pronoun
	light    // articles and adverbs, which patterns look over
	middling // "okay", "so-so": an opinion, neither good nor bad
	burden   // a thing whose absence is good: "no fee"
	nameWord // a first name that is a word, a place or a brand too
	nameCue  // before a name, shows that a person is meant
	nameVerb // after a name, shows that a person is meant
)

// symbol identifies a word in patterns; 0 is none.
type symbol int32

// dictionary knows the words of the lists and of the vocabulary. It is immutable once it is made.
type dictionary struct {
	lex *lexicon
	// symbols are those of "late" for this very form, "~late" for that and its regular forms, "late*" for whatever has
	// this stem, "@who" for a class, "@#" for numbers, and "late " in a name.
	symbols map[string]symbol
	forms   map[string][]symbol // by inflected form, the words of the shipped list
}

func (d *dictionary) intern(key string) symbol {
	if _, known := d.symbols[key]; !known {
		d.symbols[key] = symbol(len(d.symbols) + 1)
	}
	return d.symbols[key]
}

// spelled returns the usual spelling of a folded word, in texts and in patterns.
func (d *dictionary) spelled(w string) string { return cmp.Or(d.lex.spelling[w], w) }

// word looks a folded word up.
func (d *dictionary) word(folded string) *word {
	text := d.spelled(folded)
	root := stem(text)
	w := &word{text: text, hash: hash(root), flags: d.lex.function[text], name: d.symbols[text+" "]}
	if digit(text[0]) {
		w.flags |= numeric
	}
	if v, ok := d.lex.valence[w.text]; ok {
		w.valence = v
		w.flags |= knownWord
	}
	add := func(key string) {
		if id, ok := d.symbols[key]; ok {
			w.syms = append(w.syms, id)
		}
	}
	for _, class := range d.lex.classes[w.text] {
		add("@" + class)
	}
	if strings.HasSuffix(w.text, "n't") {
		w.flags |= negator | auxiliary
		add("@not")
	}
	if w.flags&numeric != 0 {
		add("@#")
	}
	add(w.text)
	w.syms = append(w.syms, d.forms[w.text]...)
	add(root + "*")
	return w
}

// stem returns a key that the regular forms of a folded word share: plurals, "-ed" and "-ing". "Friend" and "friendly",
// "busy" and "business" differ. The key need not be a word.
func stem(s string) string {
	if len(s) < 4 || digit(s[0]) || strings.HasSuffix(s, "n't") || len(s) > maxWord {
		return s
	}
	switch {
	case strings.HasSuffix(s, "ies"), strings.HasSuffix(s, "ied"):
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "sses"), strings.HasSuffix(s, "shes"), strings.HasSuffix(s, "ches"), strings.HasSuffix(s, "xes"):
		s = s[:len(s)-2]
	case strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss") && !strings.HasSuffix(s, "us") && !strings.HasSuffix(s, "is"):
		s = s[:len(s)-1]
	}
	for _, ending := range [...]string{"ed", "ing"} {
		root, ok := strings.CutSuffix(s, ending)
		if n := len(root); ok && n > 2 && strings.ContainsAny(root, "aeiouy") && s != "evening" {
			if root[n-1] == root[n-2] && !strings.ContainsAny(root[n-1:], "lszf") {
				root = root[:n-1] // "stopped"
			}
			s = root
			break
		}
	}
	if len(s) > 3 {
		s = strings.TrimSuffix(s, "e")
	}
	return s
}

// hash is FNV-1a, 64 bits: stable across machines and versions.
func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

var unknown = &word{} // of which nothing is known

// lookup looks a word up and caches it as it is written, so that a word costs one map lookup.
func (w *worker) lookup(raw string) *word {
	if known, ok := w.seen[raw]; ok {
		return known
	}
	if len(raw) > maxWord {
		return unknown
	}
	folded := bare(Fold(raw))
	if folded == "" { // nothing but marks
		return unknown
	}
	// maxSeen bounds a worker's cache of words. Reviews of a trade have some ten thousand different words; a corpus of
	// random letters must not exhaust memory.
	const maxSeen = 1 << 16
	if len(w.seen) >= maxSeen {
		clear(w.seen)
	}
	found := w.v.dict.word(folded)
	w.seen[strings.Clone(raw)] = found
	return found
}
