package importer

import (
	"bytes"
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
	cfg, conv, report := m.cfg, m.conv, m.report
	skipped, unread := map[Code]int{}, 0
	for _, s := range report.Skipped {
		if skipped[s.Code]++; !slices.Contains(understood, s.Code) {
			unread++
		}
	}
	low := m.otherDays(reviews)
	report.Remedy = cmp.Or(low, report.Remedy)
	report.Refused = !cfg.Partial && (low != "" || unread > 0 && 2*unread >= report.Rows)

	// In these cases, the rows that could be read are wrong, too. The last one counts.
	say := func(when bool, remedy string) {
		if when {
			report.Remedy, report.Refused = remedy, true
		}
	}
	refuse := func(when bool, name string, args ...any) { say(when, fmt.Sprintf(messages[name], args...)) }
	suspect := func(when bool, name string, args ...any) { refuse(when && !cfg.Partial, name, args...) }

	count := func(is func(author string) bool) int {
		return len(slices.DeleteFunc(slices.Clone(reviews), func(v *review) bool { return !is(v.author) }))
	}
	wordy, own := count(forms("sixWords").MatchString), count(func(author string) bool {
		ids, _ := conv.ids(fieldTechnicians, []string{author})
		return ids != nil
	})
	addresses := count(func(author string) bool { return strings.Contains(author, "@") })
	withoutID := cfg.with("id", "")
	author, id := quote(cfg.Map["author"]), quote(cfg.Map["id"])
	refuse(conv.absent > 0 && conv.absent == conv.late && conv.early > 1, "other layout", inLetters.Replace(swap.Replace(cfg.DateLayout)))
	exchanged := conv.exchanged()
	say(exchanged != "" && !cfg.Partial, exchanged)
	elsewhere := skipped[OtherColumn]
	suspect(elsewhere > 1 && elsewhere > report.Added && 5*elsewhere >= report.Rows, "other column", report.File)
	suspect(elsewhere > 1 && m.turned == elsewhere && !conv.iso, "days turned", report.File)
	suspect(elsewhere > 1 && moved(m.pairs), "sorted alone")
	suspect(len(m.stars[0]) > 1 && 4*len(m.stars[0]) >= len(reviews) && (moved(m.stars) || inOrder(reviews) && upAndDown(m.stars)), "stars sorted")
	refuse(2*m.other > report.Rows, "other ids", id, report.File, withoutID)
	suspect(m.shared > 0, "shared id", withoutID)
	suspect(own > 1 && own == len(reviews), "technicians", author)
	suspect(wordy > 0 && 2*wordy >= len(reviews), "texts as names", author, cfg.with("author", cfg.Map["text"], "text", cfg.Map["author"]))
	lost, texts := []string(nil), 0
	for _, v := range reviews {
		text := textOf(v.values[fieldText])
		if texts += min(len(text), 1); forms("lostLetter").MatchString(text) {
			lost = append(lost, forms("lostLetter").FindString(text))
		}
	}
	suspect(len(lost) > 2 && 2*len(lost) >= texts, "lost letters", strings.Join(lost[:min(len(lost), 2)], " "))
	if fresh && len(reviews) > 2 {
		suspect(counted(reviews), "counted rows", id, withoutID)
		suspect(alike(reviews, fieldAuthor), "same in all", author, "delete it in the table, and import again")
		suspect(alike(reviews, fieldTitle), "same in all", quote(cfg.Map["title"]), fmt.Sprintf("import again without it: --map %q", cfg.with("title", "")))
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(m.seen)), func(name string) bool { return name == cfg.Map["author"] })
	columns, _, _ := choose(Platforms["own"], others)
	names := diagnostic.Pick(columns["author"] == "", " author= and the column of the names in --map or, if none has them, without author", " the column of the names")
	suspect(addresses > 0 && addresses == len(reviews), "addresses", author, anonymous, names, cfg.with("author", columns["author"]))
	suspect(mailed(reviews), "addresses as ids", id, withoutID)
	used := slices.Collect(maps.Values(cfg.Map))
	for _, name := range slices.Sorted(maps.Keys(m.seen)) {
		found := m.seen[name].names
		suspect(len(found) > 1 && !slices.Contains(used, name), "businesses", quote(name), diagnostic.Join(found, "and"))
	}
	suspect(conv.over >= minOver, "some over", conv.over, conv.scale, conv.andRound(conv.scale), cmp.Or(conv.overSince, "a day that can't be read"))
	refuse(conv.over > 0 && 2*conv.over >= report.Rows, "other scale", conv.scale, conv.andRound(conv.scale))
	say(cfg.ask != "", strings.TrimPrefix(report.Remedy+"\n"+cfg.ask, "\n"))
}

