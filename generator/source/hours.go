package source

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// calendar is a language's words for Monday to Sunday and for "to", again and again.
type calendar []string

// calendars are those of words.txt.
var calendars = diagnostic.Rows(wordsFile, "days")

// seasons are parts of the names of seasons and months.
var seasons = diagnostic.Words(wordsFile, "seasons")

// calendarOf returns the first that has most words of a text: "So" is Sunday in German, and Saturday in Polish.
func calendarOf(text string) calendar {
	words := forms("letterWords").FindAllString(strings.ToLower(strings.ReplaceAll(plainClock.Replace(text), ".", " ")), -1)
	known := func(c []string) int {
		return len(slices.DeleteFunc(slices.Clone(c), func(word string) bool { return !slices.Contains(words, word) }))
	}
	return slices.MaxFunc(calendars, func(a, b []string) int { return known(a) - known(b) })
}

// day returns what a word means; in another language, too, if it has two letters or more. ok is false for nothing.
func (c calendar) day(word string) (day string, ok bool) {
	word = strings.ToLower(strings.TrimSuffix(word, "."))
	if day, ok = dayWords[word]; !ok && len(word) > 1 && word != "on" { // Wednesday in Danish only
		c = slices.Concat(c, slices.Concat(calendars...))
	}
	if at := slices.Index(c, word); at >= 0 {
		return strings.Fields("Mo Tu We Th Fr Sa Su -")[at%8], true
	}
	return day, ok
}

// hours reads the opening hours. They are published as written; a form that programs do not understand is a Warning.
func (d *decoder) hours(r *fields) []string {
	hours, open, lines := []string{}, []string(nil), []int(nil) // as written, the spans of those in the right form, and where
	all := cmp.Or(r.value("hours"), &syntax.Node{})
	d.days = calendarOf(forms("rightHours").ReplaceAllString(fmt.Sprint(all.Text, all.Items, all.Entries), ""))
	for n, s := range r.itemsOf("hours") {
		hours = append(hours, s)
		warn := func(what, remedy string) {
			d.Add(diagnostic.Warning, n.Line, n.Col, "bad-hours", fmt.Sprintf("the hours %s %s", diagnostic.Quote(s), what), remedy)
		}
		switch {
		case !forms("hoursForm").MatchString(s):
			warn("are not in the form that search engines read", d.days.remedy(s))
		case forms("workday").MatchString(s):
			warn("end in the morning of the next day", "write "+d.days.plain(s)+" if they end in the afternoon or evening")
		default:
			own := spans(s)
			for _, span := range own {
				if i := slices.IndexFunc(open, func(other string) bool { return overlap(span, other) }); i >= 0 {
					warn(fmt.Sprintf("overlap those of line %d on %s", lines[i], span[:2]), fmt.Sprintf("if these are right, leave %s out in line %d; if those are, delete these; of hours that change with the season, keep those of now", span[:2], lines[i]))
					break
				}
			}
			open, lines = append(open, own...), append(lines, slices.Repeat([]int{n.Line}, len(own))...)
		}
	}
	return hours
}

// week are the days as schema.org writes them.
var week = strings.Fields("Mo Tu We Th Fr Sa Su")

// spans returns each of the days of hours with each of their times: "Mo 08:00-12:00".
func spans(hours string) (list []string) {
	days, times, _ := strings.Cut(hours, " ")
	for part := range strings.SplitSeq(days, ",") {
		first, last, _ := strings.Cut(part, "-")
		for i := slices.Index(week, first); times != ""; i++ {
			day := week[i%len(week)]
			for span := range strings.SplitSeq(times, ",") {
				list = append(list, day+" "+span)
			}
			if day == cmp.Or(last, first) {
				break
			}
		}
	}
	return list
}

// overlap reports whether two spans are of one day and overlap.
func overlap(a, b string) bool { return a[:2] == b[:2] && a[3:8] < b[9:] && b[3:8] < a[9:] }

// written returns how to write hours that were written as fields, below their name in a line.
func (c calendar) written(n *syntax.Node, line int) string {
	var items []string
	for _, e := range n.Entries {
		meant, rest := c.meant(e.Key.Text + " " + e.Value.Text)
		if len(meant) == 0 || rest != "" {
			return "there is one list for the whole business, with days and no names of branches: write the hours of one as - Mo-Fr 08:00-18:00, and those of another into description"
		}
		items = append(items, meant...)
	}
	last := n.Entries[len(n.Entries)-1].Value.Line
	return fmt.Sprintf(`write in place of %s: hours: ["%s"]`, diagnostic.Pick(line == last, "this line", fmt.Sprintf("lines %d to %d", line, last)), strings.Join(items, `", "`))
}

// otherHours match hours of guests, and times.
var otherHours = diagnostic.Forms(wordsFile, "other hours")

