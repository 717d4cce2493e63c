package source

import (
	"fmt"
	"testing"
)

// TestCutByComment: what follows a # is told of where it belongs to the words, and a
// comment that was meant isn't.
func TestCutByComment(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"text: they were the #1 team in town\n", `error 5:21 the text from "#1 team in town" on is left out: in YAML a # after a space begins a comment`},
		{"text: #1 plumber\n", `error 5:7 the text from "#1 plumber" on is left out: in YAML a # after a space begins a comment`},
		{"text: good\n  and the #1\n", `error 6:11 the text from "#1" on is left out: in YAML a # after a space begins a comment`},
		{"title: The #1\n", `error 5:12 the text from "#1" on is left out: in YAML a # after a space begins a comment`},
		{"owner_reply: {date: 2026-01-03, text: thanks}\ntext: all good # says Bo\n", ""},
		{"text: \"they were the #1 team\"\n", ""},
		{"text: \"they were the\" #1\n", ""},
		{"text: |\n  they were the #1 team\n", ""},
		{"text: |\n  good\n  #1 of all\n", ""},
		{"text: all good #ok\n", `warning 5:16 the text from "#ok" on is left out: in YAML a # after a space begins a comment`},
		{"source_url: https://example.com/#1\n", ""},
		{"owner_reply:\n  date: 2026-01-03\n  text: thanks\n  #text: old words, 2 of them\n", ""},
		{"verification:\n  method: job\n  reference: J-1\n  #verified_on: 2026-01-02\n", ""},
	} {
		dir := writeFolder(t, map[string]string{"business.yaml": "id: a\nname: A\n", "reviews/a.yaml": "id: a\nauthor: Bo\nrating: 5\ndate: 2026-01-02\n" + test.yaml})
		_, problems, err := NewLoader(dir, Config{Today: "2026-11-01"}).LoadPartial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range problems {
			if p.Code == "cut-by-comment" {
				got += fmt.Sprintf("%s %d:%d %s", p.Severity, p.Line, p.Col, p.Message)
			}
		}
		if got != test.want {
			t.Errorf("%q: got %s, want %s (%v)", test.yaml, got, test.want, problems)
		}
	}
}