// counted reports whether ids count the rows, and the first row is the newest: ids that last would count from the oldest.
func counted(reviews []*review) bool {
	first := reviews[0].number
	return !slices.ContainsFunc(reviews, func(v *review) bool { return v.external != strconv.Itoa(v.number-first+1) }) &&
		slices.IsSortedFunc(reviews, func(a, b *review) int { return bytes.Compare(b.values[fieldDate], a.values[fieldDate]) }) &&
		!alike(reviews, fieldDate)
}

// alike reports whether all reviews have a field, and the same in it.
func alike(reviews []*review, f field) bool {
	return !slices.ContainsFunc(reviews, func(v *review) bool {
		return v.values[f] == nil || string(v.values[f]) == quotedAnonymous || !same(v.values[f], reviews[0].values[f])
	})
}

// scaleFits returns an error if no rating needs the scale, which an import before this one did not have.
func (m *merger) scaleFits() error {
	scale, scales := m.cfg.RatingScale, []float64{reviewcast.MaxRating, 10, 20, 100}
	fits := slices.IndexFunc(scales, func(scale float64) bool { return m.conv.best <= scale })
	before := slices.ContainsFunc(slices.Collect(maps.Values(m.files.memory.Reviews)), func(e entry) bool { return e.Scale == m.scale() })
	if before || m.conv.rated < 2 || fits < 0 || 2*scales[fits] > scale {
		return nil
	}
	return usageError(messages["scale too high"], scales[fits], scale, m.conv.best)
}

// mailed reports whether the ids of all reviews are e-mail addresses.
func mailed(reviews []*review) bool {
	return len(reviews) > 0 && !slices.ContainsFunc(reviews, func(v *review) bool { return !strings.Contains(v.external, "@") })
}

// moved reports whether what reviews have in an export is what they had before, in another order.
func moved(values [2][]string) bool {
	return slices.Equal(slices.Sorted(slices.Values(values[0])), slices.Sorted(slices.Values(values[1])))
}

// upAndDown reports whether some reviews have more stars than before, and some fewer.
func upAndDown(stars [2][]string) bool {
	up, down := false, false
	for i, was := range stars[0] {
		up, down = up || stars[1][i] > was, down || stars[1][i] < was
	}
	return up && down
}

// inOrder reports whether reviews are sorted by their stars.
func inOrder(reviews []*review) bool {
	up := func(a, b *review) int { return cmp.Compare(a.rating, b.rating) }
	return slices.IsSortedFunc(reviews, up) || slices.IsSortedFunc(reviews, func(a, b *review) int { return up(b, a) })
}

// minOver is how many ratings over the scale are no slips of the pen.
const minOver = 3

// minLow is how many reviews of successive days would hardly all have half of the stars or fewer.
const minLow = 40

