package source

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// index holds the reviews of a folder by id and in published order, and knows which of them have problems with their
// surroundings. It changes by [index.apply] only; a first load applies all records to an empty index.
type index struct {
	around *surroundings
	byID   map[string][]*Review // by id in lower case
	// order is the published order. It is never changed in place: Contents have it.
	order []*Review
	// unidentified are the reviews without a usable id.
	unidentified map[*record]*Review
	// suspects are the reviews that have a problem with their surroundings.
	suspects map[*Review]bool
}

func newIndex(around *surroundings) *index {
	return &index{around: around, byID: map[string][]*Review{}, order: []*Review{},
		unidentified: map[*record]*Review{}, suspects: map[*Review]bool{}}
}

// apply removes and adds records.
func (x *index) apply(gone, come []*record) {
	var added []*Review
	leaving := make(map[*Review]bool, len(gone))
	for _, rec := range gone {
		r := x.remove(rec)
		delete(x.suspects, r)
		leaving[r] = true
	}
	for _, rec := range come {
		r := x.around.complete(rec)
		problems := diagnostic.List{}
		if x.around.check(rec, &problems); problems.Len() > 0 {
			x.suspects[r] = true
		}
		if rec.ID == "" {
			x.unidentified[rec] = r
			continue
		}
		added = append(added, r)
		id := strings.ToLower(rec.ID)
		x.byID[id] = append(x.byID[id], r)
	}
	if len(leaving)+len(added) > 0 {
		slices.SortFunc(added, compare)
		x.order = append(slices.DeleteFunc(slices.Clone(x.order), func(r *Review) bool { return leaving[r] }), added...)
		slices.SortStableFunc(x.order, compare) // it merges two sorted parts in nearly linear time
	}
}

// remove removes the review of a record and returns it.
func (x *index) remove(rec *record) *Review {
	r, id := x.unidentified[rec], strings.ToLower(rec.ID)
	delete(x.unidentified, rec)
	if i := slices.IndexFunc(x.byID[id], func(r *Review) bool { return r.rec == rec }); i >= 0 {
		r = x.byID[id][i]
		x.byID[id] = slices.Delete(x.byID[id], i, i+1)
	}
	if len(x.byID[id]) == 0 {
		delete(x.byID, id)
	}
	return r
}

func compare(a, b *Review) int { return reviewcast.Compare(&a.Review, &b.Review) }

// unique returns the published order without the further reviews of an id.
func (x *index) unique(at places) []*Review {
	further := x.further(at)
	return slices.DeleteFunc(slices.Clone(x.order), func(r *Review) bool { return further[r] != nil })
}

// further returns each review whose id is that of a review before it, which is the value.
func (x *index) further(at places) map[*Review]*Review {
	firsts := map[*Review]*Review{}
	if len(x.byID) == len(x.order) {
		return firsts // each has its own id
	}
	for _, r := range x.order {
		if first := x.first(r.ID, at); first != r {
			firsts[r] = first
		}
	}
	return firsts
}

// first returns the review that stands first among those with an id; nil for none.
func (x *index) first(id string, at places) *Review {
	reviews := x.byID[strings.ToLower(id)]
	if len(reviews) == 0 {
		return nil
	}
	return slices.MinFunc(reviews, func(a, b *Review) int { // a part of a review without an author is a further one
		return cmp.Or(cmp.Compare(min(1, len(b.Author)), min(1, len(a.Author))), at.compare(a, b))
	})
}

