package importer

import (
	"strings"
	"testing"
)

const answers = "Name;Sterne;Datum;Kommentar\n" +
	"Anna K.;5;2026-01-01;Sehr freundlich und schnell.\n" +
	"Bernd L.;4;2026-01-03;Gute Arbeit, etwas spät.\n" +
	"Çelik A.;3;2026-01-07;Die Heizung läuft wieder, Rechnung war höher als gedacht.\n" +
	"Dörte S.;5;2026-01-12;Uwe hat alles erklärt und sauber verlassen.\n"

// newSurvey is a desk without a map.
func newSurvey(t *testing.T) *desk {
	d := newDesk(t)
	d.cfg.Map, d.cfg.Verification = nil, "job"
	return d
}

// printed imports, and returns what is printed.
func (d *desk) printed(export string) (*Report, string) {
	d.t.Helper()
	report, err := d.try(export)
	if err != nil {
		return report, err.Error()
	}
	var got strings.Builder
	if err := report.Print(&got, false, 0); err != nil {
		d.t.Fatal(err)
	}
	return report, got.String()
}

// says imports, and checks what is printed.
func (d *desk) says(export, want string) *Report {
	d.t.Helper()
	report, got := d.printed(export)
	if !strings.Contains(got, want) {
		d.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	return report
}

// mapped follows a remedy that names a map.
func (d *desk) mapped(m string) *desk {
	d.t.Helper()
	var err error
	if d.cfg.Map, err = ParseMap(m); err != nil {
		d.t.Fatal(err)
	}
	return d
}

// TestNewColumn: a newer export has another column that looks like the text, the title or the author.
func TestNewColumn(t *testing.T) {
	for _, tt := range []struct{ name, old, new, right string }{
		{"text", answers, "Name;Sterne;Datum;Text;Kommentar\n" +
			"Anna K.;5;2026-01-01;kurz: zufrieden;Sehr freundlich und schnell.\n" +
			"Bernd L.;4;2026-01-03;kurz: zufrieden;Gute Arbeit, etwas spät.\n" +
			"Çelik A.;3;2026-01-07;kurz: zufrieden;Die Heizung läuft wieder, Rechnung war höher als gedacht.\n" +
			"Dörte S.;5;2026-01-12;kurz: zufrieden;Uwe hat alles erklärt und sauber verlassen.\n" +
			"Erik P.;5;2026-02-02;kurz: sehr zufrieden;Kam sofort, alles wieder warm.\n",
			"rating=Sterne,date=Datum,text=Kommentar,author=Name"},
		{"author", "Kunde;Sterne;Datum;Text\nAnna K.;5;2026-01-01;Sehr freundlich und schnell.\nBernd L.;4;2026-01-03;Gute Arbeit, etwas spät.\n",
			"Name;Kunde;Sterne;Datum;Text\nUwe R.;Anna K.;5;2026-01-01;Sehr freundlich und schnell.\nUwe R.;Bernd L.;4;2026-01-03;Gute Arbeit, etwas spät.\nUwe R.;Erik P.;5;2026-02-02;Kam sofort, alles wieder warm.\n",
			"rating=Sterne,date=Datum,text=Text,author=Kunde"},
		{"date", "Name;Sterne;Tag;Text\nAnna K.;5;2026-01-01;Sehr freundlich und schnell.\nBernd L.;4;2026-01-03;Gute Arbeit, etwas spät.\n",
			"Name;Sterne;Tag;Date;Text\nAnna K.;5;2026-01-01;2026-01-05;Sehr freundlich und schnell.\nBernd L.;4;2026-01-03;2026-01-07;Gute Arbeit, etwas spät.\nErik P.;5;2026-02-02;2026-02-07;Kam sofort, alles wieder warm.\n",
			"rating=Sterne,date=Tag,text=Text,author=Name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newSurvey(t)
			d.load(tt.old)
			data := d.data()
			report := d.says(tt.new, "many of these reviews are here with another author, date or text; if this import has one of these from another column than the first one, import again with the first column in --map")
			wantEqual(t, "refused", report.Refused, true)
			wantEqual(t, "file", d.data(), data)
			d.mapped(tt.right)
			wantEqual(t, "remedy", counts(d.load(tt.new)), [4]int{1, 0, strings.Count(tt.old, "\n") - 1, 0})
		})
	}
}

