package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// timestamps are the layouts of a day with a time that are read without --date-layout; the last three are instants.
var timestamps = []string{"2006-01-02 15.04.05", "2006/01/02 3:04:05 pm MST", "2006/01/02 3:04:05 PM MST", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 MST"}

// halves writes the halves of a day as package time reads them.
var halves = strings.NewReplacer(" da manhã", " AM", " da tarde", " PM", " da noite", " PM", " a. m.", " AM", " p. m.", " PM", " a.m.", " AM", " p.m.", " PM")

// knownLayouts are those that messages suggest; of two with the same parts, the one with the day first.
var knownLayouts = []string{"YYYY-MM-DD", "YYYY-MM-DD HH:mm:ss", "YYYY-MM-DD HH:mm", "YYYY/MM/DD", "YYYY/MM/DD HH:mm:ss", "DD.MM.YYYY", "DD.MM.YYYY HH:mm", "D MMMM YYYY", "D MMM YYYY",
	"MMMM D, YYYY", "MMM D, YYYY", "D. MMMM YYYY", "D-MMM-YYYY", "D-MMM-YY", "DD.MM.YY", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 UTC", "DD/MM/YYYY h:mm AM/PM", "MM/DD/YYYY h:mm AM/PM", "DD/MM/YYYY h:mm:ss AM/PM", "MM/DD/YYYY h:mm:ss AM/PM", "YYYY-MM-DDTHH:mm:ss",
	"DD/MM/YYYY", "MM/DD/YYYY", "DD/MM/YY", "MM/DD/YY", "DD-MM-YYYY", "MM-DD-YYYY", "DD/MM/YYYY HH:mm", "MM/DD/YYYY HH:mm", "DD/MM/YYYY HH:mm:ss", "MM/DD/YYYY HH:mm:ss"}

// swap exchanges the day and the month of a layout with digits.
var swap = strings.NewReplacer("2006", "2006", "15", "15", "01", "02", "02", "01", "1", "2", "2", "1")

// layoutsOf returns those of some layouts that a date has.
func layoutsOf(layouts []string, date string) []string {
	return slices.DeleteFunc(slices.Clone(layouts), func(l string) bool {
		_, err := parseDay(layoutOf(l), date)
		return err != nil
	})
}

// parseDay reads a date by a layout, with months in any language.
func parseDay(layout, date string) (time.Time, error) {
	if strings.Contains(layout, "Jan") {
		date = diagnostic.EnglishMonths(forms["ofMonth"].ReplaceAllString(forms["first"].ReplaceAllString(date, "1 "), " "))
	}
	return time.Parse(strings.ReplaceAll(layout, "January", "Jan"), date)
}

// layoutRemedy returns what to set --date-layout to for dates that have all the given layouts; "" for none, or for any.
func layoutRemedy(layouts []string) string {
	if len(layouts) == 0 || len(layouts) == len(knownLayouts) {
		return ""
	}
	if other := strings.NewReplacer("DD", "MM", "MM", "DD").Replace(layouts[0]); other != layouts[0] && slices.Contains(layouts, other) {
		return fmt.Sprintf("%q if the day comes first, %q if the month does", layouts[0], other)
	}
	return strconv.Quote(layouts[0])
}

// date parses a calendar day.
func (c *converter) date(r *row, f field) (reviewcast.Date, *Skip) {
	cell := strings.TrimPrefix(strings.TrimSpace(r.cells[f]), "'") // which marks texts in Excel
	if _, was := diagnostic.TrimCurlyQuotes(cell); was {
		return "", r.skip(BadDate, "%s %s is in curly quotation marks, which a word processor has written; replace them by straight ones (\") in the whole table, and import it again", f, quote(cell))
	}
	if cell == "" {
		if f == fieldReplyDate {
			return "", r.skip(NoDate, "%s is empty, and a reply needs a day; write it into the cell, or delete the reply from the row", f)
		}
		return "", r.skip(NoDate, "%s is empty; write the day into the cell; of cells that are merged in a spreadsheet, only the first one has it", f)
	}
	t, err := parseDay(c.DateLayout, cell)
	other := swap.Replace(c.DateLayout)
	if other != c.DateLayout && !c.iso {
		if _, no := parseDay(other, cell); no == nil {
			c.otherwise++
		} else {
			c.neither++
		}
	}
	zoned := c.zoned
	for i := 0; err != nil && c.iso && i < len(timestamps); i++ {
		if stamp, no := time.Parse(timestamps[i], halves.Replace(cell)); no == nil {
			t, err, zoned = stamp, nil, i > 5 && c.Location != nil
		}
	}
	if err != nil {
		c.layouts = layoutsOf(c.layouts, cell)
		layout := cmp.Or(layoutRemedy(layoutsOf(knownLayouts, cell)), "the layout of the export, such as DD.MM.YYYY for 31.12.2025")
		if strings.HasSuffix(err.Error(), "out of range") {
			c.absent++
			return "", r.skip(BadDate, "%s %s has the layout %s, but does not exist; correct it, or set --date-layout to %s", f, quote(cell), inLetters.Replace(c.DateLayout), layout)
		}
		switch day := reviewcast.Date(cell); {
		case day.Valid() && swap.Replace(c.DateLayout) != c.DateLayout && cell[8:] <= "12":
			return "", r.skip(BadDate, "%s %s does not have the layout %s of the others; a spreadsheet may have exchanged its day and its month: export again, and do not open the file in a spreadsheet program", f, quote(cell), inLetters.Replace(c.DateLayout))
		case forms["noDay"].MatchString(diagnostic.EnglishMonths(cell)):
			return "", r.skip(BadDate, "%s %s does not say which day; if a spreadsheet has it, format the column as YYYY-MM-DD there, and export again; if not, write one into the cell, as YYYY-MM-DD (the first of the month if it is not known)", f, quote(cell))
		case forms["serial"].MatchString(cell):
			days, _ := strconv.Atoi(cell[:5])
			return "", r.skip(BadDate, "%s %s is the number by which Excel stores %s; format the column as YYYY-MM-DD there, and export again", f, quote(cell), time.Date(1899, time.December, 30+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		case forms["unixTime"].MatchString(cell):
			seconds, _ := strconv.ParseInt(cell[:10], 10, 64)
			return "", r.skip(BadDate, "%s %s counts from 1970, and is %s; in a spreadsheet, =A2/86400+25569 for seconds in A2 makes a day of it, in a column with the format YYYY-MM-DD", f, quote(cell), time.Unix(seconds, 0).UTC().Format(time.DateOnly))
		case forms["noYear"].MatchString(cell):
			return "", r.skip(BadDate, "%s %s has no year; format the column as YYYY-MM-DD in the spreadsheet, and export again", f, quote(cell))
		case strings.Trim(cell, "#") == "":
			return "", r.skip(BadDate, "%s %s stands for a day in a narrow column of a spreadsheet; widen the column, and export again", f, quote(cell))
		}
		if f == fieldReplyDate {
			return "", r.skip(BadDate, "%s %s does not have the layout %s, which the dates of the reviews have; write the days of the replies as %[3]s, too", f, quote(cell), inLetters.Replace(c.DateLayout))
		}
		return "", r.skip(BadDate, "%s %s does not have the layout %s; if all dates are like it, set --date-layout to %s; if only some are, write them as %[3]s", f, quote(cell), inLetters.Replace(c.DateLayout), layout)
	}
	c.dated++
	if zoned {
		t = t.In(c.Location)
	}
	date := reviewcast.Date(t.Format(time.DateOnly))
	if !date.Valid() { // a zone can carry the last day of year 9999 over
		return "", r.skip(BadDate, "%s %s is out of range; correct it", f, quote(cell))
	}
	if c.Today != "" && date > c.Today {
		if swapped, err := time.Parse(other, cell); err == nil && !c.iso && reviewcast.Date(swapped.Format(time.DateOnly)) <= c.Today {
			return "", r.skip(BadDate, "%s %s, read as %s, is after today; if the month and the day are the other way round, set --date-layout to %q", f, quote(cell), date, inLetters.Replace(other))
		}
		return "", r.skip(FutureDate, "%s %s is after today, %s; correct it or import it later", f, date, c.Today)
	}
	return date, nil
}

// goParts are the parts of a layout of package time.
var goParts = map[string]string{"yyyy": "2006", "yy": "06", "m": "1", "mm": "1", "mmm": "Jan", "mmmm": "January", "d": "2", "dd": "2", "h": "15", "hh": "15", "ss": "05", "am/pm": "PM"}

// layoutOf converts a date layout as spreadsheets write it, DD/MM/YYYY, to that of package time; one without a year in
// letters is returned as it is. Days and months may have one digit or two; m after hours means minutes.
func layoutOf(s string) string {
	if !strings.Contains(strings.ToLower(s), "yy") {
		return s
	}
	s = forms["ofMonth"].ReplaceAllString(s, " ")
	hours, halves := false, strings.Contains(strings.ToLower(s), "am/pm")
	return forms["letters"].ReplaceAllStringFunc(s, func(part string) string {
		lower := strings.ToLower(part)
		if lower == "mm" && hours {
			return "04"
		}
		hours = hours || lower[0] == 'h'
		if lower[0] == 'h' && halves {
			return "3"
		}
		return cmp.Or(goParts[lower], part)
	})
}

// inLetters converts a layout of package time to letters, for messages.
var inLetters = strings.NewReplacer("3:04", "h:mm", "PM", "AM/PM", "2006", "YYYY", "January", "MMMM", "Jan", "MMM", "01", "MM", "02", "DD", "15", "HH", "04", "mm", "05", "ss",
	"06", "YY", "1", "MM", "2", "DD", ".999999999", "", "Z07:00", " and a zone")
