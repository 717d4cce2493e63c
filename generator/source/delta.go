package source

import (
	"maps"
	"slices"
)

// Delta is what changed between two Contents of a folder.
type Delta struct {
	// Gone are reviews of the earlier Content, Come reviews of the later one, both in
	// published order. A review that was edited is in both, as two pointers.
	Gone, Come []*Review
	// All reports that something else than reviews changed, the business or the
	// vocabulary for instance, or that there was no earlier Content. Then every review
	// is gone and come.
	All bool
}

// Empty reports whether nothing changed.
func (d *Delta) Empty() bool { return !d.All && len(d.Gone) == 0 && len(d.Come) == 0 }

// pending is what changed since the last Content that Load returned.
type pending struct {
	all        bool
	gone, come map[*Review]bool
}

// add adds what the index has removed and added.
func (p *pending) add(removed, added []*Review) {
	if p.all {
		return
	}
	if p.gone == nil {
		p.gone, p.come = map[*Review]bool{}, map[*Review]bool{}
	}
	for _, r := range removed {
		if p.come[r] {
			delete(p.come, r)
		} else {
			p.gone[r] = true
		}
	}
	for _, r := range added {
		p.come[r] = true
	}
}

// delta returns the difference between the reviews before and now.
func (p *pending) delta(before, now []*Review) *Delta {
	if p.all {
		return &Delta{Gone: before, Come: now, All: true}
	}
	return &Delta{Gone: keys(p.gone), Come: keys(p.come)}
}

func keys(m map[*Review]bool) []*Review { return sorted(slices.Collect(maps.Keys(m))) }
