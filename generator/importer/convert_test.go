package importer

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reviewcast"
)

// every maps each field to a column of its own name.
func every() map[string]string {
	m := map[string]string{}
	for _, name := range Fields() {
		m[name] = name
	}
	delete(m, "verification.method") // --verification holds for all rows
	return m
}

func TestStars(t *testing.T) {
	for _, tt := range []struct {
		scale  float64
		cell   string
		stars  int
		reason string // the beginning
	}{
		{5, "5", 5, ""},
		{5, "4.0", 4, ""},
		{5, "3.5", 4, ""},
		{5, "3.49", 3, ""},
		{5, "0.2", 1, ""},
		{5, " 2 ", 2, ""},
		{5, "+4", 4, ""},
		{10, "10.0", 5, ""},
		{10, "9", 5, ""},
		{10, "7", 4, ""},
		{10, "5", 3, ""},
		{10, "4.9", 2, ""},
		{10, "1", 1, ""},
		{10, "0.1", 1, ""},
		{100, "89.9", 4, ""},
		{100, "90", 5, ""},
		{3, "2", 3, ""},
		{5, "", 0, "rating is empty"},
		{5, "  ", 0, "rating is empty"},
		{5, "8.0", 0, "rating 8.0 is over the scale of 5; correct it or, if all are out of 10: import with"},
		{5, "5.1", 0, "rating 5.1 is over the scale of 5; correct it or, if all are out of 6"},
		{5, "12", 0, "rating 12 is over the scale of 5; correct it or, if all are out of 20"},
		{5, "98", 0, "rating 98 is over the scale of 5; correct it or, if all are out of 100"},
		{5, "500", 0, "rating \"500\" is over the scale of 5; correct it"},
		{10, "11", 0, "rating 11 is over the scale of 10; correct it or, if all are out of 20"},
		{5, "0", 0, `rating "0" is not above zero`},
		{5, "-3", 0, `rating "-3" is not above zero`},
		{5, "4,5", 5, ""},
		{5, "3,25", 3, ""},
		{1000, "1,000", 0, `rating "1,000" is not a number`},
		{5, "1.0,5", 0, `rating "1.0,5" is not a number`},
		{5, "many", 0, `rating "many" is not a number`},
		{5, "4/5", 4, ""},
		{10, "7,5 / 10", 4, ""},
		{5, "8/10", 0, `rating "8/10" has a scale of 10, not of 5: import with --rating-scale 10; if only some rows have it`},
		{5, "4/", 0, `rating "4/" is not a number`},
		{5, "4/0", 0, `rating "4/0" is not a number`},
		{5, "★★★★", 4, ""},
		{5, "★★★★☆", 4, ""},
		{5, "⭐⭐⭐⭐⭐", 5, ""},
		{5, "★★★☆", 0, `rating "★★★☆" has a scale of 4`},
		{5, "☆☆☆☆☆", 0, `rating "☆☆☆☆☆" is not above zero`},
		{5, "★★ of 5", 0, `rating "★★ of 5" is not a number`},
		{5, "0x4", 0, `rating "0x4" is not a number`},
		{5, "1e0", 0, `rating "1e0" is not a number`},
		{5, "NaN", 0, `rating "NaN" is not a number`},
		{5, "Inf", 0, `rating "Inf" is not a number`},
		{5, ".5", 0, `rating ".5" is not a number`},
		{5, "4.", 0, `rating "4." is not a number`},
		{5, "1.2.3", 0, `rating "1.2.3" is not a number`},
		{5, "-", 0, `rating "-" is not a number`},
		{5, strings.Repeat("4", 500), 0, `rating "4444`},
	} {
		c := newConverter(Config{RatingScale: tt.scale, Round: "nearest"}, nil)
		r := &row{}
		r.cells[fieldRating] = tt.cell
		stars, skip := starsOf(c, r)
		if reason := reasonOf(skip); stars != tt.stars || (reason == "") != (tt.reason == "") || !strings.HasPrefix(reason, tt.reason) {
			t.Errorf("%q of %g: %d stars, %q; want %d, %q", tt.cell, tt.scale, stars, reason, tt.stars, tt.reason)
		}
	}
}

