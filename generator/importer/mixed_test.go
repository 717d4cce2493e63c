package importer

import (
	"strings"
	"testing"
)

// TestExchangedDays: a spreadsheet program has exchanged the day and the month of the dates that it could read so.
func TestExchangedDays(t *testing.T) {
	const head = "Name,Stars,Date,Comment\n"
	iso := head + "Jo,5,2025-05-03,On time.\nBo,4,03/25/2025,Good work.\nAl,5,2025-11-06,Fine.\nDi,3,06/28/2025,Late.\nCy,5,2025-07-01,Clean.\n"
	dots := head + "Jo,5,3/5/2025,On time.\nBo,4,25.03.2025,Good work.\nAl,5,11/6/2025,Fine.\nDi,3,28.06.2025,Late.\nCy,5,7/1/2025,Clean.\n"
	for _, tt := range []struct{ export, layout, early, late string }{
		{iso, "", "2025-05-03", "03/25/2025"}, {iso, "MM/DD/YYYY", "2025-05-03", "03/25/2025"},
		{dots, "", "3/5/2025", "25.03.2025"}, {dots, "DD.MM.YYYY", "3/5/2025", "25.03.2025"},
	} {
		d := newSurvey(t)
		d.cfg.DateLayout = tt.layout
		report := d.says(tt.export, `all dates like "`+tt.early+`" have a day and a month up to 12, and none like "`+tt.late+`" has, so a spreadsheet program has probably exchanged the day and the month of the first; `)
		if !report.Refused || len(d.names()) > 0 {
			t.Errorf("%s with %s: %v", tt.early, tt.layout, d.names())
		}
	}
	for _, dates := range []string{"2025-05-03 2025-05-13 03/25/2025 06/28/2025", "2025-05-03 03/25/2025 06/28/2025", "2025-05-03 2025-06-04 3/5/2025 6/8/2025", "2025-05-03 2025-06-04 5-Mar-2025 28-Mar-2025"} {
		export := head
		for _, date := range strings.Fields(dates) {
			export += "Jo,5," + date + ",Fine on " + date + ".\n"
		}
		if _, got := newSurvey(t).printed(export); strings.Contains(got, "has probably exchanged") {
			t.Errorf("%s: %s", dates, got)
		}
	}
	d := newSurvey(t)
	d.cfg.DateLayout = "MM/DD/YYYY"
	d.says(iso, `all dates like "2025-05-03" have a day and a month up to 12, and none like "03/25/2025" has`)
}

// TestTwoDays: the date of a review is the day on which it was written, not that of the visit.
func TestTwoDays(t *testing.T) {
	for _, tt := range []struct{ columns, want string }{
		{"Datum les,Datum review", "Datum review"}, {"Datum review,Datum les", "Datum review"},
		{"Leistungsdatum,Bewertungsdatum", "Bewertungsdatum"}, {"Date of visit,Date of review", "Date of review"},
		{"Date,Date of review", "Date of review"}, {"Date,Visit date", "Date"}, {"Date of visit,Date", "Date"},
		{"Date,Review response date", "Date"}, {"Date,Review updated", "Date"}, {"Data visita,Data della recensione", "Data della recensione"},
	} {
		report := newSurvey(t).load("Name,Stars," + tt.columns + ",Comment\nJo,5,2025-03-01,2025-03-05,Fine.\nBo,5,2025-03-02,2025-03-06,Good.\n")
		if !strings.Contains(report.Columns, ",date="+tt.want+",") {
			t.Errorf("%s: %s, want %s", tt.columns, report.Columns, tt.want)
		}
	}
	newSurvey(t).says("Name;Score;Datum les;Datum review;Reactie\nJo;5;2025-03-01;2025-03-05;Heel fijne les gehad bij Rosa.\n", `the customers' words may be in "Reactie"`)
	newSurvey(t).says("Name,Stars,Date of service,Sent off,Comment\nJo,5,2025-03-01,2025-03-05,Fine.\n",
		`date=Sent off,text=Comment,author=Name", where date may be "Sent off" (likelier) or "Date of service"`)
	newSurvey(t).says("Name,Stars,Date of visit,Comment\nJo,5,2025-03-01,Fine.\n",
		`the dates are from the column "Date of visit", which seems to have the days of visits, orders or jobs; if another one has the days on which the reviews were written, import again with date= and its name in --map`)
}

