package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/generator/source"
)

// answering asks whoever gives these lines.
func answering(t *testing.T, out *bytes.Buffer, lines ...string) *prompter {
	p := &prompter{out: out}
	p.plain(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"))
	return p
}

// TestAsk answers as a person does: a mistake, a question mark, beginnings of
// names.
func TestAsk(t *testing.T) {
	content := &source.Content{Site: source.Site{Language: "en"}, Business: reviewcast.Business{
		Technicians: []reviewcast.Technician{{ID: "ana", Name: "Ana Lima"}, {ID: "anders", Name: "Anders Berg"}},
		Services:    []reviewcast.Named{{ID: "drains", Name: "Drain cleaning"}},
	}}
	c := &newReviewCmd{Date: "2026-11-01"}
	var out bytes.Buffer
	p := answering(t, &out, "", "Maria K.", "6", "5", "yesterday", "2027-01-01", "", "", "Fine.", "And kind.", "", "English please", "fr", "direct", "jbo", "job", "J-1",
		"?", "an", "ana, And, ana", "drain", "")
	if err := c.ask(p, content); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	want := newReviewCmd{Author: "Maria K.", Rating: 5, Date: "2026-11-01", Text: "Fine.\nAnd kind.", Language: "fr", Verification: "job", Reference: "J-1",
		Technicians: []string{"ana", "anders"}, Services: []string{"drains"}}
	if !reflect.DeepEqual(*c, want) {
		t.Errorf("got %+v\nwant %+v", *c, want)
	}
	for _, want := range []string{"this is needed", "from 1 to 5", "YYYY-MM-DD", "in the future", "write its tag", `"jbo" is not a method; there are job, invitation`,
		"ana (Ana Lima), anders (Anders Berg)", `"an" may be ana or anders`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nobody was told %q:\n%s", want, &out)
		}
	}
	if err := (&newReviewCmd{}).ask(answering(t, &out), content); !errors.Is(err, errStopped) {
		t.Errorf("no answers: %v", err)
	}
	if _, err := answering(t, &out, strings.Repeat("x", maxAnswer)).text("Text"); err == nil {
		t.Error("a line that a terminal would have cut passes")
	}
}

func TestCompleteAnswer(t *testing.T) {
	offered := []known{{"ana", "Ana Lima"}, {"anders", "Anders Berg"}, {"drain-cleaning", "Drain cleaning"}, {"drain-repair", "Unblocking"}}
	for _, test := range []struct {
		line    string
		pos     int
		want    string
		at      int
		several int
	}{
		{"ander", 5, "anders", 6, 0},
		{"Anders B", 8, "anders", 6, 0},
		{"ana, dr", 7, "ana, drain-", 11, 0},
		{"ana, drain-", 11, "ana, drain-", 11, 2},
		{"unb", 3, "drain-repair", 12, 0},
		{"an", 2, "an", 2, 2},
		{"nobody", 6, "nobody", 6, 0},
		{"", 0, "", 0, 4},
		{"and, ana", 3, "anders, ana", 6, 0},
	} {
		line, at, several := completeAnswer(test.line, test.pos, offered)
		if line != test.want || at != test.at || len(several) != test.several {
			t.Errorf("%q: %q, %d, %v; want %q, %d, %d", test.line, line, at, several, test.want, test.at, test.several)
		}
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
		content, _, problems, err := source.NewLoader(dir, source.Config{Today: "2026-11-01"}).Load(t.Context(), nil)
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
