package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reviewcast/bench/corpus"
)

// deskFolder writes the corpus as an editor's folder, a file for each review or
// all in one data file, and gives the file that holds the newest review.
func deskFolder(tb testing.TB, n int, shape string) (dir, changed string) {
	tb.Helper()
	dir = filepath.Join(tb.TempDir(), "content")
	business, err := json.Marshal(corpus.Business())
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string]string{"business.yaml": string(business)}
	var all bytes.Buffer
	for i, r := range corpus.Reviews(n) {
		line, err := json.Marshal(kept(r))
		if err != nil {
			tb.Fatal(err)
		}
		name := "reviews/all.jsonl"
		if shape == "files" {
			name = "reviews/" + r.Date.Month() + "/" + r.ID + ".yaml"
			files[name] = string(line) + "\n"
		}
		all.Write(append(line, '\n'))
		if i == n/2 {
			changed = name
		}
	}
	if shape != "files" {
		files["reviews/all.jsonl"] = all.String()
	}
	put(tb, dir, files)
	old := time.Now().Add(-time.Hour)
	for name := range files {
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), old, old); err != nil {
			tb.Fatal(err)
		}
	}
	return dir, changed
}

// BenchmarkPrepare is what an editor waits for between a save and the page, but
// for the watch: one review of 10,000 has changed, in a file of its own or in the
// middle of one data file.
func BenchmarkPrepare(b *testing.B) {
	for _, shape := range []string{"files", "one"} {
		b.Run(shape+"/10k", func(b *testing.B) {
			dir, changed := deskFolder(b, 10_000, shape)
			cfg := config(dir, filepath.Join(b.TempDir(), "public"))
			cfg.Today = "2027-01-01"
			builder := NewBuilder(cfg)
			build(b, builder)
			path := filepath.Join(dir, filepath.FromSlash(changed))
			original, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				i++
				b.StopTimer()
				at := len(original) / 2
				at += bytes.Index(original[at:], []byte(`"author":"`))
				if shape == "files" {
					at = bytes.Index(original, []byte(`"author":"`))
				}
				data := append(bytes.Clone(original[:at]), fmt.Sprintf(`"author":"Changed %d `, i)...)
				data = append(data, original[at+len(`"author":"`):]...)
				if err := os.WriteFile(path, data, 0o644); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				res, err := builder.Prepare(b.Context(), []string{changed})
				if err != nil {
					b.Fatal(err)
				}
				if len(res.Changed) == 0 {
					b.Fatal("nothing changed")
				}
				builder.Accept(res)
			}
		})
	}
}
