package importer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// merger merges the reviews of one export into the files in the folder.
type merger struct {
	cfg    Config
	conv   *converter
	report *Report
	files  *files
	byID   map[string]*record      // of files, by folded id
	first  map[string]*review      // of the export, by key, skipped rows included
	shared int                     // rows with the id of another review
	other  int                     // rows with an id that another review had
	turned int                     // rows of reviews that are here with day and month the other way round
	pairs  [2][]string             // what twins have in the file, and in the export
	stars  [2][]string             // likewise, of reviews with other stars
	known  map[string]string       // of files, by content, if reviews have ids of their own
	seen   map[string]*columnNotes // by the name of the column
}

// merge reads an export and makes the files what they are to be.
func merge(cfg Config, rows rowSeq, f *files) (*Report, error) {
	knownBy, err := f.identify(cfg)
	if err != nil {
		return nil, &UsageError{[]string{err.Error()}}
	}
	f.memory.KnownBy = knownBy
	m := &merger{
		cfg: cfg, conv: newConverter(cfg, knownBy), files: f,
		report: &Report{Doubts: map[string][]string{}, Hidden: map[string]int{}, File: dataPath(cfg.Source), DryRun: cfg.DryRun, NoAuthors: cfg.Map[fieldAuthor.String()] == "", NoTexts: cfg.Map[fieldText.String()] == ""},
		byID:   make(map[string]*record, len(f.records)), first: map[string]*review{}, known: map[string]string{}, seen: map[string]*columnNotes{},
	}
	for _, r := range f.records {
		m.byID[strings.ToLower(r.id)] = r
		m.known[content(r.values)] = r.id
	}
	fresh := len(f.memory.Reviews) == 0
	reviews, err := m.read(rows)
	if err != nil {
		return nil, err
	}
	ids := m.assign(reviews)
	if err := cmp.Or(m.scaleFits(), m.otherSource(reviews, ids)); err != nil {
		return nil, err
	}
	twins := m.twins(reviews)
	for i, v := range reviews {
		old, ok := twins[v.key]
		if e, here := f.memory.Reviews[old]; ok && here { // and no other row was the same
			if skip := m.twin(v, m.byID[strings.ToLower(e.ID)]); skip != nil {
				m.first[old] = v
				m.skip(skip)
				continue
			}
			delete(f.memory.Reviews, old) // the editor has made the same correction
			f.memory.Reviews[v.key], ids[i] = e, e.ID
		}
		m.place(v, ids[i])
	}
	m.forget()
	slices.SortFunc(m.files.records, func(a, b *record) int { return cmp.Or(cmp.Compare(b.date, a.date), cmp.Compare(a.id, b.id)) })
	slices.SortStableFunc(m.report.Skipped, func(a, b Skip) int { return cmp.Compare(a.Row, b.Row) })
	layout := layoutRemedy(m.conv.layouts)
	one, no := strconv.Unquote(layout) // or the day or the month may come first
	if layout != "" && (2*m.conv.dated < m.report.Rows || m.conv.iso && no == nil) {
		m.report.Remedy = "the dates have another layout; import again with --date-layout " + layout
		m.report.Layout = diagnostic.When(m.conv.dated == 0 || m.conv.iso, one)
	}
	m.refuse(reviews, fresh)
	return m.report, nil
}

// read converts every row, and keeps the first of those with the same key.
func (m *merger) read(rows rowSeq) ([]*review, error) {
	var reviews []*review
	for r, err := range rows {
		skip, ok := errors.AsType[*Skip](err)
		if err != nil && !ok {
			return nil, err
		}
		m.report.Rows++
		v := &review{number: r.number}
		if skip == nil {
			v, skip = m.conv.convert(&r)
			m.look(&r, v)
		}
		v.skipped = skip != nil
		switch first := m.first[v.key]; {
		case first == nil && v.key != "":
			m.first[v.key] = v
		case skip != nil:
		case first.skipped: // once that row is corrected it would take this one's place
			skip = r.skip(Conflict, "the row has the id of row %d, which was skipped; give one of them another id, or correct row %[1]d and remove this one", first.number)
		default:
			skip = m.repeated(&r, v, first)
		}
		if skip != nil {
			m.skip(skip)
			continue
		}
		reviews = append(reviews, v)
	}
	return reviews, nil
}

