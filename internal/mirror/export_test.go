package mirror

import (
	"context"
	"net/http"
	"time"
)

// Over has an origin make its requests with a transport.
func Over(source Source, transport http.RoundTripper) { source.(*origin).client.Transport = transport }

// Impatient has an origin wait less long for a byte.
func Impatient(source Source, stall time.Duration) { source.(*origin).stall = stall }

// Update is update with a report, as [Copy.Update] makes it.
func (f *Follower) Update(ctx context.Context, have *Set) (*Set, Report, error) {
	before := f.Source.Received()
	set, relation, err := f.update(ctx, have)
	if err != nil {
		return have, Report{}, err
	}
	return set, newReport(have, set, relation, f.Source.Received()-before), nil
}
