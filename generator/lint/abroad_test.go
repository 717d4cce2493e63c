package lint

import (
	"slices"
	"strings"
	"testing"
)

// TestSlovenian: a text in Slovenian doesn't look French, and the code of its country has one warning.
func TestSlovenian(t *testing.T) {
	const review = "- {id: a, author: Jo K., rating: 4, date: 2026-01-02, language: LANG, verification: {method: job}, text: \"Soba je bila zelo čista in osebje je bilo prijazno, jutro je super.\"}\n"
	for language, want := range map[string][]string{"sl": nil, "si": {`language "si" is Sinhala, which is spoken in Sri Lanka`}, "it": {"the text is published as it (Italian), and looks Slovenian"}} {
		var got []string
		for _, p := range inspected(t, "base_url: https://reviews.acme.example\nlanguage: en\n", strings.ReplaceAll(review, "LANG", language)) {
			got = append(got, p.Message)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
}
