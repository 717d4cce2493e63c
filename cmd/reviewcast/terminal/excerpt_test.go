package terminal

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWindow: a line is shown around the place, whatever stands in it, and never
// wider than there is room.
func TestWindow(t *testing.T) {
	const room = 76
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		line  string
		col   int
		shown string
		caret int
	}{
		{"rating: 6", 9, "rating: 6", 8},
		{"\trating: 6", 2, " rating: 6", 1},
		{"名前: 6", 5, "名前: 6", 6},
		{"e\u0301a: 6", 3, "e\u0301a: 6", 1},
		{"a\x1b[31mb", 2, "a [31mb", 1},
		{"short", 99, "short", 5},
		{long[:room], 1, long[:room], 0},
		{long, 1, long[:room-2] + "…", 0},
		{long, 1 << 19, "…" + long[:room-2] + "…", room / 2},
		{long, 2 << 20, "…" + long[:room-2], room - 1},
		{"", 1, "", 0},
		{strings.Repeat("名", 60), 1, strings.Repeat("名", 37) + "…", 0},
		{strings.Repeat("名", 60), 60, "…" + strings.Repeat("名", 37), 1 + 72},
	} {
		shown, caret := window(test.line, test.col, room)
		if shown != test.shown || caret != test.caret {
			t.Errorf("column %d of %.30q: %.90q, %d; want %.90q, %d", test.col, test.line, shown, caret, test.shown, test.caret)
		}
	}
	if shown, _ := window("a"+strings.Repeat("\u0301", 1<<20), 5, room); len(shown) > 1000 {
		t.Errorf("a megabyte of accents shows %d bytes", len(shown))
	}
	rapid.Check(t, func(rt *rapid.T) {
		line, columns := rapid.String().Draw(rt, "line"), rapid.IntRange(10, 40).Draw(rt, "columns")
		col := rapid.IntRange(1, 1+len(line)).Draw(rt, "col")
		shown, caret := window(line, col, columns)
		if Width(shown) > columns || caret > columns {
			rt.Fatalf("%q, %d takes %d columns of %d, the caret is at %d", shown, col, Width(shown), columns, caret)
		}
	})
}
