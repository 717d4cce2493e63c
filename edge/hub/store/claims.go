package store

import (
	"context"
	"sync"
	"time"
)

// lostFor is how long a claim whose answer was lost is looked for. The database may
// complete the claim after the connection has failed.
const lostFor = time.Minute

// claims gives every claim of this process its own end, so that the rows of one claim can
// be found, and remembers claims whose answer was lost.
type claims struct {
	mu   sync.Mutex
	last int64 // the end of the last claim, in milliseconds
	list []lostClaim
	next time.Time // of the next look for lost claims, which scans a table
}

// lostClaim is a claim that failed: its rows may be claimed nevertheless.
type lostClaim struct {
	query string // releases it
	owner string
	until int64
	at    time.Time
}

// until returns the end of a new claim in milliseconds.
func (c *claims) until(now time.Time) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := millis(now.Add(ClaimLapse))
	if end <= c.last && c.last < end+1000 { // unless the clock was set back
		end = c.last + 1
	}
	c.last = end
	return end
}

func (c *claims) lost(l lostClaim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, l)
}

// releaseLost releases the rows of failed claims. Without it, rows whose claim was
// committed but not answered would wait until ClaimLapse.
func (s *Store) releaseLost(ctx context.Context, now time.Time) {
	s.claims.mu.Lock()
	list := s.claims.list
	if len(list) == 0 || now.Before(s.claims.next) {
		s.claims.mu.Unlock()
		return
	}
	s.claims.list, s.claims.next = nil, now.Add(time.Second)
	s.claims.mu.Unlock()
	for i, l := range list {
		released, err := affected(s.db.single(ctx, l.query, l.owner, l.until))
		switch {
		case err != nil: // the next claim tries again
			s.claims.mu.Lock()
			s.claims.list = append(s.claims.list, list[i:]...)
			s.claims.mu.Unlock()
			return
		case released == 0 && now.Sub(l.at) < lostFor:
			s.claims.lost(l)
		}
	}
}
