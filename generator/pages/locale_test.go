package pages

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"reviewcast"
)

// usedText matches a text in templates, the script and Go code: {{text "…"}}, text("…"), html("…").
var usedText = regexp.MustCompile(`(?:\btext |\btext\(|\.html\()"([^"\\]+)"`)

// TestEnglish: locales/en.txt has every text of the templates, the script and the code, and no other.
func TestEnglish(t *testing.T) {
	english, sources, sourceFiles := English(), "", os.DirFS(".")
	for _, pattern := range []string{"site/*.html", "site/*.md", "site/*.js", "*.go"} {
		names, err := fs.Glob(sourceFiles, pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			b, err := fs.ReadFile(sourceFiles, name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source := regexp.MustCompile(`"\s*\+\s*"`).ReplaceAllString(string(b), "") // texts of several lines
			sources += source
			for _, m := range usedText.FindAllStringSubmatch(source, -1) {
				if english[m[1]] == "" && m[1] != "(" {
					t.Errorf("locales/en.txt doesn't have %q of %s", m[1], name)
				}
			}
		}
	}
	ours, _ := localeFiles.ReadFile("locales/en.txt")
	ours, _, found := bytes.Cut(ours, []byte("# Our aspects.\n")) // what they are called is a test of package generator
	if !found {
		t.Error("no aspects")
	}
	for text := range ReadWording(string(ours)) {
		if text[0] != '(' && !regexp.MustCompile(`\.\w+$`).MatchString(text) && !strings.Contains(sources, `"`+text+`"`) {
			t.Errorf("nothing says %q", text)
		}
	}
}

// TestLocales: each language has all texts, with the values of the English ones, and its own plural forms.
func TestLocales(t *testing.T) {
	english, verb := English(), regexp.MustCompile(`%(?:\[\d\])?s`)
	for _, tag := range languages() {
		b, err := localeFiles.ReadFile("locales/" + tag.String() + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		texts := ReadWording(string(b))
		for text, of := range english {
			noun, form, isPlural := strings.Cut(text, ".")
			if isPlural && slices.Contains(forms[:], form) {
				for _, form := range pluralForms(tag) {
					if own := texts[noun+"."+form]; strings.Count(own, "%s") != 1 {
						t.Errorf("%s: %s.%s = %q, want one %%s", tag, noun, form, own)
					}
				}
				continue
			}
			own, platform := texts[text], strings.HasPrefix(text, "(source ") && unicode.IsUpper(rune(of[0])) // which has one name
			if own == "" && !platform || own != "" && len(verb.FindAllString(own, -1)) != len(verb.FindAllString(of, -1)) {
				t.Errorf("%s: %q = %q", tag, text, own)
			}
			delete(texts, text)
		}
		for text := range texts {
			if noun, form, _ := strings.Cut(text, "."); !slices.Contains(pluralForms(tag), form) || english[noun+".other"] == "" {
				t.Errorf("%s: %q is no English text, or no form of the language", tag, text)
			}
		}
		l := newLocale(tag.String(), nil)
		if len(l.months) != 12 || len(l.monthsAlone) != 12 || len(l.shortMonths) != 12 || len(l.weekdays) != 7 || l.decimal == "" {
			t.Errorf("%s: %+v", tag, l)
		}
	}
}

// languages are those of the files.
func languages() (tags []language.Tag) {
	files, _ := localeFiles.ReadDir("locales")
	for _, f := range files {
		tags = append(tags, language.Make(strings.TrimSuffix(f.Name(), ".txt")))
	}
	return tags
}

// pluralForms are those that whole numbers of a language have.
func pluralForms(tag language.Tag) (list []string) {
	found := map[plural.Form]bool{plural.Other: true}
	for n := range 200 {
		found[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)] = true
	}
	for form := range maps.Keys(found) {
		list = append(list, forms[form])
	}
	return list
}

// TestLanguages makes the sample in each language: no value is missing, and no English sentence stays but on the
// pages for developers.
func TestLanguages(t *testing.T) {
	for _, tag := range languages() {
		if tag == language.English {
			continue
		}
		c := sampleContent()
		c.Channel.Language = tag.String()
		for p, body := range renderAll(t, c) {
			text := string(body)
			if path.Ext(p) != ".png" && strings.Contains(text, "%!") {
				t.Errorf("%s %s: %s", tag, p, regexp.MustCompile(`.{30}%!.{30}`).FindString(text))
			}
			if path.Ext(p) == ".html" && !strings.Contains(text, `<html lang="`+newLocale(tag.String(), nil).Lang+`">`) {
				t.Errorf("%s %s isn't in the language", tag, p)
			}
			if strings.HasPrefix(p, reviewcast.PathDocs) || p == pathLLMs {
				continue
			}
			for sentence := range English() {
				if strings.Count(sentence, " ") > 2 && !strings.Contains(sentence, "%") && strings.Contains(text, prose(sentence)) && p != pathScript {
					t.Errorf("%s %s says %q", tag, p, sentence)
				}
			}
		}
	}
}

// TestLocale: numbers, days and plurals are those of the language; a language without texts has English ones.
func TestLocale(t *testing.T) {
	de, pl, hu := newLocale("de-AT", nil), newLocale("pl", nil), newLocale("hu", []byte("Technicians = Fodrászok\n# note\nReviews=Vélemények\n"))
	for _, tt := range []struct{ got, want string }{
		{de.Lang, "de-AT"}, {de.grouped(12345), "12.345"}, {de.fixed(4.5), "4,50"}, {de.longDay("2026-03-04"), "4. März 2026"}, {de.monthName("2026-03"), "März 2026"},
		{de.plural(1, "review"), "1 Bewertung"}, {de.plural(1200, "review"), "1.200 Bewertungen"}, {de.hours([]string{"Mo-Fr 08:00-18:00"}), "Mo–Fr 08:00–18:00"},
		{pl.plural(22, "review"), "22 opinie"}, {pl.plural(5, "review"), "5 opinii"}, {pl.monthName("2026-03"), "marzec 2026"}, {pl.longDay("2026-03-04"), "4 marca 2026"},
		{hu.Lang, "en"}, {hu.text("Technicians"), "Fodrászok"}, {hu.text("Reviews"), "Vélemények"}, {hu.text("Overview"), "Overview"}, {hu.plural(2, "cup"), "2 cup"},
		{newLocale("no", nil).Lang, "nb"}, {newLocale("", nil).Lang, "en"}, {newLocale("zh", nil).Lang, "en"},
		{string(de.html("%s of 5 stars", "<4>")), "&lt;4&gt; von 5 Sternen"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
	if script := string(de.script()); !strings.Contains(script, `"Aspects":"Aspekte",`) || !strings.Contains(script, `"review.one":"%s Bewertung"`) {
		t.Error("the search box isn't in German")
	}
	if string(newLocale("en", nil).script()) != string(siteFile("search.js")) {
		t.Error("the search box in English isn't our file")
	}
}

// TestChosenValues: the pages say in their language who wants no name, where a review was given and that there is no
// licence; the data keep their words, and other values are themselves.
func TestChosenValues(t *testing.T) {
	c := sampleContent()
	c.Dataset.License, c.Channel.Language = "all-rights-reserved", "sv"
	c.Theme.Wording = []byte("phone = samtal\n")
	reviews := c.Dataset.Reviews
	reviews[0].Author, reviews[0].Title, reviews[0].Source = "Anonymous", nil, "letter"
	reviews[1].Author, reviews[1].Source, reviews[1].OwnerReply = "Anonymous K.", "phone", nil
	reviews[2].Author, reviews[2].Source = "Anonymous", "website-form" // with a reply
	files := renderAll(t, c)
	for path, wanted := range map[string][]string{
		"/index.html":                       {`<bdi>Anonym</bdi>, <time`, "Källa: <a", ">Anonym, 14 mars 2026</a>", "20 mars 2026 till Anonym: ", "data: alla rättigheter förbehållna.", `"name":"Anonymous"`},
		"/reviews/2026-03/index.html":       {"<bdi>Anonym</bdi>", "brev</a>, verifierat", "<bdi>Anonymous K.</bdi>", "<small>samtal, verifierat"},
		"/reviews/2026-03/index.md":         {"[5 stjärnor från Anonym]", "5/5, Anonym, 2026-03-14, brev\n"},
		"/reviews/2026-01/index.html":       {"<small>webbformulär, verifierat"},
		"/services/water-heater/index.html": {"<bdi>Anonym</bdi>"},
		"/reviews.jsonl":                    {`"author":"Anonymous"`, `"source":"letter"`},
		pathScript:                          {`"(author Anonymous)":"Anonym"`},
	} {
		for _, want := range wanted {
			if !strings.Contains(string(files[path]), want) {
				t.Errorf("%s doesn't have %q:\n%s", path, want, files[path])
			}
		}
	}
}
