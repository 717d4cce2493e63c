package importer

import (
	"strings"
	"testing"
)

// TestAbroad: tables of small firms in several countries, and what is said about them.
func TestAbroad(t *testing.T) {
	const booking = "Guest name,rating,date,text\nAnna Rossi,9,2026-01-02,Pulita.\nPeter Huber,10,2026-01-05,Sehr nett.\nIvan Horvat,4,2026-01-09,Bučna.\nSara Bianchi,8,2026-01-11,Bene.\nMaja Zupan,5,2026-01-14,Majhna.\n"
	importExports(t, []exported{
		{name: "decimal comma", export: "rating,date,text\n4,5,2026-01-02,Good.\n5,2026-01-03,Fine.\n3,2026-01-04,Late.\n", want: []string{"write a point in place of the comma; otherwise"}},
		{name: "a 10 after a 9", export: booking, want: []string{"rating 10 is over the scale of 5; correct it or, if all are out of 10", "the ratings have another scale; import again with --rating-scale 10, and with --round"}},
		{name: "a 10 after a 9, with --partial", export: booking, change: func(c *Config) { c.Partial = true }, want: []string{"nothing was imported"}},
		{name: "one 6 after a 5", export: "rating,date,text\n4,2026-01-01,Bene.\n5,2026-01-02,Pulita.\n6,2026-01-05,Sehr nett.\n3,2026-01-09,Bučna.\n", want: []string{"rating 6 is over the scale of 5; correct it or, if all are out of 6: import"}},
		{name: "a garbled name", export: "author,rating,date,text\nJoÅ¾e KovaÄ\u008d,5,2026-01-03,Zelo lepo.\nMaja KovaÄ\u008d,5,2026-01-03,Zelo lepo.\n",
			want: []string{`author has "Å¾" where "ž" was meant`, `row 3 (line 3): author has "Ä\u008d" where "č" was meant`}},
		{name: "Slovenian months", export: "Ime;Ocena;Datum;Mnenje\nJože;5;3. avgust 2025;Čista.\nŠpela;4;15. marec 2025;Odlična.\nAna;4;2. junij 2025;Lep.\nMia;4;2025-06-02;Prav lep.\n", change: func(c *Config) { c.DateLayout = "D MMMM YYYY" }, want: []string{"4 added"}},
		{name: "unknown month", export: "Ime;Ocena;Datum;Mnenje\nJože;5;3. avgust 2025;Čista.\nŠpela;4;15. rožnik 2025;Odlična.\n",
			want: []string{`date "15. rožnik 2025" has a month whose name isn't known; write this date as YYYY-MM-DD, such as 2026-06-14 for the 14th of June`}},
		{name: "surname first", export: "Priimek in ime;Ocena;Datum;Mnenje\nKovačič Jože;5;2026-01-03;Čista.\nVAN DEN BERG Jan;4;2026-01-05;Odlična.\n",
			want: []string{"author=Priimek in ime", `with the first name taken from the end, since the name of the column says that surnames are first`}},
		{name: "surname first, with a comma in the column", export: "\"Nachname, Vorname\";Sterne;Datum;Kommentar\nMüller Anna;5;2026-01-03;Gut.\nvon Thun, Max;5;2026-01-04;Sehr gut.\n", want: []string{"author=Nachname, Vorname", `"Müller Anna" is "Anna M."`}},
		{name: "countries for languages", export: "rating,date,text,land\n5,2026-01-03,Schön.,AT\n5,2026-01-03,Lepo.,SI\n5,2026-01-03,Mooi.,BE\n5,2026-01-03,Bello.,IT\n", change: func(c *Config) { c.Map = map[string]string{"language": "land"} },
			want: []string{`language "SI" is a country; write the code of the language in its place, such as sl`, `language "BE" is a country; write the code of the language in its place, such as nl`}, not: []string{`"IT"`}},
		{name: "a rare country alone", export: "rating,date,text,land\n5,2026-01-03,Bra.,SE\n5,2026-01-03,Bé.,CA\n", change: func(c *Config) { c.Map = map[string]string{"language": "land"} }, want: []string{`language "SE" is a country`}, not: []string{`"CA"`}},
		{name: "replies without a date", export: "Nome;Voto;Data;Commento;Risposta della casa\nAnna Rossi;5;2026-01-03;Pulita.;Grazie Anna, a presto!\n",
			want: []string{`if "Risposta della casa" has your replies, add owner_reply.text=Risposta della casa to that --map, and owner_reply.date= with the column of their days (if there is none, add one to the table)`}},
		{name: "replies with a date", export: "Nome;Voto;Data;Commento;Risposta nostra;Data risposta\nAnna Rossi;5;2026-01-03;Pulita.;Grazie Anna, a presto!;2026-01-04\n",
			want: []string{"if \"Risposta nostra\" has"}, not: []string{`if "Data`}},
		{name: "marks in words", export: "Nome;Giudizio;Data;Commento\nAnna Rossi;Ottimo;2026-01-03;Camera pulita e vista sul golfo.\nMarco Neri;Buono;2026-01-05;Letto comodo.\n",
			want: []string{`if one has words for them, write the numbers in their place, and import again with --map "rating=Giudizio,date=Data,text=Commento,author=Nome"`}},
		{name: "the author that is left", export: "Ospitanti;Data soggiorno;Data recensione;Punteggio;Commento\nAnna Rossi;2026-01-01;2026-01-03;5;Pulita.\n", want: []string{`--map "rating=Punteggio,date=Data recensione,text=Commento,author=Ospitanti"`}},
		{name: "garbled mark of byte order", export: "ï»¿Ime;Ocena;Datum;Komentar\nJože;5;2026-01-03;Super.\n", want: []string{`the name of the column "ï»¿Ime" has garbled characters`}},
		{name: "Serbian", export: "Име;Оцена;Датум;Коментар\nАна;5;2026-01-03;Супер.\n", want: []string{"rating=Оцена,date=Датум,text=Коментар,author=Име"}},
		{name: "Slovenian languages", export: "Ime;Ocena;Datum;Mnenje;Jezik\nJože;5 zvezdic;2026-01-03;Super.;slovenski\nHans;5 od 5;2026-01-03;Gut.;nemški\n", want: []string{"2 added"}},
		{name: "months of a journey", export: "Gast;Reisedatum;Abgegeben;Punkte;Positiv\nAnna H.;10/2025;2025-10-03;5,5;Tolle Lage und sehr nettes Personal im Haus.\n", want: []string{"rating=Punkte,date=Abgegeben,text=Positiv,author=Gast"}},
		{name: "guests", export: "Ospite;Data recensione;Voto;Commento\nAnna Rossi;2026-01-03;5;Pulita.\n", want: []string{"author=Ospite"}},
	})
}