// otherDays says that the first or the last ratings of an export are not above 5 and others are, so that a platform may
// have changed its scale; "" if it is not so.
func (m *merger) otherDays(reviews []*review) string {
	sorted := slices.SortedStableFunc(slices.Values(reviews), func(a, b *review) int {
		return bytes.Compare(a.values[fieldDate], b.values[fieldDate])
	})
	for _, when := range []string{"before", "after"} {
		i := slices.IndexFunc(sorted, func(v *review) bool { return v.rating > reviewcast.MaxRating })
		if i >= minLow {
			day, unless := textOf(sorted[i].values[fieldDate]), diagnostic.When(!m.cfg.Partial, "; if not, import with --partial")
			return fmt.Sprintf(messages["low before"], i, when, day, reviewcast.MaxRating, m.cfg.RatingScale, unless)
		}
		slices.Reverse(sorted)
	}
	return ""
}

// inOtherFile returns where another file of the folder has an id; "" if none has.
func (m *merger) inOtherFile(id string) string { return m.unlessOwn(m.cfg.Taken(id)) }

func (m *merger) unlessOwn(where string) string {
	return diagnostic.When(!strings.HasPrefix(where+":", m.report.File+":"), where)
}

// elsewhere returns where another file has a review: one with its id that an import wrote, or one with its author, date
// and text; "" if none has.
func (m *merger) elsewhere(v *review, id string) string {
	if e, ok := m.files.memory.Reviews[v.key]; ok && e.ID == id && m.inOtherFile(id) != "" {
		return m.inOtherFile(id)
	}
	author, words := textOf(v.values[fieldAuthor]), textOf(v.values[fieldText])
	if words == "" || author == anonymous && len(words) < minDistinct {
		return ""
	}
	return m.unlessOwn(m.cfg.Standing(author, reviewcast.Date(textOf(v.values[fieldDate])), words))
}

func isRecommendation(column string) bool {
	return forms("like recommendation").MatchString(column) && !forms("toTen").MatchString(column)
}

// misread returns an error if the column of the rating or of the text seems to have something else.
func (t *table) misread(cfg *Config) error {
	rating, text := cfg.Map["rating"], cfg.Map["text"]
	texts := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return fieldOf(name) != "text" })
	sample, at := t.sample(), slices.Index(t.names, text)
	halves := slices.DeleteFunc(slices.Clone(texts), func(name string) bool {
		filled := func(cells []string) bool { return cells[slices.Index(t.names, name)] != "" }
		return !forms("half").MatchString(name) || !slices.ContainsFunc(sample, filled)
	})
	written := func(cells []string) bool { return at < 0 || !forms("code").MatchString(cells[at]) }
	columns, _, _ := choose(Platforms["own"], t.names)
	other := columns["rating"]
	used := slices.Collect(maps.Values(cfg.Map))
	reviewDays := slices.DeleteFunc(days(t.names, sample), func(name string) bool {
		return likelyDays(name) < ofReviews || slices.Contains(used, name) || forms("aboutReview").MatchString(name)
	})
	given := slices.IndexFunc(t.names, func(name string) bool { return slices.Contains(firstNames, diagnostic.Squash(name)) })
	switch meant := fieldOf(text); {
	case slices.Contains(lastNames, diagnostic.Squash(cfg.Map["author"])) && everyCell(sample, slices.Index(t.names, cfg.Map["author"]), forms("oneName").MatchString) && everyCell(sample, given, forms("oneName").MatchString) && !cfg.Partial:
		return usageError(messages["surnames"], quote(cfg.Map["author"]), quote(t.names[given]), cfg.with("author", t.names[given]+"+"+cfg.Map["author"]))
	case !cfg.Partial && forms("jobDay").MatchString(cfg.Map["date"]) && likelyDays(cfg.Map["date"]) < ofReviews && len(reviewDays) > 0:
		return usageError(messages["another date"], quote(cfg.Map["date"]), quote(reviewDays[0]), cfg.with("date", reviewDays[0]))
	case other != "" && other != rating && fieldOf(rating) != "rating" && !forms("like rating").MatchString(rating) && slices.Contains(rated(t.names, sample), other):
		return usageError(messages["another rating"], quote(rating), quote(other), cfg.with("rating", other))
	case isRecommendation(rating) && len(sample) > 0 && !slices.Contains(rated(t.names, sample), rating):
		return &UsageError{[]string{messages["recommendations"]}}
	case forms("bestIsOne").MatchString(rating):
		return usageError(messages["1 is best"], quote(rating))
	case forms("toTen").MatchString(rating) && cfg.RatingScale == reviewcast.MaxRating:
		return usageError(messages["10 is best"], quote(rating))
	case len(texts) > 0 && meant == "owner_reply.text":
		return usageError(messages["replies as texts"], quote(text), quote(texts[0]))
	case len(texts) > 0 && meant == "" && (forms("private").MatchString(text) || len(sample) > 0 && !slices.ContainsFunc(sample, written)):
		return usageError(messages["notes as texts"], quote(text), quote(texts[0]), cfg.with("text", texts[0]))
	case len(halves) > 1 && cfg.ask == "" && slices.Contains(halves, text):
		return usageError(messages["half of texts"], quote(text), diagnostic.Join(halves, "and"))
	case len(texts) > 0 && meant == "title":
		return usageError(messages["titles as texts"], quote(text), quote(texts[0]), cfg.with("title", text, "text", texts[0]))
	}
	return nil
}

