package mirror

import "context"

// Update is update with a report, as [Copy.Update] makes it.
func (f *Follower) Update(ctx context.Context, have *Set) (*Set, Report, error) {
	before := f.Source.Received()
	set, relation, err := f.update(ctx, have)
	if err != nil {
		return have, Report{}, err
	}
	return set, newReport(have, set, relation, f.Source.Received()-before), nil
}