// TestNewMember: so does a newer export in JSON.
func TestNewMember(t *testing.T) {
	d := newSurvey(t)
	d.load(`{"name":"Jo K.","stars":5,"date":"2026-01-02","comment":"They came on time."}`)
	d.says(`{"name":"Jo K.","stars":5,"date":"2026-01-02","text":"happy","comment":"They came on time."}`,
		`is the same review with another text, and would be here twice`)
}

// numbered puts the number of each row before it.
func numbered(export string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(export, "\n"), "\n")
	out := "Nr;" + lines[0]
	for i, line := range lines[1:] {
		out += string(rune('1'+i)) + ";" + line
	}
	return out
}

// TestRowNumbers: a column that counts the rows is no id.
func TestRowNumbers(t *testing.T) {
	d := newSurvey(t).mapped("id=Nr")
	d.load(numbered(answers))
	wantEqual(t, "the same again", counts(d.load(numbered(answers))), [4]int{0, 0, 4, 0})
	data := d.data()

	lines := strings.SplitAfter(strings.TrimSuffix(answers, "\n"), "\n")
	newer := numbered(lines[0] + "Erik P.;5;2026-02-02;Kam sofort, alles wieder warm.\n" + lines[4] + "\n" + lines[3] + lines[2] + lines[1])
	report := d.says(newer, `the column "Nr" has other numbers for most reviews than before, so it seems to count the rows; if these are other reviews than before, such as those of the next month, write numbers into the column that are higher than all those before, and import again; if they are the same, write the number that each had; or, if nothing of reviews/import-shop.jsonl is published yet, delete that file, and import this export and all before it again, without id: --map "rating=Sterne,date=Datum,text=Kommentar,author=Name"`)
	wantEqual(t, "refused", report.Refused, true)
	wantEqual(t, "file", d.data(), data)
	d.mapped("rating=Sterne,date=Datum,text=Kommentar,author=Name").says(newer, "every review would be added a second time")
}

// TestRowNumbersOfMonths: the tables of two months, both numbered from 1, and such numbers as the message names.
func TestRowNumbersOfMonths(t *testing.T) {
	const header = "Nr,Name,Stars,Date,Comment\n"
	d := newSurvey(t).mapped("id=Nr")
	d.load(header + "1,Rita C.,4,2026-01-08,Brakes fine.\n2,Aldo P.,5,2026-01-12,On time.\n")
	d.says(header+"1,Vera L.,5,2026-02-13,Very kind.\n2,Ivo M.,2,2026-02-20,Too dear.\n3,Nora B.,5,2026-02-21,Well done.\n",
		"if these are other reviews than before, such as those of the next month, write numbers into the column that are higher than all those before, and import again")
	report := d.load(header + "4,Vera L.,5,2026-02-13,Very kind.\n5,Ivo M.,2,2026-02-20,Too dear.\n3,Nora B.,5,2026-02-21,Well done.\n")
	wantEqual(t, "counts", counts(report), [4]int{3, 0, 0, 0})
}

// TestTwice: a review is not added under a second id.
func TestTwice(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	report := d.load(header + rowA + strings.Replace(rowA, "a1", "a2", 1))
	wantEqual(t, "counts", counts(report), [4]int{0, 0, 1, 1})
	wantEqual(t, "reason", report.Skipped[0].Reason, "shop-a1 has the same author, date, stars and text, so this row is left out")
	wantEqual(t, "short", counts(d.load(header+"d1,5,2026-01-09,Maria Kowalska,,Good.,,\nd2,5,2026-01-09,Maria Kern,,Good.,,\n")), [4]int{2, 0, 0, 0})
}

// TestSameRowsAsOne: two new rows are like one review that is here.
func TestSameRowsAsOne(t *testing.T) {
	d := newSurvey(t)
	d.load("Name;Sterne;Datum;Kommentar\nAnna Kern;5;2026-01-01;Sehr freundlich und schnell.\n")
	report := d.load("Name;Sterne;Datum;Kommentar\nAnna Kurz;5;2026-01-01;Sehr freundlich und schnell.\nAnna Klein;5;2026-01-01;Sehr freundlich und schnell.\n")
	wantEqual(t, "rows", report.Rows, 2)
}

