package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// library reads a file as if there were no other reader.
func library(data []byte) (trees []node, problems []Problem, complete bool) {
	p := problemsOf("f.yaml")
	y := yamlReader{problems: p, data: data, line: 1}
	complete = y.read(func(n *node) { trees = append(trees, *n) })
	return trees, p.all(), complete
}

func problemsOf(file string) *problems { return &problems{file: file} }

type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameTree holds the quick reader's tree against the library's. quick tells
// whether the quick reader took the file.
func sameTree(t fatal, data []byte) (quick bool) {
	t.Helper()
	p := problemsOf("f.yaml")
	data, ok := clean(data, 1, true, p)
	var n node
	var q quickYAML
	if !ok || marks(data) > maxYAMLMarks || !q.read(string(data), &n) {
		return false
	}
	trees, problems, complete := library(data)
	if len(trees) != 1 || len(problems) > 0 || !complete {
		t.Fatalf("the library gives %d documents, complete %v, problems %v of\n%q", len(trees), complete, problems, data)
	}
	if diff := cmp.Diff(trees[0], n, cmp.AllowUnexported(node{}, entry{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("library (-) and quick reader (+) differ in\n%q\n%s", data, diff)
	}
	return true
}

// quickShapes are files that the quick reader takes.
var quickShapes = []string{
	"id: a\n", "id: a", "# c\n\n  # d\nid: a\n# end", "- id: a\n  b: c\n- id: d\n", "-   id: a\n    b: c\n# x\n\n- b\n",
	"a:\n  b: c\n  d: e\nf: g\n", "a:\n- b\n- c: d\n  e: f\ng: h\n", "a:\n    - b\n    - c\ng: h\n", "a: [b, c]\nd: {e: f, g: [h], \"i\":\"j\"}\n", "a: []\nb: {}\nc: [ ]\n",
	`{"a":"b","c":5,"d":{"e":["f","g"]},"h":"é\u0026\"\\\/\n\tü","i":2026-01-02}` + "\n", "[a, 'b''c', \"d\"]  \n\n# e", "a: 'it''s'\nb: \"say \\\"\\u00e9\\\"\"\nc: ''\nd: \"\"\n",
	"a: |\n  one\nb: 1\n", "a: |\n  one\n  two\n", "a: |-\n    one\n      two\n\n\n    three \n\n\nb: 2\n", "a: |+\n  one\n\n\nb: 1\n", "a: |+\n  one\n", "- |\n one\n- a: |\n   two\n",
	"a: >\n  one\n  two\n\n  three\n\n\n  four\nb: 1\n", "a: >+\n  one\n  two\n\n", "a: >-\n  one\n  two\n", "a: |\n  # no comment\n  x: y\n  - \"\n# comment\nb: c\n",
	"a: |\n  one\n  \n \n  two\n  \nb: c\n", "a: >\n    one\n  \n    two\n    \n\nb: c\n", "- a: |+\n    one\n  \n\n- b: c\n",
	"a: 5\nb: 2026-03-14\nc: 24 hours\nd: 0\ne: Yes\nf: no\ng: https://example.com/x?y=z#a\nh: a:b c#d\ni: 10\nj: y\nk: Null island\n", "a: (x)\nb: /x\nc: $5\nd: _x\ne: été\n",
	"a: don't [really] {mind} & * ! | > % @ `\n", "a: é é\nb: [é, ü x]\n", "true_: a\nnulls: b\n", "a:   b   \n  \nc: d\n",
}

func TestQuickYAML(t *testing.T) {
	for _, s := range append(quickShapes, sampleYAML(1), sampleJSON(2)+"\n") {
		if !sameTree(t, []byte(s)) {
			t.Errorf("the quick reader leaves to the library\n%s", s)
		}
	}
	// What it must leave, whatever the library makes of it.
	for _, s := range []string{
		"", "# c\n", "a:\n", "a: ~\n", "a: null\nb: c\n", "a: true\n", "a: 5 # c\n", "a: b: c\n", "a: b\n c\n", "a: b\n  c: d\n", "a: &x b\n", "a: *x\n", "a: !x b\n", "---\na: b\n", "a: b\n---\nc: d\n", "a: b\n...\n",
		"a: \"b\n  c\"\n", "a: [b,\n c]\n", "a: |2\n   b\n", "a: | # c\n  b\n", "a: |\n\tb\n", "a: >\n  b\n   c\n", "a: -5\n", "a: 1.5\n", "a: 0x10\n", "a: 012\n", "a: 2026-02-30\n", "a: 12:30\n", "a: b\r\n", "\ta: b\n", "a:\tb\n",
		"? a\n: b\n", "<<: a\n", "a: @b\n", "- - a\n", "a: [b: c]\n", "a: |\n  b", "a: |\n  b\n    \nc: d\n", "a: |\n   \n  b\nc: d\n", "a: b\n b: c\n", "{a: b}\nc\n", "a: [b,]\n", "a: 'b' c\n", "a: \"\\x41\"\n", "%YAML 1.1\n", "a: 9999999999999999999\n", "a: " + strings.Repeat("[", 40) + "\n",
	} {
		if sameTree(t, []byte(s)) {
			t.Errorf("the quick reader takes %q", s)
		}
	}
}

// TestQuickYAMLSample: the sample's files and the starter's are read quickly, if
// they are what this reader is for.
func TestQuickYAMLSample(t *testing.T) {
	quick, all := 0, 0
	for _, pattern := range []string{"../../content/reviews/*/*.yaml", "../starter/files/reviews/*.yaml"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all++
			if sameTree(t, data) {
				quick++
			} else {
				t.Logf("%s is left to the library", name)
			}
		}
	}
	if 2*quick < all {
		t.Errorf("%d of %d files of the samples are read quickly", quick, all)
	}
}

// TestQuickYAMLPieces puts files together from what YAML is made of, which the
// fuzzer takes long to find.
func TestQuickYAMLPieces(t *testing.T) {
	pieces := []string{" ", "  ", "    ", "\n", "\n\n", "\n  ", "\n- ", "\n  - ", "a", "b:", "c: ", "\nd: ", "\n  e: ", "\n    f: ", "- ", "-", ":", "5", "2026-01-02", "é", "word", "# c", " # d", "|", "|-", "|+", ">", ">+",
		"\"", "'", "\"q\"", "'r'", "\\n", "\\u00e9", "[", "]", "{", "}", ",", ", ", "[x, y]", "{g: h}", "\"i\":", "true", "null", "~", "~\n", ".", "---", "...", "&", "*", "!", "%", "?", "\t"}
	quick := 0
	rapid.Check(t, func(r *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(r, "parts")
		if sameTree(r, []byte("a: "+strings.Join(parts, ""))) {
			quick++
		}
	})
	if quick == 0 {
		t.Error("none was read quickly")
	}
}

func FuzzQuickYAML(f *testing.F) {
	seeds(f, ".yaml")
	for _, s := range quickShapes {
		f.Add([]byte(s))
	}
	f.Add([]byte(sampleYAML(1)))
	f.Add([]byte(sampleJSON(1)))
	f.Fuzz(func(t *testing.T, data []byte) { sameTree(t, data) })
}

// TestQuickYAMLWritten writes reviews in all the ways in which people and programs
// write YAML, with texts that have everything in them that YAML minds, and holds the
// two readers against each other.
func TestQuickYAMLWritten(t *testing.T) {
	words := rapid.SampledFrom([]string{"on time", "it's", "\"quoted\"", "a: b", "#1", "c #d", "- e", "[f]", "{g}", "é", "名前", "“so”", "5", "2026-01-02", "true", "no", "~", "|", ">", "%", "@", "&x", "*y", "!z", "\\n", "\\", "'", ",",
		"https://example.com/a?b=c#d", "12:30", "1_000", "0x1F", "1e3", ".5", "+1", "-1", "=", "<<", "?", "...", "---", "NULL", "Null", "True", "\u00a0", "\u200d", "  "})
	text := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(words, 1, 5).Draw(r, "words"), rapid.SampledFrom([]string{" ", "", "  "}).Draw(r, "between"))
	})
	scalar := rapid.Custom(func(r *rapid.T) string {
		s := text.Draw(r, "text")
		switch rapid.IntRange(0, 3).Draw(r, "quotes") {
		case 0:
			return "'" + strings.ReplaceAll(s, "'", "''") + "'"
		case 1:
			return fmt.Sprintf("%q", s)
		case 2:
			return "\"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + "\""
		}
		return s
	})
	block := rapid.Custom(func(r *rapid.T) string {
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"|", "|-", "|+", ">", ">-", ">+"}).Draw(r, "style"))
		in := strings.Repeat(" ", rapid.IntRange(1, 6).Draw(r, "in"))
		for range rapid.IntRange(1, 4).Draw(r, "lines") {
			b.WriteString("\n")
			switch rapid.IntRange(0, 5).Draw(r, "empty") {
			case 0:
			case 1:
				b.WriteString(strings.Repeat(" ", rapid.IntRange(0, 8).Draw(r, "blanks")))
			default:
				b.WriteString(in + text.Draw(r, "line"))
			}
		}
		return b.String()
	})
	quick := 0
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		listed := rapid.Bool().Draw(r, "listed")
		for range rapid.IntRange(1, 3).Draw(r, "reviews") {
			lead, first := "", ""
			if listed {
				first = rapid.SampledFrom([]string{"- ", "- ", "-   "}).Draw(r, "hyphen")
				lead = strings.Repeat(" ", len(first))
			}
			for i := range rapid.IntRange(1, 5).Draw(r, "fields") {
				if before := lead; i == 0 {
					b.WriteString(first)
				} else {
					b.WriteString(before)
				}
				b.WriteString(rapid.SampledFrom([]string{"id", "author", "text", "owner_reply", "technicians", "x1", "no", "null"}).Draw(r, "name") + ":")
				switch rapid.IntRange(0, 5).Draw(r, "value") {
				case 0:
					b.WriteString(" " + strings.ReplaceAll(block.Draw(r, "block"), "\n", "\n"+lead))
				case 1:
					b.WriteString(" {a: " + scalar.Draw(r, "a") + ", b: [" + scalar.Draw(r, "b") + ", " + scalar.Draw(r, "c") + "]}")
				case 2:
					b.WriteString("\n" + lead + "  a: " + scalar.Draw(r, "a") + "\n" + lead + "  b: " + scalar.Draw(r, "b"))
				case 3:
					b.WriteString("\n" + lead + "- " + scalar.Draw(r, "a") + "\n" + lead + "- " + scalar.Draw(r, "b"))
				default:
					b.WriteString(" " + scalar.Draw(r, "a"))
				}
				b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "  \n", " # c\n", "\n\n", "\n# c\n"}).Draw(r, "end"))
			}
			if !listed {
				break
			}
		}
		if sameTree(r, []byte(b.String())) {
			quick++
		}
	})
	if quick == 0 {
		t.Error("none was read quickly")
	}
}

