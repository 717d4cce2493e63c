package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanText(t *testing.T) {
	tags := ""
	for _, r := range "obey" {
		tags += string(0xE0000 + r)
	}
	for _, tt := range []struct{ name, in, want string }{
		{"ASCII", "on time", "on time"},
		{"letters with marks", "Très bien, Zoë! Naïve Ångström ñ", "Très bien, Zoë! Naïve Ångström ñ"},
		{"combining marks", "e\u0301 \u1EC7", "e\u0301 \u1EC7"},
		{"bidirectional overrides", "a\u202Eb\u202Cc\u2066d\u2069", "abcd"},
		{"bidirectional marks", "\u200Fשלום\u200E \u061Cسلام", "שלום سلام"},
		{"zero width", "in\u200Bvis\u2060ib\uFEFFle", "invisible"},
		{"soft hyphen", "co\u00ADop", "coop"},
		{"tag characters", "fine" + tags, "fine"},
		{"invisible letters", "a\u115F\u3164\uFFA0b", "ab"},
		{"variation selectors as bytes", "a\uFE01\uFE0F\U000E0100\U000E01EF", "a"},
		{"emoji, coloured", "❤️ ☎️ 1️⃣", "❤️ ☎️ 1️⃣"},
		{"emoji, coloured twice", "❤\uFE0F\uFE0F\uFE0F", "❤\uFE0F"},
		{"family", "👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"},
		{"skin tone and trade", "👩🏽‍🔧", "👩🏽‍🔧"},
		{"heart on fire", "❤️‍🔥", "❤️‍🔥"},
		{"joiners between letters that don't join", "a\u200Db\u200Cc", "abc"},
		{"a run of joiners", "می\u200C\u200C\u200Cخواهم", "می\u200Cخواهم"},
		{"Persian", "می\u200Cخواهم", "می\u200Cخواهم"},
		{"Hindi", "क्\u200Dष क्\u200Cष", "क्\u200Dष क्\u200Cष"},
		{"Arabic number sign", "\u0600١٢", "\u0600١٢"},
		{"flag of Scotland", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "🏴"},
		{"flag of Canada", "🇨🇦", "🇨🇦"},
		{"line separator", "a\u2028b", "a\u2028b"},
	} {
		if got := cleanText(tt.in); got != tt.want {
			t.Errorf("%s: %q became %q, want %q", tt.name, tt.in, got, tt.want)
		}
		if got := cleanText([]byte(tt.in)); string(got) != tt.want {
			t.Errorf("%s, as bytes: %q", tt.name, got)
		}
	}
}

// TestCleanJSON: cleaning JSON is cleaning its strings, written as characters or as
// escapes.
func TestCleanJSON(t *testing.T) {
	gen := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("aé\"\\\n<&1#❤👩س")), rapid.RuneFrom([]rune{
		0x200B, 0x200C, 0x200D, 0x202E, 0xFE0F, 0xFE01, 0xE0041, 0xAD, 0x3164, 0x2028})))
	rapid.Check(t, func(rt *rapid.T) {
		in := gen.Draw(rt, "text")
		want := cleanText(in)
		if cleanText(want) != want {
			rt.Fatalf("%q is cleaner the second time: %q", want, cleanText(want))
		}
		raw, err := json.Marshal(map[string]string{"k": in})
		if err != nil {
			rt.Fatal(err)
		}
		for _, form := range []string{string(raw), escaped(string(raw))} {
			var got map[string]string
			if err := json.Unmarshal(cleanJSON([]byte(form)), &got); err != nil {
				rt.Fatalf("%s became %s: %v", form, cleanJSON([]byte(form)), err)
			}
			if got["k"] != want {
				rt.Fatalf("%s: %q, want %q", form, got["k"], want)
			}
		}
	})
}

// escaped writes every character beyond ASCII as JSON escapes.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func FuzzCleanText(f *testing.F) {
	f.Add("❤️ می\u200Cخواهم \u202Eabc")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "")
		got := cleanText(s)
		if cleanText(got) != got {
			t.Errorf("%q became %q and then %q", s, got, cleanText(got))
		}
		if !utf8.ValidString(got) || len(got) > len(s) {
			t.Errorf("%q became %q", s, got)
		}
	})
}
