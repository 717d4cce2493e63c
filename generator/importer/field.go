package importer

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
)

// field is a value that an export may have for a review, in the order of fieldNames.
type field int

const (
	fieldRating field = iota
	fieldDate
	fieldText
	fieldTitle
	fieldAuthor
	fieldID
	fieldSourceURL
	fieldLanguage
	fieldReplyText
	fieldReplyDate
	fieldVerification
	fieldTechnicians
	fieldServices
	fieldServiceAreas
)

var fieldNames = [...]string{
	"rating", "date", "text", "title", "author", "id", "source_url", "language",
	"owner_reply.text", "owner_reply.date",
	"verification.method", "technicians", "services", "service_areas",
}

func (f field) String() string { return fieldNames[f] }

// Fields are the fields that Config.Map can map to columns.
func Fields() []string { return slices.Clone(fieldNames[:]) }

// ParseMap parses a map as it is written on a command line: field=COLUMN, separated by commas. A part that contains a
// comma is in double quotes, as in CSV: rating=stars,"text=Review, public". Whether the fields and columns exist is
// checked by the import. The error is a *UsageError.
func ParseMap(s string) (map[string]string, error) {
	r := csv.NewReader(strings.NewReader(s))
	r.LazyQuotes = true
	parts, err := r.Read()
	if err != nil {
		return nil, &UsageError{[]string{"the column map is empty; write rating=COLUMN,date=COLUMN,text=COLUMN"}}
	}
	m := make(map[string]string, len(parts))
	var problems []string
	for _, part := range parts {
		name, column, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		switch _, twice := m[name]; {
		case !ok || strings.Contains(column, ";") && strings.Contains(column, "="):
			meant := strings.NewReplacer(":", "=", ";", ",").Replace(part)
			if strings.HasPrefix(part, " ") && !ok && len(m) > 0 {
				meant = `in double quotes the pair whose column has a comma, such as 'rating=stars,"text=Good,` + part + `"'`
			} else if field := fieldOf(part); field == part {
				meant = field + "=COLUMN"
			} else if field != "" {
				meant = field + "=" + part
			} else if meant == part {
				meant = "a field, = and the name of its column, such as rating=stars"
			}
			problems = append(problems, fmt.Sprintf("column map: %s is not field=COLUMN; write %s", quote(part), meant))
		case twice:
			problems = append(problems, fmt.Sprintf("column map: %s is given twice; give it once", quote(name)))
		default:
			m[name] = column
		}
	}
	if len(problems) > 0 {
		return nil, &UsageError{problems}
	}
	return m, nil
}

// fieldOf returns the field that a word is used for; "" for none.
func fieldOf(word string) string {
	for _, field := range fieldNames {
		if slices.ContainsFunc(own[0].Columns[field], func(name string) bool { return diagnostic.Squash(name) == diagnostic.Squash(word) }) {
			return field
		}
	}
	return ""
}

// checkFields checks a map before the export is read.
func checkFields(m map[string]string) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(fieldNames[:], name) {
			field, column := m[name], name
			if !slices.Contains(fieldNames[:], field) {
				field, column = fieldOf(name), cmp.Or(m[name], name)
			}
			if field != "" {
				problems = append(problems, fmt.Sprintf("column map: the field comes first: write %s=%s", field, column))
				continue
			}
			problems = append(problems, fmt.Sprintf("column map: there is no field %s%s; the fields are %s",
				quote(name), didYouMean(name, fieldNames[:]), strings.Join(fieldNames[:], ", ")))
		} else if strings.TrimSpace(m[name]) == "" {
			problems = append(problems, fmt.Sprintf("column map: %s has no column; write %s=COLUMN", name, name))
		}
	}
	if (m[fieldReplyText.String()] == "") != (m[fieldReplyDate.String()] == "") {
		problems = append(problems, "column map: an owner's reply needs both owner_reply.text and owner_reply.date")
	}
	return problems
}

// noColumn marks a field that the export does not have.
const noColumn = -1

// bind finds the mapped columns in a header.
func bind(m map[string]string, header []string) (binding [len(fieldNames)]int, err error) {
	var problems []string
	for f := range field(len(fieldNames)) {
		binding[f] = noColumn
		want := strings.TrimSpace(m[f.String()])
		if want == "" {
			continue
		}
		switch first := slices.Index(header, want); {
		case first < 0:
			problems = append(problems, fmt.Sprintf("column map: %s=%s: the export has no such column%s; its columns are %s",
				f, want, didYouMean(want, header), quoteAll(header)))
		case slices.Contains(header[first+1:], want):
			problems = append(problems, fmt.Sprintf("column map: %s=%s: the export has two columns of that name; rename one of them", f, want))
		default:
			binding[f] = first
		}
	}
	if len(problems) > 0 {
		return binding, &UsageError{problems}
	}
	return binding, nil
}

// maxListed is how many columns a message lists: a file that is not a table can have a header of any size.
const maxListed = 60

func quoteAll(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), maxListed)] {
		quoted = append(quoted, quote(name))
	}
	list := strings.Join(quoted, ", ")
	if len(names) > maxListed {
		list += fmt.Sprintf(" and %d more", len(names)-maxListed)
	}
	return list
}

// didYouMean returns a suggestion if a known name is near.
func didYouMean(name string, known []string) string {
	if meant := diagnostic.Nearest(name, known); meant != "" {
		return " (did you mean " + quote(meant) + "?)"
	}
	return ""
}
