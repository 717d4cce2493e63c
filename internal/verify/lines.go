package verify

import (
	"slices"

	"reviewcast"
)

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

// headLines is how many lines of a dataset are before its reviews.
const headLines = 2

// lineCount is how many lines a dataset with so many reviews has. One follows them.
func lineCount(reviews int) int {
	if reviews == 0 {
		return headLines
	}
	return headLines + reviews + 1
}

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
			if line := w.lines[n+i-op.Start]; line != "" {
				old[i] = line
			}
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

// Bounds on the operations of an honest document, in bytes of JSON.
const (
	opSize = 24 // [start,end], and its comma
	// escapes is how many bytes JSON takes at most for one of a line that is JSON itself.
	escapes = 2
)

// checkLeftOut looks at a document without operations: it must have been too large for them.
func (w *walk) checkLeftOut(c *reviewcast.Change, fileSize int, listed map[string]bool) {
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
