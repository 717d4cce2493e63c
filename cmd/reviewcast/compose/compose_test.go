package compose

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/sentiment"
	"reviewcast/generator/source"
)

// answering returns a prompter that reads these lines as answers.
func answering(t *testing.T, out *bytes.Buffer, lines ...string) *terminal.Prompter {
	return terminal.NewPrompter(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), out)
}

// TestAsk answers as a person does: a mistake, a question mark, beginnings of
// names.
func TestAsk(t *testing.T) {
	content := &source.Content{Site: source.Site{Language: "en"}, Config: sentiment.Config{Business: reviewcast.Business{
		Technicians: []reviewcast.Technician{{ID: "ana", Name: "Ana Lima"}, {ID: "anders", Name: "Anders Berg"}},
		Services:    []reviewcast.Named{{ID: "drains", Name: "Drain cleaning"}},
	}}}
	c := &Review{}
	var out bytes.Buffer
	p := answering(t, &out, "", "Maria K.", "6", "5", "yesterday", "2027-01-01", "", "", "Fine.", "", "And kind.", ".", "English please", "fr", "direct", "jbo", "job", "J-1",
		"?", "an", "ana, And, ana", "drain", "")
	if err := c.Ask(p, content, "2026-11-01"); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	want := Review{Author: "Maria K.", Rating: 5, Date: "2026-11-01", Text: "Fine.\n\nAnd kind.", Language: "fr", Verification: "job", Reference: "J-1",
		Technicians: []string{"ana", "anders"}, Services: []string{"drains"}}
	if !reflect.DeepEqual(*c, want) {
		t.Errorf("got %+v\nwant %+v", *c, want)
	}
	for _, want := range []string{"a name is required", "from 1 to 5", "YYYY-MM-DD", "in the future", "write its tag", `"jbo" is not a method, which says`,
		"there are ana (Ana Lima), anders", `"an" may be ana or anders`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nobody was told %q:\n%s", want, &out)
		}
	}
	if err := (&Review{}).Ask(answering(t, &out), content, "2026-11-01"); !errors.Is(err, terminal.ErrStopped) {
		t.Errorf("no answers: %v", err)
	}
}

// TestNewIsWellFormed: whatever people type, the file reads back as they typed it.
func TestNewIsWellFormed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("business.yaml", "id: acme\nname: Acme\n")
	rapid.Check(t, func(rt *rapid.T) {
		c := Review{ID: "mine", Author: "A", Rating: 5, Date: "2026-10-01", Text: rapid.StringMatching(`[^\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{fffe}\x{ffff}]{1,40}`).Draw(rt, "text")}
		if strings.TrimSpace(c.Text) == "" {
			return
		}
		write("reviews/2026/mine.yaml", c.yaml())
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
