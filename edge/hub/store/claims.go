package store

import (
	"context"
	"sync"
	"time"
)

// claims identifies this process's claims of one kind of rows by the times at which they
// lapse, in milliseconds. These times are unique, so that two of them name a run of claims.
type claims struct {
	mu   sync.Mutex // held during a claim
	last int64      // that of the last claim
	// lostFrom and lostTo are the first and the last of the claims that failed most recently,
	// one after another. The database may have made them although its answer was lost.
	lostFrom, lostTo int64
}

// claim runs the query that claims some kind of rows for an owner. It also claims the rows of
// claims that failed before it. Otherwise they would wait until ClaimLapse.
func (s *Store) claim(ctx context.Context, now time.Time, c *claims, owner, query string, scan scanner, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous := c.last
	c.last = millis(now.Add(ClaimLapse))
	if c.last <= previous && previous < c.last+1000 { // unless the clock was set back
		c.last = previous + 1
	}
	args = append([]any{owner, c.last, millis(now), millis(now.Add(-OwnerLapse)), c.lostFrom, c.lostTo}, args...)
	err := s.each(ctx, scan, query, args...)
	if err != nil {
		if c.lostTo != previous { // the claim before succeeded
			c.lostFrom = c.last
		}
		c.lostTo = c.last
	}
	return wrap(query, err)
}
