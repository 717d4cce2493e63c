package importer

import (
	"regexp"
	"strings"
)

// letters are the parts of a layout as spreadsheets write it.
var letters = regexp.MustCompile(`(?i)y+|m+|d+|h+|s+`)

// layoutOf converts a date layout as spreadsheets write it, DD/MM/YYYY or yyyy-mm-dd
// hh:mm:ss, to that of package time. A layout without a year in letters is returned
// as it is. Days and months may have one digit or two; m after hours means minutes.
func layoutOf(s string) string {
	if !strings.Contains(strings.ToLower(s), "yy") {
		return s
	}
	hours := false
	return letters.ReplaceAllStringFunc(s, func(part string) string {
		switch lower := strings.ToLower(part); {
		case lower == "yyyy":
			return "2006"
		case lower == "yy":
			return "06"
		case lower == "d" || lower == "dd":
			return "2"
		case lower == "h" || lower == "hh":
			hours = true
			return "15"
		case lower == "ss":
			return "05"
		case lower == "mm" && hours:
			return "04"
		case lower == "m" || lower == "mm":
			return "1"
		case lower == "mmm":
			return "Jan"
		case lower == "mmmm":
			return "January"
		}
		return part
	})
}

// inLetters converts a layout of package time to letters, for messages.
var inLetters = strings.NewReplacer("2006", "YYYY", "January", "MMMM", "Jan", "MMM", "01", "MM", "02", "DD", "15", "HH", "04", "mm", "05", "ss",
	"06", "YY", "1", "MM", "2", "DD", ".999999999", "", "Z07:00", " and a zone")
