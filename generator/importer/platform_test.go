package importer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const googlePage = `{
  "reviews": [
    {"name": "accounts/1/locations/22/reviews/AbC-1", "reviewId": "AbC-1", "reviewer": {"profilePhotoUrl": "https://x.example/p", "displayName": "Maria Kowalska"},
     "starRating": "FIVE", "comment": "(Translated by Google) Very good.\n\n(Original)\nOttimo lavoro.\nDavvero.", "createTime": "2026-03-01T23:30:00.123456Z", "updateTime": "2026-03-02T08:00:00Z",
     "reviewReply": {"comment": "Grazie!\n\n(Translated by Google)\nThank you!", "updateTime": "2026-03-03T08:00:00Z"}},
    {"name": "accounts/1/locations/22/reviews/AbC-2", "reviewId": "AbC-2", "reviewer": {"displayName": "Somebody", "isAnonymous": true}, "starRating": "ONE", "createTime": "2026-03-02T10:00:00Z"},
    {"name": "accounts/1/locations/33/reviews/AbC-3", "reviewId": "AbC-3", "reviewer": {"displayName": "Other Place"}, "starRating": "TWO", "createTime": "2026-03-02T10:00:00Z"},
    {"name": "accounts/1/locations/22/reviews/AbC-4", "reviewId": "AbC-4", "reviewer": {"displayName": "No Stars"}, "starRating": "STAR_RATING_UNSPECIFIED", "createTime": "2026-03-02T10:00:00Z"}
  ],
  "averageRating": 4.5, "totalReviewCount": 4
}
`

