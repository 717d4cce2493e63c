package diagnostic

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"reviewcast"
)

// starWords are ratings in words.
var starWords = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
	"eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
	"un": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5,
	"uno": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5,
	"dos": 2, "tres": 3, "cuatro": 4, "cinco": 5,
}

// starNouns follow a number of stars.
var starNouns = []string{"stars", "star", "sterne", "stern", "étoiles", "étoile", "stelle", "stella", "estrellas", "estrella", "points", "punkte"}

// MeantRating returns what to write for a rating such as "5/5", "five" or "★★★★★"; ""
// if that is not clear. Nothing of it is accepted as a rating.
func MeantRating(s string) string {
	s, _ = TrimCurlyQuotes(s)
	s = strings.ToLower(strings.TrimSpace(s))
	for _, noun := range starNouns {
		if rest, ok := strings.CutSuffix(s, noun); ok {
			s = strings.TrimRight(rest, " -")
			break
		}
	}
	if n, ok := starWords[s]; ok {
		return fmt.Sprintf("write %d", n)
	}
	if n := strings.Count(s, "★") + strings.Count(s, "⭐"); n > 0 && strings.Trim(s, "★⭐☆✩\uFE0F ") == "" {
		if n > reviewcast.MaxRating {
			return ""
		}
		return fmt.Sprintf("write %d", n)
	}
	of, scale := s, float64(reviewcast.MaxRating)
	for _, by := range []string{"/", " out of ", " of ", " von ", " sur ", " su ", " de "} {
		if before, after, ok := strings.Cut(s, by); ok {
			v, err := number64(after)
			if err != nil || v < reviewcast.MinRating {
				return ""
			}
			of, scale = before, v
			break
		}
	}
	v, err := number64(of)
	if err != nil || v != v || v <= 0 || v > scale {
		return ""
	}
	exact := v * reviewcast.MaxRating / scale
	whole := int(exact)
	switch {
	case exact < reviewcast.MinRating:
		return ""
	case exact == float64(whole):
		return fmt.Sprintf("write %d", whole)
	}
	return fmt.Sprintf("write %d or %d: ratings are whole numbers", whole, whole+1)
}

// number64 reads a number with a point or a comma.
func number64(s string) (float64, error) {
	return strconv.ParseFloat(strings.Replace(strings.TrimSpace(s), ",", ".", 1), 64)
}

// ExplainDate returns what is wrong with a date that is not a calendar date of the form
// YYYY-MM-DD, and what to write. name is the name of its field.
func ExplainDate(name, s string) (message, suggestion string) {
	const form = "write it as YYYY-MM-DD"
	if dateForm.MatchString(s) {
		return fmt.Sprintf("%s %s does not exist", name, s), "correct the month or the day"
	}
	if _, err := time.Parse("2006-01", s); err == nil {
		return fmt.Sprintf("%s %s has no day", name, Quote(s)), form
	}
	switch dates := meantDates(s); len(dates) {
	case 1:
		return fmt.Sprintf("%s %s is not in the form YYYY-MM-DD", name, Quote(s)), "write " + dates[0].Format(time.DateOnly)
	case 2:
		return fmt.Sprintf("%s %s is ambiguous", name, Quote(s)),
			fmt.Sprintf("write %s if the day comes first in it, %s if the month does", dates[0].Format(time.DateOnly), dates[1].Format(time.DateOnly))
	}
	return fmt.Sprintf("%s %s is not a date", name, Quote(s)), form + ", such as 2026-03-14"
}

var dateForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// meantDates reads the other ways in which people write dates. Of a date that can be
// read in two ways both come back, the one with the day first before the other.
func meantDates(s string) []time.Time {
	s, _ = TrimCurlyQuotes(s)
	for _, layout := range []string{"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2.1.06", "20060102", time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05",
		"2 January 2006", "January 2, 2006", "January 2 2006", "2 Jan 2006", "Jan 2, 2006", "Jan 2 2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return []time.Time{t}
		}
	}
	for _, layouts := range [][2]string{{"2/1/2006", "1/2/2006"}, {"2-1-2006", "1-2-2006"}, {"2/1/06", "1/2/06"}, {"2-1-06", "1-2-06"}} {
		var dates []time.Time
		for _, layout := range layouts {
			if t, err := time.Parse(layout, s); err == nil && (len(dates) == 0 || !t.Equal(dates[0])) {
				dates = append(dates, t)
			}
		}
		if len(dates) > 0 {
			return dates
		}
	}
	return nil
}
