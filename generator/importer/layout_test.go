package importer

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// TestLayouts: the same day in each layout, as spreadsheets and as package time
// write them.
func TestLayouts(t *testing.T) {
	for _, test := range []struct{ layout, date, words string }{
		{"YYYY-MM-DD", "2026-03-04", "YYYY-MM-DD"},
		{"yyyy-mm-dd", "2026-3-4", "YYYY-MM-DD"},
		{"DD/MM/YYYY", "04/03/2026", "DD/MM/YYYY"},
		{"DD/MM/YYYY", "4/3/2026", "DD/MM/YYYY"},
		{"M/D/YY", "3/4/26", "MM/DD/YY"},
		{"D MMMM YYYY", "4 March 2026", "DD MMMM YYYY"},
		{"MMM D, YYYY", "Mar 4, 2026", "MMM DD, YYYY"},
		{"dd.mm.yyyy hh:mm:ss", "04.03.2026 05:06:07", "DD.MM.YYYY HH:mm:ss"},
		{"YYYY-MM-DDTHH:mm:ssZ07:00", "2026-03-04T05:06:07+02:00", "YYYY-MM-DDTHH:mm:ss and a zone"},
		{"02/01/2006", "04/03/2026", "DD/MM/YYYY"},
		{"2006-01-02", "2026-03-04", "YYYY-MM-DD"},
		{"Jan 2, 2006", "Mar 4, 2026", "MMM DD, YYYY"},
	} {
		layout := layoutOf(test.layout)
		day, err := time.Parse(layout, test.date)
		if err != nil || day.Format(time.DateOnly) != "2026-03-04" {
			t.Errorf("%s is %s, and %s in it %v, %v", test.layout, layout, test.date, day, err)
		}
		if !datesSurvive(layout) {
			t.Errorf("%s loses the day", test.layout)
		}
		if got := inLetters.Replace(layout); got != test.words {
			t.Errorf("%s is called %s, want %s", test.layout, got, test.words)
		}
	}
}

// TestMessages: each of the longer messages is in formats.txt, and is used.
func TestMessages(t *testing.T) {
	files, _ := filepath.Glob("*.go")
	used := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:messages\[|(?:refuse|suspect)\(.*?, )"([^"%]+)"[\],)]`).FindAllStringSubmatch(string(code), -1) {
			if used[m[1]] = true; messages[m[1]] == "" && file != "layout_test.go" {
				t.Errorf("%s: no message %q", file, m[1])
			}
		}
	}
	for name := range messages {
		if !used[name] {
			t.Errorf("the message %q is not used", name)
		}
	}
}
