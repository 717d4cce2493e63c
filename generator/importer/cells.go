package importer

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// Words of columns and cells, as formats.txt explains them.
var (
	statusColumns, unshownColumns = diagnostic.Words(formatsFile, "status"), diagnostic.Words(formatsFile, "unshown")
	businessColumns               = diagnostic.Words(formatsFile, "businesses")
	consents                      = diagnostic.Words(formatsFile, "consent")
	yes, no, unverified           = diagnostic.Words(formatsFile, "yes"), diagnostic.Words(formatsFile, "no"), diagnostic.Words(formatsFile, "unverified")
	hiddenStates                  = slices.Concat(no, unshownColumns, diagnostic.Words(formatsFile, "hidden"))
	shownStates                   = diagnostic.Words(formatsFile, "shown")
	firstNames, lastNames         = diagnostic.Words(formatsFile, "first"), diagnostic.Words(formatsFile, "last")
)

// forms are the regular expressions of forms.txt.
var forms = diagnostic.Forms(formsFile, "forms")

//go:embed forms.txt
var formsFile string

// What is wrong with ratings, texts, dates and JSON, and may be with texts, by a form or words of it.
var ratingWords, textWords, dateWords, jsonWords, doubtWords = rows("ratings"), rows("texts"), rows("dates"), rows("json"), rows("doubts")

func rows(section string) [][]string { return diagnostic.Rows(formatsFile, section) }

// messages are the longer messages, with places for values as in package fmt, by what is wrong.
var messages = func() map[string]string {
	m := map[string]string{}
	for _, row := range rows("messages") {
		m[row[0]] = row[1]
	}
	return m
}()

// said returns what the first row that fits says of a cell; "" if none does. A row is a form or a part of a cell, what is
// said, and parts of which a cell with the form has one: to search for them first is much faster.
func said(rows [][]string, cell string) string {
	has := func(part string) bool { return strings.Contains(cell, part) }
	for _, row := range rows {
		if len(row) > 2 && !slices.ContainsFunc(row[2:], has) {
			continue
		}
		if form := forms(row[0]); form == nil && has(row[0]) || form != nil && form.MatchString(cell) {
			return row[1]
		}
	}
	return ""
}

// mayHide reports whether the name of a column is one of those that [unshown] knows.
func mayHide(column string) bool {
	name := diagnostic.Squash(column)
	return slices.Contains(unshownColumns, name) || slices.Contains(statusColumns, name) || slices.ContainsFunc(consents, func(part string) bool { return strings.Contains(name, part) })
}

// unshown reports whether a column says of a review that its platform doesn't show it, or that its author hasn't agreed
// to the publication.
func unshown(column, cell string) bool {
	if len(cell) > 64 || !mayHide(column) { // 64: no word
		return false
	}
	state := diagnostic.Squash(cell)
	if slices.Contains(unshownColumns, diagnostic.Squash(column)) {
		return slices.Contains(yes, state) || state != "" && isDay(cell)
	}
	return slices.Contains(hiddenStates, state) && !forms("showsName").MatchString(plainName(column)) // which hides no more
}

// sample returns the first rows below the header.
func (t *table) sample() (rows [][]string) {
	rest, _ := t.in.Peek(t.in.Buffered())
	in := csv.NewReader(bytes.NewReader(rest))
	in.Comma, in.FieldsPerRecord, in.LazyQuotes = t.csv.Comma, -1, t.csv.LazyQuotes
	for len(rows) < 20 {
		cells, err := readCells(in)
		if err != nil {
			break // or the end of what has been read
		}
		if len(cells) == len(t.names) && !forms("secondHeading").MatchString(strings.Join(cells, "")) {
			rows = append(rows, cells)
		}
	}
	return rows
}

// guess returns the parts of a map that seem to be forgotten.
func (t *table) guess(cfg *Config) (pairs string) {
	rows := t.sample()
	stars := rated(t.names, rows)
	authors := slices.DeleteFunc(likeliest("author", cfg.Map, t.names, rows), func(name string) bool { return likelihood("author", name) < 0 })
	for _, name := range t.unused() {
		field, i := fieldOf(name), slices.Index(t.names, name)
		isAddress := func(cells []string) bool { return strings.Contains(cells[i], "@") }
		switch {
		case cfg.Map["text"] == "" && !slices.Contains(stars, name) && (field == "text" || mayBeText(name, i, rows, false)):
			pairs += "," + pairOf("text", name)
		case cfg.Map["author"] == "" && (field == "author" || slices.Equal(authors, []string{name})) && !slices.ContainsFunc(rows, isAddress):
			pairs += "," + pairOf("author", name)
		}
	}
	return pairs
}

// rated returns the columns of some rows that have ratings, and don't count the rows.
func rated(names []string, rows [][]string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		i, given, counted, start := slices.Index(names, name), "", len(rows) > 2, 0.0
		for j, cells := range rows {
			value, scale, ok := diagnostic.ParseRating(cells[i])
			if given += cells[i]; forms("counts").MatchString(name) || cells[i] != "" && (!ok || value <= 0 || value > 10 || scale > 100) {
				return true
			}
			start = diagnostic.Pick(j == 0, value, start)
			counted = counted && value == start+float64(j) && (start == 1 || len(rows) > 4)
		}
		return strings.Trim(given, "1") == "" || counted // 1 for yes
	})
}