// TestRound: without a wish, a rating between two stars is no rating that the customer
// gave.
func TestRound(t *testing.T) {
	for _, tt := range []struct {
		scale               float64
		cell                string
		none, nearest, down int
	}{{5, "4.5", 0, 5, 4}, {5, "1,5", 0, 2, 1}, {5, "4.0", 4, 4, 4}, {10, "9", 0, 5, 4}, {10, "8", 4, 4, 4}, {5, "0.4", 0, 1, 1}, {3, "2", 0, 3, 3}, {100, "60", 3, 3, 3}} {
		for round, want := range map[string]int{"": tt.none, "nearest": tt.nearest, "down": tt.down} {
			c := newConverter(Config{RatingScale: tt.scale, Round: round}, nil)
			r := &row{}
			r.cells[fieldRating] = tt.cell
			stars, skip := starsOf(c, r)
			if stars != want || (skip == nil) != (want > 0) {
				t.Errorf("%s of %g, rounding %q: %d stars, %v; want %d", tt.cell, tt.scale, round, stars, skip, want)
			}
			if skip != nil && !strings.Contains(skip.Reason, "--round nearest or --round down") {
				t.Errorf("%s", skip.Reason)
			}
		}
	}
}

func reasonOf(s *Skip) string {
	if s == nil {
		return ""
	}
	return s.Reason
}

// Stars grow with the rating, reach from 1 to 5, and are as near as can be.
func TestStarsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.IntRange(1, 1000).Draw(t, "scale")
		c := newConverter(Config{RatingScale: float64(scale), Round: "nearest"}, nil)
		stars := func(tenths int) int {
			r := &row{}
			r.cells[fieldRating] = strconv.FormatFloat(float64(tenths)/10, 'f', 1, 64)
			n, skip := starsOf(c, r)
			if skip != nil {
				t.Fatal(skip)
			}
			return n
		}
		a := rapid.IntRange(1, scale*10).Draw(t, "a")
		b := rapid.IntRange(a, scale*10).Draw(t, "b")
		if stars(a) > stars(b) || stars(scale*10) != reviewcast.MaxRating || stars(a) < reviewcast.MinRating {
			t.Fatalf("%d/10 of %d gives %d, %d/10 gives %d", a, scale, stars(a), b, stars(b))
		}
		if exact := float64(a) / 2 / float64(scale); stars(a) > 1 && math.Abs(exact-float64(stars(a))) > 0.5+1e-9 {
			t.Fatalf("%g stars became %d", exact, stars(a))
		}
	})
}

func TestDate(t *testing.T) {
	warsaw := time.FixedZone("", 2*60*60)
	for _, tt := range []struct {
		layout, cell string
		in           *time.Location
		date         reviewcast.Date
		code         Code
	}{
		{"2006-01-02", "2015-06-13", nil, "2015-06-13", ""},
		{"2006-01-02", " 2015-06-13 ", nil, "2015-06-13", ""},
		{"2006-01-02", "2015-06-14", nil, "2015-06-14", ""},
		{"2006-01-02", "2015-06-15", nil, "", FutureDate},
		{"2006-01-02", "", nil, "", NoDate},
		{"2006-01-02", "13/06/2015", nil, "", BadDate},
		{"2006-01-02", "2015-02-30", nil, "", BadDate},
		{"2006-01-02", "2015-6-3", nil, "2015-06-03", ""},
		{"2006-01-02", "Wed 2015/06/03 10:15", nil, "2015-06-03", ""},
		{"2/1/2006", "Mi. 03/06/2015 10:15 Uhr", nil, "2015-06-03", ""},
		{"2006-01-02", "2015-06-12 23:30:00 CET", warsaw, "2015-06-12", ""}, // a zone that Go does not know
		{"02/01/2006", "03/04/2015", nil, "2015-04-03", ""},
		{"01/02/2006", "03/04/2015", nil, "2015-03-04", ""},
		{"2 January 2006", "3 April 2015", nil, "2015-04-03", ""},
		{time.RFC3339, "2015-06-12T23:30:00Z", nil, "2015-06-12", ""},
		{time.RFC3339, "2015-06-12T23:30:00Z", warsaw, "2015-06-13", ""},
		{time.RFC3339, "2015-06-12T23:30:00-07:00", nil, "2015-06-12", ""},
		{"2006-01-02 15:04", "2015-06-12 23:30", warsaw, "2015-06-12", ""}, // no zone to come from
		{time.RFC3339, "9999-12-31T23:30:00Z", warsaw, "", FutureDate},
	} {
		c := newConverter(Config{RatingScale: 5, DateLayout: tt.layout, Location: tt.in, Today: "2015-06-14"}, nil)
		r := &row{}
		r.cells[fieldDate] = tt.cell
		date, skip := c.date(r, fieldDate)
		var code Code
		if skip != nil {
			code = skip.Code
		}
		if date != tt.date || code != tt.code {
			t.Errorf("%q as %q: %s %s, want %s %s", tt.cell, tt.layout, date, code, tt.date, tt.code)
		}
	}
}

