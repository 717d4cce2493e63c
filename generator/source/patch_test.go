package source

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPatch edits the lines of one JSONL file at random: a Loader that parses what
// is new says what a Loader says that parses the whole file, places included.
func TestPatch(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := writeFolder(t, map[string]string{BusinessFile: sampleBusiness})
	l := NewLoader(dir, Config{Today: today})
	var lines []string
	patched := 0
	for step := range 300 {
		for range 1 + r.IntN(2) {
			at := r.IntN(len(lines) + 1)
			var line string
			switch r.IntN(9) {
			case 0:
				line = strings.Replace(sampleJSON(r.IntN(50)), "heating", "plumbing", 1)
			case 1:
				line = `{"id":"x","author":"A","rating":9,"date":"2026-01-01","source":"Capital"}`
			case 2:
				line = ""
			case 3:
				line = "{"
			case 4:
				line = "\uFEFF"[:r.IntN(2)*3] + sampleJSON(r.IntN(50))
			default:
				line = sampleJSON(step)
			}
			switch n := r.IntN(8); {
			case n < 4 || len(lines) == 0:
				lines = slices.Insert(lines, at, line)
			case n < 6:
				at %= len(lines)
				lines = slices.Delete(lines, at, at+1)
			default:
				lines[at%len(lines)] = line
			}
		}
		if step%40 == 39 {
			lines = lines[:len(lines)/2]
		}
		data := strings.Join(lines, [...]string{"\n", "\n", "\r\n"}[step/100]) + [...]string{"", "\n"}[r.IntN(2)]
		writeOld(t, dir, "reviews/all.jsonl", []byte(data))
		want, wantProblems, err := NewLoader(dir, Config{Today: today}).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := l.files["reviews/all.jsonl"]
		got, gotProblems, err := l.LoadChanged(t.Context(), []string{"reviews/all.jsonl"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("step %d: %s\n%s", step, diff, data)
		}
		if diff := cmp.Diff(wantProblems, gotProblems); diff != "" {
			t.Fatalf("step %d: %s\n%s", step, diff, data)
		}
		if now := l.files["reviews/all.jsonl"]; before != nil && shares(before, now) {
			patched++
		}
	}
	if patched == 0 {
		t.Error("nothing was taken over")
	}
}

// shares tells whether two states of a file have a text in common.
func shares(a, b *parsed) bool {
	texts := map[*string]bool{}
	for _, drafts := range a.drafts {
		for i := range drafts {
			texts[drafts[i].Text] = true
		}
	}
	delete(texts, nil)
	return slices.ContainsFunc(b.drafts, func(drafts []draft) bool {
		return slices.ContainsFunc(drafts, func(w draft) bool { return texts[w.Text] })
	})
}

// TestPatchManyTimes: ten thousand saves don't leave a file in as many pieces.
func TestPatchManyTimes(t *testing.T) {
	dir := writeFolder(t, map[string]string{BusinessFile: sampleBusiness})
	l := NewLoader(dir, Config{Today: today})
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = sampleJSON(i)
	}
	for step := range 400 {
		lines[(step*7)%len(lines)] = strings.Replace(sampleJSON((step*7)%len(lines)), "Maria K.", fmt.Sprintf("Maria %d", step), 1)
		writeOld(t, dir, "reviews/all.jsonl", []byte(strings.Join(lines, "\n")))
		if n := len(mustLoad(t, l).Reviews); n != len(lines) {
			t.Fatal(n)
		}
		if pieces := len(l.files["reviews/all.jsonl"].drafts); pieces > maxPieces+4 {
			t.Fatalf("%d pieces after %d saves", pieces, step)
		}
	}
}
