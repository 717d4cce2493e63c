package importer

import (
	"cmp"
	"regexp"
	"strings"
)

// letters are the parts of a layout as spreadsheets write it.
var letters = regexp.MustCompile(`(?i)am/pm|y+|m+|d+|h+|s+`)

// goParts are the parts of a layout of package time.
var goParts = map[string]string{"yyyy": "2006", "yy": "06", "m": "1", "mm": "1", "mmm": "Jan", "mmmm": "January", "d": "2", "dd": "2", "h": "15", "hh": "15", "ss": "05"}

// layoutOf converts a date layout as spreadsheets write it, DD/MM/YYYY or yyyy-mm-dd
// hh:mm:ss, to that of package time. A layout without a year in letters is returned
// as it is. Days and months may have one digit or two; m after hours means minutes.
func layoutOf(s string) string {
	if !strings.Contains(strings.ToLower(s), "yy") {
		return s
	}
	hours, halves := false, strings.Contains(strings.ToLower(s), "am/pm")
	return letters.ReplaceAllStringFunc(s, func(part string) string {
		lower := strings.ToLower(part)
		if lower == "mm" && hours {
			return "04"
		}
		hours = hours || lower[0] == 'h'
		switch {
		case lower == "am/pm":
			return "PM"
		case lower[0] == 'h' && halves:
			return "3"
		}
		return cmp.Or(goParts[lower], part)
	})
}

// inLetters converts a layout of package time to letters, for messages.
var inLetters = strings.NewReplacer("3:04", "h:mm", "PM", "AM/PM", "2006", "YYYY", "January", "MMMM", "Jan", "MMM", "01", "MM", "02", "DD", "15", "HH", "04", "mm", "05", "ss",
	"06", "YY", "1", "MM", "2", "DD", ".999999999", "", "Z07:00", " and a zone")
