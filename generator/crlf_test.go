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
	crlf := map[string]string{}
	for name, text := range files {
		crlf[name] = strings.ReplaceAll(text, "\n", "\r\n")
	}
	built := map[bool]map[string]string{}
	for with, files := range map[bool]map[string]string{false: files, true: crlf} {
		public := filepath.Join(t.TempDir(), "public")
		cfg := config(folder(t, files), public)
		cfg.Today = "2026-11-21"
		mustBuild(t, cfg)
		built[with] = read(t, public)
	}
	if !maps.Equal(built[false], built[true]) {
		for name, text := range built[false] {
			if built[true][name] != text {
				t.Errorf("%s differs", name)
			}
		}
	}
}