// TestMonths: a column has months and no days.
func TestMonths(t *testing.T) {
	const formula = `; in a column of its own named date, =A2&"-01" makes it of 2025-03 in A2`
	for _, months := range []string{"Maand:2025-03:april 2025", "Monat:2025-03:2025-04", "Month:March 2025:May 2025", "Mois:03/2025:04/2025"} {
		cells := strings.Split(months, ":")
		way := ""
		if cells[1] == "2025-03" {
			way = formula
		}
		newSurvey(t).says("Name,Stars,"+cells[0]+",Comment\nJo,5,"+cells[1]+",Fine.\nBo,4,"+cells[2]+",Good.\n",
			`row 2 (line 2): date "`+cells[1]+`" does not say which day; if a spreadsheet has it, format the column as YYYY-MM-DD there, and export again; if not, write one into the cell, as YYYY-MM-DD (the first of the month if it is not known`+way+")")
	}
	newSurvey(t).says("Name,Stars,Built,Comment\nJo,5,1998,Fine.\nBo,4,2001,Good.\n", "the export has no column date")
}

// TestTextNamedReply: the only column with texts is named like the one of replies.
func TestTextNamedReply(t *testing.T) {
	for _, name := range []string{"Reactie", "Reaktion", "Reaction", "Respons", "Notes"} {
		newSurvey(t).says("Name,Stars,Date,"+name+"\nJo,5,2025-03-05,They were very kind and quick.\nBo,4,2025-03-06,Fine and clean work again.\n",
			`the customers' words may be in "`+name+`"; say which column has them: --map "text=`+name+`"`)
	}
	d := newSurvey(t).mapped("rating=Stars,date=Date")
	d.says("Name,Stars,Date,Blurb\nJo,5,2025-03-05,They were very kind and quick.\n", `columns that seem to be forgotten; import again with --map "rating=Stars,date=Date,author=Name,text=Blurb"`)
	wantEqual(t, "replies", newSurvey(t).load("Name,Stars,Date,Reply,Reply date\nJo,5,2025-03-05,Thank you for the kind words.,2025-03-06\n").Added, 1)
}

// TestAnswersAsRows: the owner's answers are rows of their own.
func TestAnswersAsRows(t *testing.T) {
	newSurvey(t).says("Author,Rating,Date,Text\nJo Kim,5,2025-03-05,Good work.\nOwner,,2025-03-06,Thank you!\n",
		"rating is empty, and a review needs one; write it into the cell, or delete the row; if it is your own answer to a review, write it into the row of that review, in columns named reply and reply date, and delete this row")
	newSurvey(t).says("Author,Rating,Date,Text\nJo Kim,5,2025-03-05,Good work.\nBo,,2025-03-06,\n", "write it into the cell, or delete the row\n")
}

// TestMisspeltNames: a name that is nearly one of business.yaml is corrected in the cell.
func TestMisspeltNames(t *testing.T) {
	d := newSurvey(t)
	d.cfg.Lookup = func(_, name string) (string, bool) { return "rosa", name == "Rosa Marin" }
	d.cfg.Names = func(string) []string { return []string{"rosa", "Rosa Marin"} }
	const export = "Name,Stars,Date,Comment,technicians\nJo,5,2025-03-05,Fine.,Rosa Mairn\n"
	d.says(export, `technicians has "Rosa Mairn", which business.yaml does not list; did you mean "Rosa Marin"? If so, write that into the cell; otherwise add it there as a name or an alias, if it is right; correct the cell, if it is misspelt; or leave technicians out of --map`)
	d.says(strings.Replace(export, "Rosa Mairn", "Theo", 1), `technicians has "Theo", which business.yaml does not list; add it there as a name or an alias, if it is right; correct the cell, if it is misspelt; or leave technicians out of --map`)
}

// TestColumnAsPrinted: COLUMN of a message stands for a name.
func TestColumnAsPrinted(t *testing.T) {
	newSurvey(t).mapped("date=COLUMN").says("Name,Stars,When,Comment\nJo,5,2025-03-05,Fine.\n",
		`column map: date=COLUMN: the export has no such column; COLUMN stands for the name of one of the columns; write that in its place; its columns are "Name", "Stars", "When", "Comment"`)
}

