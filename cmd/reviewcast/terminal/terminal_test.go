package terminal

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		indent  int
		want    string
	}{
		{"short", 30, 4, "short"},
		{"one two three four\n", 10, 2, "one two\n  three\n  four\n"},
		{"  indented words go on", 12, 4, "  indented\n    words go\n    on"},
		{"averyveryverylongword and", 10, 2, "averyveryverylongword\n  and"},
		{"\x1b[1mbold words\x1b[0m here", 12, 0, "\x1b[1mbold words\x1b[0m\nhere"},
		{"名前 名前 名前", 10, 0, "名前 名前\n名前"},
		{"two\nlines that break\n", 8, 1, "two\nlines\n that\n break\n"},
	} {
		if got := foldTo(test.text, test.columns, test.indent); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
	if long := strings.Repeat("word ", 50); Fold(&bytes.Buffer{}, long, 2) != long {
		t.Error("lines of a pipe are broken")
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[a-z ]{0,80}`).Draw(rt, "text")
		columns, indent := rapid.IntRange(10, 40).Draw(rt, "columns"), rapid.IntRange(0, 8).Draw(rt, "indent")
		got := foldTo(text, columns, indent)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			rt.Fatalf("%q became %q", text, got)
		}
		for line := range strings.Lines(got) {
			if line = strings.TrimRight(line, "\n"); Width(line) > columns && len(strings.Fields(line)) > 1 {
				rt.Fatalf("%q is wider than %d", line, columns)
			}
		}
	})
}

// TestPalette: who asks for colours, and who wins.
func TestPalette(t *testing.T) {
	for _, test := range []struct {
		noColor, force string
		want           bool
	}{{"", "", false}, {"", "0", false}, {"", "1", true}, {"1", "1", false}} {
		t.Setenv("NO_COLOR", test.noColor)
		t.Setenv("CLICOLOR_FORCE", test.force)
		if got := PaletteFor(&bytes.Buffer{}).Bold("x") != "x"; got != test.want {
			t.Errorf("NO_COLOR=%s CLICOLOR_FORCE=%s paints: %t", test.noColor, test.force, got)
		}
	}
}

// TestColumns: COLUMNS is believed, and what isn't a width isn't.
func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": defaultColumns, "120": 120, "3": minColumns, "0": defaultColumns, "wide": defaultColumns} {
		t.Setenv("COLUMNS", value)
		if got := Columns(&bytes.Buffer{}); got != want {
			t.Errorf("COLUMNS=%s: %d, want %d", value, got, want)
		}
	}
}

func TestLongLine(t *testing.T) {
	var out bytes.Buffer
	if _, err := NewPrompter(t.Context(), strings.NewReader(strings.Repeat("x", maxAnswer)+"\n"), &out).Text("Text"); err == nil {
		t.Error("a line that a system would have cut passes")
	}
}