// repeated distinguishes a row that repeats another from one that contradicts it.
func (m *merger) repeated(r *row, v, first *review) *Skip {
	var differ []string
	for i := range v.values {
		if !same(v.values[i], first.values[i]) {
			differ = append(differ, memberNames[i])
		}
	}
	if len(differ) == 0 {
		two := diagnostic.When(string(v.values[fieldAuthor]) == quotedAnonymous, "; if these are two reviews, add a column id to the table, with another id in each row that stays the same in later exports, such as r1 and r2, delete "+m.report.File+" if it is there, and nothing of it published yet, and import again")
		return r.skip(Duplicate, "the row repeats row %d%s", first.number, two)
	}
	if slices.Contains(differ, "text") && (slices.Contains(differ, "date") || slices.Contains(differ, "rating")) {
		m.shared++
		return r.skip(Conflict, messages["id of customers"], first.number, diagnostic.Join(differ, "and"))
	}
	return r.skip(Conflict, "the row is the same review as row %d with a different %s; row %d is used, remove one of them", first.number, diagnostic.Join(differ, "and"), first.number)
}

// assign gives each review its id: the one it had, or else the first candidate that no other review of this source has
// or had. New reviews choose in the order of their best candidates, so that the order of the rows does not matter.
func (m *merger) assign(reviews []*review) []string {
	taken := make(map[string]bool, len(m.files.memory.Reviews))
	for _, e := range m.files.memory.Reviews {
		taken[strings.ToLower(e.ID)] = true
	}
	ids := make([]string, len(reviews))
	var fresh []int
	for i, v := range reviews {
		if e, ok := m.files.memory.Reviews[v.key]; ok {
			ids[i] = e.ID
		} else {
			fresh = append(fresh, i)
		}
	}
	slices.SortFunc(fresh, func(a, b int) int {
		return cmp.Or(cmp.Compare(reviews[a].external, reviews[b].external), cmp.Compare(reviews[a].key, reviews[b].key))
	})
	for _, i := range fresh {
		ids[i] = newID(m.cfg.Source, reviews[i], func(id string) bool { return taken[strings.ToLower(id)] })
		taken[strings.ToLower(ids[i])] = true
	}
	return ids
}

// place adds or updates a review, or reports why not.
func (m *merger) place(v *review, id string) {
	r := &row{number: v.number, line: v.line}
	r.cells[fieldID] = v.external
	known, imported := m.files.memory.Reviews[v.key]
	standing := m.byID[strings.ToLower(id)]
	skip := func(code Code, format string, args ...any) { m.skip(r.skip(code, format, args...)) }
	where, other, words := m.elsewhere(v, id), m.inOtherFile(id), content(v.values)
	switch {
	case m.cfg.Withdrawn(id):
		skip(Withdrawn, "withdrawn.yaml lists %s, so it is left out; there is nothing to do", id)
	case where != "" && standing == nil:
		if other != "" && !imported { // the file was moved, and what an import has written in it is known again when it is back
			m.files.memory.Reviews[v.key] = m.remember(id, v, known)
		}
		file, _, _ := strings.Cut(where, ":")
		move := diagnostic.Pick(strings.HasSuffix(file, ".jsonl"), "; to have imports update it, move it to "+m.report.File, ", and imports leave it alone; there is nothing to do")
		skip(Elsewhere, "the review stays as it is in %s%s", where, move)
	case other != "":
		skip(Taken, "the id %s is already used at %s by another review; give one of the two another id", id, other)
	case standing != nil && len(known.Wrote) > 0 && known.Scale != m.scale():
		// Rows with another scale, which the message says to import separately, are easily imported together with all the
		// others, whose ratings would be halved.
		skip(OtherScale, messages["scale before"], id, cmp.Or(known.Scale, reviewcast.MaxRating), dataPath(m.cfg.Source))
	case standing != nil && m.another(v, standing):
		m.other++
		skip(Conflict, "%s was another review: its author, date and text all differ from this row's; if it is a new review, give the row an id of its own, if not, the id that it had", id)
	case standing != nil:
		m.update(v, standing, known)
	case (imported || v.external != "") && words != "" && m.known[words] != "":
		back := fmt.Sprintf("; if its id was changed in %s, give it back its id %s", m.report.File, id)
		skip(Twice, "%s has the same author, date, stars and text, so this row is left out%s", m.known[words], diagnostic.When(imported, back))
	case imported:
		skip(Removed, "the editor removed %s from %s; to import it again, delete its entry in %s", id, m.report.File, memoryPath(m.cfg.Source))
	default:
		m.add(v, id, words)
	}
}

