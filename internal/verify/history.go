package verify

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"reviewcast"
)

// checkHistory walks back over the change documents, to the noted version or as far as they go.
func (v *verifier) checkHistory(since Note) {
	from := v.set.Manifest.ChangesFrom
	noted, kept := v.checkNote(since)
	if !kept {
		return // what comes after a rewritten history proves nothing
	}
	v.section("the newest change document describes this set of files", v.checkNewest)
	v.section("every withdrawn review is listed once, with its reason", v.checkWithdrawals)
	if since != (Note{}) && noted < from {
		v.Unknown.add("the change documents since the noted version %d are no longer published; they begin with version %d "+
			"(there are at most %d, and a legal withdrawal removes those with the text). Note the state of the site more often", noted, from, reviewcast.MaxChanges)
	}
	from = max(from, noted)
	lines := strings.TrimSuffix(string(v.set.Files[reviewcast.PathReviews]), "\n")
	w := &walk{v, map[string]bool{}, strings.Split(lines, "\n"), map[string]bool{}, since != (Note{})}
	for id := range v.reviews {
		w.ids[id] = true
	}
	proves := fmt.Sprintf("the lists of the change documents since version %d lead to exactly these reviews", from)
	v.section(proves, func() { w.back(from) })
	if noted == from && len(v.Contradictions)+len(v.Unknown) == 0 {
		v.Proven.add("since the noted version %d no review vanished, and none was edited, without a published change", noted)
	}
}

// checkNote returns the noted version, 0 without a note, and whether its lines are still there.
func (v *verifier) checkNote(since Note) (noted int64, kept bool) {
	versions := v.set.Files[reviewcast.PathVersions]
	switch {
	case since == Note{}:
		return 0, true
	case since.Size > int64(len(versions)):
		v.Contradictions.add("%s has %d bytes, and had %d when it was noted: an older folder was uploaded (put the newest one back, or build with --previous and the address of the site, before you upload again), versions were removed, or a cache is behind", reviewcast.PathVersions, len(versions), since.Size)
		return 0, false
	case reviewcast.SHA256(versions[:since.Size]) != since.SHA256:
		v.Contradictions.add("the first %d bytes of %s have another hash than was noted: the history was rewritten, or the site was published from another computer with an older folder public (build there with --previous and the address of the site)", since.Size, reviewcast.PathVersions)
		return 0, false
	}
	lines, err := reviewcast.ParseVersions(versions[:since.Size])
	if err != nil || len(lines) == 0 {
		v.Unknown.add("the noted size is not the end of a line of %s", reviewcast.PathVersions)
		return 0, false
	}
	noted = lines[len(lines)-1].Sequence
	v.Proven.add("what was published when the note was taken is still the beginning of %s, up to version %d", reviewcast.PathVersions, noted)
	return noted, true
}

// checkNewest compares the newest document with the set, and the hashes in the documents with each other.
func (v *verifier) checkNewest() {
	m, newest := v.set.Manifest, v.set.Changes[len(v.set.Changes)-1]
	v.same("changes_from of the newest document", newest.ChangesFrom, m.ChangesFrom)
	v.same("last_modified of the newest document", newest.LastModified, m.LastModified())
	v.same("review_count of the newest document", newest.ReviewCount, len(v.dataset.Reviews))
	v.same("aggregate_rating of the newest document", newest.AggregateRating, v.dataset.AggregateRating)
	to := map[string]string{}
	for _, f := range m.Files {
		to[f.Path] = f.SHA256
	}
	for _, c := range slices.Backward(v.set.Changes) {
		for _, f := range c.Files {
			if to[f.Path] != f.To {
				v.Contradictions.add("version %d leaves another %s than the set has, or the next change of it begins with", c.Sequence, f.Path)
			}
			to[f.Path] = f.From
		}
	}
}

func (v *verifier) checkWithdrawals() {
	for id, w := range v.withdrawn {
		if w.Reason != reviewcast.ReasonWithdrawn && w.Reason != reviewcast.ReasonLegal || !w.Date.Valid() || !reviewcast.ValidID(id) {
			v.Contradictions.add("%s lists %q with the reason %q and the date %q", reviewcast.PathWithdrawn, w.ID, w.Reason, w.Date)
		}
	}
}

// walk goes from the newest version back, and knows what the reviews were.
type walk struct {
	*verifier
	ids      map[string]bool // of the reviews of the version that the walk is at
	lines    []string        // of its /reviews.json, "" where they can't be known
	returned map[string]bool // reviews, in lower case, that a later version added
	noted    bool            // that no edit is hidden shall be proven back to a noted version
}

