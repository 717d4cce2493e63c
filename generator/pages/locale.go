package pages

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"

	"github.com/dustin/go-humanize"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"reviewcast"
)

// locale is what the pages say in one language, and how it writes numbers and days. A text is known by what it is in
// English: locales/en.txt lists all of them, and the other files there translate them.
type locale struct {
	tag   language.Tag
	Lang  string // of the texts, for the attribute lang
	texts map[string]string
	page  *template.Template
	twins *texttemplate.Template // in Markdown, and the files that crawlers and agents look for
	// months are those of a date, which may have another form than a month alone.
	months, monthsAlone, shortMonths, weekdays []string
	group, decimal                             string // the signs of 12,345.67
}

//go:embed locales
var localeFiles embed.FS

// newLocale returns the texts in a site's language, or in English when there are none in it, with the editors' own in
// the place of ours. generator checks these before.
func newLocale(site string, own []byte) *locale {
	file, best := "en.txt", language.Low
	files, _ := localeFiles.ReadDir("locales") // it is embedded
	for _, f := range files {
		of := language.Make(strings.TrimSuffix(f.Name(), ".txt"))
		if understood := language.Comprehends(language.Make(site), of); understood > best {
			file, best = f.Name(), understood
		}
	}
	l := &locale{texts: English()}
	b, _ := localeFiles.ReadFile("locales/" + file)
	maps.Copy(l.texts, ReadWording(string(b)))
	editors := ReadWording(string(own))
	maps.Copy(l.texts, editors)
	for text, english := range English() { // (job) is "a job record" for editors
		l.texts[text] = cmp.Or(editors[text], editors[english], l.texts[text])
	}
	list := func(name string) []string { return strings.Fields(l.texts[name]) }
	l.tag = language.Make(l.texts["(language)"])
	if base, _ := l.tag.Base(); editors["(language)"] == "" && strings.HasPrefix(site, base.String()+"-") { // with its country
		l.tag = language.Make(site)
	}
	l.Lang = l.tag.String()
	l.months, l.monthsAlone, l.shortMonths, l.weekdays = list("(months of dates)"), list("(months)"), list("(short months)"), list("(weekdays)")
	_, number, _ := strings.Cut(l.texts["(number)"], "12")
	l.group, number, _ = strings.Cut(number, "345")
	l.decimal, _, _ = strings.Cut(number, "67")
	return l
}

// English returns all texts of the pages, by themselves; the names in brackets are settings of the language.
func English() map[string]string {
	b, _ := localeFiles.ReadFile("locales/en.txt") // it is embedded
	return ReadWording(string(b))
}

// Untranslated returns the English text that a text is the translation of, in any language; "" for none.
func Untranslated(own string) string {
	files, _ := localeFiles.ReadDir("locales") // it is embedded
	for _, f := range files {
		b, _ := localeFiles.ReadFile("locales/" + f.Name())
		texts := ReadWording(string(b))
		for _, english := range slices.Sorted(maps.Keys(texts)) {
			if strings.EqualFold(texts[english], own) && english[0] != '(' {
				return english
			}
		}
	}
	return ""
}

// ReadWording reads lines "English text = own text". Without a sign of equality a text is its own.
func ReadWording(lines string) map[string]string {
	texts := map[string]string{}
	for line := range strings.Lines(strings.TrimPrefix(lines, "\ufeff")) {
		english, own, _ := strings.Cut(line, "=")
		if english = strings.TrimSpace(english); english != "" && english[0] != '#' {
			texts[english] = cmp.Or(strings.TrimSpace(own), english)
		}
	}
	return texts
}

// lang is the attribute of words in another language.
func (l *locale) lang(language string) string {
	if language == l.Lang {
		return ""
	}
	return ` lang="` + template.HTMLEscapeString(language) + `"`
}

// text is a text with its values, which are texts already.
func (l *locale) text(english string, values ...any) string {
	own := cmp.Or(l.texts[english], english)
	if len(values) == 0 {
		return own
	}
	return fmt.Sprintf(own, values...)
}

// html is text for templates of HTML; values that aren't HTML are escaped.
func (l *locale) html(english string, values ...any) template.HTML {
	for i, v := range values {
		if _, ok := v.(template.HTML); !ok {
			values[i] = template.HTMLEscapeString(fmt.Sprint(v))
		}
	}
	text := prose(cmp.Or(l.texts[english], english))
	if len(values) == 0 {
		return template.HTML(text)
	}
	return template.HTML(fmt.Sprintf(text, values...))
}

