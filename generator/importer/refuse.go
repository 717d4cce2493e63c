package importer

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// refuse says when nothing is written, and what to do. Fresh reports that nothing was imported before.
func (m *merger) refuse(reviews []*review, fresh bool) {
	cfg, skipped := m.cfg, map[Code]int{}
	climbs := m.conv.climbs > 1 && m.conv.climbs == m.conv.over // no other row says that there is another scale
	if climbs {
		m.conv.over, m.conv.overDays = 0, nil
	}
	unread := 0
	for i, s := range m.report.Skipped {
		if rating, _, _ := strings.Cut(s.Reason, ";"); climbs && s.Code == OverScale {
			m.report.Skipped[i].Reason = rating + ", and one more than in the row above, as where a cell was dragged down in a spreadsheet program; undo that there or correct the cell, or set --rating-scale to the best rating if customers could give such ratings"
		}
		if skipped[s.Code]++; !slices.Contains(understood, s.Code) {
			unread++
		}
	}
	m.report.Refused = !cfg.Partial && unread > 0 && 2*unread >= m.report.Rows
	refuse := func(when bool, format string, args ...any) {
		if when {
			m.report.Remedy, m.report.Refused = fmt.Sprintf(format, args...), true
		}
	}
	// In these cases, the rows that could be read are wrong, too.
	author, read := quote(cfg.Map["author"]), m.report.Rows-len(m.report.Skipped)
	given := diagnostic.When(cfg.Partial, "; if not, import with --partial")
	scale := strings.TrimSuffix(cmp.Or(m.sameDays(reviews), m.otherDays(slices.Concat(reviews, m.conv.between))), given)
	m.report.Remedy = cmp.Or(scale, m.report.Remedy)
	m.report.Refused = m.report.Refused || scale != "" && !cfg.Partial
	refuse(m.conv.absent > 0 && m.conv.neither == 0 && m.conv.otherwise > 1, "the dates have another layout; import again with --date-layout %q", inLetters.Replace(swap.Replace(cfg.DateLayout)))
	exchanged := m.conv.exchanged()
	refuse(exchanged != "" && !cfg.Partial, "%s", exchanged)
	column := m.otherColumn(skipped[OtherColumn])
	refuse(column != "", "%s", column)
	refuse(m.counted && m.other > 0, "the column %s counts the rows, which are others now; import again without id: --map %q", quote(cfg.Map["id"]), cfg.with("id", ""))
	refuse(fresh && !cfg.Partial && cfg.Platform == "" && cfg.Map["text"] != "" && count(reviews), "the column %s counts the rows, and may count others in the next export; import again without id: --map %q; if each review keeps its number, import with --partial", quote(cfg.Map["id"]), cfg.with("id", ""))
	refuse(m.shared > 0 && !cfg.Partial, "if these are two reviews, import again without id: --map %q; if not, remove the wrong row, or import with --partial", cfg.with("id", ""))
	refuse(m.conv.own > 1 && m.conv.own == read && !cfg.Partial, "the column %s has your technicians, who would be the authors; map it to technicians, and the column with the customers to author", author)
	refuse(m.conv.wordy > 0 && 2*m.conv.wordy >= read && !cfg.Partial, "the column %s has texts, which would be published as names; import again with author= and the column of the names in --map; if the text and the author are exchanged: --map %q", author, cfg.with("author", cfg.Map["text"], "text", cfg.Map["author"]))
	for i, name := range memberNames[:fieldLanguage] {
		same := len(m.before[i]) > 2 && slices.Equal(slices.Sorted(slices.Values(m.before[i])), slices.Sorted(slices.Values(m.after[i])))
		refuse(same && !cfg.Partial, "the %s of %d reviews would be exchanged among them, as if only one column of the table had been sorted; undo that, or export again; if it is right, import with --partial", name, len(m.before[i]))
	}
	without := map[field]string{fieldAuthor: "delete it in the table, and import again", fieldTitle: fmt.Sprintf("import again without it: --map %q", cfg.with("title", ""))}
	for _, f := range []field{fieldAuthor, fieldTitle} {
		other := func(v *review) bool {
			return v.values[f] == nil || string(v.values[f]) == quotedAnonymous || !same(v.values[f], reviews[0].values[f])
		}
		refuse(fresh && !cfg.Partial && len(reviews) > 2 && !slices.ContainsFunc(reviews, other), "the column %s has the same in every row, so customers have hardly written it; %s; if they have, import with --partial", quote(cfg.Map[f.String()]), without[f])
	}
	refuse(m.report.Addresses > 0 && m.report.Addresses == read && !cfg.Partial, "the column %s has e-mail addresses, which are never published, so that every review would be by %s; import again with author= and the column of the names in --map, or without author", author, anonymous)
	used := slices.Collect(maps.Values(cfg.Map))
	for _, name := range slices.Sorted(maps.Keys(m.seen)) {
		found := m.seen[name].names
		refuse(len(found) > 1 && !cfg.Partial && !slices.Contains(used, name), "the column %s names several: %s; if they are businesses, and not all are this one, delete the rows of the others from the table, and import again; otherwise import with --partial",
			quote(name), diagnostic.Join(found, "and"))
	}
	if n := m.turned; n > 0 && n == skipped[OtherColumn] && m.report.Remedy == "" {
		m.report.Remedy = fmt.Sprintf("of all these reviews, the day and the month are exchanged, as spreadsheet programs do; if the dates here are right, export again, and don't open the file in such a program, or write its dates as YYYY-MM-DD; if they are wrong, and nothing of them is published yet, delete %[1]s and import again; if they are wrong and published, write the right dates into %[1]s by hand: the ids stay", m.report.File)
	}
	refuse(m.conv.over > 0 && 2*m.conv.over >= m.report.Rows, "the ratings have another scale; import again with --rating-scale %g%s%s", m.conv.scale, m.conv.orSix(), m.conv.andRound(m.conv.scale))
}

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
	return m.unlessOwn(m.cfg.Taken(id))
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
const recommendations = "these are recommendations, as Facebook and some surveys have them, and no ratings in stars; they can't be imported; if another column has stars, name it rating, and delete the one of the recommendations"

