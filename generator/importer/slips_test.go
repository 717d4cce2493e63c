package importer

import (
	"strings"
	"testing"
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
			"no rating of this export is above 5, so --rating-scale 10 is probably wrong, and every review would have too few stars; leave it out; if customers could give 10, write one of the ratings with its scale, as 5/10"},
		{"scale that one rating says", func(c *Config) { c.RatingScale = 10 }, "rating,date,text\n4/10,2026-01-02,Good.\n2,2026-01-03,Fair.\n", "2 added"},
		{"scale of 100 for 10", func(c *Config) { c.RatingScale = 100 }, "rating,date,text\n10,2026-01-02,Good.\n8,2026-01-03,Fair.\n", "import with --rating-scale 10;"},
		{"month", nil, "rating,date,text\n5,September 2026,Good.\n", `date "September 2026" does not say which day; write one into the cell, such as 2026-09-01 (the first of the month if it is not known)`},
		{"month in German", nil, "rating,date,text\n5,Besucht im März 2026,Good.\n", "such as 2026-03-01 ("},
		{"month in digits", nil, "rating,date,text\n5,9/2026,Good.\n", "such as 2026-09-01 ("},
		{"month after the year", nil, "rating,date,text\n5,2026-09,Good.\n", "such as 2026-09-01 ("},
		{"month of a spreadsheet", nil, "rating,date,text\n5,Sep-26,Good.\n", "such as 2026-09-01 ("},
		{"year", nil, "rating,date,text\n5,2026,Good.\n", "such as 2026-01-01 ("},
		{"merged cells", nil, "rating,date,text\n5,,Good.\n", "date is empty; write the day into the cell; of cells that are merged in a spreadsheet, only the first one has it"},
		{"addresses as authors", func(c *Config) { c.Map = map[string]string{"author": "email"} }, "rating,date,text,email,guest\n5,2026-01-02,Good.,jo@example.com,Jo Kim\n",
			`the column of the author has e-mail addresses, which are never published: 1 review by Anonymous; if one of the columns "guest" has the names, write author= and its name in --map`},
		{"no verification", func(c *Config) { c.Verification = "" }, "rating,date,text\n5,2026-01-02,Good.\n",
			"1 review not published, because nothing says how you know that the authors were customers: import again with --verification and job (you found the job), invitation"},
	} {
		d := newDesk(t)
		d.cfg.Map = nil
		if tt.change != nil {
			tt.change(&d.cfg)
		}
		report, err := d.try(tt.export)
		var got strings.Builder
		if err != nil {
			got.WriteString(err.Error())
		} else if err := report.Print(&got, false, 0); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.String(), tt.want) {
			t.Errorf("%s: got\n%s, want\n%s", tt.name, got.String(), tt.want)
		}
	}
}