// textOf returns a JSON string as text.
func textOf(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	return diagnostic.When(err == nil, string(b))
}

// otherSource returns an error if the export was imported under another name before: then most of its reviews, or any
// if the names are alike, are in the file of that import.
func (m *merger) otherSource(reviews []*review, ids []string) error {
	if len(m.files.memory.Reviews) > 0 {
		return nil
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
			return usageError(messages["other source"], n, diagnostic.Plural(len(reviews), "review"), file, name)
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
	return diagnostic.Pick(2*len(twins) <= fresh, sure, twins)
}

// edited reports whether a review of an export is this one with another text: its author, day and stars are the same. One
// that is here without a name may have one now: its day, stars and text are the same.
func (r *record) edited(v *review) bool {
	by := []field{fieldAuthor, fieldDate, fieldRating}
	if string(r.values[fieldAuthor]) == quotedAnonymous && len(r.values[fieldText]) > minDistinct {
		by[0] = fieldText
	}
	return string(v.values[by[0]]) != quotedAnonymous && !slices.ContainsFunc(by, func(f field) bool { return !same(r.values[f], v.values[f]) })
}

// twin returns why a review that is here but for some fields is skipped; nil if it is here as it is.
func (m *merger) twin(v *review, r *record) *Skip {
	var differ, write []string
	for i, name := range memberNames {
		m.pairs[0], m.pairs[1] = append(m.pairs[0], string(r.values[i])), append(m.pairs[1], string(v.values[i]))
		if slices.Contains(m.files.memory.KnownBy, name) && !same(v.values[i], r.values[i]) && !(field(i) == fieldAuthor && r.edited(v)) {
			here := diagnostic.When(field(i) == fieldAuthor || field(i) == fieldDate, " (here "+quote(textOf(r.values[i]))+")")
			differ, write = append(differ, name+here), append(write, fmt.Sprintf("%q:%s", name, cmp.Or(string(v.values[i]), "null")))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	if was, is := textOf(r.values[fieldDate]), textOf(v.values[fieldDate]); len(differ) == 1 && was != is && len(was) == len(is) && was == is[:5]+is[8:]+is[4:7] {
		m.turned++
	}
	at := &row{number: v.number, line: v.line}
	return at.skip(OtherColumn, "%s is the same review with another %s, and would be here twice; if this row is right, write into its line in %s: %s", r.id, diagnostic.Join(differ, "and"), m.report.File, shorten(strings.Join(write, ","), 2*diagnostic.MaxPasted))
}

// content returns what no two reviews of a source have in common; "" if it may be chance.
func content(v values) string {
	return diagnostic.When(len(v[fieldText]) > minDistinct, string(slices.Concat(v[fieldAuthor], v[fieldDate], v[fieldRating], v[fieldText])))
}
