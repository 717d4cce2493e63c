package store

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// lostFor is how long a claim whose answer was lost is looked for. The database may
// complete the claim after the connection has failed.
const lostFor = time.Minute

// claims are the ends of this process's claims, which differ so that the rows of one claim
// can be found, and the claims whose answer was lost.
type claims struct {
	mu   sync.Mutex
	last int64 // the end of the last claim, in milliseconds
	lost []lostClaim
	next time.Time // of the next look for lost claims, which scans a table
}

// lostClaim is a claim that failed: its rows may be claimed nevertheless.
type lostClaim struct {
	rows, owner string
	until       int64
	at          time.Time
}

// claim runs the query that claims some kind of rows for an owner.
func (s *Store) claim(ctx context.Context, now time.Time, owner, rows string, scan scanner, args ...any) error {
	until := s.claims.until(now)
	s.releaseLost(ctx, now)
	err := s.db.single(ctx, scan, "claim "+rows, append([]any{owner, until, millis(now), millis(now.Add(-OwnerLapse))}, args...)...)
	if err != nil {
		s.claims.mu.Lock()
		defer s.claims.mu.Unlock()
		s.claims.lost = append(s.claims.lost, lostClaim{rows, owner, until, now})
	}
	return wrap("claim "+rows, err)
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

// releaseLost releases the rows of failed claims. Without it, rows whose claim was
// committed but not answered would wait until ClaimLapse.
func (s *Store) releaseLost(ctx context.Context, now time.Time) {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock() // other claims wait: the database has just failed
	if len(s.claims.lost) == 0 || now.Before(s.claims.next) {
		return
	}
	s.claims.next = now.Add(time.Second)
	var keep []lostClaim
	for i, l := range s.claims.lost {
		released := 0
		err := s.db.single(ctx, func(*sql.Rows) error { released++; return nil }, "release "+l.rows, l.owner, l.until)
		if err != nil {
			keep = append(keep, s.claims.lost[i:]...)
			break
		}
		if released == 0 && now.Sub(l.at) < lostFor {
			keep = append(keep, l)
		}
	}
	s.claims.lost = keep
}
