package lint

import (
	"os"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/generator/source"
)

// TestLanguages publishes short texts as each of the known languages. Of those in languages.txt most are recognised. None
// is taken for another language, neither those nor those of foreign.txt, which have words of others: dishes and places.
func TestLanguages(t *testing.T) {
	table, err := os.ReadFile("testdata/languages.txt")
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile("testdata/foreign.txt")
	if err != nil {
		t.Fatal(err)
	}
	looks := func(published, text string) string {
		in := newInspector(&source.Content{})
		in.otherLanguage(&source.Review{Review: reviewcast.Review{Language: published, Text: &text}}, top("reviews/all.yaml"))
		if len(in.findings) == 0 {
			return ""
		}
		code, _ := strings.CutPrefix(in.findings[0].Suggestion, "write language: ")
		return strings.TrimPrefix(code, "write its language, such as language: en") // it isn't known which
	}
	recognised, all := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(table) + string(foreign)) {
		lang, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		mixed := strings.Contains(string(foreign), line)
		if !mixed {
			all[lang]++
		}
		for published := range languages {
			got := looks(published, text)
			switch {
			case published == lang && got != "":
				t.Errorf("%s: %q looks %s", lang, text, got)
			case got != "" && got != lang:
				t.Errorf("%s published as %s: %q looks %s", lang, published, text, got)
			case got == lang && !mixed && (published == "en" || published == "de" && lang == "en"):
				recognised[lang]++
			}
		}
	}
	for lang, n := range all {
		if 100*recognised[lang] < 75*n {
			t.Errorf("%s: %d of %d texts are recognised", lang, recognised[lang], n)
		}
	}
	t.Log(recognised)
}
