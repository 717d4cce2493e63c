package lint

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// What platforms, mails and editors add to what a customer wrote.

// remark is what is found in titles and texts; one of has is in every text with it.
type remark struct {
	has                   []string
	form                  *regexp.Regexp
	code, message, remedy string
}

// mayBeIn reports whether a text has one of the words; to search for them first is much faster.
func (m remark) mayBeIn(text string) bool {
	return slices.ContainsFunc(m.has, func(s string) bool { return strings.Contains(text, s) })
}

// remarks and notAuthors are those of words.txt, on texts and on the names of authors.
var remarks, notAuthors = remarksOf("remarks"), remarksOf("authors")

func remarksOf(section string) (list []remark) {
	for _, c := range diagnostic.Rows(wordsFile, section) {
		list = append(list, remark{strings.Split(c[0], "|"), regexp.MustCompile(c[1]), c[2], c[3], c[4]})
	}
	return list
}

// maxRemarks is how many remarks of a kind are reported in a text.
const maxRemarks = 5

// remarked reports such words, those of one code if it is named, and returns the text without them.
func (in *inspector) remarked(at diagnostic.Position, field, text, code string) string {
	for _, m := range remarks {
		if code != "" && m.code != code || !m.mayBeIn(text) {
			continue
		}
		last := ""
		for _, place := range m.form.FindAllStringIndex(text, maxRemarks) {
			found, below := firstLine(strings.TrimSpace(text[place[0]:place[1]])), "…"
			if found == last {
				continue // its place would be that of the first
			}
			last = found
			if reply := strings.Join(strings.Fields(text[place[1]:]), " "); len(reply) < diagnostic.MaxPasted {
				below = strconv.Quote(reply)
			}
			message, remedy := m.message, strings.ReplaceAll(m.remedy, "BELOW", below)
			if field == "owner_reply.text" && remedy != m.remedy {
				message, remedy = "%s has the line %s, which the platform shows above it", "delete this line"
			}
			in.add(at, found, m.code, fmt.Sprintf(message, field, diagnostic.Quote(found)), remedy)
		}
		if last != "" {
			text = m.form.ReplaceAllString(text, "")
		}
	}
	return text
}

// besideName matches what platforms show beside the name of an author.
var besideName = regexp.MustCompile(`(?i)[\s·•,|(–-]*(?:\blocal guide\b|\bverified (?:buyer|purchase|customer|reviewer)\b|\b[0-9][0-9.,]* (?:reviews?|ratings?|photos?|rezension(?:en)?|bewertung(?:en)?|fotos?|avis|recension[ei]|reseñas?|opiniones|avaliaç(?:ão|ões))\b).*$`)

// beside reports such words in the name of an author.
func (in *inspector) beside(r *source.Review, place diagnostic.Position) bool {
	at := besideName.FindStringIndex(r.Author)
	if at == nil || at[0] == 0 {
		return false
	}
	name := strings.TrimSpace(r.Author[:at[0]])
	if short, full := initials(name); full && in.content.Site.Policies.AuthorNames == "initials" {
		name = short
	}
	in.add(place, r.Author, "placeholder", fmt.Sprintf("author has %s, which a platform shows beside the name and which is published with it", diagnostic.Quote(strings.TrimLeft(r.Author[at[0]:], " ·•,|(–-"))), "write author: "+name)
	return true
}

//go:embed words.txt
var wordsFile string

var languageOf, languages = diagnostic.Lines(wordsFile, "words"), diagnostic.Lines(wordsFile, "languages")

// A text is in another language if it has at least minForeign of its words, one in maxForeign of all, and hardly any of
// the others.
const minForeign, maxForeign = 4, 8

// otherLanguage reports a text in another language than it is published as.
func (in *inspector) otherLanguage(r *source.Review, at diagnostic.Position) {
	own, _, _ := strings.Cut(r.Language, "-")
	script, _ := language.Make(own).Script()
	enough := map[bool]int{true: minForeign, false: 2}[script.String() == "Latn"]
	if languages[own] == "" && script.String() == "Latn" {
		return // its words aren't known
	}
	counts, best, others := map[string]int{}, "", 0
	words := wordsOf(strings.ToLower(*r.Text))
	latin := script.String() != "Latn" && len(words) > 3 && !strings.ContainsFunc(*r.Text, func(c rune) bool { return unicode.IsLetter(c) && !unicode.Is(unicode.Latin, c) })
	for _, w := range words {
		if lang := languageOf[w]; lang != "" {
			counts[lang]++
		}
	}
	for lang, n := range counts {
		if others += n; n > counts[best] {
			best = lang
		}
	}
	n := counts[best]
	if others == n && enough > 3 {
		enough = 3 // none of another language
	}
	in.fits = in.fits || best == own && strings.HasPrefix(in.content.Site.Language, own)
	named := strings.TrimSuffix(fmt.Sprintf("%s (%s)", own, languages[own]), " ()")
	if likely := best != own && n >= enough && n*maxForeign >= len(words) && others <= n+n/maxForeign; latin && !likely {
		in.add(at, "language:", "language", fmt.Sprintf("the text is published as %s, and has Latin letters only", named), "write its language, such as language: en")
		return
	} else if !likely {
		return
	}
	place, remedy := firstLine(*r.Text), "write language: "+best
	if r.Language != in.content.Site.Language {
		place = "language"
	}
	if !source.IsYAML(at.File) {
		remedy = fmt.Sprintf(`write "language":"%[1]s"; of an import, import again with --language %[1]s`, best)
	}
	in.add(at, place, "language", fmt.Sprintf("the text is published as %s, and looks %s", named, languages[best]), remedy)
}

// siteLanguage puts one warning, on the language of the site, in place of those on each of the texts: if all are in one
// other language, and none in its own, the site has the wrong one.
func (in *inspector) siteLanguage() {
	other := func(f finding) bool { return f.Code != "language" }
	texts := slices.DeleteFunc(slices.Clone(in.findings), other)
	site, _, _ := strings.Cut(in.content.Site.Language, "-")
	if in.fits || len(texts) < 2 || slices.ContainsFunc(texts, func(f finding) bool {
		return f.Message != texts[0].Message || !strings.HasPrefix(f.Message, "the text is published as "+site)
	}) {
		return
	}
	in.findings = slices.DeleteFunc(in.findings, func(f finding) bool { return !other(f) })
	message := strings.NewReplacer("the text is", "the reviews are", "looks", "look").Replace(texts[0].Message)
	in.add(top(source.SiteFile), "language:", "language", message, texts[0].Suggestion)
}
