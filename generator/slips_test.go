package generator

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"reviewcast/generator/importer"
)

// escaped is a character that the table can't show: {U+00A0}, or a byte {0xE9}.
var escaped = regexp.MustCompile(`\{(U\+|0x)([0-9A-F]+)\}`)

func unescape(data []byte) string {
	return escaped.ReplaceAllStringFunc(string(data), func(s string) string {
		m := escaped.FindStringSubmatch(s)
		n, _ := strconv.ParseUint(m[2], 16, 32)
		if m[1] == "0x" {
			return string([]byte{byte(n)})
		}
		return string(rune(n))
	})
}

// TestSlips makes every slip of testdata/slips.txt in a small folder that is right, and
// compares the whole output of check, or of the import of a file named import…, with
// that of the table.
func TestSlips(t *testing.T) {
	t.Parallel()
	const table = "testdata/slips.txt"
	data, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	pieces := strings.Split(string(data), "\n@@@ ")
	base := txtar.Parse([]byte(pieces[0]))
	out := []string{pieces[0]}
	for _, piece := range pieces[1:] {
		name, body, _ := strings.Cut(piece, "\n")
		slip := txtar.Parse([]byte(body))
		t.Run(name, func(t *testing.T) {
			files, want, export := map[string]string{}, "", txtar.File{}
			for _, f := range append(base.Files, slip.Files...) {
				switch text := unescape(f.Data); {
				case f.Name == "output":
					want = text
				case strings.HasPrefix(f.Name, "import "):
					export = txtar.File{Name: f.Name, Data: []byte(text)}
				case text == "none\n":
					delete(files, f.Name)
				default:
					files[f.Name] = text
				}
			}
			dir := folder(t, files)
			if _, ok := files["business.yaml"]; !ok {
				if err := os.Remove(filepath.Join(dir, "business.yaml")); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if export.Name != "" {
				got = importSlip(t, dir, export)
			} else {
				got = checkSlip(t, dir)
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			at := strings.Index(body, "-- output --\n")
			if at < 0 {
				at = len(body)
				if body != "" && !strings.HasSuffix(body, "\n") {
					body += "\n"
					at++
				}
			}
			out = append(out, name+"\n"+body[:at]+"-- output --\n"+got)
		})
	}
	if len(pieces) < 61 {
		t.Errorf("%d slips, at least 60 wanted", len(pieces)-1)
	}
	if *update {
		if err := os.WriteFile(table, []byte(strings.Join(out, "\n@@@ ")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkSlip returns what check prints.
func checkSlip(t *testing.T, dir string) string {
	problems, err := NewBuilder(Config{ContentDir: dir, PublicDir: filepath.Join(filepath.Dir(dir), "public"), Today: "2026-11-21"}).Check(t.Context())
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, p := range problems {
		suggestion := p.Suggestion
		p.Suggestion = ""
		fmt.Fprintf(&b, "%s: %s\n", p.Severity, p)
		if suggestion != "" {
			fmt.Fprintf(&b, "  = %s\n", suggestion)
		}
	}
	return b.String()
}

// importSlip imports an export; its name is that of the command's format and of the
// file, "import csv yelp.csv".
func importSlip(t *testing.T, dir string, export txtar.File) string {
	words := strings.Fields(export.Name)
	cfg := importer.Config{ContentDir: dir, Source: "cards", Verification: "receipt", Today: "2026-11-21", DryRun: true}
	var report *importer.Report
	var err error
	r := bytes.NewReader(export.Data)
	switch words[1] {
	case "google":
		report, err = importer.Google(t.Context(), r, "", cfg)
	case "yelp", "trustpilot":
		cfg.Platform = words[1]
		report, err = importer.CSV(t.Context(), r, cfg)
	case "jsonl":
		cfg.Map = map[string]string{"rating": "rating", "date": "date", "text": "text"}
		report, err = importer.JSONL(t.Context(), r, cfg)
	default:
		report, err = importer.CSV(t.Context(), r, cfg)
	}
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	if err := report.Print(&b, false, 0); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