// TestStates: reviews that aren't shown are left out, in any language, and in JSON.
func TestStates(t *testing.T) {
	for _, tt := range []struct{ column, hidden, shown string }{
		{"Freigegeben", "nein", "ja"}, {"Sichtbar", "NEIN", "Ja"}, {"Veröffentlicht", "falsch", "wahr"}, {"Online", "nein", "ja"}, {"Anzeigen", "nein", "ja"},
		{"Status", "nicht freigegeben", "freigegeben"}, {"Status", "gesperrt", "aktiv"}, {"Status", "inaktiv", "aktiv"}, {"Status", "abgelehnt", "angenommen"}, {"Status", "Entwurf", "veröffentlicht"}, {"Status", "ausstehend", "ok"},
		{"is_published", "false", "true"}, {"Approved", "f", "t"}, {"Status", "On hold", "approved"}, {"Publié", "non", "oui"}, {"Statut", "en attente", "publié"},
		{"Publicado", "no", "sí"}, {"Estado", "Pendiente", "Aprobado"}, {"Pubblicato", "no", "sì"}, {"Stato", "in attesa", "pubblicato"}, {"Aprovado", "Não", "Sim"}, {"Estado", "rascunho", "publicado"},
		{"Gepubliceerd", "nee", "ja"}, {"Status", "afgekeurd", "goedgekeurd"}, {"Opublikowane", "nie", "tak"}, {"Stan", "oczekujące", "opublikowane"}, {"Schváleno", "ne", "ano"}, {"Stav", "zamítnuto", "schváleno"},
		{"Publicerad", "nej", "ja"}, {"Status", "väntar", "publicerad"}, {"Godkendt", "nej", "ja"}, {"Status", "kladde", "godkendt"}, {"Publisert", "nei", "ja"}, {"Status", "utkast", "publisert"},
		{"Julkaistu", "ei", "kyllä"}, {"Tila", "odottaa", "julkaistu"}, {"Közzétéve", "nem", "igen"}, {"Állapot", "függőben", "közzétéve"}, {"Publicat", "nu", "da"}, {"Stare", "ciornă", "publicat"},
		{"Onaylandı", "hayır", "evet"}, {"Durum", "beklemede", "yayında"}, {"Hidden", "yes", "no"}, {"Gesperrt", "ja", "nein"}, {"deleted_at", "2026-01-05", ""}, {"Spam", "1", "0.02"},
		{"Einverstanden mit der Veröffentlichung?", "Nein", "Ja"}, {"Autorisez-vous la publication ?", "Non", "Oui"}, {"Zgoda na publikację", "nie", "tak"},
	} {
		d := newSurvey(t)
		report := d.load("Name;Sterne;Datum;Kommentar;" + tt.column + "\nJo K.;5;2026-01-02;Fine.;" + tt.shown + "\nAl B.;4;2026-01-03;Good.;" + tt.hidden + "\n")
		if report.Added != 1 || len(report.Skipped) != 1 || report.Skipped[0].Row != 3 || report.Skipped[0].Code != Unshown {
			t.Errorf("%s: %s or %s: %+v", tt.column, tt.hidden, tt.shown, report)
		}
	}
	d := newSurvey(t)
	report := d.load(`[{"name":"Jo K.","stars":5,"date":"2026-01-02","comment":"Fine.","approved":true,"deleted_at":null},{"name":"Al B.","stars":4,"date":"2026-01-03","comment":"Good.","approved":false}]`)
	wantEqual(t, "JSON", codes(report), []Code{Unshown})
	wantEqual(t, "added", report.Added, 1)
}