// TestItems breaks one review of a list: what is said of the others, and what they
// are, is as if it weren't there.
func TestItems(t *testing.T) {
	breaks := []string{"  text: \"never closed\n", "  text: 'it's\n", "  a: b: c\n", "  rating:5\n", "\tid: x\n", "  text: [\n", "  text: @x\n", " - deep\n", "  text: |\n oops\n"}
	rapid.Check(t, func(r *rapid.T) {
		n, broken := rapid.IntRange(2, 6).Draw(r, "reviews"), 0
		broken = rapid.IntRange(0, n-1).Draw(r, "broken")
		var whole, without strings.Builder
		for i := range n {
			lines := strings.ReplaceAll(strings.TrimSuffix(sampleYAML(i), "\n"), "\n", "\n  ") + "\n"
			if rapid.Bool().Draw(r, "wrong") {
				lines += "  ratng: 5\n"
			}
			if i == broken {
				lines += rapid.SampledFrom(breaks).Draw(r, "break")
				whole.WriteString("- " + lines)
				without.WriteString(strings.Repeat("\n", strings.Count("- "+lines, "\n")))
				continue
			}
			whole.WriteString("- " + lines)
			without.WriteString("- " + lines)
		}
		got, want := newPart("f.yaml"), newPart("f.yaml")
		got.parseYAML([]byte(whole.String()))
		want.parseYAML([]byte(without.String()))
		if !got.incomplete || want.incomplete {
			r.Fatalf("incomplete: %v and %v of\n%s", got.incomplete, want.incomplete, &whole)
		}
		if diff := cmp.Diff(want.drafts, got.drafts, cmp.AllowUnexported(draft{}, place{}, ref{})); diff != "" {
			r.Fatalf("the others differ (-alone +beside it):\n%s\n%s", diff, &whole)
		}
		syntax := 0
		for _, p := range got.list {
			if p.Code == "yaml-syntax" {
				syntax++
			}
		}
		if syntax != 1 {
			r.Fatalf("%d syntax errors of one:\n%s\n%v", syntax, &whole, got.list)
		}
	})
}
