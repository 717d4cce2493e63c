package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestUnfinished(t *testing.T) {
	big := strings.Repeat(sampleJSON(1)+"\n", 1)
	for i := 2; len(big) <= large; i++ {
		big += sampleJSON(i) + "\n"
	}
	dir := writeFolder(t, map[string]string{BusinessFile: sampleBusiness, "reviews/a.yaml": sampleYAML(1_000_000), "reviews/all.jsonl": big})
	l := NewLoader(dir, Config{Today: today})
	mustLoad(t, l)
	for _, test := range []struct {
		name string
		size int64
		want time.Duration
	}{
		{"reviews/a.yaml", 0, emptyFor}, {"reviews/a.yaml", 100, shorterFor}, {"reviews/a.yaml", 650, 0}, {"reviews/new.yaml", 0, shorterFor}, {"reviews/new.yaml", 5, 0},
		{"reviews/all.jsonl", int64(len(big)) - 1, shrunkFor}, {"reviews/all.jsonl", int64(len(big)), 0}, {"reviews/all.jsonl", int64(len(big)) + 9, 0}, {"reviews/all.jsonl", 0, emptyFor},
		{"reviews", -1, 0}, {"reviews/nothing.yaml", -1, 0},
	} {
		if test.size >= 0 {
			path := filepath.Join(dir, filepath.FromSlash(test.name))
			if f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644); err != nil || f.Close() != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, test.size); err != nil {
				t.Fatal(err)
			}
		}
		if got := l.Unfinished([]string{BusinessFile, test.name}); got != test.want {
			t.Errorf("%s of %d bytes: %v, want %v", test.name, test.size, got, test.want)
		}
	}
}
