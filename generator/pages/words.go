package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"

	"github.com/dustin/go-humanize"

	"reviewcast"
)

// longDay writes a date as people do: 14 March 2026.
func longDay(d reviewcast.Date) string { return d.Noon().Format("2 January 2006") }

// shortDay writes a date in little space: 14 Mar 2026.
func shortDay(d reviewcast.Date) string { return d.Noon().Format("2 Jan 2006") }

// monthName writes a month: March 2026.
func monthName(month string) string {
	return reviewcast.Date(month + "-01").Noon().Format("January 2006")
}

// quarter counts the quarters of all years, so that neighbours differ by one.
type quarter int

func quarterOf(d reviewcast.Date) quarter {
	year, _ := strconv.Atoi(string(d[:4])) // of a valid date
	month, _ := strconv.Atoi(string(d[5:7]))
	return quarter(4*year + (month-1)/3)
}

// String is "2026 Q1".
func (q quarter) String() string { return fmt.Sprintf("%04d Q%d", int(q)/4, q%4+1) }

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(noun, "day") {
		return fmt.Sprintf("%s %sies", grouped(n), stem)
	}
	return fmt.Sprintf("%s %ss", grouped(n), noun)
}

// grouped writes a number with groups of thousands: 12,345.
func grouped(n int) string { return humanize.Comma(int64(n)) }

func mean(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v)
}

// interval says a confidence interval of a share in words: "7 to 9 in 10".
func interval(c reviewcast.Confidence) string {
	of := 10.0
	if c.High-c.Low < 0.1 {
		of = 100 // tenths would round the interval away
	}
	l, h := math.Round(c.Low*of), math.Round(c.High*of)
	if l == h {
		return fmt.Sprintf("%.0f in %.0f", l, of)
	}
	return fmt.Sprintf("%.0f to %.0f in %.0f", l, h, of)
}

// trendWords says how something moves.
func trendWords(t reviewcast.Trend, unit string) string {
	if t.Change == nil || t.Direction == "insufficient_data" {
		return "too few recent reviews to see a trend"
	}
	side, chance := "above", "more than chance explains"
	if *t.Change < 0 {
		side = "below"
	}
	if t.Direction == "steady" {
		chance = "which may be chance"
	}
	return fmt.Sprintf("%s; the mean of the newest %d days is %.2f %s %s that of the %d days before, %s",
		t.Direction, t.WindowDays, math.Abs(*t.Change), unit, side, t.WindowDays, chance)
}

// codeLast are the countries whose postal code ends the address.
var codeLast = []string{"AU", "CA", "GB", "IE", "IN", "NZ", "US", "ZA"}

// place puts an address on one line.
func place(a reviewcast.Address) string {
	parts := []string{a.StreetAddress, strings.TrimSpace(a.PostalCode + " " + a.AddressLocality), a.AddressRegion, a.AddressCountry}
	if slices.Contains(codeLast, a.AddressCountry) {
		parts[1], parts[2] = a.AddressLocality, strings.TrimSpace(a.AddressRegion+" "+a.PostalCode)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// dayName matches a day as schema.org writes it.
var dayName = regexp.MustCompile(`\b(?:Mo|Tu|We|Th|Fr|Sa|Su)\b`)

var dayNames = map[string]string{"Mo": "Mon", "Tu": "Tue", "We": "Wed", "Th": "Thu", "Fr": "Fri", "Sa": "Sat", "Su": "Sun"}

// hours are opening hours for people.
func hours(list []string) string {
	named := dayName.ReplaceAllStringFunc(strings.Join(list, " · "), func(day string) string { return dayNames[day] })
	return strings.ReplaceAll(named, "-", "–")
}

// excerpt is the beginning of a text, cut after a word.
func excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = strings.ToValidUTF8(text[:most], "") // without a part of a character at the end
	if space := strings.LastIndexAny(text, " \n"); space > len(text)/2 {
		text = text[:space]
	}
	return strings.TrimRight(text, ".,;:!?– ") + "…"
}

// Hidden says in words how many reviews are left out, and why.
func (s *Site) Hidden() string {
	u := s.Dataset.Unpublished
	var parts []string
	for i, n := range []int{u.Unverified, u.Withdrawn, u.Legal} {
		if n > 0 {
			reason := []string{"without a verification", "withdrawn by the author or the platform", "withdrawn for legal reasons"}[i]
			parts = append(parts, fmt.Sprintf("%d %s", n, reason))
		}
	}
	return strings.Join(parts, ", ")
}

// reasonWords says why a review was withdrawn.
func reasonWords(reason string) string {
	if reason == reviewcast.ReasonLegal {
		return "for legal reasons"
	}
	return "by the author or the platform"
}

// methodWords says how a review was verified.
func methodWords(method string) string {
	if method == "invitation" {
		return "an " + method
	}
	return "a " + strings.Replace(method, "job", "job record", 1)
}

// twins are the templates of the pages' twins in Markdown, and of the files that crawlers and agents look for. Nothing in them is escaped but by inline, prose and quoted.
var twins = texttemplate.Must(texttemplate.New("twins").Funcs(templateFuncs).Funcs(texttemplate.FuncMap{
	"inline": inline, "list": list, "last": last, "lower": strings.ToLower, "cell": cell, "excerpt": excerpt,
	"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(b), err
	},
	"prose":  func(text string) string { return escapeMarkdown(text, "") },
	"quoted": func(text string) string { return "> " + escapeMarkdown(text, "> ") },
}).ParseFS(siteFiles, "site/*.md", "site/*.xml", "site/*.txt", "site/*.json"))

// withoutLinks is the editors' Markdown without HTML, links and pictures, which stay as they were typed.
func withoutLinks(s string) string {
	return strings.NewReplacer("<", "&lt;", "[", `\[`, "]", `\]`).Replace(strings.TrimSpace(s))
}

// headingForm matches the headings of the editors' summary, which stands below a heading of level 2.
var headingForm = regexp.MustCompile(`(?m)^#{1,2} +`)

// markdownHTML converts the editors' Markdown, as far as [withoutLinks] keeps it.
func markdownHTML(s string) (template.HTML, error) {
	var b bytes.Buffer
	err := toHTML.Convert(headingForm.ReplaceAll([]byte(withoutLinks(s)), []byte("### ")), &b)
	return template.HTML(b.String()), err
}

// inline writes a text on a line of Markdown, without its line breaks.
func inline(s string) string { return escapeMarkdown(strings.Join(strings.Fields(s), " "), "") }

// markup are the bytes that are markup anywhere in a line.
var markup = [256]bool{'\\': true, '`': true, '*': true, '_': true, '[': true, ']': true, '<': true, '>': true, '&': true, '~': true, '|': true}

// escapeMarkdown escapes what would be markup, and begins every new line with the prefix.
func escapeMarkdown(s, prefix string) string {
	var b strings.Builder
	start := true // of a line
	for i := range len(s) {
		c := s[i]
		switch {
		case markup[c],
			start && strings.IndexByte("#+-=", c) >= 0,
			(c == '.' || c == ')') && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') && startsWithNumber(s[:i]):
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString("\n" + prefix)
		case c == '\t', c == ' ' && start: // four blanks would begin a block of code
			b.WriteByte(' ')
			continue
		default:
			b.WriteByte(c)
		}
		start = c == '\n'
	}
	return b.String()
}

// startsWithNumber reports whether the last line of s is a number: a dot behind it begins a list.
func startsWithNumber(s string) bool {
	line := strings.TrimLeft(s[strings.LastIndexByte(s, '\n')+1:], " \t")
	return line != "" && len(line) < 10 && strings.Trim(line, "0123456789") == ""
}
