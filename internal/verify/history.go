package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast"
)

// checkHistory walks back over the change documents, to the noted version or as far
// as they go.
func (v *verifier) checkHistory(since Note) {
	until := v.set.Manifest.ChangesFrom
	noted, kept := v.checkNote(since)
	if since != (Note{}) && !kept {
		return // what comes after a rewritten history proves nothing
	}
	v.section("the newest change document describes this set of files", v.checkNewest)
	v.section("every withdrawn review is listed once, with its reason", v.checkWithdrawals)
	if since != (Note{}) {
		switch {
		case noted < until:
			v.unknown("the change documents since the noted version %d are no longer published; they begin with version %d (there are at most %d, and a legal withdrawal removes those with the text). Note the state of the site more often", noted, until, reviewcast.MaxChanges)
		default:
			until = noted
		}
	}
	w := &walk{verifier: v, ids: slices.Collect(maps.Keys(v.reviews)), lines: splitLines(v.set.Files[reviewcast.PathReviews]), returned: map[string]bool{}, noted: since != (Note{})}
	proves := fmt.Sprintf("the lists of the change documents since version %d lead to exactly these reviews", until)
	v.section(proves, func() { w.back(until) })
	if noted > 0 && until == noted && len(v.Contradictions) == 0 && len(v.Unknown) == 0 {
		v.prove("since the noted version %d no review vanished, and none was edited, without a published change", noted)
	}
}

// checkNote compares versions.txt with what was noted. It returns the sequence of the
// noted version, and whether the noted lines are still there.
func (v *verifier) checkNote(since Note) (noted int64, kept bool) {
	versions := v.set.Files[reviewcast.PathVersions]
	switch {
	case since == (Note{}):
		return 0, false
	case since.Size > int64(len(versions)):
		v.contradict("%s has %d bytes, and had %d when it was noted: the site was rolled back, versions were removed, or a cache is behind", reviewcast.PathVersions, len(versions), since.Size)
		return 0, false
	case reviewcast.SHA256(versions[:since.Size]) != since.SHA256:
		v.contradict("the first %d bytes of %s have another hash than was noted: the history was rewritten", since.Size, reviewcast.PathVersions)
		return 0, false
	}
	lines, err := reviewcast.ParseVersions(versions[:since.Size])
	if err != nil || len(lines) == 0 {
		v.unknown("the noted size is not the end of a line of %s", reviewcast.PathVersions)
		return 0, false
	}
	v.prove("what was published when the note was taken is still the beginning of versions.txt: %s", plural(len(lines), "version"))
	return lines[len(lines)-1].Sequence, true
}

// checkNewest compares the newest document with the set.
func (v *verifier) checkNewest() {
	m, newest := v.set.Manifest, v.set.Changes[len(v.set.Changes)-1]
	if newest.ChangesFrom != m.ChangesFrom {
		v.contradict("changes_from is %d in the manifest and %d in the newest document", m.ChangesFrom, newest.ChangesFrom)
	}
	if !newest.LastModified.Equal(m.LastModified()) {
		v.contradict("last_modified is %s in the manifest and %s in the newest document", m.LastModified(), newest.LastModified)
	}
	if !sameRating(newest.AggregateRating, v.dataset.AggregateRating) || newest.ReviewCount != len(v.dataset.Reviews) {
		v.contradict("the newest document says %s, and %s says %s", ratingText(newest.AggregateRating), reviewcast.PathReviews, ratingText(v.dataset.AggregateRating))
	}
	to := map[string]string{}
	for _, c := range slices.Backward(v.set.Changes) {
		for _, f := range c.Files {
			if listed, _ := m.File(f.Path); to[f.Path] == "" && listed.SHA256 != f.To {
				v.contradict("version %d leaves another %s than the set has", c.Sequence, f.Path)
			} else if to[f.Path] != "" && to[f.Path] != f.To {
				v.contradict("version %d leaves another %s than the next change of it begins with", c.Sequence, f.Path)
			}
			to[f.Path] = f.From
		}
	}
}

