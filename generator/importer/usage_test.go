package importer

import (
	"errors"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		export string
		want   string
	}{
		{"no rating", func(c *Config) { delete(c.Map, "rating") }, strings.Replace(header, "stars", "points", 1), `the export has no column rating; its columns are "id", "points", "day", "who", "title", "words", "answer", "answered": say which holds what: --map "rating=points,date=day,text=words,author=who,title=title,id=id"`},
		{"no map, no names of ours", func(c *Config) { c.Map = nil }, strings.Replace(header, "day", "moment", 1), `the export has no column date; its columns are "id", "stars", "moment", "who", "title", "words", "answer", "answered": say which holds what: --map "rating=stars,date=moment,text=words,author=who,title=title,id=id"`},
		{"unknown field", func(c *Config) { c.Map["athor"] = "who" }, header, `column map: there is no field "athor" (did you mean "author"?); the fields are rating, date, text, title, author, id, source_url, language, owner_reply.text, owner_reply.date, verification.method, verification.reference, technicians, services, service_areas`},
		{"empty column", func(c *Config) { c.Map["text"] = " " }, header, "column map: text has no column; write text=COLUMN"},
		{"half a reply", func(c *Config) { delete(c.Map, "owner_reply.date") }, header, "column map: an owner's reply needs both owner_reply.text and owner_reply.date; add the other, or leave this one out; a table without the day of each reply needs one more column"},
		{"unknown column", func(c *Config) { c.Map["text"] = "wrods" }, header, `column map: text=wrods: the export has no such column (did you mean "words"?); its columns are "id", "stars", "day", "who", "title", "words", "answer", "answered"`},
		{"two of a name", func(*Config) {}, "stars," + header, "two columns are named \"stars\", columns 1 and 3; give the one that is not to be published another name in the table, and import again"},
		{"options", func(c *Config) {
			c.Source, c.Verification, c.RatingScale, c.DateLayout = "My Shop", "trust", -1, "YYYY-MM"
			c.Language, c.Encoding = "!", "latin-1"
		}, header, strings.Join([]string{
			`source "My Shop" is not one word in small letters; write my-shop`,
			`verification "trust" is unknown; it says how you know that the authors were customers: job (you found the job), invitation (you asked them to write), receipt (they showed a receipt or an invoice) or platform (the platform has checked it)`,
			`rating scale -1 is out of range; set the best rating, from 1 to 1000`,
			`date layout "YYYY-MM" lacks the day, the month or the year, or has other letters for them; write DD, MM and YYYY in the order that the dates have, such as YYYY-MM-DD, DD/MM/YYYY or D MMMM YYYY`,
			`language "!" is not known; write its code, such as en, de or pt-BR, or its English name`,
			`encoding "latin-1" is unknown; write windows-1252, which has all of it; or save the export as CSV UTF-8, and import it without --encoding`}, "\n")},
		{"path in source", func(c *Config) { c.Source = "../shop" }, header, `source "../shop" is not one word in small letters; use lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit, at most 32`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			tt.change(&d.cfg)
			_, err := d.try(tt.export + rowA)
			var usage *UsageError
			if !errors.As(err, &usage) {
				t.Fatalf("got %v, want a UsageError", err)
			}
			wantEqual(t, "message", err.Error(), tt.want)
		})
	}
}

func TestAnotherWayToTellApart(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	_, err := d.without("id", "title").try(header + rowA)
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Fatalf("got %v, want a UsageError", err)
	}
	wantEqual(t, "message", err.Error(), "the import before this one identified reviews by id, and this one has no id: every review would be added a second time; map id to a column, too, or export again where that export came from. If that import was a mistake, and its reviews are not published yet, delete reviews/import-shop.jsonl and import again")
}

func TestParseMap(t *testing.T) {
	m, err := ParseMap(`rating=Star rating, date=a=b,"text=Review, public"`)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "map", m, map[string]string{"rating": "Star rating", "date": "a=b", "text": "Review, public"})
	for s, want := range map[string]string{
		"":                    "the column map is empty; write rating=COLUMN,date=COLUMN,text=COLUMN",
		"rating":              `column map: "rating" is not field=COLUMN; write rating=COLUMN`,
		"text=a,text=b,title": `column map: "text" is given twice, and has one column: keep one of them, or join the two columns in the table and map that one`,
	} {
		if _, err := ParseMap(s); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", s, err, want)
		}
	}
}
