package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"reviewcast"
)

// TestErasure looks for a text that was erased in everything that is kept of a site:
// the published files in every encoding, pages with their Markdown, exports, change
// documents, what builds leave beside them, the hub's state, a mirror, and the
// mirror's evidence of a fork.
func TestErasure(t *testing.T) {
	inCI(t)
	const secret, id = "Zanzibarius", "r-7"
	c := newChain(t)
	build := func() { c.build("--public", c.public, "--encodings", "all") }
	c.reviews[id] = "They came on time, said " + secret + "."
	c.build("--public", c.public)
	c.reviews["later"] = "Fine."
	build()
	c.arrived()
	before := c.holding(secret)
	for _, name := range []string{"reviews.json", "reviews.json.gz", "reviews.json.br", "reviews.json.zst", "reviews.csv", "reviews.jsonl", "feed.xml",
		"api/feed.json", "reviews/2026-03/index.html", "reviews/2026-03/index.md"} {
		if !slices.Contains(before, filepath.Join("public", filepath.FromSlash(name))) {
			t.Errorf("%s doesn't hold the text before: the test would miss it there", name)
		}
	}
	if !slices.ContainsFunc(before, func(name string) bool { return strings.HasPrefix(name, filepath.Join("copy", "changes")) }) {
		t.Errorf("no change document of the mirror holds the text before: %q", before)
	}

	// The mirror finds a fork, and keeps evidence.
	c.reviews["of-a"] = "Fine."
	a := c.build("--previous", c.public)
	c.reviews["of-b"] = "Fine."
	b := c.build("--previous", c.public)
	for i, public := range []string{a, b} {
		c.deploy(public)
		_ = os.RemoveAll(public)
		if err := c.command("pull", c.public, c.copy); (err != nil) != (i > 0) {
			t.Fatalf("pull from deploy %d: %v", i, err)
		}
	}
	if _, err := os.Stat(c.copy + ".fork"); err != nil {
		t.Fatalf("no evidence of the fork: %v", err)
	}

	delete(c.reviews, id)
	c.withdrawn = "- {id: " + id + ", reason: legal, date: 2026-11-20}\n"
	build()
	c.arrived("--accept-rewrite")
	if left := c.holding(secret); len(left) > 0 {
		t.Errorf("the erased text is still in %q", left)
	}
	for _, path := range []string{reviewcast.PathSince + "2026-01-01", reviewcast.PathSearch + "?limit=100"} {
		for _, coding := range []string{"identity", "gzip"} {
			if strings.Contains(c.answer(path, coding), secret) {
				t.Errorf("the edge still answers %s (%s) with the text", path, coding)
			}
		}
	}
}

// answer is the decoded body of an answer of the edge.
func (c *chain) answer(path, coding string) string {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), http.MethodGet, c.edge+path, nil)
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", coding)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		c.Fatalf("%s: %s, %v", path, resp.Status, err)
	}
	if resp.Header.Get("Content-Encoding") == "gzip" {
		body = decoded(c.T, "x.gz", body)
	}
	return string(body)
}

// holding returns the files that hold a text, the editors' own left out.
func (c *chain) holding(text string) []string {
	c.Helper()
	var names []string
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(c.dir, path)
		if d.IsDir() && strings.HasPrefix(rel, "content-") {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(decoded(c.T, path, data), []byte(text)) {
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return names
}

// decoded undoes the encoding that a file's name ends in.
func decoded(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	r := io.Reader(bytes.NewReader(data))
	var err error
	switch filepath.Ext(name) {
	case ".gz":
		r, err = gzip.NewReader(r)
	case ".br":
		r = brotli.NewReader(r)
	case ".zst":
		r, err = zstd.NewReader(r)
	}
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}
