package generator

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"reviewcast/generator/render"
)

// TestDeltasGiveTheSameBytes edits a folder at random and prepares after each edit,
// sometimes accepting the result: every file has the bytes that a Builder makes that
// has seen nothing before, and the Delta adds up to the reviews that are there.
func TestDeltasGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	steps := 6
	if n, err := strconv.Atoi(os.Getenv("DELTAS")); err == nil {
		steps = n // .ci/run sets it
	}
	rng := rand.New(rand.NewPCG(3, 4))
	dir := folder(t, map[string]string{"reviews/1.yaml": review("r1", "  text: Ana was on time.\n")})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	cfg.Lenient = true
	b := NewBuilder(cfg)
	shown := map[string]bool{} // by the deltas of the accepted results
	for step := range steps {
		name := editOnce(t, rng, dir, step)
		names := []string{name}
		if rng.IntN(4) == 0 {
			names = nil // anything may have changed
		}
		got, err := b.Prepare(t.Context(), names)
		want, wantErr := NewBuilder(cfg).Prepare(t.Context(), nil)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("step %d, %s: %v, and from nothing %v", step, name, err, wantErr)
		}
		if err != nil {
			var p *ProblemsError
			if !errors.As(err, &p) || err.Error() != wantErr.Error() {
				t.Fatalf("step %d, %s: %v, and from nothing %v", step, name, err, wantErr)
			}
			continue
		}
		gotFiles, wantFiles := allFiles(t, got), allFiles(t, want)
		for i, a := range wantFiles {
			if i >= len(gotFiles) || gotFiles[i].Path != a.Path || !bytes.Equal(gotFiles[i].Body, a.Body) {
				t.Fatalf("step %d, after %s: %s differs from a build from nothing", step, name, a.Path)
			}
		}
		if len(gotFiles) != len(wantFiles) {
			t.Fatalf("step %d: %d files, %d from nothing", step, len(gotFiles), len(wantFiles))
		}
		if rng.IntN(3) == 0 {
			continue // as dev does with what may be half of a save
		}
		for _, id := range got.Delta.Added {
			shown[id] = true
		}
		for _, id := range got.Delta.Removed {
			delete(shown, id)
		}
		for _, id := range got.Delta.Changed {
			if !shown[id] {
				t.Fatalf("step %d: %s changed and was not there", step, id)
			}
		}
		b.Accept(got)
		if len(shown) != len(got.Dataset.Reviews) || slices.ContainsFunc(got.Delta.Added, func(id string) bool { return !shown[id] }) {
			t.Fatalf("step %d: the deltas add up to %d reviews of %d", step, len(shown), len(got.Dataset.Reviews))
		}
	}
}

// allFiles are the files of a prepared result with all its pages.
func allFiles(t *testing.T, res *Result) []render.Artifact {
	t.Helper()
	pages, err := res.Pages.All()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(res.Artifacts, pages)
}

// editOnce makes one random edit and returns the file's name.
func editOnce(t *testing.T, rng *rand.Rand, dir string, step int) string {
	t.Helper()
	name := fmt.Sprintf("reviews/%d.yaml", 1+rng.IntN(6))
	texts := []string{"Ana was on time.", "Ana was late and the price was too high.", "Drain cleaning went well.", "No complaints."}
	switch rng.IntN(9) {
	case 0:
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	case 1:
		put(t, dir, map[string]string{name: "- id: broken\n  rating: [\n"})
	case 2:
		name = "business.yaml"
		put(t, dir, map[string]string{name: business + fmt.Sprintf("telephone: \"+1 555 01%02d\"\n", step)})
	case 3:
		name = "summary.md"
		put(t, dir, map[string]string{name: fmt.Sprintf("Summary %d.\n", step)})
	case 4:
		name = "reviews/all.jsonl"
		line := ""
		for i := range 1 + rng.IntN(4) {
			line += fmt.Sprintf(`{"id":"j%d","author":"Jo K.","rating":%d,"date":"2026-02-0%d","text":%q,"verification":{"method":"job"}}`+"\n",
				i, 1+rng.IntN(5), 1+rng.IntN(9), texts[rng.IntN(len(texts))])
		}
		put(t, dir, map[string]string{name: line})
	default:
		put(t, dir, map[string]string{name: review(fmt.Sprintf("r%d", 1+rng.IntN(7)), fmt.Sprintf("  text: %s\n", texts[rng.IntN(len(texts))]))})
	}
	return name
}
