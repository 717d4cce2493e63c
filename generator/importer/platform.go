package importer

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// Shape is a header that a platform or a common tool writes.
type Shape struct {
	// Columns has for each field the names that its column has had; case, spaces and hyphens are ignored. The first that
	// the header has is used.
	Columns map[string][]string
	// Layout is the layout of its dates; "" is 2006-01-02.
	Layout string
}

// Platforms are the exports that `import` knows by name. The first shape whose rating and date are in the header is
// used. Columns that are not listed (a reference number, tags, the reviewer's e-mail) are never read.
var Platforms = func() map[string][]Shape {
	m := map[string][]Shape{}
	for _, part := range strings.Split(columnsFile, "\n\n[")[1:] {
		head, lines, _ := strings.Cut(part, "\n")
		name, layout, _ := strings.Cut(head, "]")
		s := Shape{Columns: map[string][]string{}, Layout: strings.TrimSpace(layout)}
		for line := range strings.Lines(lines) {
			field, columns, _ := strings.Cut(strings.TrimSpace(line), "=")
			s.Columns[field] = strings.Split(columns, ",")
		}
		m[name] = append(m[name], s)
	}
	own = m["own"]
	delete(m, "own")
	return m
}()

// own is an export without a map: the names of the fields, or what people call them.
var own []Shape

// columnsFile has a paragraph for each shape: its platform and layout, and the names of the columns for each field.
//
//go:embed columns.txt
var columnsFile string

// useShape completes the configuration by the header of a platform's export.
func (c *Config) useShape(header []string) error {
	columns, layout, ok := choose(Platforms[c.Platform], header)
	if !ok && (c.Map["rating"] == "" || c.Map["date"] == "") {
		return unknownHeader(fmt.Sprintf("the export has none of the shapes of %s that are known", c.Platform), header)
	}
	maps.Copy(columns, c.Map)
	c.Map = columns
	c.DateLayout = cmp.Or(c.DateLayout, layout, time.DateOnly)
	return nil
}

// ownNames is for an export whose columns have the names of the fields, or similar ones.
func (c *Config) ownNames(header []string) error {
	columns, _, _ := choose(own, header)
	missing := slices.DeleteFunc([]string{"rating", "date"}, func(field string) bool { return c.Map[field] != "" || columns[field] != "" })
	if len(missing) > 0 {
		return unknownHeader("the export has no column "+strings.Join(missing, " and none "), header)
	}
	partOf := slices.IndexFunc(header, func(cell string) bool { return firstNames.MatchString(cell) })
	if partOf >= 0 && c.Map["author"] == "" && columns["author"] == "" {
		return &UsageError{[]string{fmt.Sprintf("the author's name is in several columns, among them %s; join them to one column named author, and import again", quote(header[partOf]))}}
	}
	given := slices.Collect(maps.Values(c.Map))
	maps.DeleteFunc(columns, func(_, column string) bool { return slices.Contains(given, column) })
	maps.Copy(columns, c.Map)
	c.Map = columns
	return nil
}

// firstNames matches the column of the first part of a name.
var firstNames = regexp.MustCompile(`(?i)^(first|given)[ _]?name$|^vorname$|^prénom$|^nome$|^nombre$`)

func unknownHeader(problem string, header []string) error {
	problem += fmt.Sprintf("; its columns are %s: say which holds what: --map rating=COLUMN,date=COLUMN,text=COLUMN,author=COLUMN", quoteAll(header))
	if slices.ContainsFunc(header, func(cell string) bool { return reviewcast.Date(cell).Valid() }) {
		problem = fmt.Sprintf("the first row, %s, is a review and not the names of the columns; add a row above it, such as rating,date,text,author", quoteAll(header))
	}
	if slices.ContainsFunc(header, func(cell string) bool { return strings.Contains(strings.ToLower(cell), "recommend") }) {
		problem = "these are recommendations, as Facebook has them, and no ratings in stars; they can't be imported"
	}
	for name, shapes := range Platforms {
		if _, _, ok := choose(shapes[:1], header); ok {
			problem = fmt.Sprintf("the columns are those of an export of %s; import it with `reviewcast import %s`", name, name)
		}
	}
	if len(header) == 1 && strings.ContainsAny(header[0], ",;") {
		problem = "each row of the export is in one pair of quotation marks, so that it has one cell; export it again as CSV, or delete the quotation mark at the beginning and at the end of each row"
	}
	if filled := slices.DeleteFunc(slices.Clone(header), func(cell string) bool { return cell == "" }); len(filled) == 1 && len(header) > 1 {
		problem = fmt.Sprintf("the first row, %s, does not name the columns; delete the rows above the one that does", quote(filled[0]))
	}
	return &UsageError{[]string{problem}}
}

// choose finds the shape of a header: the map, without the columns that the export leaves out, and the date layout. ok
// is false if no shape has both a rating and a date; then the map is empty.
func choose(shapes []Shape, header []string) (columns map[string]string, layout string, ok bool) {
	for _, shape := range shapes {
		columns = map[string]string{}
		for field, names := range shape.Columns {
			for _, name := range names {
				if i := slices.IndexFunc(header, func(h string) bool { return diagnostic.Squash(h) == diagnostic.Squash(name) }); i >= 0 {
					columns[field] = header[i]
					break
				}
			}
		}
		if columns["rating"] == "" || columns["date"] == "" {
			continue
		}
		if columns["owner_reply.text"] == "" || columns["owner_reply.date"] == "" {
			delete(columns, "owner_reply.text")
			delete(columns, "owner_reply.date")
		}
		return columns, shape.Layout, true
	}
	return columns, "", false
}
