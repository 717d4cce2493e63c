package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// timestamps are the layouts of instants that are read without --date-layout.
var timestamps = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST"}

// knownLayouts are those that messages suggest; of those with the same parts, the one with the day first. Dates have them
// without their weekday and their time.
var knownLayouts = []string{"YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD", "YYYY. MM. DD.", "YYYY. MMMM D.", "DD.MM.YYYY", "MM.DD.YYYY", "DD.MM.YY", "D. M. YYYY", "D MMMM YYYY", "D MMM YY", "MMMM D, YYYY",
	"D-MMM-YYYY", "D-MMM-YY", "D/MMM/YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD/MM/YY", "MM/DD/YY", "DD-MM-YYYY", "MM-DD-YYYY", "DD-MM-YY", "MM-DD-YY", "YY-MM-DD"}

// plainLayout writes a known layout for package time, as [diagnostic.PlainDate] writes dates.
var plainLayout = strings.NewReplacer("YYYY", "2006", "YY", "06", "MMMM", "Jan", "MMM", "Jan", "MM", "1", "M", "1", "DD", "2", "D", "2", ". ", " ", ",", "")

// swap exchanges the day and the month of a layout with digits.
var swap = strings.NewReplacer("2006", "2006", "15", "15", "01", "02", "02", "01", "1", "2", "2", "1")

// layoutsOf returns those of some known layouts that a date has.
func layoutsOf(layouts []string, date string) []string {
	date = diagnostic.PlainDate(date)
	return slices.DeleteFunc(slices.Clone(layouts), func(l string) bool {
		_, err := time.Parse(strings.TrimSuffix(plainLayout.Replace(l), "."), date)
		return err != nil
	})
}

func isDay(cell string) bool {
	return len(layoutsOf(knownLayouts, cell)) > 0 || forms("unixTime").MatchString(cell)
}

// layoutRemedy returns what to set --date-layout to for dates that have all the given layouts; "" for none, or for any.
func layoutRemedy(layouts []string) string {
	if len(layouts) == 0 || len(layouts) == len(knownLayouts) {
		return ""
	}
	if slices.Contains(layouts, "DD.MM.YYYY") { // with dots, the month comes first only where there is no other way
		layouts = slices.DeleteFunc(slices.Clone(layouts), func(l string) bool { return l == "MM.DD.YYYY" })
	}
	if len(layouts) == 1 {
		return strconv.Quote(layouts[0])
	}
	var choices []string
	for i, l := range layouts {
		choices = append(choices, fmt.Sprintf("%q if the %s "+diagnostic.Pick(i == 0, "comes first", "does"), l, map[byte]string{'D': "day", 'M': "month", 'Y': "year"}[l[0]]))
	}
	return strings.Join(choices, ", ")
}

// dateColumn returns the column with the days of the reviews: the one that is named so, unless another one has days in
// the first rows and is more likely to have those on which the reviews were written. If there are none, it is one with
// months. It returns "" if nothing says that the days are those of reviews.
func (c *Config) dateColumn(named string, header []string, rows [][]string) (column string, err error) {
	column = named
	for _, name := range days(header, rows) {
		if column == "" || likelyDays(name) > likelyDays(column) {
			column = name
		} else if at := slices.Index(header, column); fieldOf(name) == "date" && c.Map["date"] == "" && !everyCell(rows, at, func(cell string) bool { return cell != "" }) {
			return "", usageError(messages["dates with gaps"], quote(column), quote(name), "date="+column, "date="+name)
		}
	}
	if named != "" || column != "" && likelyDays(column) == ofReviews {
		return column, nil
	}
	for i, name := range header {
		if column == "" && everyCell(rows, i, forms("month").MatchString) {
			return name, nil
		}
	}
	return "", nil
}

// days returns the columns that have a day in each of the first rows, and aren't named as those of another kind of days.
func days(header []string, rows [][]string) (names []string) {
	for i, name := range header {
		if !forms("otherDay").MatchString(name) && everyCell(rows, i, isDay) {
			names = append(names, name)
		}
	}
	return names
}

