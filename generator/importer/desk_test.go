package importer

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	header = "id,stars,day,who,title,words,answer,answered\n"
	rowA   = "a1,5,2026-01-03,Maria Kowalska,On time,\"Came at nine, as said.\",Thank you!,2026-01-04\n"
	rowB   = "b2,2,2026-02-10,Tom Berg,,Late and dear.,,\n"
	rowC   = "c3,4,2026-01-03,,,,,\n"
)

// desk is an editor's content folder for tests.
type desk struct {
	t   *testing.T
	cfg Config
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	cfg := shop()
	cfg.ContentDir = t.TempDir()
	return &desk{t, cfg}
}

// shop is how the exports of these tests are imported.
func shop() Config {
	return Config{
		Source: "shop", Verification: "platform", Today: "2026-03-01",
		Map: map[string]string{"id": "id", "rating": "stars", "date": "day", "author": "who", "title": "title", "text": "words",
			"owner_reply.text": "answer", "owner_reply.date": "answered"},
	}
}

// without leaves fields out of the map.
func (d *desk) without(fields ...string) *desk {
	d.cfg.Map = maps.Clone(d.cfg.Map)
	for _, f := range fields {
		delete(d.cfg.Map, f)
	}
	return d
}

func (d *desk) try(export string) (*Report, error) {
	return CSV(d.t.Context(), strings.NewReader(export), d.cfg)
}

func (d *desk) load(export string) *Report {
	d.t.Helper()
	report, err := d.try(export)
	if err != nil {
		d.t.Fatal(err)
	}
	if report.Rows != report.Added+report.Updated+report.Unchanged+len(report.Skipped) {
		d.t.Errorf("rows don't add up: %+v", report)
	}
	return report
}

func (d *desk) path(name string) string { return filepath.Join(d.cfg.ContentDir, "reviews", name) }

func (d *desk) data() string { return d.file("import-shop.jsonl") }

func (d *desk) file(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// edit does what an editor does.
func (d *desk) edit(old, new string) {
	d.t.Helper()
	data := d.data()
	if strings.Count(data, old) != 1 {
		d.t.Fatalf("%q stands %d times in %s", old, strings.Count(data, old), data)
	}
	d.write("import-shop.jsonl", strings.Replace(data, old, new, 1))
}

func (d *desk) write(name, data string) {
	d.t.Helper()
	if err := os.WriteFile(d.path(name), []byte(data), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// names are the files in reviews/.
func (d *desk) names() []string {
	d.t.Helper()
	entries, err := os.ReadDir(d.path(""))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// counts are added, updated, unchanged, skipped.
func counts(r *Report) [4]int { return [4]int{r.Added, r.Updated, r.Unchanged, len(r.Skipped)} }

func codes(r *Report) []Code {
	var codes []Code
	for _, s := range r.Skipped {
		codes = append(codes, s.Code)
	}
	return codes
}

func wantEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
