package sentiment

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// The word lists. lexicon/README.md says where each comes from and under what
// licence; Method.LexiconSHA256 is the hash of all of them.
//
//go:embed lexicon/vader.txt lexicon/huliu-positive.txt lexicon/huliu-negative.txt lexicon/words.txt lexicon/phrases.txt lexicon/people.txt
var lists embed.FS

// listNames are the lists in the order in which they are hashed and read.
var listNames = []string{"vader.txt", "huliu-positive.txt", "huliu-negative.txt", "words.txt", "phrases.txt", "people.txt"}

// huliuWeight is the valence of a word that only Hu and Liu's list knows: half of what a typical word of VADER's has.
const huliuWeight = 1.0

// readLexicon parses the lists. They are part of the program, and a test parses them, so a malformed line is a panic.
func readLexicon() *lexicon {
	lex := &lexicon{
		valence: make(map[string]float32, 14000), function: map[string]flags{}, classes: map[string][]string{}, isClass: map[string]bool{},
		spelling: map[string]string{}, signs: map[rune]*word{},
	}
	h := sha256.New()
	for _, name := range listNames {
		body, err := lists.ReadFile("lexicon/" + name)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(h, "%s %d\n", name, len(body))
		h.Write(body)
		section := ""
		for line := range strings.Lines(string(body)) {
			lex.line(name, strings.TrimRight(line, "\r\n"), &section)
		}
	}
	lex.sha256 = hex.EncodeToString(h.Sum(nil))
	return lex
}

func (lex *lexicon) line(file, s string, section *string) {
	switch {
	case strings.TrimSpace(s) == "" || s[0] == ';' || strings.HasPrefix(s, "//"):
	case file == "vader.txt":
		w, v, _ := strings.Cut(s, "\t")
		lex.valence[w] = number(v)
	case file == "huliu-positive.txt":
		lex.valence[s] = huliuWeight
	case file == "huliu-negative.txt":
		lex.valence[s] = -huliuWeight
	case file == "phrases.txt":
		lex.phraseLine(strings.TrimSpace(s), section)
	default:
		lex.wordLine(s)
	}
}

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

// phrase is a line of phrases.txt: the meaning of a pattern for an aspect.
type phrase struct {
	aspect   string // "*": of no aspect, but with a polarity
	pattern  string
	meaning  meaning
	language string
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
	aspect, language, ok := strings.Cut(*section, " ")
	if !ok {
		language = english
	}
	for pattern := range strings.SplitSeq(s[2:], "|") {
		if pattern = strings.TrimSpace(pattern); pattern != "" {
			lex.phrases = append(lex.phrases, phrase{aspect, pattern, meaning(s[0]), language})
		}
	}
}