// TestVerifiedByNumber: the number of an invoice says that there was one, and no number that there was none.
func TestVerifiedByNumber(t *testing.T) {
	for cell, want := range map[string]string{
		"FT 2026/118": "receipt", "118": "receipt", "RE-2026-0118": "receipt", "#118": "receipt", "N-104": "receipt", "2026-01-02": "receipt", "ja": "receipt", "job": "job",
		"": "", "-": "", "–": "", "0": "", "nein": "", "keine": "", "aucune": "", "n/a": "skipped", "none 2026": "skipped", "unbezahlt 118": "skipped", "später": "skipped",
	} {
		d := newSurvey(t).mapped("verification.method=Rechnung")
		d.cfg.Verification = "receipt"
		report := d.load("Name;Sterne;Datum;Kommentar;Rechnung\nJo K.;5;2026-01-02;Fine.;" + cell + "\nAl B.;5;2026-01-02;Good.;ja\n")
		got := "skipped"
		if report.Added == 2 {
			got = map[int]string{0: "receipt", 1: ""}[report.Unverified]
		}
		if want != got && !(want == "job" && got == "receipt") {
			t.Errorf("%q: got %q, want %q: %v", cell, got, want, report.Skipped)
		}
	}
	d := newSurvey(t).mapped("verification.method=Rechnung")
	d.cfg.Verification = ""
	d.says("Name;Sterne;Datum;Kommentar;Rechnung\nJo K.;5;2026-01-02;Fine.;118\n", `verification.method is "118", which does not say how; add --verification with job, invitation, receipt or platform`)
	d.cfg.Verification = "receipt"
	d.says("Name;Sterne;Datum;Kommentar;Rechnung\nJo K.;5;2026-01-02;Fine.;bezahlt\nBo C.;4;2026-01-03;Bad.;\n",
		`verification.method is "bezahlt"; it must be job, invitation, receipt, platform, yes or a number (such as FT 2026/118, of an invoice), or for a customer who was not verified, no or nothing`)
}

// TestPartsOfNames: an author of two columns.
func TestPartsOfNames(t *testing.T) {
	const export = "Nome,Apelido,Estrelas,Data,Comentário\nSofia,Ramos,5,2026-01-02,Fine.\n"
	for _, m := range []string{"author=Nome Apelido", "author=Nome+Apelido", "author=Nome + Apelido", "author=Nome,Apelido", "author=Nome,author=Apelido", "rating=Estrelas"} {
		d := newSurvey(t).mapped(m)
		report := d.load(export)
		if report.Added != 1 || report.Changes[0].Author != "Sofia R." {
			t.Errorf("%s: got %+v", m, report)
		}
		wantEqual(t, "unused", report.Unused, []string(nil))
		d.mapped(report.Columns)
		wantEqual(t, "again", counts(d.load(export)), [4]int{0, 0, 1, 0})
	}
	for _, pair := range []string{"First Name,Last Name", "Vorname,Nachname", "Vorname,Name", "Prénom,Nom", "Nombre,Apellidos", "Nome,Cognome", "Voornaam,Achternaam", "Imię,Nazwisko", "Jméno,Příjmení", "Förnamn,Efternamn", "Fornavn,Etternavn", "Etunimi,Sukunimi", "Prenume,Nume", "Ad,Soyad"} {
		d := newSurvey(t)
		if report := d.load(pair + ",Stars,Date,Comment\nSofia,Ramos,5,2026-01-02,Fine.\n"); report.Added != 1 || report.Changes[0].Author != "Sofia R." {
			t.Errorf("%s: got %+v", pair, report)
		}
	}
	d := newSurvey(t)
	report := d.load("Customer,First name,Last name,Stars,Date,Comment\nSofia Ramos,Uwe,Richter,5,2026-01-02,Fine.\n")
	wantEqual(t, "a column with the name", report.Changes[0].Author, "Sofia R.")
	d = newSurvey(t).mapped("author=first+last")
	report = d.load(`{"first":"Sofia","last":"Ramos","stars":5,"date":"2026-01-02","comment":"Fine."}`)
	wantEqual(t, "JSON", report.Changes[0].Author, "Sofia R.")
}

// TestCommaInName: the name of a column has a comma and what looks like a further pair.
func TestCommaInName(t *testing.T) {
	for _, name := range []string{"Avaliação (de 1 a 5, 5 = ótimo)", "Note, 5 = best", "Rate us (bad = 1, good = 5)"} {
		d := newSurvey(t).mapped("rating=" + name + ",text=O que achou?,author=O seu nome,date=Data")
		report := d.load("Data,O seu nome,\"" + name + "\",O que achou?\n2026-01-02,Sofia R.,5,Fine.\n")
		wantEqual(t, name, report.Added, 1)
		wantEqual(t, "columns", report.Columns, `"rating=`+name+`",date=Data,text=O que achou?,author=O seu nome`)
		d.mapped(report.Columns)
		wantEqual(t, "again", counts(d.load("Data,O seu nome,\""+name+"\",O que achou?\n2026-01-02,Sofia R.,5,Fine.\n")), [4]int{0, 0, 1, 0})
	}
	d := newSurvey(t)
	d.cfg.Map = map[string]string{"rating": "stars", "autor": "name"}
	d.says("stars,name\n", `column map: there is no field "autor": write --map "author=name,rating=stars"`)
}

