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

// remarks are found in titles and texts; has are parts of every text with one, to search for first.
var remarks = []struct {
	has                   string
	form                  *regexp.Regexp
	code, message, remedy string
}{
	{"Google)", regexp.MustCompile(`\([^()\n]*(?i:translat|übersetz|tradu|tradot|vertaal|tłumacz|översatt|oversat|перев)[^()\n]*Google\)`),
		"placeholder", "%s has %s: the words after it are a translation by Google", "keep only what the customer wrote: the words below (Original), without that line"},
	{"#", regexp.MustCompile(`(?m)^#+ +\pL.*`), "note-in-text", "%s has the line %s; in a text it is no note, and is published", "a note stands above the review, outside its text; the number of a job is verification.reference"},
	{">", regexp.MustCompile(`(?m)^> ?[\pL"'“].*`), "placeholder", "%s has %s, with the > of a quoted mail, which is published as it is", "delete the > at the beginning of each line"},
	{"", regexp.MustCompile(`(?m)^[ \t]*(?:Response from the owner|Reply from the owner|Owner'?s? response|Antwort (?:vom|des|der) (?:Inhaber|Eigentümer)|Réponse du propriétaire|Risposta (?:del|dal) proprietario|Respuesta del propietario|Resposta do proprietário|Reactie van de eigenaar).*`),
		"placeholder", "%s has the line %s: the reply below it would be published as the customer's words", ""},
}

// owners are parts of every text that the last of remarks can match.
var owners = []string{"the owner", "wner", "nhaber", "gentümer", "ropri", "eigenaar"}

// remark reports such words. It returns whether there are any.
func (in *inspector) remark(r *source.Review, field, text string) bool {
	for _, m := range remarks {
		if m.has != "" && !strings.Contains(text, m.has) || m.has == "" && !slices.ContainsFunc(owners, func(s string) bool { return strings.Contains(text, s) }) {
			continue
		}
		at := m.form.FindStringIndex(text)
		if at == nil {
			continue
		}
		found, remedy := text[at[0]:at[1]], m.remedy
		if m.has == "Google)" && !strings.Contains(text, "(Orig") {
			remedy = "write what the customer wrote, in the language of the customer"
		} else if remedy == "" {
			reply := strings.Join(strings.Fields(text[at[1]:]), " ")
			remedy = "delete this line and those below it, and write owner_reply: {text: …, date: YYYY-MM-DD}, with the words of the reply"
			if len(reply) < 160 {
				remedy = fmt.Sprintf("delete this line and those below it, and write owner_reply: {text: %s, date: YYYY-MM-DD}", strconv.Quote(reply))
			}
		}
		in.add(r, strings.TrimSpace(found), m.code, fmt.Sprintf(m.message, field, diagnostic.Quote(strings.TrimSpace(found))), remedy)
		return true
	}
	return false
}

// besideName matches what platforms show beside the name of an author.
var besideName = regexp.MustCompile(`(?i)[\s·•,|(–-]*(?:\blocal guide\b|\bverified (?:buyer|purchase|customer|reviewer)\b|\b[0-9][0-9.,]* (?:reviews?|ratings?|photos?|rezension(?:en)?|bewertung(?:en)?|fotos?|avis|recension[ei]|reseñas?|opiniones|avaliaç(?:ão|ões))\b).*$`)

// beside reports such words in the name of an author.
func (in *inspector) beside(r *source.Review) bool {
	at := besideName.FindStringIndex(r.Author)
	if at == nil || at[0] == 0 {
		return false
	}
	name := strings.TrimSpace(r.Author[:at[0]])
	if short, full := initials(name); full && in.content.Site.Policies.AuthorNames == "initials" {
		name = short
	}
	in.add(r, r.Author, "placeholder", fmt.Sprintf("author has %s, which a platform shows beside the name and which is published with it", diagnostic.Quote(strings.TrimLeft(r.Author[at[0]:], " ·•,|(–-"))), "write author: "+name)
	return true
}

//go:embed words.txt
var wordsFile string

var languageOf, languages = diagnostic.Lines(wordsFile, "words"), diagnostic.Meanings(wordsFile, "languages")

// A text is in another language if it has at least minForeign of its words, one in maxForeign of all, and hardly any of
// the others.
const minForeign, maxForeign = 4, 8

// otherLanguage reports a text in another language than it is published as.
func (in *inspector) otherLanguage(r *source.Review) {
	own, _, _ := strings.Cut(r.Language, "-")
	script, sure := language.Make(own).Script()
	enough, latin, letters := 2, 0, 0
	for _, c := range *r.Text {
		if unicode.Is(unicode.Latin, c) {
			latin++
		} else if unicode.IsLetter(c) {
			letters++
		}
	}
	if script.String() == "Latn" {
		if enough = minForeign; letters > latin+minForeign {
			in.add(r, firstLine(*r.Text), "language", fmt.Sprintf("the text is published as %s, which has other letters", own), "write its language, such as language: uk")
			return
		}
	}
	if _, known := languages[own]; !known && (script.String() == "Latn" || sure < language.High) {
		return // its words aren't known
	}
	counts, best, others := map[string]int{}, "", 0
	words := wordsOf(strings.ToLower(*r.Text))
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
	if best == own || n < enough || n*maxForeign < len(words) || others > n+n/maxForeign {
		return
	}
	in.add(r, firstLine(*r.Text), "language", fmt.Sprintf("the text is published as %s, and looks %s", own, languages[best]), "write language: "+best)
}