func (m *merger) add(v *review, id, content string) {
	r := &record{id: id, values: v.values, date: textOf(v.values[fieldDate])}
	m.files.records = append(m.files.records, r)
	m.byID[strings.ToLower(id)], m.known[content] = r, id
	m.files.memory.Reviews[v.key] = m.remember(id, v, entry{})
	m.done(v, r, nil)
}

// another reports whether an export gives an id to another review than before: nothing that a customer would leave is
// as it was.
func (m *merger) another(v *review, r *record) bool {
	return !slices.ContainsFunc([]field{fieldAuthor, fieldDate, fieldText}, func(f field) bool {
		return !m.conv.says[f] || same(r.values[f], v.values[f])
	})
}

// update sets the members whose value is still the one that was last imported. A review that was never imported, or
// whose memory is lost, has no such value.
func (m *merger) update(v *review, r *record, known entry) {
	updated, kept := []string{}, []string(nil)
	if method := textOf(object(v.values[fieldVerification])["method"]); method != "" && m.cfg.Map[fieldReference.String()] == "" { // an import before or the editor may have one
		v.values[fieldVerification] = asJSON(verified{method, textOf(object(r.values[fieldVerification])["reference"])})
	}
	for i := range r.values {
		if !m.conv.says[i] || same(r.values[i], v.values[i]) {
			continue
		}
		if len(known.Wrote) > 0 && known.Wrote[memberNames[i]] == fingerprint(r.values[i]) {
			if field(i) == fieldRating {
				m.stars[0], m.stars[1] = append(m.stars[0], string(r.values[i])), append(m.stars[1], string(v.values[i]))
				m.report.Doubts["with other stars"] = append(m.report.Doubts["with other stars"], fmt.Sprintf("%s: %s, was %s", r.id, v.values[i], r.values[i]))
			}
			r.values[i] = v.values[i]
			updated = append(updated, memberNames[i])
		} else {
			kept = append(kept, memberNames[i])
		}
	}
	r.date = textOf(r.values[fieldDate])
	m.files.memory.Reviews[v.key] = m.remember(r.id, v, known)
	m.done(v, r, updated)
	if len(kept) > 0 {
		m.report.Kept = append(m.report.Kept, r.id+": "+diagnostic.Join(kept, "and"))
	}
}

// remember stores the fingerprints of this import. Members that it does not have keep their older ones.
func (m *merger) remember(id string, v *review, older entry) entry {
	e := entry{ID: id, Scale: m.scale(), Wrote: map[string]string{}}
	maps.Copy(e.Wrote, older.Wrote)
	for i, name := range memberNames {
		if m.conv.says[i] || len(older.Wrote) == 0 {
			e.Wrote[name] = fingerprint(v.values[i])
		}
	}
	maps.DeleteFunc(e.Wrote, func(_, print string) bool { return print == "" })
	return e
}

// scale returns the rating scale as entries have it.
func (m *merger) scale() float64 {
	return diagnostic.Pick(m.cfg.RatingScale == reviewcast.MaxRating, 0, m.cfg.RatingScale)
}