// TestOtherDay: the day of the job is mapped to the date, and another column has that of the review.
func TestOtherDay(t *testing.T) {
	const table = "Name,Rating,Hire date,Review date,Comment\nSheila Grant,5,2026-01-30,2026-02-03,The boat was silent.\n"
	d := newSurvey(t).mapped("date=Hire date")
	d.says(table, `the date is taken from the column "Hire date", and there is a column "Review date", whose days seem to be those of the reviews; import again with --map "rating=Rating,date=Review date,text=Comment,author=Name"; if the first one has them, import with --partial`)
	d.cfg.Partial = true
	wantEqual(t, "on purpose", counts(d.load(table)), [4]int{1, 0, 0, 0})
}

// TestStarsElsewhere: the column that is named like the stars has the texts, or no column has stars.
func TestStarsElsewhere(t *testing.T) {
	const export = "Kunde;Bewertung;Datum;Gesamt\nAnna K.;Sehr freundlich und schnell.;2026-01-01;5\nBernd L.;Gute Arbeit, etwas spät.;2026-01-03;4\n"
	d := newSurvey(t)
	d.says(export, `the column "Bewertung" has texts, and "Gesamt" seems to have the stars; import again with --map "rating=Gesamt,date=Datum,text=Bewertung,author=Kunde"`)
	wantEqual(t, "remedy", counts(d.mapped("rating=Gesamt,date=Datum,text=Bewertung,author=Kunde").load(export)), [4]int{2, 0, 0, 0})
	newSurvey(t).says("Kunde;Bewertung;Datum\nAnna K.;Sehr freundlich und sehr schnell.;2026-01-01\n", `rating "Sehr freundlich und sehr schnell." is a text; map the column that has the stars to rating`)
	newSurvey(t).says("Kunde;Punkte der Arbeit;Datum;Text\nAnna K.;5;2026-01-01;Gut.\n", `--map "rating=Punkte der Arbeit,date=Datum,text=Text,author=Kunde"`)
	wantEqual(t, "words", newSurvey(t).load("Kunde;Bewertung;Datum\nAnna K.;5 out of 5 stars;2026-01-01\n").Added, 1)
	wantEqual(t, "map", newSurvey(t).mapped("rating=Likes").load("Kunde;Likes;Datum;Text\nAnna K.;5;2026-01-01;They came on the day.\n").Added, 1)
	for _, export := range []string{"Kunde;Datum;Text\nAnna K.;2026-01-01;Gut.\n", "Nr;Kunde;Datum;Text\n1;Anna K.;2026-01-01;Gut.\n2;Bo;2026-01-01;Gut.\n3;Al;2026-01-01;Gut.\n", `{"name":"Jo","date":"2026-01-02","text":"Fine."}`} {
		newSurvey(t).says(export, "no column has numbers of stars, and reviews without stars can't be imported; ")
	}
	newSurvey(t).says("Kunde;Datum;Text;Wie bewerten Sie uns?\nAnna K.;2026-01-01;Gut.;sehr gut\n", `--map "rating=Wie bewerten Sie uns?,date=Datum`)
}

// TestCellErrors: what a spreadsheet shows in place of a text is not published.
func TestCellErrors(t *testing.T) {
	for _, cell := range []string{"#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#N/A", "#WERT!", "#NV", "#NOM?", "#¿NOMBRE?", "#¡VALOR!", "#NAZWA?", "#ARG!", "#ÉRTÉK!", "#AD?", "########", "Err:508"} {
		report := newSurvey(t).load("Name,Stars,Date,Comment\nJo K.,5,2026-01-02," + cell + "\nAl B.,4,2026-01-02,Good.\n")
		wantEqual(t, cell, codes(report), []Code{CellError})
	}
	for _, cell := range []string{"#1!", "# SUPER", "#super!", "#1", "OK!", "Err: nothing"} {
		wantEqual(t, cell, newSurvey(t).load("Name,Stars,Date,Comment\nJo K.,5,2026-01-02,"+cell+"\n").Added, 1)
	}
}

