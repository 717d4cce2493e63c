package reviewcast_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// quotedPath is a file or folder of the module in code style, such as
	// `edge/hub/request.go`.
	quotedPath = regexp.MustCompile("`((?:\\.ci|bench|cmd|content|docs|edge|generator|internal)/[A-Za-z0-9_./-]+|[a-z]+\\.go)`")
	heading    = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notInID    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocuments checks that every relative link in the documents leads to a file,
// and with a fragment to a heading, and that the paths that CONTRIBUTING.md and
// docs/architecture.md name exist.
func TestDocuments(t *testing.T) {
	documents := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "content/README.md"}
	err := filepath.WalkDir("docs", func(file string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(file, ".md") {
			documents = append(documents, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, document := range documents {
		text := readFile(t, document)
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			links++
			checkLink(t, document, m[1])
		}
		if document != "CONTRIBUTING.md" && document != "docs/architecture.md" {
			continue
		}
		for _, m := range quotedPath.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s, which does not exist", document, m[1])
			}
		}
	}
	if links < 30 {
		t.Fatalf("found %d links in %d documents; the pattern has missed most of them", links, len(documents))
	}
}

// checkLink reports a link of a document that is relative and leads nowhere.
func checkLink(t *testing.T, document, link string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Errorf("%s links to %s: %v", document, link, err)
		return
	}
	if u.IsAbs() {
		return
	}
	target := document
	if u.Path != "" {
		target = filepath.Join(filepath.Dir(document), filepath.FromSlash(u.Path))
	}
	if _, err := os.Stat(target); err != nil {
		t.Errorf("%s links to %s, which does not exist", document, link)
		return
	}
	if u.Fragment != "" && strings.HasSuffix(target, ".md") && !headingIDs(readFile(t, target))[u.Fragment] {
		t.Errorf("%s links to %s, which has no such heading", document, link)
	}
}

// headingIDs returns the fragments that lead to the headings of a document.
func headingIDs(text string) map[string]bool {
	ids := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		id := notInID.ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), "")
		ids[strings.ReplaceAll(id, " ", "-")] = true
	}
	return ids
}
