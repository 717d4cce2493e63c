package generator

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/pages"
)

//go:embed theme.txt
var themeMistakes string

func themeProblems(t pages.Theme) (problems []diagnostic.Problem) {
	add := func(severity diagnostic.Severity, file string, before []byte, message, suggestion string) {
		problems = append(problems, diagnostic.Problem{Severity: severity, File: file, Line: 1 + bytes.Count(before, []byte("\n")), Code: "theme", Message: message, Suggestion: suggestion})
	}
	mistakes := func(kind, file string, text []byte) {
		for _, m := range diagnostic.Rows(themeMistakes, kind) {
			form := regexp.MustCompile(m[0])
			if at := form.FindSubmatchIndex(text); at != nil {
				at = at[2*max(0, form.SubexpIndex("place")):]
				add(diagnostic.Severity(m[1]), file, text[:at[0]], strings.ReplaceAll(m[2], "$0", string(text[at[0]:at[1]])), m[3])
			}
		}
	}
	mistakes("style sheets", "theme.css", t.CSS)
	for _, m := range regexp.MustCompile(`(--[a-z-]+)\s*:`).FindAllSubmatchIndex(t.CSS, -1) {
		name := string(t.CSS[m[2]:m[3]])
		if near := diagnostic.Nearest(name, pages.StyleVariables()); near != name && near != "" && !bytes.Contains(t.CSS, []byte("var("+name)) {
			add(diagnostic.Warning, "theme.css", t.CSS[:m[2]], "our pages don't use "+name, "did you mean "+near+"?")
		}
	}
	for name, body := range t.Templates {
		mistakes("templates", "templates/"+name, body)
	}
	wordingProblems(t.Wording, add)
	kind := strings.TrimPrefix(t.LogoName, "logo.")
	if t.Logo != nil && http.DetectContentType(t.Logo) != "image/"+kind && !(kind == "svg" && bytes.Contains(t.Logo, []byte("<svg"))) {
		problems = append(problems, diagnostic.Position{File: t.LogoName}.Error("theme", "this is no picture of the kind that its name says",
			"export it again as a PNG, SVG or WebP picture; to rename a picture changes nothing in it"))
	}
	return problems
}

// wordingProblems finds the lines of wording.txt that can't stand in the place of a text of the pages.
func wordingProblems(words []byte, add func(severity diagnostic.Severity, file string, before []byte, message, suggestion string)) {
	if !utf8.Valid(words) || bytes.Contains(words, []byte("\x00")) {
		add(diagnostic.Error, "wording.txt", nil, "the file is not in UTF-8", "save it as UTF-8")
		return
	}
	english, read := pages.English(), 0
	says, replaced := slices.Sorted(maps.Values(english)), map[string]string{}
	for text, own := range pages.ReadWording(string(words)) {
		replaced[own] = max(replaced[own], diagnostic.When(english[text] != "", text))
	}
	for line := range bytes.Lines(words) {
		for text, own := range pages.ReadWording(string(line)) {
			noun, _, _ := strings.Cut(text, ".") // of a plural, such as "review.few"
			ours := cmp.Or(english[text], english[noun+".other"])
			if ours == "" && slices.Contains(says, text) { // such as "a job record", which is (job)
				ours = text
			}
			values := slices.Repeat([]any{""}, len(forms("valueForm").FindAllString(ours, -1)))
			wrong := func(message, suggestion string) {
				add(diagnostic.Error, "wording.txt", words[:read], message, suggestion)
			}
			switch {
			case text == own && ours != "": // it stays as it is
			case !bytes.Contains(line, []byte("=")):
				wrong("the line has no =", "write our text, = and yours, such as Technicians = Our team")
			case slices.Contains(says, own) && ours == "":
				wrong("the two sides are exchanged: our text stands before the =", fmt.Sprintf("write %s = %s", own, text))
			case ours == "":
				near := cmp.Or(replaced[text], pages.Untranslated(text), diagnostic.Nearest(text, says))
				for word := range strings.FieldsSeq(strings.ToLower(text)) {
					near = cmp.Or(near, otherWords[word])
				}
				wrong(fmt.Sprintf("%q is none of our own words of the pages", text), diagnostic.Pick(near != "", fmt.Sprintf("write %s = %s, once", near, own), "write one of our texts before the =, in English")+
					"; README.md, the manual, lists our headings below wording.txt")
			case len(values) > 0 && strings.Contains(fmt.Sprintf(own, values...), "%!"):
				wrong("the values of the text are missing, or there are others", fmt.Sprintf("write as many as ours has, each as there, and %%%% for the sign of per cent: %q", ours))
			case text == "(number)" && !forms("numberForm").MatchString(own):
				wrong("the number doesn't show the signs", "write 12345.67 as it is in your language, such as 12.345,67")
			case text[0] == '(' && len(strings.Fields(ours)) > 6 && !strings.Contains(ours, "%") && len(strings.Fields(own)) != len(strings.Fields(ours)):
				wrong(fmt.Sprintf("there must be %d words", len(strings.Fields(ours))), "write one for each of "+ours)
			}
		}
		read += len(line)
	}
}

// otherWords are headings of the pages by words that editors take for them.
var otherWords = diagnostic.Lines(themeMistakes, "other words")

// forms are the regular expressions of theme.txt, which says what each matches.
var forms = diagnostic.Forms(themeMistakes, "forms")

// templateProblem returns an error of an editor's template as a problem; err if it is none.
func templateProblem(err error) error {
	m := forms("templateForm").FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	line, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3]) // "" is 0: none
	message := m[5]
	if field := forms("fieldForm").FindStringSubmatch(message); field != nil {
		message = fmt.Sprintf("there is no %s here", cmp.Or(field[1], field[2]))
	} else if col == 0 {
		message = "{{ and }} don't match: " + message
	}
	return &ProblemsError{[]diagnostic.Problem{diagnostic.Position{File: "templates/" + m[1], Line: line, Col: col}.Error("theme",
		message, "compare it with our template, which docs/pages.md names; a name begins with a point, such as {{.Business.Name}}")}}
}