// forms are the plural forms as the files name them (Unicode CLDR).
var forms = [...]string{plural.Other: "other", plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}

// plural writes a number of things: "1 review", "2 reviews".
func (l *locale) plural(n int, noun string) string {
	form := forms[plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0)]
	return fmt.Sprintf(cmp.Or(l.texts[noun+"."+form], l.texts[noun+".other"], "%s "+noun), l.grouped(n))
}

// grouped writes a number with groups of thousands: 12,345.
func (l *locale) grouped(n int) string {
	return strings.ReplaceAll(humanize.Comma(int64(n)), ",", l.group)
}

// fixed writes a number with two digits after the point.
func (l *locale) fixed(v float64) string {
	return strings.Replace(fmt.Sprintf("%.2f", v), ".", l.decimal, 1)
}

func (l *locale) percent(v float64) string { return l.text("(percent)", fmt.Sprintf("%.0f", v)) }

func (l *locale) mean(v *float64) string {
	if v == nil {
		return "–"
	}
	return l.fixed(*v)
}

// longDay writes a date as people do: 14 March 2026.
func (l *locale) longDay(d reviewcast.Date) string { return l.date("(date)", l.months, d) }

// shortDay writes a date in little space: 14 Mar 2026.
func (l *locale) shortDay(d reviewcast.Date) string { return l.date("(short date)", l.shortMonths, d) }

// monthName writes a month: March 2026.
func (l *locale) monthName(month string) string {
	return l.date("(month)", l.monthsAlone, reviewcast.Date(month+"-01"))
}

func (l *locale) date(layout string, months []string, d reviewcast.Date) string {
	year, month, day := d.Noon().Date()
	return l.text(layout, strconv.Itoa(day), months[month-1], strconv.Itoa(year))
}

// dayName matches a day as schema.org writes it.
var dayName = regexp.MustCompile(`\b(?:Mo|Tu|We|Th|Fr|Sa|Su)\b`)

// hours are opening hours for people.
func (l *locale) hours(list []string) string {
	named := dayName.ReplaceAllStringFunc(strings.Join(list, " · "), func(day string) string {
		return l.weekdays[strings.Index("MoTuWeThFrSaSu", day)/2]
	})
	return strings.ReplaceAll(named, "-", "–")
}

// interval says a confidence interval of a share in words: "7 to 9 in 10".
func (l *locale) interval(c reviewcast.Confidence) string {
	of := 10.0
	if c.High-c.Low < 0.1 {
		of = 100 // tenths would round the interval away
	}
	low, high := fmt.Sprint(math.Round(c.Low*of)), fmt.Sprint(math.Round(c.High*of))
	if low == high {
		return l.text("%s in %s", low, fmt.Sprint(of))
	}
	return l.text("%s to %s in %s", low, high, fmt.Sprint(of))
}

func (l *locale) trend(t reviewcast.Trend, unit string) string {
	if t.Change == nil || t.Direction == "insufficient_data" {
		return l.text("too few recent reviews to see a trend")
	}
	direction := "(" + t.Direction + ")"
	if t.Direction == "steady" && *t.Change < 0 {
		direction = "(steady below)"
	}
	return l.text(direction, l.plural(t.WindowDays, "day"), l.text(unit, l.fixed(math.Abs(*t.Change))))
}

// name is the text for a value of the data: how a review was verified, why it was withdrawn, or a polarity.
func (l *locale) name(value string) string { return l.text("(" + value + ")") }

// value is the text for a value that editors choose, such as the source letter, or the value itself.
func (l *locale) value(of, value string) string { return cmp.Or(l.texts["("+of+" "+value+")"], value) }

// scriptText matches the texts of the search box.
var scriptText = regexp.MustCompile(`\btext\("([^"]+)"`)

// script is the search box with its words in the language.
func (l *locale) script() []byte {
	script, own := siteFile("search.js"), map[string]string{}
	for _, m := range scriptText.FindAllSubmatch(script, -1) {
		own[string(m[1])] = l.text(string(m[1]))
	}
	for _, form := range forms {
		own["review."+form] = l.texts["review."+form]
	}
	own["(author Anonymous)"] = l.texts["(author Anonymous)"]
	english := English()
	maps.DeleteFunc(own, func(text, own string) bool { return own == english[text] })
	b, _ := json.Marshal(own) // strings can always be marshalled
	return bytes.Replace(script, []byte("words = {}"), append([]byte("words = "), b...), 1)
}