func (x *index) ids(of func(*Review) bool) (ids []string) {
	for _, r := range x.order {
		if of(r) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// meant returns the id that a word probably stands for, which may be the name of the author; "" for none, and for an
// author of several reviews. What is only near is none of the ids that are known to be others.
func (x *index) meant(word string, at places, but ...string) string {
	if r := x.first(word, at); r != nil {
		return r.ID
	}
	if by := x.ids(func(r *Review) bool {
		return r.Published && strings.HasPrefix(strings.ToLower(r.Author)+" ", strings.ToLower(word)+" ")
	}); len(by) > 0 {
		return diagnostic.When(len(by) == 1, by[0])
	}
	return diagnostic.NearestID(addressed(word), x.ids(func(r *Review) bool { return !slices.Contains(but, r.ID) }))
}

// places finds the places of reviews.
type places []*file

func (p places) noted() (noted []citation) {
	for _, f := range p {
		noted = append(noted, f.noted...)
	}
	return noted
}

// line returns the first line of a review in its file.
func (p places) line(r *Review) int {
	if i, ok := find(p, r.rec.file); ok {
		return p[i].lines[r.rec]
	}
	return 0
}

// of returns the position of a place in a review.
func (p places) of(r *Review, at place) diagnostic.Position {
	return diagnostic.Position{File: r.rec.file, Line: p.line(r) + int(at.Line) - 1, Col: int(at.Col)}
}

// compare orders reviews by file and line.
func (p places) compare(a, b *Review) int {
	return cmp.Or(strings.Compare(a.rec.file, b.rec.file), cmp.Compare(p.line(a), p.line(b)), cmp.Compare(a.rec.start.Col, b.rec.start.Col))
}

// problems returns what is wrong between the reviews and the rest of the folder.
func (x *index) problems(at places) []diagnostic.Problem {
	firsts, suspects := x.further(at), maps.Clone(x.suspects)
	for r := range firsts {
		suspects[r] = true
	}
	problems, copied := x.copies(firsts)
	list := diagnostic.List{}
	for _, r := range slices.SortedFunc(maps.Keys(suspects), at.compare) {
		if r.rec.file != list.File {
			problems = append(problems, list.All()...)
			list = diagnostic.List{File: r.rec.file}
		}
		own := diagnostic.List{File: r.rec.file}
		x.around.check(r.rec, &own)
		if first := firsts[r]; first != nil && !copied[pairOf(first, r)] {
			duplicate(r.rec, first, at.of(first, first.rec.id), &own)
		}
		list.Join(&own, at.line(r))
	}
	return once(append(problems, list.All()...))
}

// manyLost is how many reviews that name a lost id are one mistake.
const manyLost = 4

// once keeps the first of many messages on the same lost id.
func once(problems []diagnostic.Problem) []diagnostic.Problem {
	count := map[string]int{}
	for _, p := range problems {
		count[p.Message]++
	}
	kept := problems[:0]
	for _, p := range problems {
		n := count[p.Message]
		if n >= manyLost && strings.Contains(p.Suggestion, goneRemedy) {
			count[p.Message] = -1
			p.Message += fmt.Sprintf("; %d reviews name it", n)
		}
		if n > 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

// pairOf returns the files of two reviews or, if their names are the same, the folders of these.
func pairOf(first, r *Review) [2]string {
	original, other := first.rec.file, r.rec.file
	if original != other && path.Base(original) == path.Base(other) {
		original, other = path.Dir(original), path.Dir(other)
	}
	if len(original) > len(other) { // systems lengthen the name of a copy
		original, other = other, original
	}
	return [2]string{original, other}
}

// copies reports the pairs that share most of their ids. firsts are the first reviews with the ids of others.
func (x *index) copies(firsts map[*Review]*Review) (problems []diagnostic.Problem, copied map[[2]string]bool) {
	shared, size, differ := map[[2]string]int{}, map[string]int{}, map[[2]string][]string{}
	for r, first := range firsts {
		if pair := pairOf(first, r); r.ID == first.ID {
			shared[pair]++
			if r.rec.key != first.rec.key {
				differ[pair] = append(differ[pair], r.ID)
			}
		}
	}
	if len(shared) == 0 {
		return nil, nil
	}
	for _, r := range x.order {
		for in := r.rec.file; in != "."; in = path.Dir(in) {
			size[in]++
		}
	}
	copied = map[[2]string]bool{}
	for pair, n := range shared {
		original, other := pair[0], pair[1]
		if copied[pair] = n > 1 && original != other && 2*n > min(size[original], size[other]); !copied[pair] {
			continue
		}
		var steps []string
		if ids := slices.Sorted(slices.Values(differ[pair])); len(ids) > 0 {
			steps = append(steps, fmt.Sprintf("write into %s what is newer in %s (they differ in %s)", original, other, diagnostic.Join(ids[:min(len(ids), maxListed)], "and")))
		}
		if more := size[other] - n; more > 0 {
			steps = append(steps, fmt.Sprintf("move into %s what only %s has, %s", original, other, diagnostic.Plural(more, "review")))
		}
		steps = append(steps, fmt.Sprintf("move %s into a folder Backup beside the content folder, or delete it", other))
		remedy := "every file in reviews is read, a copy, too: " + strings.Join(steps, "; then ")
		problems = append(problems, diagnostic.Position{File: other}.Error("duplicate-id", fmt.Sprintf("%d of its reviews are in %s, too", n, original), remedy))
	}
	return problems, copied
}

// duplicate reports an id that two reviews have.
func duplicate(w *record, first *Review, at diagnostic.Position, p *diagnostic.List) {
	message := fmt.Sprintf("the id %s is used by the review at %s:%d:%d", diagnostic.Quote(w.ID), at.File, at.Line, at.Col) +
		diagnostic.When(first.ID != w.ID, fmt.Sprintf(" (%s; upper and lower case are the same)", first.ID))
	suggestion := "if both are the same review, write into the first what is newer here, and delete this one; if not, give the newer one an id of its own: one that is published keeps its id"
	differ := w.Date != first.Date || *cmp.Or(w.Text, new(string)) != *cmp.Or(first.Text, new(string))
	if w.Author != first.Author && differ && w.Author != "" && first.Author != "" {
		suggestion = fmt.Sprintf("give the new one of these two reviews an id of its own: if it is that of %s, write here %s; if it is that of %s, write in %s:%d %s; the one that is published keeps its id",
			w.Author, ownID(&w.Review, p.File), first.Author, at.File, at.Line, ownID(first, at.File))
	}
	if w.key == first.rec.key && w.ID == first.ID {
		suggestion = "both are the same review, perhaps in a copy of the file; delete one of them"
	} else if w.Author == "" && w.Date == "" {
		suggestion = "this is a part of that review: move its lines but the id there, below its fields, and delete it here, and the file if nothing else is in it"
	}
	p.Add(diagnostic.Error, int(w.id.Line), int(w.id.Col), "duplicate-id", message, suggestion)
}

// ownID returns an id for a review, of its author and its date, as a file has it.
func ownID(r *Review, file string) string {
	name, _, _ := strings.Cut(strings.ToLower(r.Author), " ")
	return diagnostic.When(formatOf(file) != "csv", "id: ") + strings.Trim(fixID(name)+"-"+string(r.Date), "-")
}
