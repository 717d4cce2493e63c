package importer

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"reviewcast/generator/diagnostic"
)

// field is a value of a review, and of the export. Those before fieldReplyDate are its members, in the order of a line.
type field int

const (
	fieldAuthor field = iota
	fieldRating
	fieldDate
	fieldTitle
	fieldText
	fieldLanguage
	fieldSource // of no column
	fieldSourceURL
	fieldReplyText
	fieldVerification
	fieldTechnicians
	fieldServices
	fieldServiceAreas
	fieldReplyDate
	fieldReference
	fieldID
)

var (
	memberNames = [...]string{"author", "rating", "date", "title", "text", "language", "source", "source_url",
		"owner_reply", "verification", "technicians", "services", "service_areas"}
	fieldNames = [...]string{"author", "rating", "date", "title", "text", "language", "source", "source_url",
		"owner_reply.text", "verification.method", "technicians", "services", "service_areas", "owner_reply.date", "verification.reference", "id"}
)

func (f field) String() string { return fieldNames[f] }

// mapped are the fields that Config.Map can map to columns, in the order of messages.
var mapped = []field{fieldRating, fieldDate, fieldText, fieldTitle, fieldAuthor, fieldID, fieldSourceURL, fieldLanguage,
	fieldReplyText, fieldReplyDate, fieldVerification, fieldReference, fieldTechnicians, fieldServices, fieldServiceAreas}

// Fields are the names of these fields.
func Fields() (names []string) {
	for _, f := range mapped {
		names = append(names, f.String())
	}
	return names
}

// fieldOf returns the field that a word is used for; "" for none.
func fieldOf(word string) string { return fieldsOf[plainName(word)] }

// fieldsOf are the fields by the names of own columns; of a name that two have, the first of Fields.
var fieldsOf = func() map[string]string {
	m := map[string]string{}
	for _, field := range slices.Backward(Fields()) {
		for _, name := range Platforms["own"][0].Columns[field] {
			m[name] = field
		}
	}
	return m
}()

// plainName returns the name of a column as it is compared with those that are known: questions of forms have marks and a
// scale, such as (1-5).
func plainName(column string) string {
	return diagnostic.Squash(forms("nameMarks").ReplaceAllString(column, ""))
}

// checkFields checks a map before the export is read.
func checkFields(m map[string]string) []string {
	var problems, corrected, wrong []string
	known := Fields()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, name) {
			field, column := m[name], name
			if !slices.Contains(known, field) {
				field, column = fieldOf(name), cmp.Or(m[name], name)
			}
			if field != "" {
				why := diagnostic.Pick(slices.Contains(known, m[name]), "the field comes first", "there is no field "+quote(name))
				wrong, corrected = append(wrong, why), append(corrected, field+"="+column)
				continue
			}
			problems = append(problems, fmt.Sprintf("column map: there is no field %s%s; the fields are %s",
				quote(name), didYouMean(name, known), strings.Join(known, ", ")))
		} else if strings.TrimSpace(m[name]) == "" {
			problems = append(problems, fmt.Sprintf("column map: %s has no column; write %s=COLUMN", name, name))
		}
		corrected = append(corrected, name+"="+m[name])
	}
	if len(wrong) > 0 {
		problems = append(problems, fmt.Sprintf("column map: %s: write --map %q", diagnostic.Join(slices.Compact(wrong), "and"), strings.Join(corrected, ",")))
	}
	if (m[fieldReplyText.String()] == "") != (m[fieldReplyDate.String()] == "") {
		problems = append(problems, "column map: an owner's reply needs both owner_reply.text and owner_reply.date; add the other, or leave this one out; a table without the day of each reply needs one more column")
	}
	return problems
}

// noColumn marks a field that the export does not have.
const noColumn = -1

