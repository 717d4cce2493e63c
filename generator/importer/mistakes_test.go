package importer

import (
	"strings"
	"testing"
)

// TestExportMistakes: mistakes that small businesses made with their tables, and what is said about them.
func TestExportMistakes(t *testing.T) {
	const survey = "When,Name,Jak oceniasz naprawę?,Na ile polecisz nas znajomym (0-10)?,Comment\n2026-01-03,Jo,5,10,They were on time and kind.\n" +
		"2026-01-04,Bo,4,8,They were late but still kind.\n2026-01-05,Al,5,9,They came twice for nothing.\n"
	importExports(t, []exported{
		{name: "dice", export: "Navn,Terningkast,Dato,Kommentar\nIda K.,6,2026-01-12,Rolig.\nOla T.,4,2026-01-03,Dyrt.\nNora F.,6,2026-01-02,Bra.\n",
			want: []string{"if all are out of 6: import with --rating-scale 6 (or 10, if customers could give 10), and with --round",
				"the ratings have another scale; import again with --rating-scale 6 (or 10, if customers could give 10), and with --round nearest or down"}},
		{name: "6 below 10", export: "rating,date,text\n10,2026-01-12,Good.\n6,2026-01-03,Fair.\n", want: []string{"rating 6 is over the scale of 5; correct it or, if all are out of 10: import",
			"import again with --rating-scale 10, and with"}},
		{name: "a scale that changed", export: "rating,date,text\n10,2026-02-12,Good.\n4,2026-01-01,Fine.\n3,2026-01-02,Fair.\n5,2026-01-03,Fair!\n8,2026-02-11,Fine.\n9,2026-02-13,Kind.\n4,2026-01-04,Late.\n",
			want: []string{"if all ratings have the other scale, import again with --rating-scale 10",
				"3 ratings are over the scale, the first of them of 2026-02-11; if the platform has changed its scale on that day, divide the table there, and import each part with its own --rating-scale, the older one first"}},
		{name: "lost letters", export: "Imi?,Ocena,Data,Opinia\nJo,5,2026-01-02,Przegl?d zrobiony.\nBo,4,2026-01-03,By?o dobrze.\nAl,4,2026-01-04,now? kaset? i wszystko wyja?nione\nDi,5,2026-01-05,\n",
			want: []string{"nothing was imported", "the export has lost letters (Przegl?d By?o): a question mark stands in their place; export again as CSV UTF-8"}},
		{name: "one lost letter", export: "Name,rating,date,text\nJo,5,2026-01-02,Przegl?d zrobiony.\nBo,4,2026-01-03,Dobre?\n", want: []string{"2 added"}},
		{name: "single quotes", export: "'Imię','Ocena','Data','Opinia'\n'Marta K.','5','2026-01-03','Dobrze, szybko.'\n",
			want: []string{`the cells are in single quotes (text delimiter '); export again with " as text delimiter`}},
		{name: "stars and a recommendation", export: survey, want: []string{`--map "rating=Jak oceniasz naprawę?,date=When,text=Comment,author=Name"`}},
		{name: "Allegro", export: "rating,date,text\nPolecam,2026-01-02,Dobre.\nNie polecam,2026-01-03,Nie.\n", change: func(c *Config) { c.Map = map[string]string{"rating": "rating"} },
			want: []string{`rating "Polecam" is a recommendation`, `rating "Nie polecam" is a recommendation`}},
		{name: "the sheet of months", export: "Miesiąc;Liczba opinii;Średnia ocena\nwrzesień;4;4,25\npaździernik;4;4,00\n", want: []string{`--map "rating=COLUMN,`}},
		{name: "long names", export: "author,rating,date,text\nCarmen Vidal Ortega,5,2026-01-02,Good.\nJohn Joe K.,4,2026-01-03,Fine.\nJo Kim,4,2026-01-03,Fine.\n",
			want: []string{"1 review with the name shortened to an initial; if the surname is another word, correct it in reviews/import-shop.jsonl, which later imports keep:", `  "Carmen Vidal Ortega" is "Carmen O."` + "\n"}},
		{name: "two tables", export: "Name,Rating,Date,Review\nJo,5,2026-01-02,Good.\nName;Rating;Date;Review\nBo;4;2026-01-03;Fine.\n",
			want: []string{"so another table begins there; cut it off from line 3 on to the end"}},
	})
}

// TestRecommends: recommendations in the first person, too, are no ratings.
func TestRecommends(t *testing.T) {
	for word := range strings.SplitSeq("Polecam|Nie polecam|polecałabym|poleciłbym|Recomiendo|No recomiendo|consiglio|non consiglio|empfehle|recommande|doporučuji|"+
		"nedoporučuju|odporúčam|raad niet aan|beveel aan|en suosittele|nem ajánlom|nu recomand|ne preporučam|рекомендую|συνιστώ|não recomendo|anbefaler ikke", "|") {
		if !forms("recommends").MatchString(word) {
			t.Errorf("%s is no recommendation", word)
		}
	}
}

// TestMisspeltBesideRecommendations: a misspelt column of stars is that, also beside one of recommendations.
func TestMisspeltBesideRecommendations(t *testing.T) {
	d := newDesk(t)
	d.cfg.Map = map[string]string{"rating": "overall_ratings", "date": "date"}
	_, err := d.try("overall_rating,date,Review,recommended\n5,2026-01-02,Great work,1\n")
	if err == nil || !strings.Contains(err.Error(), `rating=overall_ratings: the export has no such column (did you mean "overall_rating"?)`) {
		t.Errorf("%v", err)
	}
}

// TestOtherID: a review whose id an editor changed isn't said to be removed.
func TestOtherID(t *testing.T) {
	d := newDesk(t)
	d.cfg.Map = nil
	const export = "Name,Rating,Date,Review\nJo,5,2026-01-02,They came on time and were kind.\n"
	id := d.load(export).Changes[0].ID
	d.edit(id, "jo-2026")
	report := d.load(export)
	wantEqual(t, "changed", report.Skipped[0].Reason, "jo-2026 has the same author, date, stars and text, so this row is left out; if its id was changed in reviews/import-shop.jsonl, give it back its id "+id)
	d.edit("jo-2026", id)
	wantEqual(t, "given back", counts(d.load(export)), [4]int{0, 0, 1, 0})
}
