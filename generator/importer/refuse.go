package importer

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// scaleFits returns an error if no rating needs the scale, which an import before this one did not have.
func (m *merger) scaleFits() error {
	scale, scales := m.cfg.RatingScale, []float64{reviewcast.MaxRating, 10, 20, 100}
	fits := slices.IndexFunc(scales, func(scale float64) bool { return m.conv.best <= scale })
	before := slices.ContainsFunc(slices.Collect(maps.Values(m.files.memory.Reviews)), func(e entry) bool { return e.Scale == m.scale() })
	if before || m.conv.rated < 2 || fits < 0 || 2*scales[fits] > scale {
		return nil
	}
	return &UsageError{[]string{fmt.Sprintf("no rating of this export is above %g, so --rating-scale %g is probably wrong, and every review would have too few stars; import with --rating-scale %[1]g; "+
		"if customers could give %[2]g, write one of the ratings with its scale, as %[3]g/%[2]g", scales[fits], scale, m.conv.best)}}
}

// minOver is how many ratings over the scale are no slips of the pen.
const minOver = 3

// sameDays says how many ratings were imported of the days of those over the scale, which are probably on that scale, too;
// "" if they are too many for that.
func (m *merger) sameDays(reviews []*review) string {
	days := m.conv.overDays
	if len(days) < minOver {
		return ""
	}
	first, last, n := slices.Min(days), slices.Max(days), 0
	for _, v := range reviews {
		if day := textOf(v.values[fieldDate]); first <= day && day <= last {
			n++
		}
	}
	if n == 0 || n > 2*len(days) {
		return ""
	}
	return fmt.Sprintf("the days of the ratings over the scale, %s to %s, have %s, read as of %g; if the platform has changed its scale, divide the table at %[1]s, and import each part with its own --rating-scale",
		first, last, diagnostic.Plural(n, "other rating"), m.cfg.RatingScale)
}

// minLow is how many reviews of successive days would hardly all have half of the stars or fewer.
const minLow = 40

// otherDays says that the first or the last ratings of an export don't go beyond 5 and others do, so that they are
// probably on a scale of 5; "" if it is not so.
func (m *merger) otherDays(reviews []*review) string {
	if m.cfg.RatingScale <= reviewcast.MaxRating {
		return ""
	}
	day := func(v *review) string { return textOf(v.values[fieldDate]) }
	sorted := slices.SortedFunc(slices.Values(reviews), func(a, b *review) int { return cmp.Compare(day(a), day(b)) })
	for _, when := range []string{"before", "after"} {
		i := slices.IndexFunc(sorted, func(v *review) bool { return v.rating > reviewcast.MaxRating })
		if low := sorted[:max(i, 0)]; i >= minLow && slices.ContainsFunc(low, func(v *review) bool { return v.rating == reviewcast.MaxRating }) {
			return fmt.Sprintf("all %d ratings %s %s are %d or lower, and would be read as of %g; if customers gave up to %[4]d stars then, divide the table at that day, and import each part with its own --rating-scale; if not, import with --partial",
				i, when, day(sorted[i]), reviewcast.MaxRating, m.cfg.RatingScale)
		}
		slices.Reverse(sorted)
	}
	return ""
}

// inOtherFile returns where another file of the folder has an id; "" if none has.
func (m *merger) inOtherFile(id string) string {
	if m.cfg.Taken == nil {
		return ""
	}
	where, _ := m.cfg.Taken(id)
	return m.unlessOwn(where)
}

func (m *merger) unlessOwn(where string) string {
	if strings.HasPrefix(where+":", m.report.File+":") {
		return ""
	}
	return where
}

// elsewhere returns where another file has a review: one with its id that an import wrote, or one with its author, date
// and text; "" if none has.
func (m *merger) elsewhere(v *review, id string) string {
	if e, ok := m.files.memory.Reviews[v.key]; ok && e.ID == id && m.inOtherFile(id) != "" {
		return m.inOtherFile(id)
	}
	author, words := textOf(v.values[fieldAuthor]), textOf(v.values[fieldText])
	if m.cfg.Standing == nil || words == "" || author == anonymous && len(words) < minDistinct {
		return ""
	}
	return m.unlessOwn(m.cfg.Standing(author, reviewcast.Date(textOf(v.values[fieldDate])), words))
}

// recommendations is what is said of an export of Facebook.
const recommendations = "these are recommendations, as Facebook has them, and no ratings in stars; they can't be imported"

func isRecommendation(column string) bool {
	return strings.Contains(strings.ToLower(column), "recommend") && !toTen.MatchString(column)
}

// textOf returns a JSON string as text.
func textOf(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(b)
}

// otherSource returns an error if the export was imported under another name before: then most of its reviews, or any
// if the names are alike, are in the file of that import.
func (m *merger) otherSource(reviews []*review, ids []string) error {
	if len(m.files.memory.Reviews) > 0 {
		return nil
	}
	for source, keys := range m.files.deleted {
		n := 0
		for _, v := range reviews {
			if _, ok := keys[v.key]; ok {
				n++
			}
		}
		if n > 0 && 2*n >= len(reviews) {
			return &UsageError{[]string{fmt.Sprintf("%d of the %s of this export were imported with --source %s before, and %s was deleted; if they are published, import with --source %[3]s, so that they keep their ids; if they are not, delete %[5]s, too, and import again",
				n, diagnostic.Plural(len(reviews), "review"), source, dataPath(source), memoryPath(source))}}
		}
	}
	found := map[string]int{}
	for i, v := range reviews {
		if where := m.elsewhere(v, ids[i]); where != "" {
			file, _, _ := strings.Cut(where, ":")
			found[file]++
		}
	}
	for file, n := range found {
		name, isImport := strings.CutPrefix(strings.TrimSuffix(path.Base(file), ".jsonl"), "import-")
		if isImport && name != m.cfg.Source && (2*n >= len(reviews) || diagnostic.Nearest(m.cfg.Source, []string{name}) != "") {
			return &UsageError{[]string{fmt.Sprintf("%d of the %s of this export are in %s already, and would be published twice; to update them, import with --source %s", n, diagnostic.Plural(len(reviews), "review"), file, name)}}
		}
	}
	return nil
}