func TestConvert(t *testing.T) {
	good := map[string]string{"rating": "4", "date": "2026-01-31", "text": "Fine.", "author": "Maria Kowalska", "id": "7"}
	long := strings.Repeat("é", reviewcast.MaxTextLength)
	for _, tt := range []struct {
		name   string
		cells  map[string]string
		line   string // the line that is written, or
		reason string // why not
	}{
		{"plain", nil,
			`{"id":"x-7","author":"Maria K.","rating":4,"date":"2026-01-31","text":"Fine.","language":"de","source":"x","verification":{"method":"receipt"}}`, ""},
		{"verbatim text", map[string]string{"text": " <b>\u200b\u202eFine\u00a0& \"good\"</b>\r\n\tyes \u2028\n"},
			`{"id":"x-7","author":"Maria K.","rating":4,"date":"2026-01-31","text":" <b>` + "\u200b\u202e" + `Fine` + "\u00a0" + `& \"good\"</b>\n\tyes ` + "\u2028" + `\n","language":"de","source":"x","verification":{"method":"receipt"}}`, ""},
		{"blank is absent", map[string]string{"text": " \n\t\u00a0", "title": " ", "source_url": " ", "owner_reply.text": "\n", "owner_reply.date": "never"},
			`{"id":"x-7","author":"Maria K.","rating":4,"date":"2026-01-31","language":"de","source":"x","verification":{"method":"receipt"}}`, ""},
		{"everything", map[string]string{"title": "T", "source_url": "https://example.com/r/7?a=b", "language": "pt_br", "owner_reply.text": "Thanks!", "owner_reply.date": "2026-02-01"},
			`{"id":"x-7","author":"Maria K.","rating":4,"date":"2026-01-31","title":"T","text":"Fine.","language":"pt-BR","source":"x","source_url":"https://example.com/r/7?a=b","owner_reply":{"text":"Thanks!","date":"2026-02-01"},"verification":{"method":"receipt"}}`, ""},
		{"no id", map[string]string{"id": " "}, "", "id is empty; fill it in, or leave id out of --map to identify reviews by their content"},
		{"bell", map[string]string{"text": "Fi\x07ne"}, "", "character 3 of text is U+0007, which can't be published; remove it from the export"},
		{"lone carriage return", map[string]string{"title": "é\rb"}, "", "character 2 of title is U+000D, which can't be published; remove it from the export"},
		{"noncharacter", map[string]string{"author": "\uffff"}, "", "character 1 of author is U+FFFF, which can't be published; remove it from the export"},
		{"reply's control", map[string]string{"owner_reply.text": "\u0085", "owner_reply.date": "2026-02-01"}, "", "character 1 of owner_reply.text is U+0085, which can't be published; remove it from the export"},
		{"longest", map[string]string{"text": long}, `{"id":"x-7","author":"Maria K.","rating":4,"date":"2026-01-31","text":"` + long + `","language":"de","source":"x","verification":{"method":"receipt"}}`, ""},
		{"too long", map[string]string{"text": long + "!"}, "", "text has 100001 characters, at most 100000 can be published; shorten it in the export"},
		{"name too long", map[string]string{"author": strings.Repeat("a", 201)}, "", "author has 201 characters, at most 200 can be published; shorten it in the export"},
		{"bad language", map[string]string{"language": "Deutsch!"}, "", `language "Deutsch!" is not known; in the export, write its code, such as en, de or pt-BR, or its English name`},
		{"relative URL", map[string]string{"source_url": "/r/7"}, "", `source_url "/r/7" is not an http(s) address with a host; correct it, or leave source_url out of --map`},
		{"script URL", map[string]string{"source_url": "javascript://x/%0aalert(1)"}, "", `source_url "javascript://x/%0aalert(1)" is not an http(s) address with a host; correct it, or leave source_url out of --map`},
		{"reply without a day", map[string]string{"owner_reply.text": "Thanks!"}, "", "owner_reply.date is empty, and a reply needs a day; write it into the cell, or delete the reply from the row"},
		{"reply of tomorrow", map[string]string{"owner_reply.text": "Thanks!", "owner_reply.date": "2026-03-02"}, "", "owner_reply.date 2026-03-02 is after today, 2026-03-01; correct it or import it later"},
		{"a cell that drives a terminal", map[string]string{"rating": "\x1b[2J\u202e" + strings.Repeat("x", 60)}, "", `rating "\x1b[2J\u202exxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" … is not a number; write how many stars it stands for in its place (Find and Replace of entire cells in that column does all at once), or map another column to rating; a row without stars can't be imported`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg, err := Config{Source: "x", Map: every(), Verification: "receipt", Language: "de", Today: "2026-03-01"}.check()
			if err != nil {
				t.Fatal(err)
			}
			r := &row{}
			for f, name := range fieldNames {
				r.cells[f] = good[name]
				if cell, ok := tt.cells[name]; ok {
					r.cells[f] = cell
				}
			}
			v, skip := newConverter(cfg, cfg.knownBy()).convert(r)
			if reasonOf(skip) != tt.reason {
				t.Fatalf("skipped: %q, want %q", reasonOf(skip), tt.reason)
			}
			if skip != nil {
				return
			}
			line := string((&record{id: "x-7", values: v.values}).append(nil))
			if line != tt.line+"\n" {
				t.Errorf("got  %swant %s", line, tt.line)
			}
			if _, err := parseRecord([]byte(line)); err != nil {
				t.Errorf("the line can't be read back: %v", err)
			}
		})
	}
}

