package main

import (
	"bufio"
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/generator/source"
)

// TestAsk answers as a person does: a mistake, a question mark, beginnings of
// names.
func TestAsk(t *testing.T) {
	content := &source.Content{Business: reviewcast.Business{
		Technicians: []reviewcast.Technician{{ID: "ana", Name: "Ana Lima"}, {ID: "anders", Name: "Anders Berg"}},
		Services:    []reviewcast.Named{{ID: "drains", Name: "Drain cleaning"}},
	}}
	c := &newReviewCmd{Date: "2026-11-01"}
	var out bytes.Buffer
	answers := strings.Join([]string{"", "Maria K.", "6", "5", "yesterday", "", "", "Fine.", "jbo", "job", "?", "an", "ana, And", "drain", ""}, "\n")
	if err := c.ask(&prompter{in: bufio.NewReader(strings.NewReader(answers)), out: &out}, content); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if c.Author != "Maria K." || c.Rating != 5 || c.Date != "2026-11-01" || c.Text != "Fine." || c.Verification != "job" ||
		!slices.Equal(c.Technicians, []string{"ana", "anders"}) || !slices.Equal(c.Services, []string{"drains"}) {
		t.Errorf("got %+v", c)
	}
	for _, want := range []string{"this is needed", "from 1 to 5", "YYYY-MM-DD", "one of them", "ana (Ana Lima), anders (Anders Berg)", `"an" may be ana or anders`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nobody was told %q:\n%s", want, &out)
		}
	}
	if err := (&newReviewCmd{}).ask(&prompter{in: bufio.NewReader(strings.NewReader("")), out: &out}, content); err == nil {
		t.Error("no answers will do")
	}
}

// TestNewIsWellFormed: whatever people type, the file reads back as they typed it.
func TestNewIsWellFormed(t *testing.T) {
	dir := newContent(t)
	rapid.Check(t, func(rt *rapid.T) {
		c := newReviewCmd{ID: "mine", Author: "A", Rating: 5, Date: "2026-10-01", Text: rapid.StringMatching(`[^\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{fffe}\x{ffff}]{1,40}`).Draw(rt, "text")}
		if strings.TrimSpace(c.Text) == "" {
			return
		}
		writeFile(t, filepath.Join(dir, "reviews", "mine.yaml"), c.yaml(source.SchemaLine("reviews/mine.yaml")))
		content, problems, err := source.NewLoader(dir, source.Config{Today: "2026-11-01"}).Load(t.Context())
		if err != nil || content == nil {
			rt.Fatalf("%v, %v", err, problems)
		}
		for _, r := range content.Reviews {
			if r.ID == "mine" && *r.Text != c.Text {
				rt.Fatalf("%q came back as %q", c.Text, *r.Text)
			}
		}
	})
}