// remedy returns how hours should have been written.
func (c calendar) remedy(s string) string {
	const guests = "check-in, check-out, meals and appointments are no opening hours"
	meant, rest := c.meant(s)
	open, others := "write "+strings.Join(meant, ", and on a line of its own ")+rest, guests+": leave them out of this list, and write them in the description"
	switch plain, times := c.plain(s), otherHours("times").FindString(c.plain(s)); {
	case otherHours("guests").MatchString(s):
		return diagnostic.When(len(meant) > 0, "if you are open to everybody then, "+open+"; if not, ") + others
	case len(meant) > 0:
		return open
	case times != "":
		return fmt.Sprintf("%s: write Mo-Su %s if you are open then on each day, or your days in place of Mo-Su; %s, and belong in the description",
			diagnostic.Pick(forms("unknownDays").MatchString(plain), "days are written Mo Tu We Th Fr Sa Su", "the days are missing"), times, guests)
	case !strings.ContainsAny(s, "0123456789"):
		return "delete this line: days when you are closed are left out, and what has no times belongs in the description"
	}
	return "write a line for each group of days and each span, such as Mo-Fr 08:00-12:00, with the days Mo Tu We Th Fr Sa Su, and leave out days when you are closed; what is no time belongs in description"
}

// meant returns the hours that a text means in schema.org's form, each of its days and times, and a remark on
// what it can't be written for.
func (c calendar) meant(s string) (meant []string, rest string) {
	plain := c.plain(s)
	if forms("hoursForm").MatchString(plain) {
		return []string{plain}, ""
	}
	plain = forms("nextDay").ReplaceAllString(plain, "$1$3\n$2$4")
	var parts, others []string
	for _, part := range forms("betweenHours").Split(plain, -1) {
		last := len(parts) - 1
		if last >= 0 && part != "" && (forms("daysOnly").MatchString(parts[last]) || part[0] <= '9') {
			parts[last] += diagnostic.Pick(forms("daysOnly").MatchString(parts[last]) && part[0] <= '9', " ", ",") + part
		} else {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		if forms("hoursForm").MatchString(part) {
			meant = append(meant, part)
		} else if part != "" {
			others = append(others, part)
		}
	}
	if len(others) > 0 {
		seasonal := slices.ContainsFunc(seasons, func(season string) bool { return strings.Contains(strings.ToLower(s), season) })
		rest = fmt.Sprintf("; there is no form for %s: leave it out", diagnostic.Quote(strings.Join(others, ", "))) + diagnostic.When(seasonal, "; of hours that change with the season, write only those of now")
	}
	return meant, rest
}

// plainClock writes what stands for times of the day as times.
var plainClock = strings.NewReplacer(slices.Concat(diagnostic.Rows(wordsFile, "times in words")...)...)

// plain writes hours such as "Mon – Fri 8am to 6pm" in schema.org's form.
func (c calendar) plain(s string) string {
	s = forms("letterWords").ReplaceAllStringFunc(plainClock.Replace(s), func(word string) string {
		if day, ok := c.day(word); ok {
			return day
		}
		return word
	})
	s = forms("commas").ReplaceAllString(forms("dashes").ReplaceAllString(strings.Join(strings.Fields(s), " "), "-"), ",")
	s = forms("timeWords").ReplaceAllStringFunc(s, func(clock string) string {
		m := forms("timeWords").FindStringSubmatch(clock)
		hour, _ := strconv.Atoi(m[1])
		if half := strings.ToLower(m[3]); half == "pm" && hour < 12 {
			hour += 12
		} else if half == "am" && hour == 12 {
			hour = 0
		}
		sure := diagnostic.When(m[3] != "", "_") // which workday doesn't match
		return fmt.Sprintf("%s%02d:%02s", sure, hour, cmp.Or(m[2], "00"))
	})
	s = forms("workday").ReplaceAllStringFunc(s, func(from string) string {
		m := forms("workday").FindStringSubmatch(from)
		to, _ := strconv.Atoi(m[3] + m[6])
		return fmt.Sprintf("%s:%s-%d:", m[1]+m[4], m[2]+m[5], to+12)
	})
	return strings.ReplaceAll(s, "_", "")
}

// timeZone reads the name of a time zone of a country, which may be unknown.
func (r *fields) timeZone(f, country string) string {
	s := r.nonBlank(f)
	// "Local" is the time zone of the machine; the output must not depend on it. Of EST, the summer time is not known.
	if _, err := time.LoadLocation(s); err != nil || forms("noPlace").MatchString(s) {
		suggestion := diagnostic.DidYouMean(s, slices.Sorted(maps.Values(zones)), "write the continent and a large city with the same time as yours, such as Europe/Rome or America/Toronto")
		word := diagnostic.Squash(s[strings.LastIndexByte(s, '/')+1:])
		if zone := cmp.Or(zones[word], zones[countries[word]], zones[strings.ToUpper(word)], zones[country], timeZones[diagnostic.Squash(s)]); zone != "" {
			suggestion = "write " + zone
		} else if m := forms("offset").FindStringSubmatch(s); m != nil {
			suggestion = "write the name of a city, so that summer time is known, such as " + cmp.Or(timeZones[strings.Replace(m[1], "−", "-", 1)+m[2]+m[3]], "Europe/Rome")
		}
		for _, area := range strings.Fields("Pacific Atlantic Africa Asia Australia America Europe") {
			if zone, err := time.LoadLocation(area + "/" + strings.ReplaceAll(strings.Split(s, ",")[0], " ", "_")); err == nil && s != "" && !strings.Contains(s, "/") {
				suggestion = "write " + zone.String()
			}
		}
		r.fail(r.value(f), "bad-time-zone", fmt.Sprintf("%s %s is not a time zone", r.name(f), diagnostic.Quote(s)), suggestion)
		return ""
	}
	return s
}