// back walks to the version until, and compares its document's state, too.
func (w *walk) back(until int64) {
	for i, c := range slices.Backward(w.set.Changes) {
		w.checkState(c)
		if c.Sequence <= until || c.Previous == nil {
			return
		}
		w.checkLists(c)
		w.checkLines(c)
		lists := &c.Reviews
		if i > 0 && len(lists.Added)+len(lists.Changed)+len(lists.Withdrawn) == 0 {
			what := fmt.Sprintf("the rating of version %d, which changed no review,", c.Sequence)
			now, before := c.AggregateRating, w.set.Changes[i-1].AggregateRating
			now.RatingValue, before.RatingValue = nil, nil // checkState has compared them with these
			w.same(what, now, before)
		}
		for _, id := range lists.Added {
			delete(w.ids, id)
			w.returned[strings.ToLower(id)] = true
		}
		for _, gone := range lists.Withdrawn {
			w.ids[gone.ID] = true
		}
	}
}

// checkState compares the reviews at a version with those that its document commits to.
func (w *walk) checkState(c *reviewcast.Change) {
	if c.IDsSHA256 != reviewcast.IDsSHA256(slices.Collect(maps.Keys(w.ids))) {
		w.Contradictions.add("version %d had other reviews than follow from the versions after it: a review vanished, or was exchanged, without standing in a list", c.Sequence)
	}
	if c.ReviewCount != len(w.ids) {
		w.Contradictions.add("version %d counts %d reviews, and %d follow from the versions after it", c.Sequence, c.ReviewCount, len(w.ids))
	}
	a, d := c.AggregateRating, c.AggregateRating.Distribution
	mean, stars := d.Mean(), d.One+2*d.Two+3*d.Three+4*d.Four+5*d.Five
	// Until 2026-11-28 the nearest float64 was rounded: 2.175 to 2.17. Documents never change.
	if older := math.Round(float64(stars)/float64(max(c.ReviewCount, 1))*100) / 100; a.RatingValue != nil && *a.RatingValue == older && mean != nil {
		mean = &older
	}
	w.same(fmt.Sprintf("the rating of version %d", c.Sequence), []any{a.RatingCount, a.RatingValue}, []any{c.ReviewCount, mean})
	w.same(fmt.Sprintf("the distribution of version %d", c.Sequence), d.One+d.Two+d.Three+d.Four+d.Five, c.ReviewCount)
}

func (w *walk) checkLists(c *reviewcast.Change) {
	for _, id := range slices.Concat(c.Reviews.Added, c.Reviews.Changed) {
		if !w.ids[id] {
			w.Contradictions.add("version %d names review %s, which it does not publish", c.Sequence, id)
		}
	}
	for _, gone := range c.Reviews.Withdrawn {
		id := strings.ToLower(gone.ID)
		listed, ok := w.withdrawn[id]
		switch {
		case w.ids[gone.ID]:
			w.Contradictions.add("version %d publishes review %s and says that it was withdrawn", c.Sequence, gone.ID)
		case w.returned[id]:
		case !ok:
			w.Contradictions.add("review %s is gone since version %d and not listed in %s", gone.ID, c.Sequence, reviewcast.PathWithdrawn)
		case gone.Reason != listed.Reason && listed.Reason != reviewcast.ReasonLegal: // a text may be erased later
			w.Contradictions.add("review %s was withdrawn in version %d for the reason %q, and %s says %q", gone.ID, c.Sequence, gone.Reason, reviewcast.PathWithdrawn, listed.Reason)
		}
	}
}

// checkLines compares the operations on /reviews.json with the lists, and undoes them.
func (w *walk) checkLines(c *reviewcast.Change) {
	listed := map[string]bool{}
	for _, id := range slices.Concat(c.Reviews.Added, c.Reviews.Changed) {
		listed[id] = true
	}
	before := lineCount(len(w.ids) - len(c.Reviews.Added) + len(c.Reviews.Withdrawn))
	at := slices.IndexFunc(c.Files, func(f reviewcast.FileChange) bool { return f.Path == reviewcast.PathReviews })
	switch {
	case at < 0 && len(listed)+len(c.Reviews.Withdrawn) > 0:
		w.Contradictions.add("version %d lists changes of reviews, and %s did not change", c.Sequence, reviewcast.PathReviews)
	case at < 0:
	case len(w.lines) != lineCount(len(w.ids)):
		w.Contradictions.add("%s of version %d has %d lines for %d reviews", reviewcast.PathReviews, c.Sequence, len(w.lines), len(w.ids))
		w.lines = make([]string, before)
	case c.Files[at].Ops == nil:
		w.checkLeftOut(c, int(c.Files[at].Size), listed)
		w.lines = make([]string, before)
	default:
		w.lines = w.undo(c, c.Files[at].Ops, listed, before)
	}
}

