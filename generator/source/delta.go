package source

// Delta is what changed between two Contents of a folder.
type Delta struct {
	// Gone are reviews of the earlier Content, Come reviews of the later one, both in published order. A review that was
	// edited is in both, as two pointers.
	Gone, Come []*Review
	// All reports that something else than reviews changed, the business or the vocabulary for instance, or that there
	// was no earlier Content. Then every review is gone and come.
	All bool
}

// Empty reports whether nothing changed.
func (d *Delta) Empty() bool { return !d.All && len(d.Gone) == 0 && len(d.Come) == 0 }

// difference returns what is in one list and not in the other, in their order.
func difference[T comparable](was, is []T) (gone, come []T) {
	stay := make(map[T]bool, len(was))
	for _, r := range was {
		stay[r] = false
	}
	for _, r := range is {
		if _, known := stay[r]; known {
			stay[r] = true
		} else {
			come = append(come, r)
		}
	}
	for _, r := range was {
		if !stay[r] {
			gone = append(gone, r)
		}
	}
	return gone, come
}