func starsOf(c *converter, r *row) (int, *Skip) {
	var v review
	skip := c.stars(r, &v)
	n, _ := strconv.Atoi(string(v.values[fieldRating]))
	return n, skip
}

// TestLayoutsOfPeople has dates as people and programs write them.
func TestLayoutsOfPeople(t *testing.T) {
	for _, tt := range []struct{ layout, date, want, reason string }{
		{"D MMMM YYYY", "3 octobre 2026", "2026-10-03", ""},
		{"D. MMMM YYYY", "3. März 2026", "2026-03-03", ""},
		{"MMM D, YYYY", "Mar 3, 2026", "2026-03-03", ""},
		{"YYYY-MM-DD", "2026-10-03 12:44:21 UTC", "2026-10-03", ""},
		{"YYYY-MM-DD", "2026-10-03T23:40:00-07:00", "2026-10-04", ""}, // 08:40 in Rome
		{"YYYY-MM-DD", "2026-10-03 23:40", "2026-10-03", ""},
		{"YYYY-MM-DD", "2026-12-03", "", "date 2026-12-03 is after today, 2026-11-23"},
		{"DD/MM/YYYY", "10/12/2026", "", `date "10/12/2026", read as 2026-12-10, is after today; if the month and the day are the other way round, set --date-layout to "MM/DD/YYYY"`},
		{"MM/DD/YYYY", "25/10/2026", "", `date "25/10/2026" has the layout MM/DD/YYYY, but does not exist; if only some dates have day and month exchanged, write 2026-10-25 in its place; if all have, set --date-layout to "DD/MM/YYYY"`},
	} {
		rome, err := time.LoadLocation("Europe/Rome")
		if err != nil {
			t.Fatal(err)
		}
		c := newConverter(Config{DateLayout: layoutOf(tt.layout), Today: "2026-11-23", Location: rome}, nil)
		r := &row{}
		r.cells[fieldDate] = tt.date
		date, skip := c.date(r, fieldDate)
		if string(date) != tt.want || !strings.HasPrefix(reasonOf(skip), tt.reason) || (skip == nil) != (tt.reason == "") {
			t.Errorf("%s as %s: %s, %q; want %s, %q", tt.date, tt.layout, date, reasonOf(skip), tt.want, tt.reason)
		}
	}
	for _, letters := range []string{"TT.MM.JJJJ", "dd.mm.jjjj", "JJ.MM.AAAA", "gg.mm.aaaa", "dd.mm.rrrr", "DD.MM.ÅÅÅÅ", "pp.kk.vvvv", "zz.ll.aaaa", "gg.aa.yyyy", "dd.mm.gggg", "ηη.μμ.εεεε", "ДД.ММ.ГГГГ", "дд.мм.рррр"} {
		if got := time.Date(2026, time.October, 3, 0, 0, 0, 0, time.UTC).Format(layoutOf(letters)); got != "3.10.2026" && got != "03.10.2026" {
			t.Errorf("%s: %s", letters, got)
		}
	}
}

// TestLocationByName names a location of Google by its name.
func TestLocationByName(t *testing.T) {
	export := `{"reviews":[{"name":"accounts/1/locations/22/reviews/3","reviewer":{},"starRating":"FIVE","createTime":"2026-01-02T10:00:00Z"}]}`
	_, err := Google(t.Context(), strings.NewReader(export), "Springfield", Config{ContentDir: t.TempDir(), Source: "google"})
	if err == nil || !strings.Contains(err.Error(), `the reviews are of the locations 22 (1 review); "Springfield" is none of them; say with --location which number is`) {
		t.Error(err)
	}
}
