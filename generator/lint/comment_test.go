package lint

import (
	"fmt"
	"slices"
	"testing"

	"reviewcast/generator/diagnostic"
)

// TestCutByComment: what follows a # is told of where it belongs to the words, and a
// comment that was meant isn't.
func TestCutByComment(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"text: they were the #1 team in town\n", `5:21 the text from "#1 team in town" on is left out: in YAML a # after a space begins a comment`},
		{"text: #1 plumber\n", `5:7 the text from "#1 plumber" on is left out: in YAML a # after a space begins a comment`},
		{"text: good\n  and the #1\n", `6:11 the text from "#1" on is left out: in YAML a # after a space begins a comment`},
		{"title: The #1\n", `5:12 the text from "#1" on is left out: in YAML a # after a space begins a comment`},
		{"owner_reply: {date: 2026-01-03, text: thanks}\ntext: all good # says Bo\n", ""},
		{"text: \"they were the #1 team\"\n", ""},
		{"text: \"they were the\" #1\n", ""},
		{"text: |\n  they were the #1 team\n", ""},
		{"text: |\n  good\n  #1 of all\n", ""},
		{"source_url: https://example.com/#1\n", ""},
	} {
		problems := checked(t, map[string]string{"business.yaml": "id: a\nname: A\n", "reviews/a.yaml": "id: a\nauthor: Bo\nrating: 5\ndate: 2026-01-02\n" + test.yaml})
		got := ""
		for _, p := range problems {
			if p.Code == "cut-by-comment" {
				got += fmt.Sprintf("%d:%d %s", p.Line, p.Col, p.Message)
			}
		}
		if got != test.want || slices.ContainsFunc(problems, func(p diagnostic.Problem) bool { return p.Severity == diagnostic.Error }) {
			t.Errorf("%q: got %s, want %s (%v)", test.yaml, got, test.want, problems)
		}
	}
}