// everyCell reports whether all cells of a column are of a kind.
func everyCell(rows [][]string, column int, is func(cell string) bool) bool {
	return column >= 0 && len(rows) > 0 && !slices.ContainsFunc(rows, func(cells []string) bool { return !is(cells[column]) })
}

// ofReviews is what likelyDays returns for days of reviews.
const ofReviews = 2

// likelyDays returns a higher number for a column that is more likely to have the days on which the reviews were written.
func likelyDays(column string) int {
	switch other := forms("like reply").MatchString(column) || forms("changeDay").MatchString(column); {
	case !other && forms("reviewDay").MatchString(column):
		return ofReviews
	case other || forms("stayDay").MatchString(column):
		return 0
	}
	return 1
}

func (c *converter) date(r *row, f field) (reviewcast.Date, *Skip) {
	cell := strings.TrimPrefix(strings.TrimSpace(r.cells[f]), "'") // which marks texts in Excel
	if _, was := diagnostic.TrimCurlyQuotes(cell); was {
		return "", r.skip(BadDate, messages["curly date"], f, quote(cell))
	}
	if cell == "" {
		return "", r.skip(NoDate, diagnostic.Pick(f == fieldReplyDate, messages["no date of reply"], messages["no date"]), f)
	}
	if c.croatian && forms("croatianMonth").MatchString(cell) {
		return "", r.skip(BadDate, messages["Croatian month"], f, quote(cell))
	}
	t, zoned, err := c.parse(cell)
	if err != nil || t.Year() <= 1970 {
		if words := said(dateWords, diagnostic.EnglishMonths(cell)); words != "" {
			return "", r.skip(BadDate, "%s %s %s", f, quote(cell), words)
		}
	}
	if err != nil {
		fit := layoutsOf(knownLayouts, cell)
		c.layouts = diagnostic.Pick(len(fit) > 0, layoutsOf(c.layouts, cell), c.layouts)
		layout := cmp.Or(layoutRemedy(fit), "the layout of the export, such as DD.MM.YYYY for 31.12.2025")
		switch {
		case strings.HasSuffix(err.Error(), "out of range"):
			c.absent++
			if day, no := time.Parse(swap.Replace(c.plain), diagnostic.PlainDate(cell)); no == nil && !c.iso {
				return "", r.skip(BadDate, messages["exchanged date"], f, quote(cell), inLetters.Replace(c.DateLayout), layout, day.Format(time.DateOnly))
			}
			return "", r.skip(BadDate, messages["no such date"], f, quote(cell), inLetters.Replace(c.DateLayout), layout)
		case forms("serial").MatchString(cell):
			days, _ := strconv.Atoi(cell[:5])
			return "", r.skip(BadDate, messages["day of Excel"], f, quote(cell), time.Date(1899, time.December, 30+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		}
		if f == fieldReplyDate {
			return "", r.skip(BadDate, messages["other date of reply"], f, quote(cell), inLetters.Replace(c.DateLayout))
		}
		return "", r.skip(BadDate, messages["other date"], f, quote(cell), inLetters.Replace(c.DateLayout), layout)
	}
	c.dated++
	if zoned {
		t = t.In(c.Location)
	}
	date := reviewcast.Date(t.Format(time.DateOnly))
	if c.Today != "" && date > c.Today || !date.Valid() { // a zone can carry the last day of year 9999 over
		if swapped, no := time.Parse(swap.Replace(c.plain), diagnostic.PlainDate(cell)); no == nil && !c.iso && swapped.Format(time.DateOnly) <= string(c.Today) {
			return "", r.skip(BadDate, messages["month first"], f, quote(cell), date, inLetters.Replace(swap.Replace(c.DateLayout)))
		}
		return "", r.skip(FutureDate, "%s %s is after today, %s; correct it or import it later", f, date, c.Today)
	}
	return date, nil
}

// dateForm is how dates are written: part 0 is their separator and the place of the year, and of those with the year last,
// parts 1 and 2 are the digits of the first and of the second number up to 9.
type dateForm struct {
	part int
	form string
}

// datesAlike counts dates that are written alike: early ones have a day and a month up to 12, which can be exchanged.
type datesAlike struct {
	early, late int
	example     string
}

// minAlike is how many dates of a kind are no chance.
const minAlike = 2

// countDate counts a date in digits by how it is written.
func (c *converter) countDate(cell string) {
	m := forms("digitDate").FindStringSubmatch(cell)
	if m == nil {
		return
	}
	early := diagnostic.Pick(forms("earlyDate").MatchString(cell), 1, 0)
	c.early, c.late = c.early+early, c.late+1-early
	for part, form := range []string{m[1] + " " + m[3], m[2], m[4]} {
		if form == "" {
			continue // two digits in any case
		}
		if part > 0 {
			form = strconv.Itoa(len(form))
		}
		alike := c.written[dateForm{part, form}]
		alike.example, alike.early, alike.late = cmp.Or(alike.example, cell), alike.early+early, alike.late+1-early
		c.written[dateForm{part, form}] = alike
	}
}

// exchanged says that a spreadsheet program has exchanged days and months; "" if it is not so. Such a program reads dates
// in the order of its own language. A date that has no such month remains a text; the others are stored with the day and
// the month exchanged, and exported in another layout, or in the same one without zeros.
func (c *converter) exchanged() string {
	for one, a := range c.written {
		for other, b := range c.written {
			if one.part == other.part && a.early >= minAlike && a.late == 0 && b.late >= minAlike && b.early == 0 {
				return fmt.Sprintf(messages["exchanged"], quote(a.example), quote(b.example))
			}
		}
	}
	return ""
}

// parse reads a date by the layout of the import, if need be without its weekday and its time; zoned reports whether it is
// an instant.
func (c *converter) parse(cell string) (t time.Time, zoned bool, err error) {
	layout := c.DateLayout
	t, err = time.Parse(layout, cell)
	zoned = c.zoned
	for i := 0; err != nil && c.iso && i < len(timestamps); i++ {
		if stamp, no := time.Parse(timestamps[i], cell); no == nil {
			name, offset := stamp.Zone() // 0 for one that isn't known, such as CET
			t, err, zoned = stamp, nil, c.Location != nil && (offset != 0 || slices.Contains([]string{"", "UTC", "GMT"}, name))
		}
	}
	if err != nil {
		hour, no := time.Parse("15:04", forms("hour").FindString(cell))
		zoned = c.utc && no == nil
		if cell, layout = diagnostic.PlainDate(cell), c.plain; c.iso {
			cell = strings.ReplaceAll(cell, "/", "-")
		}
		if t, err = time.Parse(layout, cell); zoned {
			t = t.Add(time.Duration(60*hour.Hour()+hour.Minute()) * time.Minute)
		}
		if day, no := time.Parse(time.DateOnly, cell); err != nil && no == nil && swap.Replace(layout) != "2006-1-2" {
			return day, false, nil // as messages say to write one that can't be read
		}
	}
	return t, zoned, err
}

// goParts are the parts of a layout of package time.
var goParts = map[string]string{"yyyy": "2006", "yy": "06", "m": "1", "mm": "1", "mmm": "Jan", "mmmm": "January", "d": "2", "dd": "2", "h": "15", "hh": "15", "ss": "05", "am/pm": "PM"}

// layoutLetters are the letters of languages for day, month and year.
var layoutLetters = rows("layouts")

// layoutOf converts a date layout as spreadsheets write it, DD/MM/YYYY, to that of package time; one without a year in
// letters is returned as it is. Days and months may have one digit or two; m after hours means minutes.
func layoutOf(s string) string {
	for _, letters := range layoutLetters {
		isOther := func(r rune) bool { return unicode.IsLetter(r) && !slices.Contains(letters, string(r)) }
		if lower := strings.ToLower(s); !strings.ContainsFunc(lower, isOther) {
			s = strings.NewReplacer(letters[0], "D", letters[1], "M", letters[2], "Y").Replace(lower)
			break
		}
	}
	if !strings.Contains(strings.ToLower(s), "yy") {
		return s
	}
	s = forms("ofMonth").ReplaceAllString(s, " ")
	hours, halves := false, strings.Contains(strings.ToLower(s), "am/pm")
	return forms("letters").ReplaceAllStringFunc(s, func(part string) string {
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