// forget reports the imported reviews that the export no longer has, and drops the fingerprints of those that the
// editor removed: a withdrawn text leaves no trace.
func (m *merger) forget() {
	for key, e := range m.files.memory.Reviews {
		switch r := m.byID[strings.ToLower(e.ID)]; {
		case r == nil && m.inOtherFile(e.ID) != "":
		case r == nil:
			m.files.memory.Reviews[key] = entry{ID: e.ID}
		case m.first[key] == nil:
			m.report.Vanished = append(m.report.Vanished, fmt.Sprintf("%s: %s, %s", r.id, shorten(strings.Trim(quote(textOf(r.values[fieldAuthor])), `"`), maxAuthor), r.date))
		}
	}
	slices.Sort(m.report.Vanished)
}

func (m *merger) skip(s *Skip) { m.report.Skipped = append(m.report.Skipped, *s) }

// done describes a review that is in the file now. updated is nil for a new one, and empty for one that is as it was.
func (m *merger) done(v *review, r *record, updated []string) {
	switch isAnonymous := string(r.values[fieldAuthor]) == quotedAnonymous && same(r.values[fieldAuthor], v.values[fieldAuthor]); {
	case isAnonymous && v.hidden != "":
		m.report.Hidden[v.hidden]++
	case isAnonymous: // and not by the editor
		m.report.Anonymous++
	}
	if r.values[fieldVerification] == nil {
		m.report.Unverified++
	}
	switch {
	case updated == nil:
		m.report.Added++
	case len(updated) > 0:
		m.report.Updated++
	default:
		m.report.Unchanged++
		return
	}
	c := Change{Row: v.number, ID: r.id, Date: r.date, Fields: updated, Author: textOf(r.values[fieldAuthor])}
	c.Rating, _ = strconv.Atoi(string(r.values[fieldRating])) // an editor's nonsense shows as 0
	m.report.Changes = append(m.report.Changes, c)
	if updated == nil {
		m.doubt(v, r)
	}
}

// columnNotes is what is known of a column: by its name, whether it has the reviewed business or the state of the review,
// and whether it asks if the author's name is to be hidden or shown, and by its cells so far, whether they say yes, no or
// something else, and of businesses the first few names.
type columnNotes struct {
	business, state, yes, no, other bool
	hides, shows                    bool
	names                           []string
}

// maxBusinesses is how many names of businesses a message lists, maxState the bytes that tell yes, no or a state from others.
const maxBusinesses, maxState = 4, 16

// look notes what the cells of a row say.
func (m *merger) look(r *row, v *review) {
	for i, name := range r.names {
		c, cell := m.seen[name], r.all[i]
		if c == nil {
			word := diagnostic.Squash(name)
			c = &columnNotes{business: slices.Contains(businessColumns, word), state: slices.Contains(statusColumns, word)}
			c.shows = forms("showsName").MatchString(plainName(name)) && fieldOf(name) != "author" // as Display Name is
			c.hides = !c.shows && forms("hidesName").MatchString(plainName(name))
			m.seen[name] = c
		}
		if c.hides || c.shows {
			answer, _, _ := strings.Cut(strings.TrimSpace(cell), " ")
			answer = diagnostic.Squash(strings.Trim(answer, ",.!;:"))
			isNo := answer == "" || slices.Contains(no, answer) || diagnostic.Nothing(answer) && answer != "x"
			if c.hides && !isNo || c.shows && !slices.Contains(yes, answer) { // in doubt, no name is published
				v.hidden, v.author, v.values[fieldAuthor] = name, anonymous, jsontext.Value(quotedAnonymous)
			}
			continue
		}
		if c.business && cell != "" && len(c.names) < maxBusinesses && !slices.Contains(c.names, quote(cell)) {
			c.names = append(c.names, quote(cell))
		}
		if c.other {
			continue
		}
		switch word := diagnostic.Squash(cell[:min(len(cell), maxState)]); {
		case word == "":
		case slices.Contains(yes, word) || c.state && slices.Contains(shownStates, word):
			c.yes = true
		case slices.Contains(no, word) || c.state:
			c.no, v.no = true, append(v.no, [2]string{name, cell})
		default:
			c.other = true
		}
	}
}