// TestCommasInLines: where a file in JSON is wrong.
func TestCommasInLines(t *testing.T) {
	const a, b = `{"name":"Jo K.","stars":5,"date":"2026-01-02","comment":"Fine."}`, `{"name":"Al B.","stars":4,"date":"2026-01-03","comment":"Good."}`
	newSurvey(t).says(a+",\n"+b+",\n", "read export: line 1: there is a comma too many; before a ], delete it; where each line is a review of its own, delete the comma at the end of each, or write [ before the first line and ] in place of the last comma")
	newSurvey(t).says("\n"+a+"\n"+b+",\n", "read export: line 3: there is a comma too many")
	newSurvey(t).says("["+a+"\n"+b+"]\n", "read export: line 2: a comma is missing between this review and the one before it")
	newSurvey(t).says("["+a+",\n"+b+",\n]\n", "line 2: there is a comma too many; before a ], delete it")
	newSurvey(t).says(a+"\n"+strings.Replace(b, `"comment"`, `comment`, 1)+"\n", "read export: line 2:")
	for _, right := range []string{a + "\n" + b + "\n", "[" + a + ",\n" + b + "\n]", a + b} {
		wantEqual(t, "remedy", newSurvey(t).load(right).Added, 2)
	}
}

// TestShortMonths: a day of which a spreadsheet shows the month only.
func TestShortMonths(t *testing.T) {
	for _, date := range []string{"Aug-26", "Aug 26", "août-26", "ago-26", "Okt. 26", "kwi’26"} {
		newSurvey(t).says("Name,Stars,Date,Comment\nJo K.,5,"+date+",Fine.\n", "does not say which day; if a spreadsheet has it, format the column as YYYY-MM-DD there, and export again; if not, write one into the cell")
	}
	newSurvey(t).says("Name,Stars,Date,Comment\n", "the export has no reviews; export again, without a filter and for all days, or wait until it has been downloaded completely")
}

// TestBrokenFile: an editor's line break in the file of the import.
func TestBrokenFile(t *testing.T) {
	d := newSurvey(t)
	d.load(answers)
	d.edit("Sehr freundlich und", "Sehr freundlich\nund")
	d.says(answers, "read reviews/import-shop.jsonl: line 4: the line can't be read; run `reviewcast check`, which says how to correct it, and then import again")
}

// TestCodePages: tables that Excel has saved as CSV (MS-DOS).
func TestCodePages(t *testing.T) {
	for encoding, text := range map[string]string{
		"cp850": "Nome;Estrelas;Data;Comentário\nSofia R.;5;2026-01-02;Serviço rápido, o Tiago foi impecável.\nInês L.;2;2026-01-03;Chegaram tarde, não avisaram.\n",
		"cp852": "Imię;Ocena;Data;Opinia\nZofia R.;5;2026-01-02;Szybko i porządnie, wszystko działa, dziękuję.\n",
		"cp866": "Имя;rating;date;text\nАнна;5;2026-01-02;Очень быстро и хорошо, спасибо.\n",
	} {
		raw, err := encodings[encoding].NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		d := newSurvey(t)
		d.says(raw, "it seems to be "+encoding+", where a word is")
		if encoding == "cp850" {
			d.cfg.Encoding = "windows-1252"
			d.says(raw, "import it with --encoding cp850")
		}
		d.cfg.Encoding = encoding
		d.says(raw, " added")
		if want := strings.Split(text, ";")[6]; !strings.Contains(d.data(), strings.Split(want, "\n")[0]) {
			t.Errorf("%s: got %s", encoding, d.data())
		}
	}
	d := newSurvey(t)
	for _, name := range []string{"dos", "MS-DOS", "cp437", "850", "ibm850", "oem"} {
		d.cfg.Encoding = name
		d.says(answers, "is unknown; write cp850; or save")
	}
}