// bind finds the mapped columns in a header.
func bind(m map[string]string, header []string) (binding [len(fieldNames)]int, err error) {
	var problems, missing []string
	from := map[int]field{}
	columns, _, _ := choose(Platforms["own"], header)
	for f := range binding {
		binding[f] = noColumn
	}
	for _, f := range mapped {
		want := strings.TrimSpace(m[f.String()])
		if want == "" {
			continue
		}
		first := slices.Index(header, want)
		if first < 0 && f == fieldAuthor {
			first, _ = joined(want, header)
		}
		switch {
		case first < 0:
			near := cmp.Or(didYouMean(want, header), diagnostic.When(columns[f.String()] != "", "; write "+pairOf(f.String(), columns[f.String()])))
			near = diagnostic.Pick(want == "COLUMN" || want == "MEMBER", "; "+want+" stands for the name of one of the columns; write that in its place", near)
			missing = append(missing, fmt.Sprintf("column map: %s=%s: the export has no such column%s", f, want, near))
		case slices.Contains(header[first+1:], want):
			problems = append(problems, twoColumns(want, header))
		default:
			if other, twice := from[first]; twice && f != fieldSourceURL && f != fieldReference && other != fieldID && f != fieldID {
				problems = append(problems, fmt.Sprintf("column map: %s and %s are both from the column %s; map one of them to the column that has it, or leave it out of --map", other, f, quote(want)))
			}
			binding[f], from[first] = first, f
		}
	}
	if len(missing) > 0 && binding[fieldRating] == noColumn && slices.ContainsFunc(header, isRecommendation) && !forms("like rating").MatchString(strings.ReplaceAll(strings.Join(header, " "), "_", " ")) {
		problems = append(problems, messages["recommendations"])
	} else if len(missing) > 0 {
		missing[len(missing)-1] += "; its columns are " + quoteAll(header)
		problems = append(problems, missing...)
	}
	if len(problems) > 0 {
		return binding, &UsageError{problems}
	}
	return binding, nil
}

// joined returns the columns of both parts of a name, as in author=First name+Last name.
func joined(want string, header []string) (first, last int) {
	for i, name := range header {
		if rest, ok := strings.CutPrefix(want, name); ok && name != "" {
			if j := slices.Index(header, strings.TrimLeft(rest, " +,&")); j >= 0 && header[j] != "" {
				return i, j
			}
		}
	}
	return noColumn, noColumn
}

// twoColumns says that a name is that of two columns.
func twoColumns(name string, header []string) string {
	first := slices.Index(header, name)
	second := first + 1 + slices.Index(header[first+1:], name)
	return fmt.Sprintf(messages["two of a name"], quote(name), first+1, second+1)
}

// maxListed is how many columns a message lists: a file that is not a table can have a header of any size.
const maxListed = 60

func quoteAll(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), maxListed)] {
		quoted = append(quoted, quote(name))
	}
	return strings.Join(quoted, ", ") + diagnostic.When(len(names) > maxListed, ", …")
}

// didYouMean returns a suggestion if a known name is near, or is that of a member inside another.
func didYouMean(name string, known []string) string {
	meant := diagnostic.Nearest(name, known)
	if i := slices.IndexFunc(known, func(path string) bool { return strings.HasSuffix(path, "."+name) }); i >= 0 {
		meant = known[i]
	}
	return diagnostic.When(meant != "", " (did you mean "+quote(meant)+"?)")
}

// Shape is a header that a platform or a common tool writes.
type Shape struct {
	// Columns has for each field the names that its column has had, as plainName writes them. The first that the header has
	// is used.
	Columns map[string][]string
	// Layout is the layout of its dates; "" is 2006-01-02.
	Layout string
}

// Platforms are the exports that `import` knows by name. The first shape whose rating and date are in the header is
// used. Columns that are not listed (a reference number, tags, the reviewer's e-mail) are never read. "own" is an export
// without a map: the names of the fields, or what people call them.
var Platforms = func() map[string][]Shape {
	m := map[string][]Shape{}
	for _, part := range strings.Split(columnsFile, "\n\n[")[1:] {
		head, lines, _ := strings.Cut(part, "\n")
		name, layout, _ := strings.Cut(head, "]")
		s := Shape{Columns: map[string][]string{}, Layout: strings.TrimSpace(layout)}
		for line := range strings.Lines(lines) {
			field, columns, _ := strings.Cut(strings.TrimSpace(line), "=")
			s.Columns[field] = strings.Split(diagnostic.Squash(columns), ",")
		}
		m[name] = append(m[name], s)
	}
	return m
}()

// columnsFile has a paragraph for each shape: its platform and layout, and the names of the columns for each field.
//
//go:embed columns.txt
var columnsFile string

// useShape completes the configuration by the header of a platform's export.
func (c *Config) useShape(header []string) error {
	columns, layout, ok := choose(Platforms[c.Platform], header)
	if !ok && (c.Map["rating"] == "" || c.Map["date"] == "") {
		name := strings.ToUpper(c.Platform[:1]) + c.Platform[1:]
		meant, _, _ := choose(Platforms["own"], header)
		return unknownHeader(fmt.Sprintf("these are not the columns of an export of %s", name), header, nil,
			fmt.Sprintf("if the reviews are from elsewhere, import them under that name: `reviewcast import csv FILE --source NAME`; if they are from %s, say which column holds what: %s", name, mapOf(meant, header, nil)))
	}
	maps.Copy(columns, c.Map)
	c.Map = columns
	c.DateLayout = cmp.Or(c.DateLayout, layout, time.DateOnly)
	return nil
}

