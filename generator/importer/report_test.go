package importer

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files")

func TestReportPrint(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB + rowC)
	d.edit(`"author":"Tom B."`, `"author":"Tomasz B."`)
	var b strings.Builder
	b.WriteString(header + strings.Replace(rowA, "On time,\"Came", "Punctual,\"Came", 1) + strings.Replace(rowB, "b2,2", "b2,1", 1))
	for i := range 25 {
		fmt.Fprintf(&b, "n%d,%d,2026-02-%02d,\u202eZoë Lee,,,,\n", i, i%7, i+1)
		fmt.Fprintf(&b, "m%d,%d,2026-02-%02d,Zoë Lee,,\"So\nso.\",,\n", i, i%7, i+1)
	}
	b.WriteString("x,\x1b[2J,2026-01-01,,,,,\ny,5,2026-01-01,,,\x1b[2J,,\n")
	d.cfg.DryRun, d.cfg.Partial = true, true
	report := d.load(b.String())
	for _, verbose := range []bool{false, true} {
		var out strings.Builder
		if err := report.Print(&out, verbose, 0); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\u202e") {
			t.Error("an export can drive the terminal")
		}
		golden(t, fmt.Sprintf("report-verbose=%t.txt", verbose), out.String())
	}
	var narrow strings.Builder
	if err := report.Print(&narrow, true, 40); err != nil {
		t.Fatal(err)
	}
	table := 0
	for line := range strings.Lines(narrow.String()) {
		if strings.HasPrefix(line, "  +  ") || strings.HasPrefix(line, "  ~  ") {
			table++
			if n := utf8.RuneCountInString(line) - 1; n > 40 {
				t.Errorf("%q has %d characters", line, n)
			}
		}
	}
	if table != len(report.Changes) {
		t.Errorf("the table has %d lines for %d changes", table, len(report.Changes))
	}
}

// TestReportPrintFew prints the doubts about an export with fewer rows than a report lists.
func TestReportPrintFew(t *testing.T) {
	d := newDesk(t)
	report := d.load(header + "a,5,2026-01-02,Maria K,,test,,\n")
	var out strings.Builder
	if err := report.Print(&out, true, 0); err != nil || !strings.Contains(out.String(), "may be tests of a form") {
		t.Errorf("got %v and %s", err, out.String())
	}
}

// TestJSONLEmpty imports a file without reviews and without a map.
func TestJSONLEmpty(t *testing.T) {
	for _, export := range []string{"", "[]"} {
		report, err := JSONL(t.Context(), strings.NewReader(export), Config{ContentDir: t.TempDir(), Source: "shop"})
		if err != nil || report.Rows != 0 || report.Changed {
			t.Errorf("%q: got %+v and %v", export, report, err)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, name, got, strings.ReplaceAll(string(want), "\r\n", "\n"))
}

type fullDisk struct{ left int }

var errFull = errors.New("disk full")

func (w *fullDisk) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestReportPrintFails(t *testing.T) {
	d := newDesk(t)
	d.cfg.DryRun = true
	report := d.load(header + rowA + strings.Replace(rowB, ",2,", ",,", 1))
	if err := report.Print(&fullDisk{}, false, 0); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}
