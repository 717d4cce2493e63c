package importer

import (
	"fmt"
	"maps"
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
		"03.04.2025 2025-04-03": `"DD.MM.YYYY"`,
		"03.04.2025 04.04.2025": `"DD.MM.YYYY"`,
		"soon later":            "",
	} {
		d := newDesk(t)
		d.cfg.Map = nil
		export := "rating,date,text\n"
		for i, date := range strings.Fields(dates) {
			export += fmt.Sprintf("5,%s,Number %d.\n", date, i)
		}
		wantEqual(t, dates, strings.TrimPrefix(d.load(export).Remedy, "the dates have another layout; import again with --date-layout "), want)
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
		{"job", "maybe", "", `verification.method is "maybe"; it must be job, invitation, receipt, platform, yes or a number`},
		{"job", "yes", "Bob", `technicians has "Bob", which business.yaml does not list; add it there as a name or an alias, if it is right; correct the cell, if it is misspelt; or leave technicians out of --map`},
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

// survey is an export of a survey tool: two columns with words, two with names, two with
// dates, and no ids.
const survey = `Submitted,Visit,Name on form,Account name,Score,What went well?,Anything else?
2025-03-02,2025-02-27,Jo Kim,jkim,5,"They came on time and left the kitchen clean.","Thank you, Rosa!"
2025-03-04,2025-03-01,Bo Marsh,bmarsh,4,"Good work, and they explained the price first.",
2025-03-09,2025-03-06,Al Reyes,areyes,5,"Quick help with the boiler on a Sunday.","A bit dear."
2025-03-11,2025-03-08,Di Novak,dnovak,2,"Late by two hours, nobody called.","The work was fine."
2025-03-15,2025-03-12,Cy Adler,cadler,5,"Second visit, as good as the first one was.",
`

// TestImportAgainWithAnotherColumn: an import that reads a field from another column than
// the first one is refused, since it would add every review again. A newer export with
// the same columns isn't, even if it has new reviews only.
func TestImportAgainWithAnotherColumn(t *testing.T) {
	first := map[string]string{"rating": "Score", "date": "Submitted", "author": "Name on form", "text": "What went well?"}
	for _, tt := range []struct{ field, column string }{
		{"text", "Anything else?"}, {"author", "Account name"},
	} {
		d := newDesk(t)
		d.cfg.Map = first
		wantEqual(t, "first", counts(d.load(survey)), [4]int{5, 0, 0, 0})
		before := d.data()
		d.cfg.Map = maps.Clone(first)
		d.cfg.Map[tt.field] = tt.column
		report := d.load(survey)
		if !report.Refused || report.Changed && d.data() != before {
			t.Errorf("%s: %v, want it refused\n%s", tt.field, counts(report), d.data())
			continue
		}
		skip := report.Skipped[0]
		if want := "the same review with another " + tt.field; skip.Code != OtherColumn || !strings.Contains(skip.Reason, want) {
			t.Errorf("%s: %s: %s", tt.field, skip.Code, skip.Reason)
		}
		d.cfg.Partial = true
		if d.load(survey); d.data() != before {
			t.Errorf("%s: --partial added reviews a second time\n%s", tt.field, d.data())
		}
	}

	d := newDesk(t)
	d.cfg.Map = first
	d.load(survey)
	head, _, _ := strings.Cut(survey, "\n")
	wantEqual(t, "newer", counts(d.load(head+`
2025-04-02,2025-03-27,Jo Kim,jkim,5,"They came again, and were on time again.",
2025-04-03,2025-03-28,Ed Vance,evance,5,"They came on time and left everything clean.",
`)), [4]int{2, 0, 0, 0})
}

// TestImportShortReviewsAgain: short texts and none are recognised, too, where the export has nothing of what is here.
func TestImportShortReviewsAgain(t *testing.T) {
	const export = `Name,Email,Stars,Date,Comment
Anna Bell,anna@mail.example,5,2024-03-14,"Lovely people, and the bike was ready a day early."
Carl Dunn,carl@mail.example,4,2024-03-15,Great service!
Rita Voss,rita@mail.example,5,2024-04-15,
`
	d := newDesk(t)
	d.cfg.Map = map[string]string{"rating": "Stars", "date": "Date", "author": "Email", "text": "Comment"}
	if report := d.load(export); !report.Refused {
		t.Error("addresses were imported as names")
	}
	d.cfg.Partial = true
	wantEqual(t, "first", counts(d.load(export)), [4]int{3, 0, 0, 0})
	before := d.data()
	d.cfg.Map["author"], d.cfg.Partial = "Name", false
	if report := d.load(export); !report.Refused || d.data() != before {
		t.Errorf("%v\n%s", counts(report), d.data())
	}
}

// TestImportCorrection: a text that is corrected in the export and then by hand, as the message says, is here as it is.
func TestImportCorrection(t *testing.T) {
	d := newDesk(t)
	d.cfg.Map = map[string]string{"rating": "Score", "date": "Submitted", "author": "Name on form", "text": "What went well?"}
	d.load(survey)
	corrected := strings.Replace(survey, "Quick help", "Quickest help", 1)
	wantEqual(t, "corrected in the export", counts(d.load(corrected)), [4]int{0, 0, 4, 1})
	d.edit("Quick help", "Quickest help")
	wantEqual(t, "corrected in both", counts(d.load(corrected)), [4]int{0, 0, 5, 0})
	wantEqual(t, "again", counts(d.load(corrected)), [4]int{0, 0, 5, 0})
}

// TestDatesSwapped: where some dates don't exist in the layout, and all do with day and month swapped, nothing is written.
func TestDatesSwapped(t *testing.T) {
	d := newDesk(t)
	d.cfg.Map, d.cfg.DateLayout = map[string]string{"rating": "Stars", "date": "Date"}, "MM/DD/YYYY"
	report := d.load("Stars,Date\n5,03/04/2024\n4,25/02/2024\n5,11/06/2024\n3,07/08/2024\n")
	if report.Remedy != `the dates have another layout; import again with --date-layout "DD/MM/YYYY"` || !report.Refused || len(report.Skipped) != 1 {
		t.Errorf("%q, refused: %t, %d rows skipped", report.Remedy, report.Refused, len(report.Skipped))
	}
	if report = d.load("Stars,Date\n5,12/31/2024\n4,25/02/2024\n5,11/06/2024\n3,07/08/2024\n"); report.Refused {
		t.Error("refused although one date is wrong in the layout that the others have")
	}
}
