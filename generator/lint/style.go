package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// initials shortens an author to "First L."; full tells whether that takes
// something away. A single word, or one that ends in initials already, is short.
func initials(author string) (short string, full bool) {
	words := strings.Fields(author)
	if len(words) < 2 {
		return author, false
	}
	for _, w := range words[1:] {
		if joins[strings.ToLower(w)] { // "Chantal & Rob" are two first names
			return author, false
		}
	}
	last := words[len(words)-1]
	r, size := utf8.DecodeRuneInString(last)
	// "K", "K." and what is no name ("2024", "&") stay.
	if !unicode.IsUpper(r) || strings.TrimRight(last[size:], ".") == "" || strings.ToUpper(last) == last && len(last) <= 3 {
		return author, false
	}
	return words[0] + " " + string(r) + ".", true
}

// joins stand between the first names of a couple.
var joins = map[string]bool{"&": true, "+": true, "and": true, "und": true, "et": true, "e": true, "y": true}

// Bounds on shouting: fewer letters may be an abbreviation, fewer marks are joy.
const (
	shoutLetters = 20
	shoutShare   = 0.8
	shoutMarks   = 4
)

var (
	marksForm  = regexp.MustCompile(fmt.Sprintf(`[!?]{%d,}`, shoutMarks))
	markupForm = regexp.MustCompile(`(?i)</?(?:b|i|u|p|br|em|strong|a|div|span|font|img|h[1-6]|script|style|ul|li)(?:\s[^<>]*)?/?>|\[/?(?:b|i|u|url|img|color|size)(?:=[^\]]*)?\]|\*\*[^*\n]+\*\*|\]\(https?://`)
)

// loud notes capitals and marks throughout, and markup, which is published as the
// characters that it is.
func (in *inspector) loud(r *source.Review, field, text string) {
	letters, capitals := 0, 0
	for _, c := range text {
		if unicode.IsLetter(c) {
			letters++
			if unicode.IsUpper(c) {
				capitals++
			}
		}
	}
	const keep = "leave it if these are the customer's own words"
	if letters >= shoutLetters && float64(capitals) >= shoutShare*float64(letters) {
		in.add(r, firstLine(text), "shouting", field+" is in capital letters throughout", keep)
	}
	if s := marksForm.FindString(text); s != "" {
		in.add(r, s, "shouting", fmt.Sprintf("%s has %d marks in a row", field, len(s)), keep)
	}
	if !strings.ContainsAny(text, "<[*") {
		return
	}
	if s := markupForm.FindString(text); s != "" {
		in.add(r, s, "markup", fmt.Sprintf("%s has the markup %s, which is published as these characters", field, diagnostic.Quote(s)), "delete it if it came with an export; "+keep)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// people are the names that a text may have without being noted.
type people struct {
	known map[string]bool // lower case, every word of them
}

func newPeople(c *source.Content) *people {
	p := &people{known: map[string]bool{}}
	add := func(names ...string) {
		for _, name := range names {
			for _, w := range wordsOf(name) {
				p.known[strings.ToLower(w)] = true
			}
		}
	}
	b := &c.Business
	add(b.Name, b.LegalName, b.Address.AddressLocality, b.Address.AddressRegion)
	for _, t := range b.Technicians {
		add(t.Name)
		add(t.Aliases...)
	}
	for _, s := range b.Services {
		add(s.Name)
		add(c.ServiceAliases[s.ID]...)
	}
	for _, a := range b.ServiceAreas {
		add(a.Name)
		add(c.AreaAliases[a.ID]...)
	}
	return p
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' })
}

// namedForm finds a name beside a word that says what its bearer does. Only where
// the trade is named too is a capital letter good for a name: everything else
// would be guessing.
var namedForm = regexp.MustCompile(`\b(?i:technician|tech|plumber|electrician|installer|engineer|mechanic|repairman|fitter|Techniker(?:in)?|Installateur(?:in)?|Monteur(?:in)?|technicien(?:ne)?|plombier|tecnico|idraulico|técnico|fontanero)(?:,? (?i:named|called|was|namens|nommé|appelé|di nome|llamado))?,? (\p{Lu}[\pL'’-]+)`)

// trades are in every text that namedForm can match; to look for them first is
// far quicker.
var trades = []string{"tech", "téc", "tec", "plumb", "plomb", "electr", "install", "engin", "mechan", "repairman", "fitter", "monteur", "idraulico", "fontanero"}

// unlisted notes a technician whom a text names and business.yaml doesn't list.
func (in *inspector) unlisted(r *source.Review, field, text string) {
	lowered := strings.ToLower(text)
	if !slices.ContainsFunc(trades, func(s string) bool { return strings.Contains(lowered, s) }) {
		return
	}
	seen := ""
	for _, m := range namedForm.FindAllStringSubmatch(text, -1) {
		name := strings.TrimSuffix(strings.TrimSuffix(m[1], "'s"), "’s")
		lower := strings.ToLower(name)
		if in.people.known[lower] || notNames[lower] || name == seen || strings.ToUpper(name) == name {
			continue
		}
		seen = name
		in.add(r, m[0], "unlisted-technician", fmt.Sprintf("%s names the technician %s, whom business.yaml doesn't list", field, diagnostic.Quote(name)),
			"add the technician, or the name to somebody's aliases, so that the review counts")
	}
}

// notNames begin sentences and stand beside trades without being anybody.
var notNames = map[string]bool{
	"i": true, "we": true, "he": true, "she": true, "they": true, "it": true, "the": true, "and": true, "but": true, "very": true, "great": true,
	"who": true, "came": true, "was": true, "is": true, "not": true, "no": true, "so": true, "then": true, "thanks": true, "thank": true,
	"monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true,
	"er": true, "sie": true, "und": true, "il": true, "elle": true, "et": true, "lui": true, "e": true, "el": true, "y": true,
}
