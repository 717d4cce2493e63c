package importer

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"reviewcast"
)

// TestSlips: mistakes of an export or of its options, and what is said about them.
func TestSlips(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		export string
		want   string
	}{
		{"scale that no rating needs", func(c *Config) { c.RatingScale = 10 }, "rating,date,text\n5,2026-01-02,Good.\n3,2026-01-03,Fair.\n",
			"no rating of this export is above 5, so --rating-scale 10 is probably wrong, and every review would have too few stars; import with --rating-scale 5; if customers could give 10, write one of the ratings with its scale, as 5/10"},
		{"scale that one rating says", func(c *Config) { c.RatingScale = 10 }, "rating,date,text\n4/10,2026-01-02,Good.\n2,2026-01-03,Fair.\n", "2 added"},
		{"scale of 100 for 10", func(c *Config) { c.RatingScale = 100 }, "rating,date,text\n10,2026-01-02,Good.\n8,2026-01-03,Fair.\n", "import with --rating-scale 10;"},
		{"scale that the platform had later", func(c *Config) { c.RatingScale, c.Round = 10, "down" }, "rating,date,text\n" + manyRatings(),
			"all 45 ratings before 2026-03-01 are 5 or lower, and would be read as of 10; if customers gave up to 5 stars then, divide the table at that day, and import each part with its own --rating-scale; if not, import with --partial"},
		{"source by its name", func(c *Config) { c.Source = "Google Maps" }, "rating,date,text\n5,2026-01-02,Good.\n", `source "Google Maps" is not one word in small letters; write google`},
		{"language by its name", func(c *Config) { c.Language = "German" }, "rating,date,text\n5,2026-01-02,Gut.\n", "1 added"},
		{"language that is a country", func(c *Config) { c.Language = "UK" }, "rating,date,text\n5,2026-01-02,Good.\n", `language "UK" is a country; write the code of the language, such as --language en; for Ukrainian, write --language uk`},
		{"language that is no language, but a country", func(c *Config) { c.Language = "CZ" }, "rating,date,text\n5,2026-01-02,Good.\n", `language "CZ" is a country; write the code of the language, such as --language cs`},
		{"language of a country", func(c *Config) { c.Language = "British English" }, "rating,date,text\n5,2026-01-02,Good.\n", "1 added"},
		{"language in small letters", func(c *Config) { c.Language = "uk" }, "rating,date,text\n5,2026-01-02,Добре.\n", "1 added"},
		{"beginning of a language", func(c *Config) { c.Language = "po" }, "rating,date,text\n5,2026-01-02,Good.\n", `language "po" is not known; write its code, such as en, de or pt-BR`},
		{"beginning of a language in a cell", func(c *Config) { c.Map = map[string]string{"language": "in"} }, "rating,date,text,in\n5,2026-01-02,Dobrze.,po\n4,2026-01-03,Good.,en\n",
			`language "po" is not known; in the export, write its code, such as en, de or pt-BR`},
		{"languages by the codes of cars", func(c *Config) { c.Map = map[string]string{"language": "in"} }, "rating,date,text,in\n5,2026-01-02,Schnell.,D\n4,2026-01-03,Gut.,A\n",
			"language \"D\" is not known; in the export, write its code, such as en, de or pt-BR, or its English name\n  row 3 (line 3): language \"A\" is not known; in the export, write its code"},
		{"languages by their names", func(c *Config) { c.Map = map[string]string{"language": "in"} }, "rating,date,text,in\n5,2026-01-02,Bon.,Français\n5,2026-01-03,Good.,English\n", "2 added"},
		{"day without a year", nil, "rating,date,text\n5,12-Nov,Good.\n", `date "12-Nov" has no year; if it is a date in a spreadsheet, format the column as YYYY-MM-DD there, and export again; if it is text, or stays as it is then, write it with its year into the cell, as YYYY-MM-DD`},
		{"words for stars", nil, "rating,date,text\nVery satisfied,2026-01-02,Good.\n", `rating "Very satisfied" is not a number; write how many stars it stands for in its place`},
		{"time stamp of Google Forms", nil, "rating,date,text\n5,2026/01/03 2:14:07 PM GMT-5,Good.\n", "1 added"},
		{"sign of a text in Excel", nil, "rating,date,text\n5,'2026-01-02,Good.\n", "1 added"},
		{"curly quotes", nil, "rating,date,text\n5,“2026-11-02”,“Good.”\n", `date "“2026-11-02”" is in curly quotation marks, which a word processor has written; replace them by straight ones (") in the whole table, and import it again`},
		{"first names only", nil, "rating,date,text,First name\n5,2026-11-02,Good.,Jo\n", "text=text,author=First name"},
		{"first and last names", nil, "rating,date,text,Prénom,Nom\n5,2026-11-02,Good.,Jo,Kim\n", "text=text,author=Prénom+Nom"},
		{"a column that says no", func(c *Config) { c.Map = map[string]string{"verification.method": "known"} }, "rating,date,text,known\n5,2026-01-02,Good.,nein\n",
			"1 review not published, because the column of verification.method doesn't say that the customer was verified"},
		{"month", nil, "rating,date,text\n5,September 2026,Good.\n", `date "September 2026" does not say which day; if a spreadsheet has it, format the column as YYYY-MM-DD there, and export again; if not, write one into the cell, as YYYY-MM-DD (the first of the month if it is not known)`},
		{"month in German", nil, "rating,date,text\n5,Besucht im März 2026,Good.\n", "does not say which day"},
		{"month in digits", nil, "rating,date,text\n5,9/2026,Good.\n", "does not say which day"},
		{"month after the year", nil, "rating,date,text\n5,2026-09,Good.\n", "does not say which day"},
		{"month of a spreadsheet", nil, "rating,date,text\n5,Sep-26,Good.\n", "does not say which day"},
		{"year", nil, "rating,date,text\n5,2026,Good.\n", "does not say which day"},
		{"day of Excel", nil, "rating,date,text\n5,46308,Good.\n", `date "46308" is the number by which Excel stores 2026-10-13; format the column as YYYY-MM-DD there, and export again`},
		{"two forms of dates", nil, "rating,date,text\n5,2026-01-02,Good.\n4,03.01.2026,Fine.\n3,2026-01-04,Late.\n",
			`row 3 (line 3): date "03.01.2026" does not have the layout YYYY-MM-DD; if all dates are like it, set --date-layout to "DD.MM.YYYY"; if only some are, write them as YYYY-MM-DD`},
		{"merged cells", nil, "rating,date,text\n5,,Good.\n", "date is empty; write the day into the cell; of cells that are merged in a spreadsheet, only the first one has it"},
		{"addresses as authors", func(c *Config) { c.Map = map[string]string{"author": "email"} }, "rating,date,text,email,guest\n5,2026-01-02,Good.,jo@example.com,Jo Kim\n5,2026-01-02,Fine.,Al,Al B.\n",
			"1 review with an e-mail address in place of the name, which is never published; write the name into that cell and import again or, if another column has the names, write author= and its name in --map:\n  shop-"},
		{"addresses in the column of the names", nil, "Name,Stars,Date,Comment\njo@example.com,5,2026-01-02,Good.\n",
			`the column "Name" has e-mail addresses, which are never published, so that every review would be by Anonymous; import again with author= and the column of the names in --map or, if none has them, without author: --map "rating=Stars,date=Date,text=Comment"`},
		{"without the column of the names, which has addresses", func(c *Config) { c.Map = map[string]string{"rating": "Stars", "date": "Date", "text": "Comment"} }, "Name,Stars,Date,Comment\njo@example.com,5,2026-01-02,Good.\n",
			"add FIELD=COLUMN to that --map (--help lists the fields)\nno column has the authors' names: the reviews are by Anonymous; if one has, add author=COLUMN to --map\n"},
		{"dates that count back", nil, "rating,date,text\n5,há 3 semanas,Bom.\n", `date "há 3 semanas" does not say which day`},
		{"one of several technicians is unknown", func(c *Config) {
			c.Map = map[string]string{"technicians": "who"}
			c.Lookup = func(_, name string) (string, bool) { return "rosa", name == "Rosa Marin" }
		}, "rating,date,text,who\n5,2026-01-02,Good.,Rosa Marin; Dr. Pons\n", `technicians has "Dr. Pons", which business.yaml does not list`},
		{"grades of a school", nil, "Name,Note,Datum,Kommentar\nJo,1,2026-01-02,Gut.\n", `the column "Note" may have grades, of which 1 is the best`},
		{"notes of our own as texts", func(c *Config) { c.Map = map[string]string{"text": "Private Notes"} }, "rating,date,Comment,Private Notes\n5,2026-01-02,A wonderful job.,tips well\n", `the column "Private Notes" seems to have notes or numbers of your own, which would be published as the customers' words; import again with --map "rating=rating,date=date,text=Comment"`},
		{"numbers of our own as texts", func(c *Config) { c.Map = map[string]string{"text": "Invoice"} }, "rating,date,Comment,Invoice\n5,2026-01-02,A wonderful job.,SB-23\n4,2026-01-03,Good.,SB-24\n", `import again with --map "rating=rating,date=date,text=Comment"`},
		{"texts without spaces", func(c *Config) { c.Map = map[string]string{"text": "Said"} }, "rating,date,Comment,Said\n5,2026-01-02,A wonderful job.,とても良い仕事でした\n", "1 added"},
		{"the good half of the texts", func(c *Config) { c.Map = map[string]string{"text": "Positive review"} }, "rating,date,Positive review,Negative review\n5,2026-01-02,A wonderful job.,It took long.\n", `the columns are Positive review and Negative review: join them`},
		{"an own table as one of Trustpilot", func(c *Config) { c.Platform, c.Map = "trustpilot", nil }, "Client,Stars,Date,Comment\nJo Hall,5,2026-01-02,A wonderful job.\n", "import csv FILE --source NAME"},
		{"a scale of 6", nil, "rating,date,text\n6,2026-01-02,Bra.\n3,2026-01-03,Ok.\n", "if all are out of 6: import"},
		{"two words for stars and text", nil, "Name,Sterne,Datum,Bewertung\nJo,5,2026-01-02,Gut.\n", "rating=Sterne,date=Datum,text=Bewertung,author=Name"},
		{"no verification", func(c *Config) { c.Verification = "" }, "rating,date,text\n5,2026-01-02,Good.\n",
			"1 review not published, because nothing says how you know that the authors were customers: import again with --verification and job (you found the job), invitation"},
		{"title above the header", nil, "Table 1\nName;Rating;Date;Review\nJo;5;2026-01-02;Good.\n", `the names of the columns, "Name", "Rating", "Date", "Review", are in line 2 of the export; delete what is above that line, or move it to the top if it was sorted with the reviews, and import again`},
		{"title with empty cells, and a map", func(c *Config) { c.Map = map[string]string{"rating": "Points", "date": "Day"} }, "Reviews 2026,,\n,,\nPoints,Day,Words\n5,2026-01-02,Good.\n",
			`the names of the columns, "Points", "Day", "Words", are in line 3`},
		{"no header, days in German", nil, "Jo;5;2.1.2026;Good.\n", `the first row, "Jo", "5", "2.1.2026", "Good.", is a review and not the names`},
		{"another platform's columns", func(c *Config) { c.Platform = "trustpilot" }, "Name,Rating,Date,Title,Review\nJo,5,2026-01-02,Fine,Good.\n",
			"these are not the columns of an export of Trustpilot; its columns are \"Name\", \"Rating\", \"Date\", \"Title\", \"Review\": if the reviews are from elsewhere, import them under that name: " +
				"`reviewcast import csv FILE --source NAME`; if they are from Trustpilot, say which column holds what: --map \"rating=Rating,date=Date,text=Review,author=Name,title=Title\""},
		{"text that goes on below, without quotes", nil, "author,rating,date,text\nJo,5,2026-01-02,Good.\nBo,1,2026-01-03,Waited nine days.\n\nIt was here, all the time.\nNo.\nAl,4,2026-01-04,Fine.\n",
			"nothing was imported into reviews/import-shop.jsonl: 2 could be added, 0 updated, 0 unchanged, 3 skipped of 5 rows\ncolumns: --map \"rating=rating,date=date,text=text,author=author\"\n3 rows skipped: number of cells differs from the header's\n" +
				"  row 3 (line 3): the text seems to go on in line 5; put straight quotes (\") around the whole text, or delete line 5 if it is no part of it\n" +
				"  row 4 (line 5): the text seems to go on in line 6; put straight quotes (\") around the whole text, or delete line 6 if it is no part of it\n" +
				"  row 5 (line 6): the line seems to be the rest of the text in line 5\n"},
		{"another business's reviews", nil, "rating,date,text,Store\n5,2026-01-02,Good.,Acme Graz\n5,2026-01-03,Fine.,Acme Graz\n2,2026-01-04,Late.,Bakery\n",
			`the column "Store" names several: "Acme Graz" and "Bakery"; if they are businesses, and not all are this one, delete the rows of the others`},
		{"one business's reviews", nil, "rating,date,text,Store\n5,2026-01-02,Good.,Acme Graz\n5,2026-01-03,Fine.,Acme Graz\n", "2 added"},
		{"header in the middle", nil, "rating,date,text\n5,2026-01-03,Fine.\nrating,date,text\n", "1 row skipped: no review\n  row 3 (line 3): the row repeats the names of the columns; delete it"},
		{"totals below the table", nil, "author,rating,date,text\nJo,5,2026-01-02,Good.\nSum,3,2026-01-02,Average\nTotal,30,,8 cards\nAverage:,4,2026-01-24,\n,4.5,,\n",
			"2 added, 0 updated, 0 unchanged, 3 skipped of 5 rows\ncolumns: --map \"rating=rating,date=date,text=text,author=author\"\n3 rows skipped: no review\n" +
				"  row 4 (line 4): the row seems to have totals or a heading, and is no review; delete it\n  row 5 (line 5)"},
		{"two columns that may be the text", nil, "Name,Stars,Day,Comment,Review\nJo,5,2026-01-02,,Good.\n",
			`the customers' words may be in "Comment", "Review"; say which column has them: --map "text=Comment" or --map "text=Review"; if several`},
		{"a column that may be the text", nil, "Name,Stars,Day,Private feedback\nJo,5,2026-01-02,Good.\n", `the customers' words may be in "Private feedback"`},
		{"notes of the business, and the customers' words", nil, "Cliente;Voto;Data;Note;Giudizio del cliente\nRita C.;2;2026-02-08;Cliente difficile, paga sempre in ritardo.;Freni a posto ma consegna tardi.\n",
			"rating=Voto,date=Data,text=Giudizio del cliente,author=Cliente\"\ncolumns that are not imported: \"Note\""},
		{"notes of the business, and words in a column of an unknown name", nil, "Cliente;Voto;Data;Note;Cosa ci scrive\nRita C.;2;2026-02-08;Cliente difficile, paga sempre in ritardo.;Freni a posto ma consegna tardi.\n",
			`the customers' words may be in "Note", "Cosa ci scrive"; say which column has them: --map "text=Note" or --map "text=Cosa ci scrive"`},
		{"notes of the business behind the text", nil, "Cliente;Voto;Data;Commento;Note\nRita C.;2;2026-02-08;Freni a posto ma consegna tardi.;Cliente difficile, paga sempre in ritardo.\n",
			"rating=Voto,date=Data,text=Commento,author=Cliente\"\ncolumns that are not imported: \"Note\""},
		{"notes that are the only words", nil, "Cliente;Voto;Data;Note\nRita C.;2;2026-02-08;Freni a posto ma consegna tardi.\n", "rating=Voto,date=Data,text=Note,author=Cliente"},
		{"notes of the business in German", nil, "Kunde;Sterne;Datum;Notizen;Kundenurteil\nRita C.;2;2026-02-08;Zahlt immer sehr spät, mahnen.;Bremsen gut, aber alles viel zu spät.\n",
			"rating=Sterne,date=Datum,text=Kundenurteil,author=Kunde\"\ncolumns that are not imported: \"Notizen\""},
		{"remarks of the business, and the customers' words", nil, "Customer;Stars;Date;Remarks;Customer comments\nRita C.;2;2026-02-08;She always pays far too late.;Brakes fine but the car came late.\n",
			`the customers' words may be in "Remarks", "Customer comments"; say which column has them`},
		{"a second line of headings", nil, "Name,Stars,Day,Review\nOpen-Ended Response,Response,,\nJo,5,2026-01-02,Good.\n", "the row is a second line of headings, and is left out"},
		{"two columns, one of them mapped", func(c *Config) { c.Map = map[string]string{"title": "Comment"} }, "Name,Stars,Day,Comment,Review\nJo,5,2026-01-02,regular,Good.\n", "1 added"},
		{"two columns, one named as the field", nil, "Name,Stars,Day,Comment,Text\nJo,5,2026-01-02,regular,Good.\n", "text=Text"},
		{"a form that was tried", nil, "author,rating,date,text\nTest Test,5,2026-01-02,Test!\nasdf,1,2026-01-03,asdfasdf\nJo,5,2026-01-04,They test well.\n",
			"2 reviews may be tests of a form; if so, delete the rows from the export, and the reviews from reviews/import-shop.jsonl:\n  shop-"},
		{"a scale of most ratings", func(c *Config) { c.Partial = true }, "rating,date,text\n10,2026-01-02,Good.\n4,2026-01-03,Fine.\n9,2026-01-04,Late.\n",
			"the ratings have another scale; import again with --rating-scale 10, and with --round nearest or down for ratings between two stars; if a spreadsheet program has counted on from row to row, as 4, 5, 6, correct the rows instead\n"},
		{"numbers of jobs", func(c *Config) { c.Map = map[string]string{"verification.method": "Job"} }, "rating,date,text,Job\n5,2026-01-02,Good.,J-104\n",
			"1 added"},
		{"one column for two fields", func(c *Config) {
			c.Map = map[string]string{"owner_reply.text": "reply", "owner_reply.date": "date"}
		}, "rating,date,text,reply\n5,2026-01-02,Good.,Thanks\n", `column map: date and owner_reply.date are both from the column "date"`},
	} {
		d := newDesk(t)
		d.cfg.Map = nil
		if tt.change != nil {
			tt.change(&d.cfg)
		}
		if _, got := d.printed(tt.export); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

// TestTextFromTheTitle: an import that reads the text from what was the title says so.
func TestTextFromTheTitle(t *testing.T) {
	const export = "Name,Rating,Date,Title,Review\nJo,5,2026-01-02,Fine,They came on time.\n"
	d := newDesk(t)
	d.cfg.Map = nil
	d.load(export)
	d.cfg.Map = map[string]string{"text": "Title"}
	_, err := d.try(export)
	if want := `the column "Title" seems to have titles, and "Review" the texts; import again with --map`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestElsewhere: reviews that another file has already are not imported a second time.
func TestElsewhere(t *testing.T) {
	const export = "Name,Rating,Date,Review\nJo,5,2026-01-02,They came on time.\nBo,4,2026-01-03,They came too late.\n"
	d := newDesk(t)
	d.cfg.Map = nil
	d.load(export)
	places := map[string]string{"Jo": "reviews/import-shop.jsonl:2", "Bo": "reviews/import-shop.jsonl:1"}
	d.cfg.Standing = func(author string, _ reviewcast.Date, _ string) string { return places[author] }
	wantEqual(t, "again", counts(d.load(export)), [4]int{0, 0, 2, 0})

	d.cfg.Source = "s-hop"
	_, err := d.try(export)
	if want := "2 of the 2 reviews of this export are in reviews/import-shop.jsonl already, and would be published twice; if it has no other reviews, there is nothing to do; to update them, import a newer export of the same kind as that one with --source shop"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}

	d.cfg.Source = "shop"
	ids := map[string]string{}
	for _, c := range d.load(export + "Al,5,2026-01-04,Good.\n").Changes {
		ids[c.ID] = "reviews/import-shop.jsonl:1"
	}
	moved := d.data()
	if err := os.Rename(d.path("import-shop.jsonl"), d.path("old.jsonl")); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(moved) {
		ids[strings.Split(line, `"`)[3]] = "reviews/old.jsonl:1"
	}
	d.cfg.Taken = func(id string) string { return ids[id] }
	places = map[string]string{"Jo": "reviews/old.jsonl:2", "Bo": "reviews/old.jsonl:1", "Al": "reviews/old.jsonl:3"}
	report := d.load(export + "Di,5,2026-01-05,They were kind to us.\n")
	wantEqual(t, "moved", counts(report), [4]int{1, 0, 0, 2})
	wantEqual(t, "reason", report.Skipped[0].Reason, "the review stays as it is in reviews/old.jsonl:2; to have imports update it, move it to reviews/import-shop.jsonl")

	d.write("import-shop.jsonl", moved+d.data())
	d.cfg.Taken, d.cfg.Standing = nil, nil
	report = d.load(strings.ReplaceAll(export, "Jo,5", "Jo,3"))
	wantEqual(t, "moved back", counts(report), [4]int{0, 1, 1, 0})
}

// TestAgain: what a second import says of reviews that are here.
func TestAgain(t *testing.T) {
	d := newDesk(t)
	const export = "Name,Rating,Date,Review\nJo,5,2026-01-02,They came on time.\nBo,4,2026-01-03,They came too late.\n"
	d.cfg.Map = nil
	d.load(export)
	d.cfg.Verification = ""
	for _, tt := range []struct{ export, want string }{
		{export, "reviews/import-shop.jsonl: 0 added, 0 updated, 2 unchanged, 0 skipped of 2 rows\ncolumns: --map \"rating=Rating,date=Date,text=Review,author=Name\"\n"},
		{strings.Replace(export, "Bo,4", "Beau,4", 1), "reviews/import-shop.jsonl: 0 added, 0 updated, 1 unchanged, 1 skipped of 2 rows\ncolumns: --map \"rating=Rating,date=Date,text=Review,author=Name\"\n" +
			"1 row skipped: here already, with another author, date or text\n  row 3 (line 3): shop-a11521a21f44 is the same review with another author (here \"Bo\"), and would be here twice; if this row is right, write into its line in reviews/import-shop.jsonl: \"author\":\"Beau\"\n"},
		{strings.Replace(export, "too late.", "much too late.", 1) + "Al,5,2026-01-04,Fine and quick, and they were kind.\n", "would be here twice; if this row is right, write into its line in reviews/import-shop.jsonl: \"text\":\"They came much too late.\"\n1 row skipped: number of cells differs from the header's\n  row 4 (line 4): the row has 5 cells, the header 4; put straight quotes (\") around cells that contain \",\" or line ends\n"},
		{strings.Replace(export, "Bo,4,2026-01-03", "Bo,4,3.1.2026", 1), "not in this export, or in one of the skipped rows (nothing was deleted; if one is to go, delete its line in reviews/import-shop.jsonl, and build then says what to write into withdrawn.yaml), 1 review:\n  shop-a11521a21f44: Bo, 2026-01-03\n"},
	} {
		var got strings.Builder
		if err := d.load(tt.export).Print(&got, false, 0); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(got.String(), tt.want) {
			t.Errorf("got\n%s, want\n%s", got.String(), tt.want)
		}
	}
}

// TestNameAgain: the name of a review that had an e-mail address in its place comes in later, unless an editor has made
// the review Anonymous.
func TestNameAgain(t *testing.T) {
	const export = "Name,Rating,Date,Review\njo@example.com,5,2026-01-02,They came right on time.\nBo,4,2026-01-03,They came an hour too late.\n"
	d := newDesk(t)
	d.cfg.Map = nil
	d.load(export)
	d.edit(`"Bo"`, `"Anonymous"`)
	wantEqual(t, "counts", counts(d.load(strings.NewReplacer("jo@example.com", "Jo Kern", "Bo,", "Beau,").Replace(export)+"Al,3,2026-01-04,Good.\nDi,3,2026-01-05,Fair.\n")), [4]int{2, 1, 1, 0})
	if data := d.data(); !strings.Contains(data, `"author":"Jo K."`) || strings.Contains(data, `"author":"Be`) {
		t.Error(data)
	}
}

// TestReference: the proof of a verification is kept, and stays when a later import does not have its column.
func TestReference(t *testing.T) {
	const export = "Name,Rating,Date,Review,Invoice\nJo,5,2026-01-02,They came on time.,FT 2026/402\nBo,4,2026-01-03,They came too late.,\n"
	d := newDesk(t)
	for _, test := range []struct {
		columns, method string
		want            [4]int
	}{
		{"verification.reference=Invoice,verification.method=Invoice", "job", [4]int{2, 0, 0, 0}},
		{"verification.reference=Invoice", "job", [4]int{0, 1, 1, 0}},
		{"", "job", [4]int{0, 0, 2, 0}},
		{"", "receipt", [4]int{0, 2, 0, 0}},
	} {
		d.mapped(strings.TrimSuffix("rating=Rating,date=Date,text=Review,author=Name,"+test.columns, ",")).cfg.Verification = test.method
		wantEqual(t, test.columns, counts(d.load(export)), test.want)
		if want := `"verification":{"method":"` + test.method + `","reference":"FT 2026/402"}`; !strings.Contains(d.data(), want) {
			t.Errorf("%s: %s", test.columns, d.data())
		}
	}
}

// TestBareAgain: texts and names are read from columns that are empty first, and then from the right ones.
func TestBareAgain(t *testing.T) {
	d := newDesk(t)
	const export = "Stars,Day,Words,Who,Other\n5,2026-01-02,They came on time.,Jo,\n4,2026-01-03,They came too late.,Bo,\n"
	d.cfg.Map = map[string]string{"rating": "Stars", "date": "Day", "text": "Other"}
	d.load(export)
	d.cfg.Map = map[string]string{"rating": "Stars", "date": "Day", "text": "Words", "author": "Who"}
	report := d.load(export)
	wantEqual(t, "counts", counts(report), [4]int{0, 0, 0, 2})
	wantEqual(t, "code", report.Skipped[0].Code, OtherColumn)
}

// TestJSONInSpiteOfItsName: a file that is JSON is read as JSON, by the names of its members.
func TestJSONInSpiteOfItsName(t *testing.T) {
	d := newDesk(t)
	d.cfg.Map = nil
	report := d.load(`{"plugin": "shop", "avaliacoes": [{"nota": 5, "data": "2026-01-02", "comentário": "Bom.", "cliente": "Ana S."}]}`)
	wantEqual(t, "columns", report.Columns, "rating=nota,date=data,text=comentário,author=cliente")
	wantEqual(t, "counts", counts(report), [4]int{1, 0, 0, 0})
	d.cfg.Source, d.cfg.Map = "other", nil
	_, err := d.try("[{\"nota\": 5, \"data\": \"2026-01-02\"},\n]")
	if want := "there is a comma too many; before a ], delete it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestOtherStars: an export with new stars lists them, and one with another date changes nothing.
func TestOtherStars(t *testing.T) {
	const export = "Name,Rating,Date,Review\nJo,5,2026-01-02,They came on time.\nBo,4,2026-01-03,They came too late.\nAl,5,2026-01-14,They were kind.\nDi,3,2026-02-01,It works again and is clean.\n"
	d := newDesk(t)
	d.cfg.Map = nil
	d.load(export)
	before := d.data()
	report := d.load(strings.ReplaceAll(export, "2026-02-01", "2026-01-02"))
	wantEqual(t, "counts", counts(report), [4]int{0, 0, 3, 1})
	wantEqual(t, "data", d.data(), before)

	var got strings.Builder
	if err := d.load(strings.ReplaceAll(export, "Bo,4", "Bo,5")).Print(&got, false, 0); err != nil {
		t.Fatal(err)
	}
	if want := "1 review with other stars:\n  shop-a11521a21f44: 5, was 4\n"; !strings.HasSuffix(got.String(), want) {
		t.Errorf("got\n%s, want\n%s", got.String(), want)
	}
}

// manyRatings are 45 ratings up to 5, and then some up to 10.
func manyRatings() string {
	var b strings.Builder
	for i := range 45 {
		fmt.Fprintf(&b, "%d,2026-02-%02d,Text %d.\n", 1+i%5, 1+i%28, i)
	}
	for i := range 9 {
		fmt.Fprintf(&b, "%d,2026-03-%02d,Text of March %d.\n", 2+i, 1+(8-i), i)
	}
	return b.String()
}