// ownNames is for an export whose columns have the names of the fields, or similar ones, and whose first rows are these.
func (c *Config) ownNames(header []string, rows [][]string) error {
	rated := rated(header, rows)
	if stars := slices.DeleteFunc(slices.Clone(rated), forms("like recommendation").MatchString); len(stars) > 0 {
		rated = stars
	}
	columns, _, _ := choose(Platforms["own"], header)
	if slices.Contains(rated, columns["text"]) { // of a word for marks, too
		columns["text"] = append(slices.DeleteFunc(slices.Clone(header), func(name string) bool { return fieldOf(name) != "text" || slices.Contains(rated, name) }), "")[0]
	}
	if i := slices.IndexFunc(header, forms("bestIsOne").MatchString); i >= 0 {
		columns["rating"] = cmp.Or(columns["rating"], header[i])
	}
	named := columns["rating"] // in some languages the word for a rating is that for a review, or for a note
	sentence := func(cells []string) bool { return forms("sentence").MatchString(cells[slices.Index(header, named)]) }
	slices.SortStableFunc(rated, func(a, b string) int { return likelihood("rating", b) - likelihood("rating", a) })
	misnamed := c.Map["rating"] == "" && len(rated) > 0 && (len(rated) == 1 || likelihood("rating", rated[0]) > likelihood("rating", rated[1])) && named != "" && rated[0] != named && slices.ContainsFunc(rows, sentence)
	if misnamed {
		columns["rating"], columns["text"] = rated[0], cmp.Or(columns["text"], named)
	}
	var err error
	if columns["date"], err = c.dateColumn(columns["date"], header, rows); err != nil {
		return err
	}
	missing := slices.DeleteFunc([]string{"rating", "date"}, func(field string) bool { return c.Map[field] != "" || columns[field] != "" })
	first := slices.IndexFunc(header, func(name string) bool { return slices.Contains(firstNames, diagnostic.Squash(name)) })
	last := slices.IndexFunc(header, func(name string) bool {
		return slices.Contains(lastNames, diagnostic.Squash(name)) || first >= 0 && header[first]+name == "VornameName"
	})
	switch author := columns["author"]; {
	case first < 0 || c.Map["author"] != "" || everyCell(rows, first, forms("noName").MatchString):
	case last < 0 && author == "":
		columns["author"] = header[first]
	case last >= 0 && (author == "" || author == header[first] || author == header[last]):
		columns["author"] = header[first] + "+" + header[last]
	}
	if suggested := mapOf(columns, header, rows); len(missing) > 0 {
		remedy := "say which holds what: " + suggested
		if len(rated) == 0 && slices.ContainsFunc(slices.Concat(rows...), forms("recommends").MatchString) {
			return &UsageError{[]string{messages["recommendations"]}}
		} else if len(rows) > 0 && len(rated) == 0 && columns["rating"] == "" && !slices.ContainsFunc(header, forms("like rating").MatchString) {
			then := diagnostic.Pick(strings.Contains(suggested, "rating=COLUMN"), "name it rating", "import again with "+suggested)
			remedy = "no column has numbers of stars, and reviews without stars can't be imported; if one has words for them, write the numbers in their place, and " + then + "; if the customers gave stars elsewhere, add them in a column named rating; of those who gave none, ask for them, or leave the rows out"
		}
		return unknownHeader("the export has no column "+strings.Join(missing, " and none "), header, rows, remedy)
	}
	if rating := columns["rating"]; c.Map["rating"] == "" && forms("gradeForm").MatchString(rating) && slices.ContainsFunc(header, forms("germanForm").MatchString) {
		return usageError(messages["grades"], quote(rating), "rating="+rating)
	} else if misnamed && fieldOf(rating) != "rating" {
		return usageError("the column %s has texts, and %s seems to have the stars; import again with %s", quote(named), quote(rating), mapOf(columns, header, rows))
	}
	given := slices.Collect(maps.Values(c.Map))
	texts := slices.DeleteFunc(slices.Clone(header), func(name string) bool {
		other := slices.Contains(slices.Collect(maps.Values(columns)), name) || !mayBeText(name, slices.Index(header, name), rows, columns["text"] == "")
		return name == "" || slices.Contains(given, name) || slices.Contains(rated, name) || fieldOf(name) != "text" && other && !(misnamed && name == columns["text"])
	})
	if i := slices.IndexFunc(texts, func(name string) bool { return slices.Contains(texts[1+slices.Index(texts, name):], name) }); i >= 0 {
		return &UsageError{[]string{twoColumns(texts[i], header)}}
	}
	if c.Map["text"] == "" && (len(texts) > 1 || len(texts) == 1 && columns["text"] == "") && diagnostic.Squash(columns["text"]) != "text" {
		c.ask = fmt.Sprintf(messages["several texts"], quoteAll(texts), strings.Join(texts[:min(len(texts), 4)], `" or --map "text=`))
		columns["text"] = texts[0]
	}
	maps.DeleteFunc(columns, func(field, column string) bool {
		return slices.Contains(given, column) && field != "rating" && field != "date"
	})
	maps.Copy(columns, c.Map)
	c.Map = columns
	return nil
}

