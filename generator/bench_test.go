package generator

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
)

// corpusFolder writes the corpus as an editor's folder: the business in YAML, the
// reviews in one JSONL file.
func corpusFolder(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "content")
	b := corpus.Business()
	data, err := json.Marshal(b) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"business.yaml": string(data), "reviews/README.md": ""})
	f, err := os.Create(filepath.Join(dir, "reviews", "all.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, r := range corpus.Reviews(n) {
		if err := enc.Encode(kept(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// kept is a published review as an editor would keep it.
func kept(r reviewcast.Review) map[string]any {
	m := map[string]any{
		"id": r.ID, "author": r.Author, "rating": r.Rating, "date": r.Date, "language": r.Language, "source": r.Source,
		"verification": map[string]any{"method": r.Verification.Method, "verified_on": r.Verification.VerifiedOn, "reference": "J-" + r.ID},
		"technicians":  r.Mentions.Technicians, "services": r.Mentions.Services, "service_areas": r.Mentions.ServiceAreas,
	}
	for name, v := range map[string]*string{"title": r.Title, "text": r.Text, "source_url": r.SourceURL} {
		if v != nil {
			m[name] = *v
		}
	}
	if r.OwnerReply != nil {
		m["owner_reply"] = map[string]any{"text": r.OwnerReply.Text, "date": r.OwnerReply.Date}
	}
	return m
}

// BenchmarkBuild is a cold build, from the folder to the synced files in a new
// directory, by a Builder that has seen nothing; and BenchmarkRebuild the build after
// one review has changed, by one that has.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			cfg := config(corpusFolder(b, n), filepath.Join(b.TempDir(), "public"))
			cfg.Today = "2027-01-01"
			for b.Loop() {
				cfg.PublicDir += "1" // not a removed one: ext4 is slow to make files where others have just been removed
				build(b, NewBuilder(cfg))
			}
			size, err := os.Stat(filepath.Join(cfg.PublicDir, "reviews.json"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(size.Size())/1e6, "MB-reviews.json")
		})
	}
}

func BenchmarkRebuild(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			cfg := config(corpusFolder(b, n), filepath.Join(b.TempDir(), "public"))
			cfg.Today = "2027-01-01"
			builder := NewBuilder(cfg)
			build(b, builder)
			i := 0
			for b.Loop() {
				i++
				put(b, cfg.ContentDir, map[string]string{"reviews/mine.yaml": fmt.Sprintf(
					"- {id: mine, author: Ada L., rating: 5, date: 2026-06-30, text: Take %d., verification: {method: job}}\n", i)})
				if res := build(b, builder); len(res.Changed) == 0 {
					b.Fatal("nothing changed")
				}
			}
		})
	}
}

func build(b *testing.B, builder *Builder) *Result {
	b.Helper()
	res, err := builder.Build(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return res
}
