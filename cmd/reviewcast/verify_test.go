package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestContentOnline: a content folder that was uploaded in place of the published one, or beside it, is told.
func TestContentOnline(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for name, test := range map[string]struct {
		text string
		told bool
	}{
		"none": {"", false}, "content": {"id: acme\nname: Acme\n", true}, "a page for every address": {"<!doctype html><title>Acme</title>", false},
	} {
		if test.text != "" {
			if err := os.WriteFile(filepath.Join(dir, "business.yaml"), []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, errs strings.Builder
		err := run(t.Context(), []string{"verify", server.URL}, strings.NewReader(""), &out, &errs)
		if told := strings.Contains(out.String(), "contradicted: the content folder is at this address"); told != test.told || err == nil {
			t.Errorf("%s: %v\n%s%s", name, err, out.String(), errs.String())
		}
		_ = os.Remove(filepath.Join(dir, "business.yaml"))
	}
}

// TestTableChanged: what is said of reviews.csv, whose lines end as in Windows, when a spreadsheet, an upload in text
// mode or a hand has changed it.
func TestTableChanged(t *testing.T) {
	const ends, hand = "has other line ends than it was built with", "was changed by hand"
	dir := filepath.Join(t.TempDir(), "public")
	if err := os.CopyFS(dir, os.DirFS(samplePublic(t))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "reviews.csv")
	built, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range [][3]string{{",", ";", hand}, {",5,", ",4,", hand}, {"\r\n", "\n", ends}} {
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(built), test[0], test[1])), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		if err := run(t.Context(), []string{"verify", dir}, strings.NewReader(""), &out, &errs); err == nil || !strings.Contains(out.String(), test[2]) {
			t.Errorf("%q for %q: %v\n%s%s, want %s", test[1], test[0], err, out.String(), errs.String(), test[2])
		}
	}
}