// with returns the map with other columns, or none, of fields: a field, its column, and so on.
func (c Config) with(pairs ...string) string {
	forgotten, _ := ParseMap(strings.TrimPrefix(c.forgotten, ","))
	c.Map = maps.Collect(maps.All(c.Map)) // a clone of none is nil
	maps.Copy(c.Map, forgotten)
	for pair := range slices.Chunk(pairs, 2) {
		c.Map[pair[0]] = pair[1]
	}
	return c.columns()
}

// columns returns the map as --map has it, in the order of Fields.
func (c *Config) columns() string {
	var pairs []string
	for _, f := range mapped {
		if column := strings.TrimSpace(c.Map[f.String()]); column != "" {
			pairs = append(pairs, pairOf(f.String(), column))
		}
	}
	return strings.Join(pairs, ",")
}

// pairOf returns a part of a map, as ParseMap reads it.
func pairOf(field, column string) string {
	needsQuotes := strings.Contains(column, ",") && strings.Contains(column, "=")
	return diagnostic.Pick(needsQuotes, `"`+field+"="+strings.ReplaceAll(column, `"`, `""`)+`"`, field+"="+column)
}

// mapOf returns a map of the columns that are known or probable, with COLUMN for the others, and which of several these may be.
func mapOf(columns map[string]string, header []string, rows [][]string) string {
	columns = maps.Collect(maps.All(columns))
	var pairs, doubts []string
	main := []string{"rating", "date", "text", "author"}
	for _, name := range main {
		if likely := likeliest(name, columns, header, rows); columns[name] == "" && len(likely) == 1 {
			columns[name] = likely[0]
		} else if columns[name] == "" && len(likely) > 1 {
			likelier := likelihood(name, likely[0]) > likelihood(name, likely[1])
			columns[name] = diagnostic.When(likelier, likely[0])
			doubts = append(doubts, name+" may be "+quote(likely[0])+diagnostic.When(likelier, " (likelier)")+" or "+strings.ReplaceAll(quoteAll(likely[1:]), ", ", " or "))
		}
		pairs = append(pairs, pairOf(name, cmp.Or(columns[name], "COLUMN")))
	}
	for _, name := range Fields() {
		if columns[name] != "" && !slices.Contains(main, name) {
			pairs = append(pairs, pairOf(name, columns[name]))
		}
	}
	scale := diagnostic.When(forms("toTen").MatchString(columns["rating"]), " --rating-scale 10")
	return "--map " + strconv.Quote(strings.Join(pairs, ",")) + scale + diagnostic.When(doubts != nil, ", where "+strings.Join(doubts, ", and "))
}

// choose finds the shape of a header: the map, without the columns that the export leaves out, and the date layout. ok
// is false if no shape has both a rating and a date; then the map is empty.
func choose(shapes []Shape, header []string) (columns map[string]string, layout string, ok bool) {
	var plain []string
	for _, name := range header {
		plain = append(plain, plainName(name))
	}
	for _, shape := range shapes {
		columns = map[string]string{}
		for field, names := range shape.Columns {
			if i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(plain, name) }); i >= 0 {
				columns[field] = header[slices.Index(plain, names[i])]
			}
		}
		if columns["text"] == columns["rating"] {
			delete(columns, "text")
		}
		if columns["owner_reply.text"] == "" || columns["owner_reply.date"] == "" {
			delete(columns, "owner_reply.text")
			delete(columns, "owner_reply.date")
		}
		if columns["rating"] != "" && columns["date"] != "" {
			return columns, shape.Layout, true
		}
	}
	return columns, "", false
}