func isRecommendation(column string) bool {
	return forms["like recommendation"].MatchString(column) && !forms["toTen"].MatchString(column)
}

// misread returns an error if the column of the rating or of the text seems to have something else.
func (t *table) misread(cfg *Config) error {
	rating, text, message := cfg.Map["rating"], cfg.Map["text"], ""
	texts := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return fieldOf(name) != "text" })
	switch meant := fieldOf(text); {
	case isRecommendation(rating) && !slices.Contains(rated(t.names, t.sample()), rating):
		message = recommendations
	case forms["bestIsOne"].MatchString(rating):
		message = fmt.Sprintf("the column %s says that 1 is the best; write the stars into a column of their own (5 for 1, 4 for 2 and so on), and import again with rating= and its name in --map", quote(rating))
	case forms["toTen"].MatchString(rating) && cfg.RatingScale == reviewcast.MaxRating:
		message = fmt.Sprintf("the column %s says that 10 is the best; import with --rating-scale 10, and with --round nearest or down for ratings between two stars", quote(rating))
	case len(texts) > 0 && meant == "owner_reply.text":
		message = fmt.Sprintf("the column %s seems to have your replies, which would be published as the customers' words; map it to owner_reply.text, and %s to text", quote(text), quote(texts[0]))
	case len(texts) > 0 && meant == "title":
		message = fmt.Sprintf("the column %s seems to have titles, and %s the texts; import again with --map %q; if not, give %[1]s the name text in the table", quote(text), quote(texts[0]), cfg.with("title", text, "text", texts[0]))
	default:
		return nil
	}
	return &UsageError{[]string{message}}
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
	for _, name := range m.files.memories {
		source := strings.TrimSuffix(strings.TrimPrefix(path.Base(name), ".import-"), ".json")
		other, err := load(m.files.root, source)
		if err != nil || other.data != nil || source == m.cfg.Source {
			continue
		}
		remembered, err := parseMemory(other.remembered)
		known := slices.DeleteFunc(slices.Clone(reviews), func(v *review) bool { return err != nil || remembered.Reviews[v.key].ID == "" })
		if n := len(known); n > 0 && 2*n >= len(reviews) {
			return &UsageError{[]string{fmt.Sprintf("%d of the %s of this export were imported with --source %s before, and %s was deleted; if they are published, import with --source %[3]s, so that they keep their ids; if they are not, delete %[5]s, too, and import again",
				n, diagnostic.Plural(len(reviews), "review"), source, dataPath(source), name)}}
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
				if now := textOf(v.values[i]); field(i) == fieldDate && len(here) == len(now) && here[:5]+here[8:]+here[4:7] == now {
					m.turned++
				}
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

// moved counts the columns that have what a review that is here has as a field.
func (m *merger) moved(v *review, r *record, f field) {
	here := textOf(r.values[f])
	for i, name := range v.row.names {
		if cell := v.row.all[i]; here != "" && here != anonymous && (cell == here || publishedAuthor(cell, m.cfg.AuthorNames == "full") == here) {
			m.columns[[2]string{f.String(), name}]++
		}
	}
}

// otherColumn says that the reviews that are here have a field from another column than this import; "" if it is not so.
func (m *merger) otherColumn(skipped int) string {
	for _, pair := range slices.SortedFunc(maps.Keys(m.columns), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if f, name, n := pair[0], pair[1], m.columns[pair]; 5*n >= 4*skipped && (n > 1 || f == "text") {
			return fmt.Sprintf("the reviews that are here have their %s from the column %s, and not from %s; import again with --map %q; if %[2]s was the wrong column, and nothing of it is published yet, delete the file and import again", f, quote(name), quote(m.cfg.Map[f]), m.cfg.with(f, name))
		}
	}
	return ""
}

// count reports whether the ids of an export count its rows.
func count(reviews []*review) bool {
	return len(reviews) > 2 && !slices.ContainsFunc(reviews, func(v *review) bool {
		first, err := strconv.Atoi(reviews[0].external)
		n, no := strconv.Atoi(v.external)
		return err != nil || no != nil || first > reviews[0].number || n-first != v.number-reviews[0].number
	})
}

// counted reports whether the reviews of an import are all here, and their ids counted the rows.
func (f *files) counted() bool {
	n, found := len(f.memory.Reviews), 0
	for i := range n + 1 {
		if len(f.memory.Reviews[keyOf("id", strconv.Itoa(i))].Wrote) > 0 {
			found++
		}
	}
	return n > 0 && found == n && len(f.records) >= n
}

// content returns what no two reviews of a source have in common; "" if it may be chance.
func content(v values) string {
	if len(v[fieldText]) <= minDistinct {
		return ""
	}
	return string(slices.Concat(v[fieldAuthor], v[fieldDate], v[fieldRating], v[fieldText]))
}
