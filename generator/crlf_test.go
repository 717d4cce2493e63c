package generator

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// TestLineEnds builds the sample as a checkout with CRLF has it: the bytes are the same.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	files := read(t, "../content")
	for name, text := range files {
		files[name] = strings.ReplaceAll(text, "\n", "\r\n")
	}
	cfg := config(folder(t, files), filepath.Join(t.TempDir(), "public"))
	cfg.Today, cfg.BaseURL = "2026-11-21", ""
	mustBuild(t, cfg)
	got := read(t, cfg.PublicDir)
	_, want := builtSample(t)
	if !maps.Equal(got, want) {
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s differs", name)
			}
		}
	}
}
