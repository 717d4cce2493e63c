package source

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestLoadChanged edits a folder at random and tells the Loader which names it
// touched, as a watch does: what it loads is what a Loader gives that looks at
// everything.
func TestLoadChanged(t *testing.T) {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SEED"), "20261122"), 10, 64) // a search for more is a loop over SEED
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	dir := writeFolder(t, map[string]string{"reviews/a/0.yaml": goodYAML})
	l := NewLoader(dir, Config{Today: today})
	mustLoad(t, l)
	must := func(err error) {
		t.Helper()
		if err != nil && !os.IsNotExist(err) && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	touched := 0 // steps that asked about the touched files only
	for step := range 600 {
		var names []string
		for range r.IntN(3) {
			folder := [...]string{"reviews", "reviews/a", "reviews/b", "reviews/a/c", ""}[r.IntN(5)]
			name := filepath.ToSlash(filepath.Join(folder, fmt.Sprintf("%d", r.IntN(4))+[...]string{".yaml", ".jsonl", ".csv", ".txt", ".tmp"}[r.IntN(5)]))
			path := filepath.Join(dir, filepath.FromSlash(name))
			switch r.IntN(12) {
			case 0:
				must(os.Remove(path))
			case 1:
				if folder == "reviews" || folder == "" {
					continue
				}
				must(os.RemoveAll(filepath.Join(dir, filepath.FromSlash(folder))))
				name = folder
			case 2:
				must(os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o755))
				name = folder
			case 3:
				other := "reviews/moved.yaml"
				must(os.Rename(path, filepath.Join(dir, filepath.FromSlash(other))))
				names = append(names, other)
			case 4:
				name = BusinessFile
				must(os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, "id: n\nname: N%d\n", step), 0o644))
			case 5:
				if step > 500 { // from then on everything is looked at
					must(os.Symlink("0.yaml", path))
				}
			default:
				id := fmt.Sprintf("r%d-%d", step, len(names))
				if r.IntN(40) == 0 {
					id = "R7-0" // which may be taken
				}
				review := fmt.Sprintf("- {id: %s, author: A, rating: 5, date: 2026-01-0%d}\n", id, 1+r.IntN(9))
				switch filepath.Ext(name) {
				case ".csv":
					review = "id,author,rating,date\n" + id + ",A,5,2026-01-01\n"
				case ".jsonl":
					review = fmt.Sprintf(`{"id":%q,"author":"A","rating":5,"date":"2026-01-01"}`, id)
				}
				if at, err := os.Readlink(path); err == nil { // what is written is the file behind it
					names = append(names, filepath.ToSlash(filepath.Join(folder, at)))
				}
				_ = os.WriteFile(path, []byte(review), 0o644) // the folder may not be there
			}
			names = append(names, name)
		}
		if names == nil {
			names = []string{}
		}
		want, wantProblems, err := NewLoader(dir, Config{Today: today}).Load(t.Context())
		must(err)
		before := l.joined
		got, gotProblems, err := l.LoadChanged(t.Context(), names)
		must(err)
		if before != nil && before == l.joined {
			touched++
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("step %d, %q: %s", step, names, diff)
		}
		if diff := gocmp.Diff(wantProblems, gotProblems); diff != "" {
			t.Fatalf("step %d, %q: %s", step, names, diff)
		}
	}
	if t.Logf("%d of 600 steps", touched); touched < 50 {
		t.Error("hardly a step was quick")
	}
}
