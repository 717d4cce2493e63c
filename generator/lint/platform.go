package lint

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// What platforms, mails and editors add to what a customer wrote.

// remark is what is found in titles and texts; one of has is in every text with it. only are the countries of such
// telephone numbers, or the author for what begins with that name.
type remark struct {
	has                         []string
	form                        func() *regexp.Regexp // compiled when it is first needed, since there are many
	code, message, remedy, only string
}

// mayBeIn reports whether a text has one of the words; to search for them first is much faster.
func (m remark) mayBeIn(text string) bool {
	return slices.ContainsFunc(m.has, func(s string) bool { return strings.Contains(text, s) })
}

// find returns what a text has of it: the group of the form if it has one, unless that is empty, or the second group
// shows that it is something else.
func (m remark) find(text string) (found []string) {
	for _, groups := range m.form().FindAllStringSubmatch(text, -1) {
		if s := groups[min(1, len(groups)-1)]; s != "" && (len(groups) < 3 || groups[2] == "") {
			found = append(found, s)
		}
	}
	return found
}

// The remarks of words.txt.
var (
	remarks      = remarksOf("remarks") // on texts
	notAuthors   = remarksOf("authors") // on the names of authors
	placeholders = remarksOf("placeholders")
	named        = remarksOf("technicians") // a name next to the word for a trade
	greetings    = remarksOf("greetings")   // a name behind a greeting; the others, around the first comma of a reply
	personalData = slices.Concat(remarksOf("personal data"), remarksOf("typing"))
)

func remarksOf(section string) (list []remark) {
	for _, c := range diagnostic.Rows(wordsFile, section) {
		list = append(list, remark{strings.Split(strings.ReplaceAll(c[0], `\n`, "\n"), "|"), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(c[1]) }), c[2], c[3], c[4], strings.Join(c[5:], "")})
	}
	return list
}

// maxRemarks is how many remarks of a kind are reported in a text.
const maxRemarks = 5

// remarked reports such words of a review, those of one code if it is named, and returns the text without them.
func (in *inspector) remarked(at diagnostic.Position, field, text, code string, r *source.Review) string {
	for _, m := range remarks {
		if code != "" && m.code != code || !m.mayBeIn(text) {
			continue
		}
		last := ""
		for _, place := range m.form().FindAllStringIndex(text, maxRemarks) {
			found := firstLine(strings.Trim(text[place[0]:place[1]], " \t\n\u200E\u200F\uFEFF"))
			if found == last {
				continue // its place would be that of the first
			}
			last = found
			words := strings.Join(strings.Fields(text[place[1]:]), " ")
			below := diagnostic.Pick(len(words) < diagnostic.MaxPasted, strconv.Quote(words), "…")
			reply := diagnostic.When(words != "", ", and write below the text, as far to the left as its field: owner_reply: {text: "+below+", date: YYYY-MM-DD}, with the day of the reply in place of YYYY-MM-DD")
			if r.OwnerReply != nil {
				reply = ": the review has a reply already"
			}
			code := "their language, such as language: de, if it isn't the site's"
			if best, n, known := looksLike(wordsOf(strings.ToLower(text[place[1]:]))); n > 1 && n == known && strings.Contains(text[place[0]:place[1]], "\n") {
				code = "language: " + best
			}
			message, remedy := m.message, strings.NewReplacer("REPLY", reply, "LANGUAGE", code).Replace(m.remedy)
			if remedy = strings.TrimSuffix(remedy, " Write language: "+strings.Split(r.Language, "-")[0]); field == "owner_reply.text" && remedy != m.remedy {
				message, remedy = "%s has the line %s, which the platform shows above it", "delete this line"
			}
			in.add(at, found, m.code, fmt.Sprintf(message, field, diagnostic.Quote(found)), remedy)
		}
		if last != "" {
			text = m.form().ReplaceAllString(text, "")
		}
	}
	return text
}

// besideName matches what platforms show beside the name of an author.
var besideName = regexp.MustCompile(`(?i)[\s·•,|(–-]*(?:` + strings.Join(diagnostic.Words(wordsFile, "beside names"), "|") + `)(?:\PL.*)?$`)

func (in *inspector) beside(r *source.Review, place diagnostic.Position) bool {
	at := besideName.FindStringIndex(r.Author)
	if at == nil || at[0] == 0 {
		return false
	}
	name := strings.TrimSpace(r.Author[:at[0]])
	if short, full := Initials(name); full && in.content.Site.AuthorNames == "initials" {
		name = short
	}
	in.add(place, r.Author, "placeholder", fmt.Sprintf("author has %s, which a platform shows beside the name and which is published with it", diagnostic.Quote(strings.TrimLeft(r.Author[at[0]:], " ·•,|(–-"))), "write author: "+name)
	return true
}

//go:embed words.txt
var wordsFile string

// forms are the regular expressions of words.txt, which says what each matches.
var forms = diagnostic.Forms(wordsFile, "forms")

var (
	languageOf = diagnostic.Lines(wordsFile, "words")     // the language of a word
	languages  = diagnostic.Lines(wordsFile, "languages") // their names
	scripts    = diagnostic.Rows(wordsFile, "scripts")    // a form of their letters, a name, codes of languages
)

// A text is in another language if it has at least minForeign of its words, one in maxForeign of all, and hardly any of
// the others; two of its words are enough in a sentence of few words.
const minForeign, maxForeign, fewWords = 4, 8, 8

