package source

import (
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// joined is what a check of the whole folder came to, when nothing was wrong with
// any review. The next check then asks about the reviews that changed, and nothing
// about ten thousand others.
type joined struct {
	words   uint64 // of the small files
	today   reviewcast.Date
	byID    map[string]*draft // in lower case
	order   []*draft          // the published one
	reviews []Review          // of order; those who were given them read them still
}

// maxTouched is how many reviews may have changed; to look at all of them is as
// quick when many have.
const maxTouched = 16

// join keeps what check has found; nil when some review has a problem.
func (f *folder) join(t *tree, today reviewcast.Date) *joined {
	if f.byID == nil || len(f.problems) > 0 || slices.ContainsFunc(t.files, func(f file) bool { return f.last.incomplete }) {
		return nil
	}
	return &joined{words: f.words.Sum64(), today: today, byID: f.byID, order: f.order, reviews: f.content.Reviews}
}

// checkTouched is check for a folder of which no more than the touched files have
// changed; false when all have to be looked at, and then nothing has been noted. same
// tells that not even those have.
func (f *folder) checkTouched(j *joined, t *tree, today reviewcast.Date) (ok, same bool) {
	if j == nil || len(f.problems) > 0 || j.words != f.words.Sum64() || j.today != today {
		return false, false
	}
	var gone, come []*draft
	for name, old := range t.touched {
		var now *parsed
		if file := t.file(name); file != nil {
			now = file.last
		}
		if now != nil && (now.incomplete || now.Len() > 0) {
			return false, false
		}
		g, c := replaced(old, now)
		gone, come = append(gone, g...), append(come, c...)
	}
	if len(gone)+len(come) > maxTouched || len(j.order)+len(come) > MaxReviews || !f.sound(j, gone, come, today) {
		return false, false
	}
	j.replace(f, gone, come)
	for _, d := range f.withdrawnOn {
		f.checkDate(d, today)
	}
	f.checkCitations(j.byID, true)
	f.content.Reviews = j.reviews
	return true, len(gone)+len(come) == 0
}

// sound tells whether nothing is wrong with the reviews that come in the place of
// those that are gone.
func (f *folder) sound(j *joined, gone, come []*draft, today reviewcast.Date) bool {
	ids := make(map[string]bool, len(come))
	for _, w := range come {
		var p diagnostic.List
		id := strings.ToLower(w.ID)
		first := j.byID[id]
		taken := first != nil && !slices.Contains(gone, first) || ids[id]
		if f.checkDraft(w, today, &p); taken || p.Len() > 0 {
			return false
		}
		ids[id] = true
	}
	return true
}

// replace brings the reviews up to date. Where one comes in another's place, as it does
// with most edits, nothing is moved.
func (j *joined) replace(f *folder, gone, come []*draft) {
	if len(gone)+len(come) == 0 {
		return
	}
	j.reviews = slices.Clone(j.reviews)
	for _, w := range gone {
		delete(j.byID, strings.ToLower(w.ID))
		at, ok := slices.BinarySearchFunc(j.order, w, newestFirst)
		if ok && !slices.ContainsFunc(come, func(c *draft) bool { return newestFirst(c, w) == 0 }) {
			j.order = slices.Delete(j.order, at, at+1)
			j.reviews = slices.Delete(j.reviews, at, at+1)
		}
	}
	for _, w := range come {
		j.byID[strings.ToLower(w.ID)] = w
		at, ok := slices.BinarySearchFunc(j.order, w, newestFirst)
		if ok {
			j.order[at], j.reviews[at] = w, f.review(w)
			continue
		}
		j.order = slices.Insert(j.order, at, w)
		j.reviews = slices.Insert(j.reviews, at, f.review(w))
	}
}

// replaced tells which drafts of a file aren't there any more, and which are new.
// What was taken over from one state of the file to the next, at its beginning and
// at its end, are the same ones.
func replaced(old, now *parsed) (gone, come []*draft) {
	gone, come = old.everyDraft(), now.everyDraft()
	same := 0
	for same < min(len(gone), len(come)) && gone[same] == come[same] {
		same++
	}
	gone, come = gone[same:], come[same:]
	for len(gone) > 0 && len(come) > 0 && gone[len(gone)-1] == come[len(come)-1] {
		gone, come = gone[:len(gone)-1], come[:len(come)-1]
	}
	return gone, come
}

// everyDraft are the drafts of a file, in its order; none of a file that isn't there.
func (p *parsed) everyDraft() []*draft {
	if p == nil {
		return nil
	}
	var all []*draft
	for _, drafts := range p.drafts {
		all = slices.Grow(all, len(drafts))
		for i := range drafts {
			all = append(all, &drafts[i])
		}
	}
	return all
}
