package importer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"reviewcast/generator/diagnostic"
)

// minDistinct is how many characters a text has at least that two customers don't write alike.
const minDistinct = 20

// twins returns the keys of reviews that are here already but for one field, by those of the new ones, if these are
// most of the new: then another column is mapped to the field. Where the export has none of the reviews that are here,
// short texts do, too, and of those that are here without a text and a name the date and the stars.
func (m *merger) twins(reviews []*review) map[string]string {
	none := !slices.ContainsFunc(slices.Collect(maps.Keys(m.files.memory.Reviews)), func(key string) bool { return m.first[key] != nil })
	pairs := func(v values, here bool) (pairs []string) {
		if bare := v[fieldText] == nil && string(v[fieldAuthor]) == quotedAnonymous; none && (bare || !here) {
			pairs = append(pairs, keyOf("bare", string(v[fieldDate]), string(v[fieldRating])))
		}
		long := none || len(v[fieldText]) > minDistinct
		for i, pair := range [][2]field{{fieldDate, fieldText}, {fieldAuthor, fieldText}, {fieldDate, fieldAuthor}} {
			a, b := string(v[pair[0]]), string(v[pair[1]])
			if a != "" && b != "" && a != quotedAnonymous && b != quotedAnonymous && (i == 2 || long) {
				pairs = append(pairs, keyOf(strconv.Itoa(i), a, b))
			}
		}
		return pairs
	}
	here := map[string]string{}
	for key, e := range m.files.memory.Reviews {
		if r := m.byID[strings.ToLower(e.ID)]; r != nil && m.first[key] == nil {
			for _, pair := range pairs(r.values, true) {
				here[pair] = key
			}
		}
	}
	twins, sure, fresh := map[string]string{}, map[string]string{}, 0
	for _, v := range reviews {
		if _, known := m.files.memory.Reviews[v.key]; known {
			continue
		}
		fresh++
		for _, pair := range pairs(v.values, false) {
			if key, ok := here[pair]; ok {
				twins[v.key] = key
				if r := m.byID[strings.ToLower(m.files.memory.Reviews[key].ID)]; r.edited(v) {
					sure[v.key] = key
				}
			}
		}
	}
	if 2*len(twins) <= fresh {
		return sure
	}
	return twins
}

// edited reports whether a review of an export is this one with another text: its author, day and stars are the same.
func (r *record) edited(v *review) bool {
	return string(v.values[fieldAuthor]) != quotedAnonymous && !slices.ContainsFunc([]field{fieldAuthor, fieldDate, fieldRating}, func(f field) bool {
		return !same(r.values[f], v.values[f])
	})
}

// twin returns why a review that is here but for some fields is skipped; nil if it is here as it is.
func (m *merger) twin(v *review, r *record) *Skip {
	var differ []string
	for i, name := range memberNames {
		if slices.Contains(m.files.memory.KnownBy, name) && !same(v.values[i], r.values[i]) {
			if here := textOf(r.values[i]); field(i) == fieldAuthor || field(i) == fieldDate {
				name += " (here " + quote(here) + ")"
			}
			differ = append(differ, name)
			m.moved(v, r, field(i))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	at := &row{number: v.number, line: v.line}
	return at.skip(OtherColumn, "%s is the same review with another %s, and would be here twice", r.id, diagnostic.Join(differ, "and"))
}

// reads returns what a cell would be as a field.
func (c *converter) reads(f field, cell string) string {
	switch f {
	case fieldAuthor:
		return publishedAuthor(cell, c.AuthorNames == "full")
	case fieldDate:
		day, _ := parseDay(c.DateLayout, strings.TrimSpace(cell))
		return day.Format(time.DateOnly)
	}
	return strings.ReplaceAll(cell, "\r\n", "\n")
}

// moved counts the columns that have what a review that is here has as a field.
func (m *merger) moved(v *review, r *record, f field) {
	if m.columns[f] == nil {
		m.columns[f] = map[string]int{}
	}
	m.columns[f][""]++
	here := textOf(r.values[f])
	for i, name := range v.names {
		if name != "" && here != "" && here != anonymous && m.conv.reads(f, v.cells[i]) == here {
			m.columns[f][name]++
		}
	}
}

// otherColumns says that the reviews that are here have fields from other columns than this import; "" if it is not so.
func (m *merger) otherColumns() string {
	var fields []string
	right := Config{Map: maps.Clone(m.cfg.Map)}
	for f, columns := range m.columns {
		for _, name := range slices.Sorted(maps.Keys(columns)) {
			if n := columns[""]; name != "" && 5*columns[name] >= 4*n && (n > 1 || field(f) == fieldText) {
				fields = append(fields, fmt.Sprintf("%s from the column %s, and not from %s", field(f), quote(name), quote(right.Map[memberNames[f]])))
				right.Map[memberNames[f]] = name
				break
			}
		}
	}
	if fields == nil {
		return ""
	}
	return fmt.Sprintf("the reviews that are here have their %s; import again with --map %q", strings.Join(fields, ", their "), right.columns())
}

// count reports whether the ids of an export count its rows.
func count(reviews []*review) bool {
	return len(reviews) > 2 && !slices.ContainsFunc(reviews, func(v *review) bool {
		first, err := strconv.Atoi(reviews[0].external)
		n, no := strconv.Atoi(v.external)
		return err != nil || no != nil || first > reviews[0].number || n-first != v.number-reviews[0].number
	})
}

// counted reports whether all reviews of an import are here, and their ids counted the rows.
func (f *files) counted() bool {
	here := map[string]bool{}
	for _, r := range f.records {
		here[r.id] = true
	}
	_, zero := f.memory.Reviews[keyOf("id", "0")]
	for i := range len(f.memory.Reviews) {
		n := strconv.Itoa(i + map[bool]int{false: 1}[zero])
		if e, ok := f.memory.Reviews[keyOf("id", n)]; !ok || !here[e.ID] {
			return false
		}
	}
	return len(f.memory.Reviews) > 0
}

// withoutID returns the map without its id.
func (c Config) withoutID() string {
	c.Map = maps.Clone(c.Map)
	delete(c.Map, "id")
	return c.columns()
}

// content returns what no two reviews of a source have in common; "" if it may be chance.
func content(v values) string {
	if len(v[fieldText]) <= minDistinct {
		return ""
	}
	return string(v[fieldAuthor]) + string(v[fieldDate]) + string(v[fieldRating]) + string(v[fieldText])
}
