package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestLongLine(t *testing.T) {
	var out bytes.Buffer
	if _, err := NewPlainPrompter(t.Context(), strings.NewReader(strings.Repeat("x", maxAnswer)+"\n"), &out).Text("Text"); err == nil {
		t.Error("a line that the line editor would have cut passes")
	}
}

func TestCompleteAnswer(t *testing.T) {
	offered := []Choice{{"ana", "Ana Lima"}, {"anders", "Anders Berg"}, {"drain-cleaning", "Drain cleaning"}, {"drain-repair", "Unblocking"}}
	for _, test := range []struct {
		line    string
		pos     int
		want    string
		at      int
		several int
	}{
		{"ander", 5, "anders", 6, 0},
		{"Anders B", 8, "anders", 6, 0},
		{"ana, dr", 7, "ana, dr", 7, 2},
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
