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
