package reviewcast

import (
	"cmp"
	"reflect"
	"slices"
)

// Compare orders reviews as they are published: newest date first, then by id.
func Compare(a, b *Review) int { return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID)) }

// Delta is what changed between two sets of published reviews, in lists of sorted ids.
type Delta struct {
	Added   []string // only the later set has them
	Changed []string // of both sets, and different in a published field
	Removed []string // only the earlier set has them
	// Fields are the published names of the fields that differ, by the ids of Changed, in the order of [Review].
	Fields map[string][]string
}

// Empty reports whether nothing changed.
func (d *Delta) Empty() bool { return len(d.Added)+len(d.Changed)+len(d.Removed) == 0 }

// Difference compares reviews by id, in any order. Unchanged ones may be left out of both.
func Difference(before, after []*Review) *Delta {
	d := &Delta{Fields: map[string][]string{}}
	old := make(map[string]*Review, len(before))
	for _, r := range before {
		old[r.ID] = r
	}
	for _, r := range after {
		was, known := old[r.ID]
		delete(old, r.ID)
		if !known {
			d.Added = append(d.Added, r.ID)
		} else if fields := ChangedFields(was, r); len(fields) > 0 {
			d.Changed = append(d.Changed, r.ID)
			d.Fields[r.ID] = fields
		}
	}
	for id := range old {
		d.Removed = append(d.Removed, id)
	}
	slices.Sort(d.Added)
	slices.Sort(d.Changed)
	slices.Sort(d.Removed)
	return d
}

// ChangedFields returns the published names of the fields in which two reviews differ.
func ChangedFields(a, b *Review) []string {
	var fields []string
	va, vb := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range va.NumField() {
		if !reflect.DeepEqual(va.Field(i).Interface(), vb.Field(i).Interface()) {
			fields = append(fields, va.Type().Field(i).Tag.Get("json"))
		}
	}
	return fields
}