// TestExcelTexts: ="4" is how Excel keeps 4 as a text.
func TestExcelTexts(t *testing.T) {
	for _, export := range []string{
		"Name,Stars,Date,Comment\nJo,\"=\"\"4\"\"\",\"=\"\"2025-03-05\"\"\",\"=\"\"Fine, really.\"\"\"\n",
		"Name,Stars,Date,Comment\nJo,=\"4\",=\"2025-03-05\",\"Fine, really.\"\n",
		"=\"Name\";=\"Stars\";=\"Date\";=\"Comment\"\n=\"Jo\";=\"4\";=\"2025-03-05\";=\"Fine, really.\"\n",
	} {
		d := newSurvey(t)
		d.says(export, "1 added")
		if !strings.Contains(d.data(), `"author":"Jo","rating":4,"date":"2025-03-05","text":"Fine, really."`) {
			t.Error(d.data())
		}
	}
}

// TestOtherCalendars: days in American order with dots.
func TestOtherCalendars(t *testing.T) {
	for dates, want := range map[string]string{
		"03.14.2025 04.02.2025": `import again with --date-layout "MM.DD.YYYY"`,
		"04.02.2025 03.14.2025": `import again with --date-layout "MM.DD.YYYY"`,
		"03.04.2025 04.02.2025": `import again with --date-layout "DD.MM.YYYY"` + "\n",
	} {
		export := "Name,Stars,Date,Comment\n"
		for _, date := range strings.Fields(dates) {
			export += "Jo,5," + date + ",Fine on " + date + ".\n"
		}
		newSurvey(t).says(export, want)
	}
}

// TestStarsSorted: the column of the stars was sorted without the others, alone or with new rows, and is right again.
func TestStarsSorted(t *testing.T) {
	const rows = "Name;Sterne;Datum;Text\nAnna K.;%s;2026-01-01;Schnell.\nBernd L.;%s;2026-01-03;Gut.\nÇelik A.;%s;2026-01-07;Die Heizung läuft.\nDörte S.;%s;2026-01-12;Sauber.\n"
	export := func(stars string) string {
		out := rows
		for _, n := range strings.Split(stars, "") {
			out = strings.Replace(out, "%s", n, 1)
		}
		return out
	}
	const newer = "Erik P.;%s;2026-02-02;Alles warm.\nFranz G.;%s;2026-02-03;Pünktlich.\n"
	for name, sorted := range map[string]string{"alone": export("2345"), "with new rows": strings.NewReplacer("Erik P.;%s", "Erik P.;5", "Franz G.;%s", "Franz G.;5").Replace(export("1234") + newer)} {
		t.Run(name, func(t *testing.T) {
			d := newSurvey(t)
			d.load(export("5423"))
			report := d.says(sorted, "the column of the stars was probably sorted without the others")
			wantEqual(t, "refused", report.Refused, true)
			d.cfg.Partial = true
			wantEqual(t, "on purpose", d.load(sorted).Updated > 2, true)
			wantEqual(t, "right again", d.load(export("5423")).Updated > 2, true)
		})
	}
}

// TestDaysTurned: a second import reads the days in the other order.
func TestDaysTurned(t *testing.T) {
	const table = "Name;Sterne;Datum;Text\nAnna K.;5;05/10/2026;Sehr schnell und sauber.\nBernd L.;4;07/10/2026;Gute Arbeit, etwas spät.\nÇelik A.;4;03/11/2026;Die Heizung läuft wieder.\n"
	d := newSurvey(t)
	d.cfg.DateLayout, d.cfg.Today = "MM/DD/YYYY", "2026-11-21"
	d.load(table)
	d.cfg.DateLayout = "DD/MM/YYYY"
	wantEqual(t, "refused", d.says(table, "these reviews are here with the day and the month the other way round, so one of the two imports had the wrong --date-layout; if this one is right, and nothing of reviews/import-shop.jsonl is published yet, delete that file and import again").Refused, true)
}

// TestSurnames: the author is mapped to the column of the surnames, and another one has the first names.
func TestSurnames(t *testing.T) {
	const table = "Nom;Prénom;Note;Date;Avis\nTauzin;Julien;5;2026-01-02;Très bon suivi.\nRoumégoux;Amélie;4;2026-01-03;Accueil chaleureux.\n"
	d := newSurvey(t).mapped("author=Nom,rating=Note,date=Date,text=Avis")
	d.says(table, `the column "Nom" has surnames beside the first names of "Prénom", and they would be published; import again with --map "rating=Note,date=Date,text=Avis,author=Prénom+Nom"`)
	wantEqual(t, "whole names", d.load("Nom;Prénom;Note;Date;Avis\nJulien Tauzin;Julien;5;2026-01-02;Très bon suivi.\n").Added, 1)
}
