package importer

import (
	"fmt"
	"strings"
	"testing"
)

// TestMostRowsSkipped: a first import with a wrong layout writes nothing, and says which
// columns it read and which layout the dates have.
func TestMostRowsSkipped(t *testing.T) {
	var export strings.Builder
	export.WriteString("Name,Stars,Review Date,Comment,Order No\nJo Kim,5,2026-01-02,Great.,7\n")
	for i := range 19 {
		fmt.Fprintf(&export, "Bo Kim,4,%02d/03/2025,Number %d.,8\n", i+1, i)
	}
	d := newDesk(t)
	d.cfg.Map = nil
	report := d.load(export.String())
	if !report.Refused || len(d.names()) > 0 {
		t.Fatalf("19 of 20 rows were skipped: %+v, files %v", report, d.names())
	}
	wantEqual(t, "columns", report.Columns, "rating=Stars,date=Review Date,text=Comment,author=Name")
	wantEqual(t, "unused", report.Unused, []string{"Order No"})
	d.cfg.Partial = true
	wantEqual(t, "partial", counts(d.load(export.String())), [4]int{1, 0, 0, 19})
}

// TestLayoutOfAll: if no date has the layout, the report names the one that all have.
func TestLayoutOfAll(t *testing.T) {
	for dates, want := range map[string]string{
		"03/04/2025 13/04/2025": `"DD/MM/YYYY"`,
		"04/03/2025 04/13/2025": `"MM/DD/YYYY"`,
		"03/04/2025 04/04/2025": `"DD/MM/YYYY" if the day comes first, "MM/DD/YYYY" if the month does`,
		"03.04.2025 2025-04-03": "",
		"03.04.2025 04.04.2025": `"DD.MM.YYYY"`,
		"soon later":            "",
	} {
		d := newDesk(t)
		d.cfg.Map = nil
		export := "rating,date,text\n"
		for i, date := range strings.Fields(dates) {
			export += fmt.Sprintf("5,%s,Number %d.\n", date, i)
		}
		wantEqual(t, dates, d.load(export).Layout, want)
	}
}

// TestImportAgainWithMoreColumns: a second import with the columns that the first one
// left out keeps every id, whether they are a title or the platform's own ids.
func TestImportAgainWithMoreColumns(t *testing.T) {
	d := newDesk(t).without("id", "title", "owner_reply.text", "owner_reply.date")
	d.load(header + rowA + rowB)
	first := d.data()
	d.cfg.Map = shop().Map
	report := d.load(header + rowA + rowB)
	wantEqual(t, "counts", counts(report), [4]int{0, 1, 1, 0})
	for line := range strings.Lines(first) {
		if id, _, _ := strings.Cut(line, ","); !strings.Contains(d.data(), id) {
			t.Errorf("%s is gone:\n%s", id, d.data())
		}
	}
}

// TestJobAndVerification: columns say who did the job and how the customer is known.
func TestJobAndVerification(t *testing.T) {
	known := map[string]string{"rosa": "rosa", "Rosa Marin": "rosa", "Theo": "theo", "Smith & Sons": "smith"}
	for _, tt := range []struct{ method, checked, who, want string }{
		{"job", "yes", "Rosa Marin", `"verification":{"method":"job"},"technicians":["rosa"]`},
		{"job", "", "", `"source":"shop"}`},
		{"job", "No", "rosa; Theo", `"source":"shop","technicians":["rosa","theo"]`},
		{"", "Receipt", "Rosa Marin, Theo, rosa", `"verification":{"method":"receipt"},"technicians":["rosa","theo"]`},
		{"job", "invitation", "Theo and Smith & Sons", `"verification":{"method":"invitation"},"technicians":["theo","smith"]`},
		{"", "yes", "", `verification.method is "yes", which does not say how; add --verification with job, invitation, receipt or platform, which then holds for such rows`},
		{"job", "maybe", "", `verification.method is "maybe"; it must be yes, no, job, invitation, receipt or platform`},
		{"job", "yes", "Bob", `technicians has "Bob", which business.yaml does not list; add it there as a name or an alias, or leave technicians out of --map`},
	} {
		d := newDesk(t)
		d.cfg.Map = map[string]string{"rating": "stars", "date": "day", "verification.method": "checked", "technicians": "who"}
		d.cfg.Verification = tt.method
		d.cfg.Lookup = func(_, name string) (string, bool) { id, ok := known[name]; return id, ok }
		report := d.load(fmt.Sprintf("stars,day,checked,who\n5,2026-01-02,%q,%q\n", tt.checked, tt.who))
		got := ""
		if report.Added == 1 {
			got = d.data()
		} else {
			got = report.Skipped[0].Reason
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