// mayBeText reports whether a column may have the customers' words: half of its cells in some rows are long or, if its
// name is like that, one is a sentence. Only reports that no column is known to have them; then the name may be that of replies, too.
func mayBeText(name string, i int, rows [][]string, only bool) bool {
	like, filled, long := forms("like text").MatchString(name) && !mayHide(name), 0, 0
	for _, cells := range rows {
		filled += min(len(cells[i]), 1)
		if forms("prose").MatchString(cells[i]) || like && forms("threeWords").MatchString(cells[i]) {
			long++
		}
	}
	return like && only || (only || !forms("like reply").MatchString(name)) && long > 0 && (like || 2*long >= filled)
}

// left returns the columns that no field has and whose cells in some rows have a form, if there is one.
func left(header []string, columns map[string]string, rows [][]string, form string) []string {
	given := slices.Collect(maps.Values(columns))
	return slices.DeleteFunc(slices.Clone(header), func(name string) bool {
		other := func(cells []string) bool { return !forms(form).MatchString(cells[slices.Index(header, name)]) }
		return forms(form) == nil || len(rows) == 0 || slices.Contains(given, name) || mayHide(name) || forms("like reply").MatchString(name) || slices.ContainsFunc(rows, other)
	})
}

// likeliest returns the columns that may have a field, the likeliest first: those whose names say so or, if there are none,
// whose cells do.
func likeliest(field string, columns map[string]string, header []string, rows [][]string) []string {
	used := slices.Collect(maps.Values(columns))
	sure := map[string][]string{"rating": rated(header, rows), "date": days(header, rows)}[field]
	may := slices.DeleteFunc(slices.Clone(header), func(h string) bool {
		other := forms("otherDay").MatchString(h) || field == "rating" && len(sure) != 1 && forms("like recommendation").MatchString(h) ||
			field == "author" && (mayHide(h) || forms("showsName").MatchString(plainName(h)) || forms("hidesName").MatchString(plainName(h)))
		return !forms("like "+field).MatchString(h) && !slices.Contains(sure, h) || other || slices.Contains(used, h)
	})
	fits := func(h string) bool {
		return slices.Contains(sure, h) || field == "text" && mayBeText(h, slices.Index(header, h), rows, false)
	}
	says := func(h string) bool { return field == "rating" && forms("like rating").MatchString(h) }
	for _, is := range []func(string) bool{fits, says, func(h string) bool { return !forms("like reply").MatchString(h) }} {
		if slices.ContainsFunc(may, is) {
			may = slices.DeleteFunc(may, func(h string) bool { return !is(h) })
		}
	}
	if len(may) == 0 {
		may = left(header, columns, rows, "left "+field)
	}
	return slices.SortedStableFunc(slices.Values(may), func(a, b string) int { return likelihood(field, b) - likelihood(field, a) })
}

// likelihood returns a higher number for a column that is more likely to have a field, by its name.
func likelihood(field, column string) int {
	if field == "date" {
		return likelyDays(column)
	}
	found := func(form string) int { return min(len(forms(form).FindString(column)), 1) }
	return found("likely "+field) - found("unlikely "+field)
}

// membersOf returns the names of the members of an object, as paths, sorted.
func membersOf(v jsontext.Value) []string {
	members := map[string]bool{}
	addMembers(members, "", v)
	return slices.Sorted(maps.Keys(members))
}

func addMembers(to map[string]bool, prefix string, v jsontext.Value) {
	if strings.Count(prefix, ".") > 3 {
		return
	}
	for name, value := range object(v) {
		to[prefix+name] = true
		addMembers(to, prefix+name+".", value)
	}
}

// object returns the members of an object; none of another value.
func object(v jsontext.Value) (members map[string]jsontext.Value) {
	if v.Kind() == '{' {
		_ = json.Unmarshal(v, &members, jsontext.AllowDuplicateNames(true)) // it was parsed
	}
	return members
}

// textAt returns a member by its path as a cell; "" if it is absent or null. The texts of a list, where there may be
// one, are joined by semicolons.
func textAt(v jsontext.Value, path string, list bool) (string, error) {
	if first, last, two := strings.Cut(path, "+"); two { // of a name
		s, err := textAt(v, first, false)
		t, no := textAt(v, last, false)
		return strings.TrimSpace(s + " " + t), cmp.Or(err, no)
	}
	for name := range strings.SplitSeq(path, ".") {
		v = object(v)[name]
	}
	var texts []string
	if list && v.Kind() == '[' && json.Unmarshal(v, &texts) == nil {
		return strings.Join(texts, ";"), nil
	}
	switch v.Kind() {
	case '"':
		return textOf(v), nil
	case '0':
		return string(v), nil
	case 'n', jsontext.KindInvalid: // of no member
		return "", nil
	}
	kind := cmp.Or(map[jsontext.Kind]string{'{': "an object", '[': "a list"}[v.Kind()], "true or false")
	return "", fmt.Errorf("%s is %s; it must be a text or a number", quote(path), kind)
}
