package source

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// words draws texts with what gets lost easily.
var words = rapid.Custom(func(t *rapid.T) string {
	runes := []rune(" \t\n\"'\\,;:#-|>&*!%@`{}[]<~é漢🙂\u00A0\u200B\u202E\u2028\uFEFF\u0301\uFFFDax0\r")
	s := rapid.StringOf(rapid.OneOf(rapid.RuneFrom(runes[:len(runes)-1]), rapid.Rune())).Draw(t, "text")
	for {
		i, r := reviewcast.BadRune(s)
		if i < 0 {
			return s
		}
		s = strings.ReplaceAll(s, string(r), "x")
	}
})

// TestSameInEveryFormat: one and the same review, written in each format, loads
// to equal values.
func TestSameInEveryFormat(tt *testing.T) {
	rapid.Check(tt, func(t *rapid.T) {
		review := map[string]any{
			"id":     rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,63}`).Draw(t, "id"),
			"author": "M" + words.Draw(t, "author"),
			"rating": rapid.IntRange(1, 5).Draw(t, "rating"),
			"date":   fmt.Sprintf("20%02d-%02d-%02d", rapid.IntRange(0, 99).Draw(t, "year"), rapid.IntRange(1, 12).Draw(t, "month"), rapid.IntRange(1, 28).Draw(t, "day")),
		}
		row := map[string]string{"rating": fmt.Sprint(review["rating"])}
		for _, name := range []string{"id", "author", "date"} {
			row[name] = review[name].(string)
		}
		for _, name := range []string{"title", "text"} {
			if rapid.Bool().Draw(t, name) {
				s := words.Draw(t, name)
				review[name], row[name] = s, s
			}
		}
		if rapid.Bool().Draw(t, "reply") {
			reply := map[string]any{"text": words.Draw(t, "reply text") + ".", "date": "2026-01-01"}
			review["owner_reply"] = reply
			row["owner_reply.text"], row["owner_reply.date"] = reply["text"].(string), "2026-01-01"
		}
		if rapid.Bool().Draw(t, "verified") {
			method := rapid.SampledFrom(reviewcast.VerificationMethods).Draw(t, "method")
			review["verification"] = map[string]any{"method": method}
			row["verification.method"] = method
		}
		if ids := rapid.SliceOf(rapid.SampledFrom([]string{"luca", "marta-k"})).Draw(t, "technicians"); len(ids) > 0 {
			review["technicians"] = ids
			row["technicians"] = strings.Join(ids, ";")
		}

		line, err := json.Marshal(review)
		if err != nil {
			t.Fatal(err)
		}
		block, err := yaml.Marshal(review)
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		w := csv.NewWriter(&table)
		var header, cells []string
		for name, cell := range row {
			header, cells = append(header, name), append(cells, cell)
		}
		if err := w.WriteAll([][]string{header, cells}); err != nil {
			t.Fatal(err)
		}

		files := map[string]struct {
			path string
			data []byte
		}{
			"JSONL": {"r.jsonl", line}, "CSV": {"r.csv", table.Bytes()}, "YAML in JSON": {"r.yaml", yamlSafe(line)}, "YAML by block": {"r.yaml", kept(block)},
		}
		var want *record
		for _, format := range []string{"JSONL", "CSV", "YAML in JSON", "YAML by block"} {
			if format == "YAML by block" && bytes.ContainsAny(block, "\u2028\u2029") {
				continue // which this writer doesn't escape and this package refuses
			}
			p := parse(tt, files[format].path, files[format].data)
			if len(p.records) != 1 || diagnostic.HasErrors(p.problems) {
				t.Fatalf("%s: %v\n%s\n%s", format, p.problems, block, table.Bytes())
			}
			got := p.records[0]
			if want == nil {
				want = got
			}
			ignore := cmpopts.IgnoreUnexported(Review{})
			if diff := cmp.Diff(want.Review, got.Review, ignore); diff != "" {
				t.Fatalf("%s:\n%s", format, diff)
			}
			if text, ok := review["text"].(string); ok && !blank(text) && *got.Text != text {
				t.Fatalf("%s: text %q, want %q", format, *got.Text, text)
			}
		}
	})
}

// yamlSafe escapes in JSON what JSON allows and this package doesn't in YAML.
func yamlSafe(line []byte) []byte {
	line = bytes.ReplaceAll(line, []byte("\u2028"), []byte(`\u2028`))
	return bytes.ReplaceAll(line, []byte("\u2029"), []byte(`\u2029`))
}

// kept writes the blocks of a YAML file as |+, for the writer knows no editors,
// whose last line break isn't meant.
func kept(data []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		if i := bytes.LastIndex(line, []byte(": |")); i >= 0 && isHeader(line[i+3:]) {
			line = append(bytes.TrimSuffix(bytes.Clone(line), []byte{'\n'}), '+', '\n')
		}
		out.Write(line)
	}
	return out.Bytes()
}

func isHeader(rest []byte) bool { return len(bytes.Trim(rest, "0123456789\n")) == 0 }