// checkWithdrawals looks at the list of withdrawals.
func (v *verifier) checkWithdrawals() {
	for id, w := range v.withdrawn {
		if w.Reason != reviewcast.ReasonWithdrawn && w.Reason != reviewcast.ReasonLegal || !w.Date.Valid() || !reviewcast.ValidID(id) {
			v.contradict("%s lists %q with the reason %q and the date %q", reviewcast.PathWithdrawn, w.ID, w.Reason, w.Date)
		}
	}
}

// walk goes from the newest version back, and knows what the reviews were.
type walk struct {
	*verifier
	ids      []string        // of the version that the walk is at, in no order
	lines    []*string       // of its /reviews.json, nil where they can't be known
	returned map[string]bool // reviews, in lower case, that a later version added
	noted    bool            // that no edit is hidden shall be proven back to a noted version
}

// back walks to the version with the sequence until. That version's own document is
// compared, too, since it says what reviews there were.
func (w *walk) back(until int64) {
	for i, c := range slices.Backward(w.set.Changes) {
		w.checkState(c)
		if c.Sequence <= until || c.Previous == nil {
			return
		}
		w.checkLists(c)
		w.checkLines(c)
		w.checkRating(c, i)
		w.stepBack(c)
	}
}

// checkState compares the reviews at a version with those that its document commits
// to.
func (w *walk) checkState(c *reviewcast.Change) {
	if c.IDsSHA256 != reviewcast.IDsSHA256(w.ids) {
		w.contradict("version %d had other reviews than follow from the versions after it: a review vanished, or was exchanged, without standing in a list", c.Sequence)
	}
	if c.ReviewCount != len(w.ids) {
		w.contradict("version %d counts %d reviews, and %d follow from the versions after it", c.Sequence, c.ReviewCount, len(w.ids))
	}
	a := c.AggregateRating
	if d := a.Distribution; a.RatingCount != c.ReviewCount || d.One+d.Two+d.Three+d.Four+d.Five != c.ReviewCount || !equal(a.RatingValue, ratingOf(d)) {
		w.contradict("version %d counts %d reviews and rates them %s", c.Sequence, c.ReviewCount, ratingText(a))
	}
}

// checkLists looks at the lists of reviews of a document.
func (w *walk) checkLists(c *reviewcast.Change) {
	have := make(map[string]bool, len(w.ids))
	for _, id := range w.ids {
		have[id] = true
	}
	for _, id := range slices.Concat(c.Reviews.Added, c.Reviews.Changed) {
		if !have[id] {
			w.contradict("version %d names review %s, which it does not publish", c.Sequence, id)
		}
	}
	for _, gone := range c.Reviews.Withdrawn {
		id := strings.ToLower(gone.ID)
		listed, ok := w.withdrawn[id]
		switch {
		case have[gone.ID]:
			w.contradict("version %d publishes review %s and says that it was withdrawn", c.Sequence, gone.ID)
		case w.returned[id]:
		case !ok:
			w.contradict("review %s is gone since version %d and not listed in %s", gone.ID, c.Sequence, reviewcast.PathWithdrawn)
		case gone.Reason != listed.Reason && listed.Reason != reviewcast.ReasonLegal: // a text may be erased later
			w.contradict("review %s was withdrawn in version %d for the reason %q, and %s says %q", gone.ID, c.Sequence, gone.Reason, reviewcast.PathWithdrawn, listed.Reason)
		}
	}
}

// checkRating compares the stars of a version with those of the version before, as
// far as the change tells them.
func (w *walk) checkRating(c *reviewcast.Change, i int) {
	if i == 0 || len(c.Reviews.Added)+len(c.Reviews.Changed)+len(c.Reviews.Withdrawn) > 0 {
		return
	}
	if before := w.set.Changes[i-1]; !sameRating(c.AggregateRating, before.AggregateRating) {
		w.contradict("version %d changed the rating from %s to %s without a review", c.Sequence, ratingText(before.AggregateRating), ratingText(c.AggregateRating))
	}
}

// stepBack makes the ids those of the version before.
func (w *walk) stepBack(c *reviewcast.Change) {
	added := make(map[string]bool, len(c.Reviews.Added))
	for _, id := range c.Reviews.Added {
		added[id], w.returned[strings.ToLower(id)] = true, true
	}
	w.ids = slices.DeleteFunc(w.ids, func(id string) bool { return added[id] })
	for _, gone := range c.Reviews.Withdrawn {
		w.ids = append(w.ids, gone.ID)
	}
}