func place(t *testing.T, zone string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func importedInto(t *testing.T, dir, source string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "reviews", "import-"+source+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestGoogle: an answer of the API, with star words, a reply, several locations
// and Google's translations; then a newer one, in the other shapes that it comes
// in.
func TestGoogle(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{ContentDir: dir, Source: "google", Verification: "platform", Location: place(t, "Europe/Rome"), Today: "2026-11-01"}
	report, err := Google(t.Context(), strings.NewReader("\xEF\xBB\xBF"+googlePage), "22", cfg)
	if err != nil || report.Added != 2 || len(report.Skipped) != 1 || report.Skipped[0].Code != NoRating {
		t.Fatalf("%+v, %v", report, err)
	}
	got := importedInto(t, dir, "google")
	for _, want := range []string{
		`"author":"Maria K.","rating":5,"date":"2026-03-02"`, `"text":"Ottimo lavoro.\nDavvero."`, `"owner_reply":{"text":"Grazie!","date":"2026-03-03"}`,
		`"author":"Anonymous","rating":1,"date":"2026-03-02"`, `"verification":{"method":"platform"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for name, again := range map[string]string{
		"list": strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(googlePage), `{
  "reviews": `), `,
  "averageRating": 4.5, "totalReviewCount": 4
}`),
		"pages": googlePage + `{"averageRating": 4.5, "totalReviewCount": 4}` + "\n",
	} {
		report, err = Google(t.Context(), strings.NewReader(again), "22", cfg)
		if err != nil || report.Unchanged != 2 || report.Changed {
			t.Errorf("%s again: %+v, %v", name, report, err)
		}
	}
	report, err = Google(t.Context(), strings.NewReader(strings.Replace(googlePage, `"FIVE"`, "4", 1)), "22", cfg)
	if err != nil || report.Updated != 1 || !strings.Contains(importedInto(t, dir, "google"), `"rating":4`) {
		t.Errorf("a changed rating: %+v, %v", report, err)
	}
	before := importedInto(t, dir, "google")
	if _, err := Google(t.Context(), strings.NewReader(googlePage[:700]), "", cfg); err == nil || importedInto(t, dir, "google") != before {
		t.Errorf("half an export: %v", err)
	}
}

func TestUntranslated(t *testing.T) {
	for in, want := range map[string]string{
		"Just words.": "Just words.",
		"(Translated by Google) Good.\n\n(Original)\nBuono.":    "Buono.",
		"Buono.\n\n(Translated by Google)\nGood.":               "Buono.",
		"Buono.\r\n\r\n(Translated by Google) Good.\r\nTwice.":  "Buono.",
		"(Translated by Google) Good\n\n(Original) Bon travail": "Bon travail",
		"(Translated by Google) Good.":                          "",
		"They said (Translated by Google) once.":                "They said (Translated by Google) once.",
	} {
		if got := untranslated(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestPlatforms: exports by name, in each shape that is known, and by JSONL.
func TestPlatforms(t *testing.T) {
	for _, test := range []struct{ name, platform, export, want string }{
		{"trustpilot portal", "trustpilot", "Review Id,Review Created (UTC),Review Username,Review Title,Review Content,Review Stars,Reference Id,Review Language,Company Reply,Company Reply Date (UTC)\n" +
			"64a,2026-01-02 10:11:12,Maria Kowalska,Fine,All well.,4,ORDER-1,en,Thanks.,2026-01-03 08:00:00\n",
			`"author":"Maria K.","rating":4,"date":"2026-01-02","title":"Fine","text":"All well.","language":"en","source":"trustpilot","owner_reply":{"text":"Thanks.","date":"2026-01-03"}`},
		{"trustpilot api", "trustpilot", "id,stars,createdAt,consumer.displayName,title,text\n64b,2,2026-01-02T10:11:12Z,Jo,T,W\n", `"author":"Jo","rating":2,"date":"2026-01-02"`},
		{"trustpilot portal, all columns", "trustpilot", "Domain Url,Webshop Name,Business Unit Id,Review Id,Review Created (UTC),Review Consumer User Id,Review Username,Review User Email,Review Title,Review Content,Review Stars,Source Of Review,Reference Id,Company Response,Company Reply Date (UTC),Review Language\n" +
			"www.acme.example,Acme,46d,64a,2018-01-02 23:11:12,99,Maria Kowalska,maria@mail.example,Fine,All well.,4,Organic,ORDER-1,Thanks.,2018-01-03 08:00:00,en\n",
			`"author":"Maria K.","rating":4,"date":"2018-01-02","title":"Fine","text":"All well.","language":"en","source":"trustpilot","owner_reply":{"text":"Thanks.","date":"2018-01-03"}`},
		{"trustpilot portal, newer names", "trustpilot", "Review ID,Review Created (UTC),Review Username,Review Stars,Review Title,Review Content,Domain URL,Business Reply,Business Reply Date (UTC)\n" +
			"r1,2026-01-02 10:00:00,Jo,5,T,W,www.acme.example,Thanks.,2026-01-03 09:00:00\n",
			`"author":"Jo","rating":5,"date":"2026-01-02","title":"T","text":"W","source":"trustpilot","owner_reply":{"text":"Thanks.","date":"2026-01-03"}`},
		{"yelp data", "yelp", "review_id,user_id,business_id,stars,useful,text,date\nq1,u,b,3.0,0,Fine.,2026-01-02 10:11:12\n", `"rating":3,"date":"2026-01-02","text":"Fine.","source":"yelp"`},
		{"yelp by hand", "yelp", "Reviewer,Rating,Review,Date\nAda Lovelace,5,Great.,2026-01-02\n", `"author":"Ada L.","rating":5,"date":"2026-01-02","text":"Great."`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := Config{ContentDir: dir, Source: test.platform, Platform: test.platform, Location: time.UTC}
			report, err := CSV(t.Context(), strings.NewReader(test.export), cfg)
			if err != nil || report.Added != 1 {
				t.Fatalf("%+v, %v", report, err)
			}
			if got := importedInto(t, dir, test.platform); !strings.Contains(got, test.want) {
				t.Errorf("it is %s", got)
			}
			if got := importedInto(t, dir, test.platform); strings.Contains(got, "ORDER-1") || strings.Contains(got, "mail.example") {
				t.Error("a private column came in")
			}
		})
	}
	// A column that says UTC has instants: the day is the business's.
	dir := t.TempDir()
	export := "Review Id,Review Created (UTC),Review Username,Review Stars,Business Reply,Business Reply Date (UTC)\nr1,2026-01-02 03:30:00,Jo,5,Thanks.,2026-01-03 02:00:00\n"
	_, err := CSV(t.Context(), strings.NewReader(export), Config{ContentDir: dir, Source: "trustpilot", Platform: "trustpilot", Location: place(t, "America/New_York"), Today: "2026-01-02"})
	if got := importedInto(t, dir, "trustpilot"); err != nil || !strings.Contains(got, `"date":"2026-01-01"`) || !strings.Contains(got, `"owner_reply":{"text":"Thanks.","date":"2026-01-02"}`) {
		t.Errorf("instants in New York: %s, %v", got, err)
	}
	// A date with two meanings isn't guessed.
	report, err := CSV(t.Context(), strings.NewReader("Reviewer,Rating,Review,Date\nAda,5,Great.,1/2/2026\n"), Config{ContentDir: t.TempDir(), Source: "yelp", Platform: "yelp"})
	if err != nil || len(report.Skipped) != 1 || report.Skipped[0].Code != BadDate {
		t.Errorf("1/2/2026: %+v, %v", report, err)
	}
	report, err = CSV(t.Context(), strings.NewReader("Reviewer;Rating;Date\nAda;4,5;2026-01-02\n"), Config{Round: "nearest", ContentDir: t.TempDir(), Source: "yelp", Platform: "yelp"})
	if err != nil || report.Added != 1 {
		t.Errorf("Excel's semicolons: %+v, %v", report, err)
	}
	_, err = CSV(t.Context(), strings.NewReader("a,b\n1,2\n"), Config{ContentDir: t.TempDir(), Source: "yelp", Platform: "yelp"})
	if err == nil || !strings.Contains(err.Error(), `its columns are "a", "b"`) {
		t.Errorf("an unknown shape: %v", err)
	}
}

func TestJSONL(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{ContentDir: dir, Source: "app", Map: map[string]string{"id": "key", "rating": "score.stars", "date": "at", "text": "body", "author": "who"}, DateLayout: time.RFC3339, Partial: true}
	report, err := JSONL(t.Context(), strings.NewReader(`{"key":"a","score":{"stars":4},"at":"2026-01-02T00:00:00Z","body":"Ünder.","who":"Ada Lovelace"}

{"key":"b","score":{"stars":"5"},"at":"2026-01-03T00:00:00Z","body":null}
{"key":"c","score":{"stars":true},"at":"2026-01-03T00:00:00Z"}
"no object"
`), cfg)
	if err != nil || report.Added != 2 || len(report.Skipped) != 2 || report.Skipped[0].Code != BadValue || report.Skipped[1].Code != BadValue {
		t.Fatalf("%+v, %v", report, err)
	}
	if got := importedInto(t, dir, "app"); !strings.Contains(got, `"author":"Ada L.","rating":4,"date":"2026-01-02","text":"Ünder.","source":"app"`) {
		t.Errorf("it is %s", got)
	}
	if _, err := JSONL(t.Context(), strings.NewReader(`{"key":"a","score`), cfg); err == nil {
		t.Error("half a line passes")
	}
}

// TestMemberThatIsNotThere: as with columns, the names of the members are told, before anything is written.
func TestMemberThatIsNotThere(t *testing.T) {
	const export = `{"key":"a","score":{"stars":4,"max":5},"at":"2026-01-02","who":{"name":"Ada Lovelace"}}` + "\n" + `{"key":"b","score":{"stars":5,"max":5},"at":"2026-01-03"}`
	for want, columns := range map[string]map[string]string{
		`column map: rating=stars: the export has no such column (did you mean "score.stars"?)
column map: author=name: the export has no such column (did you mean "who.name"?); its columns are "at", "key", "score", "score.max", "score.stars", "who", "who.name"`: {"id": "key", "rating": "stars", "date": "at", "author": "name", "text": "body"},
		"": {"id": "key", "rating": "score.stars", "date": "at", "author": "who.name", "text": "body", "owner_reply.text": "reply.text", "owner_reply.date": "reply.at"},
	} {
		report, err := JSONL(t.Context(), strings.NewReader(export), Config{ContentDir: t.TempDir(), Source: "app", Map: columns})
		if want != "" && (err == nil || err.Error() != want) || want == "" && (err != nil || report.Added != 2) {
			t.Errorf("%+v, %v, want %s", report, err, want)
		}
	}
}

// TestLocations: reviews of several locations are not mixed unasked.
func TestLocations(t *testing.T) {
	cfg := Config{ContentDir: t.TempDir(), Source: "google"}
	_, err := Google(t.Context(), strings.NewReader(googlePage), "", cfg)
	if want := "the reviews are of the locations 22 (3 reviews, such as \"Maria Kowalska\": \"Ottimo lavoro.\\nDavvero.\"), 33 (1 review, such as \"Other Place\"); say with --location which number is this business's, or several with commas between them; for the first one: --location 22"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for location, want := range map[string]int{"33": 1, "22,33": 3} {
		cfg.ContentDir = t.TempDir()
		if report, err := Google(t.Context(), strings.NewReader(googlePage), location, cfg); err != nil || report.Added != want {
			t.Errorf("%s: %+v, %v", location, report, err)
		}
	}
}