// exported is an export, and what is to be said about it, and what not.
type exported struct {
	name, export string
	change       func(*Config)
	want, not    []string
}

// importExports imports each export into a folder of its own, with columns that are found.
func importExports(t *testing.T, exports []exported) {
	t.Helper()
	for _, tt := range exports {
		d := newDesk(t)
		d.cfg.Map = nil
		if tt.change != nil {
			tt.change(&d.cfg)
		}
		_, got := d.printed(tt.export)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s, want\n%s", tt.name, got, want)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: got\n%s, not\n%s", tt.name, got, not)
			}
		}
	}
}

// TestSurnameFirst: of names with the surname first, only its initial is published.
func TestSurnameFirst(t *testing.T) {
	for name, want := range map[string]string{"Kovačič Jože": "Jože K.", "VAN DEN BERG Jan": "Jan B.", "von Thun, Max": "Max T.", "Kovačič": "Kovačič", "García López Ana": "Ana L.", "García López, Ana": "Ana G.", "": "Anonymous", "jo@example.com": "Anonymous"} {
		d := newDesk(t)
		d.cfg.Map = map[string]string{"author": "Surname and name"}
		report := d.load("Surname and name,rating,date,text\n\"" + name + "\",5,2026-01-03,Good.\n")
		wantEqual(t, name, report.Changes[0].Author, want)
	}
}

// TestMadeAnonymous: a review that the editor has made Anonymous has an author in the export.
func TestMadeAnonymous(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB)
	d.edit("Maria K.", "Anonymous")
	wantEqual(t, "Anonymous", d.load(header+rowA+rowB).Anonymous, 0)
	wantEqual(t, "without a name", d.load(header+rowA+rowB+rowC).Anonymous, 1)
}

// TestTitles: titles and words for nobody of Central Europe.
func TestTitles(t *testing.T) {
	for name, want := range map[string]string{"g. Jože Kovač": "Jože K.", "ga. Novak": "ga. N.", "Gospa Ana Novak": "Ana N.", "prof. dr. sc. Ivan Horvat": "Ivan H.", "Bez imena": "Anonymous", "Név nélkül": "Anonymous", "uporabnik Google": "Anonymous", "Gašper Novak": "Gašper N."} {
		wantEqual(t, name, publishedAuthor(name, false), want)
	}
}
