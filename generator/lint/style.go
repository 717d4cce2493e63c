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

// initials shortens an author to "First L."; full reports whether that removes something. A single word, or a name
// that ends in initials, is short already.
func initials(author string) (short string, full bool) {
	words := strings.Fields(author)
	if len(words) < 2 {
		return author, false
	}
	if slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(joins, strings.ToLower(w)) }) {
		return author, false // "Chantal & Rob" are two first names
	}
	last := words[len(words)-1]
	r, size := utf8.DecodeRuneInString(last)
	// "K", "K." and words that are not names ("2024", "&") stay.
	if !unicode.IsUpper(r) || strings.TrimRight(last[size:], ".") == "" || strings.ToUpper(last) == last && len(last) <= 3 {
		return author, false
	}
	return words[0] + " " + string(r) + ".", true
}

// joins are the words between the first names of a couple.
var joins = []string{"&", "+", "and", "und", "et", "e", "y"}

var markupForm = regexp.MustCompile(`(?i)</?(?:b|i|u|p|br|em|strong|a|div|span|font|img|h[1-6]|script|style|ul|li)(?:\s[^<>]*)?/?>|\[/?(?:b|i|u|url|img|color|size)(?:=[^\]]*)?\]|\*\*[^*\n]+\*\*|\]\(https?://|&(?:amp|quot|lt|gt|nbsp|apos|#x?[0-9a-f]{2,5});`)

// style reports markup, which is published as plain characters.
func (in *inspector) style(r *source.Review, field, text string) {
	if !strings.ContainsAny(text, "<[*&") {
		return
	}
	if s := markupForm.FindString(text); s != "" {
		in.add(r, s, "markup", fmt.Sprintf("%s contains the markup %s, which is published as plain characters", field, diagnostic.Quote(s)), "delete it if it came with an export; leave it if these are the customer's own words")
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// newPeople returns the names that need not be reported: every word of them, in lower case.
func newPeople(c *source.Content) map[string]bool {
	known := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			for _, w := range wordsOf(name) {
				known[strings.ToLower(w)] = true
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
	return known
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' })
}

// namedForm matches a name next to the word for a trade. Without such a word a capital letter would be a guess.
var namedForm = regexp.MustCompile(`\b(?i:technician|tech|plumber|electrician|installer|engineer|mechanic|repairman|fitter|Techniker(?:in)?|Installateur(?:in)?|Monteur(?:in)?|technicien(?:ne)?|plombier|tecnico|idraulico|técnico|fontanero)(?:,? (?i:named|called|was|namens|nommé|appelé|di nome|llamado))?,? (\p{Lu}[\pL'’-]+)`)

// trades are parts of every text that namedForm can match; to search for them first is much faster.
var trades = []string{"tech", "téc", "tec", "plumb", "plomb", "electr", "install", "engin", "mechan", "repairman", "fitter", "monteur", "idraulico", "fontanero"}

// unlisted reports a technician whom a text names and who is not in business.yaml.
func (in *inspector) unlisted(r *source.Review, field, text string) {
	lowered := strings.ToLower(text)
	if !slices.ContainsFunc(trades, func(s string) bool { return strings.Contains(lowered, s) }) {
		return
	}
	seen := ""
	for _, m := range namedForm.FindAllStringSubmatch(text, -1) {
		name := strings.TrimSuffix(strings.TrimSuffix(m[1], "'s"), "’s")
		lower := strings.ToLower(name)
		if in.people[lower] || slices.Contains(notNames, lower) || name == seen || strings.ToUpper(name) == name {
			continue
		}
		seen = name
		in.add(r, m[0], "unlisted-technician", fmt.Sprintf("%s names the technician %s, who is not in business.yaml", field, diagnostic.Quote(name)),
			"add the technician, or add the name to a technician's aliases")
	}
}

// notNames are words after a trade that begin with a capital letter and are not names.
var notNames = strings.Fields(`i we he she they it the and but very great who came was is not no so then thanks thank
	monday tuesday wednesday thursday friday saturday sunday er sie und il elle et lui e el y`)
