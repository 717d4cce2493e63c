package reviewcast

import (
	"cmp"
	"slices"
)

// Compare orders reviews as they are published: newest date first, then by id.
// It returns a negative number when a comes before b, and 0 for the same place.
func Compare(a, b *Review) int {
	return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID))
}

// Delta is what changed between two sets of published reviews. All lists are
// sorted ids.
type Delta struct {
	// Added are the reviews that only the later set has. A review that was
	// withdrawn and returns is one of them.
	Added []string
	// Changed are the reviews of both sets that differ in a published field.
	Changed []string
	// Removed are the reviews that only the earlier set has.
	Removed []string
	// Fields are the published names of the fields that differ, by the ids of
	// Changed, in the order of [Review].
	Fields map[string][]string
}

// Empty reports whether nothing changed.
func (d *Delta) Empty() bool { return len(d.Added)+len(d.Changed)+len(d.Removed) == 0 }

// Difference compares two sets of reviews by id, in any order. Reviews that are
// known to be unchanged may be left out of both.
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

// ChangedFields returns the published names of the fields in which two reviews
// differ, in the order of [Review]. It returns nil for reviews that are published
// as the same bytes. A missing list counts as an empty one.
func ChangedFields(a, b *Review) []string {
	if a == b {
		return nil
	}
	var fields []string
	compare := func(name string, equal bool) {
		if !equal {
			fields = append(fields, name)
		}
	}
	compare("id", a.ID == b.ID)
	compare("author", a.Author == b.Author)
	compare("author_avatar_url", equal(a.AuthorAvatarURL, b.AuthorAvatarURL))
	compare("rating", a.Rating == b.Rating)
	compare("date", a.Date == b.Date)
	compare("title", equal(a.Title, b.Title))
	compare("text", equal(a.Text, b.Text))
	compare("language", a.Language == b.Language)
	compare("source", a.Source == b.Source)
	compare("source_url", equal(a.SourceURL, b.SourceURL))
	compare("owner_reply", equal(a.OwnerReply, b.OwnerReply))
	compare("verified", a.Verified == b.Verified)
	compare("verification", a.Verification == b.Verification)
	compare("mentions", slices.Equal(a.Mentions.Technicians, b.Mentions.Technicians) &&
		slices.Equal(a.Mentions.Services, b.Mentions.Services) && slices.Equal(a.Mentions.ServiceAreas, b.Mentions.ServiceAreas))
	return fields
}

// equal reports whether two optional values are equal.
func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