const headLines = 2 // how many lines of a dataset are before its reviews

// lineCount is how many lines a dataset with so many reviews has. One follows them.
func lineCount(reviews int) int { return headLines + reviews + min(reviews, 1) }

// undo compares operations with the lines that they made, and returns the lines before, where known.
func (w *walk) undo(c *reviewcast.Change, ops []reviewcast.Op, listed map[string]bool, before int) []string {
	old, copied := make([]string, before), make([]bool, before)
	fresh := map[string]int{} // ids on new lines, and the numbers of these
	n := 0
	for _, op := range ops {
		made := max(op.End-op.Start, 1)
		if op.End > before || n+made > len(w.lines) {
			break
		}
		if op.End == 0 {
			if w.lines[n] != "" && w.lines[n] != op.Line {
				w.Contradictions.add("line %d of version %d is not the one that its document gives", n, c.Sequence)
			}
			if id, _, ok := reviewcast.ReviewLine(op.Line); ok {
				fresh[id] = n
			}
		}
		for i := op.Start; i < op.End; i++ {
			old[i] = cmp.Or(w.lines[n+i-op.Start], old[i])
			copied[i] = true
		}
		n += made
	}
	if n != len(w.lines) {
		w.Contradictions.add("the operations of version %d do not make its %d lines out of %d", c.Sequence, len(w.lines), before)
		return old
	}
	w.checkFresh(c, fresh, listed, copied)
	return old
}

// checkFresh compares new lines with the lists, which leave out gained or lost commas.
func (w *walk) checkFresh(c *reviewcast.Change, fresh map[string]int, listed map[string]bool, copied []bool) {
	for id := range listed {
		if _, ok := fresh[id]; !ok {
			w.Contradictions.add("version %d lists review %s, and its line did not change", c.Sequence, id)
		}
	}
	commas := 0
	for id, n := range fresh {
		if listed[id] {
			continue
		}
		if commas++; !w.lostComma(n, copied) && !w.gainedComma(n, listed) {
			w.Contradictions.add("version %d changed review %s without listing it", c.Sequence, id)
		}
	}
	gone := 0
	for i := headLines; i < len(copied)-1; i++ {
		if !copied[i] {
			gone++
		}
	}
	if want := len(c.Reviews.Withdrawn) + len(c.Reviews.Changed) + commas; gone != want || commas > 2 {
		w.Contradictions.add("version %d dropped the lines of %d reviews, and lists %d", c.Sequence, gone, want)
	}
}

// lostComma reports whether the review on line n can have become the last one. Which of the lines at the end
// was whose isn't known, so an edit of it can hide in the version that takes out its neighbor.
func (w *walk) lostComma(n int, copied []bool) bool {
	last := len(copied) - 2
	return n == len(w.lines)-2 && last > headLines && !copied[last] && !copied[last-1]
}

// gainedComma reports whether review line n can have been the last: only listed reviews follow it.
func (w *walk) gainedComma(n int, listed map[string]bool) bool {
	return n < len(w.lines)-2 && !slices.ContainsFunc(w.lines[n+1:len(w.lines)-1], func(line string) bool {
		id, _, _ := reviewcast.ReviewLine(line)
		return line != "" && !listed[id]
	})
}

// checkLeftOut looks at a document without operations: it must have been too large for them.
func (w *walk) checkLeftOut(c *reviewcast.Change, fileSize int, listed map[string]bool) {
	// The bounds of an honest one, in bytes: an operation is [start,end] and a comma, and a line is JSON within JSON.
	const opSize, escapes = 24, 2
	size := opSize * (2 + len(listed) + 2*len(c.Reviews.Withdrawn))
	for n, line := range w.lines {
		id, _, _ := reviewcast.ReviewLine(line)
		// The head changes with the counts, and the last two reviews with their commas.
		if listed[id] || n < headLines || n >= len(w.lines)-3 {
			size += opSize + escapes*len(line)
		}
	}
	switch {
	case size <= reviewcast.MaxOpsSize(fileSize) && !slices.Contains(w.lines, ""):
		w.Contradictions.add("version %d leaves out which lines of %s it changed, although what it lists is small", c.Sequence, reviewcast.PathReviews)
	case w.noted: // otherwise nobody asked what changed
		w.Unknown.add("version %d changed so much that its document leaves out the lines; an edit that it does not list could not be seen", c.Sequence)
	}
}