// looksLike returns the language of most known words of a text, how many these are, and how many are known. Words that
// several languages share count for the one that at least two other words are of.
func looksLike(words []string) (best string, n, known int) {
	counts := map[string]int{}
	for _, w := range words {
		if lang := languageOf[w]; lang != "" {
			known, counts[lang] = known+1, counts[lang]+1
			if counts[lang] > n && !strings.Contains(lang, " ") {
				best, n = lang, counts[lang]
			}
		}
	}
	for shared, count := range counts {
		if n > 1 && shared != best && strings.Contains(shared, best) {
			n += count
		}
	}
	return best, n, known
}

// scriptForms match a letter of each of the scripts.
var scriptForms = func() (forms []*regexp.Regexp) {
	for _, row := range scripts {
		forms = append(forms, regexp.MustCompile(row[0]))
	}
	return forms
}()

// lettersOf returns the name and the codes of the languages that most letters of a text are of; "" for Latin letters.
func lettersOf(text string) (name, codes string) {
	latin, other := 0, 0
	for _, c := range text {
		if unicode.Is(unicode.Latin, c) {
			latin++
		} else if unicode.IsLetter(c) {
			other++
		}
	}
	for i, row := range scripts {
		if other > latin && other > 1 && scriptForms[i].MatchString(text) {
			return row[1], row[2]
		}
	}
	return "", ""
}

func (in *inspector) otherLanguage(r *source.Review, at diagnostic.Position) {
	own, _, _ := strings.Cut(r.Language, "-")
	script, _ := language.Make(own).Script()
	latin := script.String() == "Latn"
	words := wordsOf(strings.ToLower(*r.Text))
	best, n, known := looksLike(words)
	enough := minForeign
	if !latin || known == n && len(words) <= fewWords {
		enough = 2
	} else if known == n {
		enough = 3 // none of another language
	}
	fits := languages[best] == languages[own] || own == "sr" && best == "hr" // no and nb are one language
	if strings.HasPrefix(in.content.Site.Language, own) {
		in.texts++
		in.fits = in.fits || fits
	}
	named := strings.TrimSuffix(fmt.Sprintf("%s (%s)", own, languages[own]), " ()")
	likely := !fits && n >= enough && n*maxForeign >= len(words) && known <= n+(n+3)/maxForeign && (languages[own] != "" || !latin)
	looks := languages[best]
	if name, codes := lettersOf(*r.Text); latin && codes != "" {
		if likely = true; n == 0 || !strings.Contains(codes, best) {
			looks, best = name, codes
		}
	} else if !latin && !likely && codes == "" && own != "sr" && len(words) > 3 {
		in.add(at, "language:", "language", fmt.Sprintf("the text is published as %s, and has mostly Latin letters", named), "write its language, such as language: "+cmp.Or(diagnostic.When(own == "uk", "en"), diagnostic.When(!strings.HasPrefix(in.content.Site.Language, own), in.content.Site.Language), "en"))
	}
	if !likely {
		return
	}
	place, remedy := firstLine(*r.Text), "write language: "+best
	if r.Language != in.content.Site.Language {
		place = "language"
	}
	if !source.IsYAML(at.File) {
		remedy = fmt.Sprintf(`write "language":"%[1]s"; if all reviews of an import are %[2]s, import again with --language %[1]s`, best, looks)
	}
	message := fmt.Sprintf("the text is published as %s, and looks %s", named, looks)
	in.looks[message] = best
	in.add(at, place, "language", message, remedy)
}

// siteLanguage puts one warning, on the language of the site, in place of those on each of the texts, if most of them are
// in one other language, and none is in its own.
func (in *inspector) siteLanguage() {
	site, _, _ := strings.Cut(in.content.Site.Language, "-")
	of := func(f finding) bool { return strings.HasPrefix(f.Message, "the text is published as "+site) }
	counts, best := map[string]int{}, ""
	for _, f := range in.findings {
		if counts[f.Message]++; of(f) && in.looks[f.Message] != "" && counts[f.Message] > counts[best] {
			best = f.Message
		}
	}
	rest := slices.DeleteFunc(slices.Clone(in.findings), func(f finding) bool { return of(f) && (f.Message == best || in.looks[f.Message] == "") })
	n := len(in.findings) - len(rest)
	if in.fits || best == "" || n < 2 || 2*n <= in.texts {
		return
	}
	in.findings = rest
	message := strings.Replace(best, ", and looks", fmt.Sprintf(", and %d of %d texts look", n, in.texts), 1)
	in.add(top(source.SiteFile), "language:", "language", strings.Replace(message, "the text is published as", "the language of the site is", 1), "write language: "+in.looks[best])
}

// maxSame is how many texts of a file are told one by one when they look the same language.
const maxSame = 5

// fileLanguages puts one warning in place of those on many texts of a file that look the same language.
func (in *inspector) fileLanguages() {
	same := map[diagnostic.Problem]int{} // by file and message
	of := func(f finding) diagnostic.Problem { return diagnostic.Problem{File: f.File, Message: f.Message} }
	for _, f := range in.findings {
		if f.Code == "language" {
			same[of(f)]++
		}
	}
	in.findings = slices.DeleteFunc(in.findings, func(f finding) bool { return same[of(f)] > maxSame })
	for about, n := range same {
		if n > maxSame {
			message := strings.NewReplacer("the text is", "texts here are", "looks", "look").Replace(about.Message)
			_, looks, _ := strings.Cut(about.Message, "and looks ")
			in.add(top(about.File), "", "language", fmt.Sprintf("%d %s", n, message), "if all are "+looks+", write so in each; if they are an import, import again with --language and the code of that language")
		}
	}
}
