package store

import (
	"cmp"
	"context"
	"database/sql"
	"sync"
	"time"
)

// Heartbeat records that an owner is alive. One whose clock was far ahead lapses as others do from then on: it may be
// dead, and if it isn't, its next heartbeat says so.
func (s *Store) Heartbeat(ctx context.Context, now time.Time, owner string) error {
	if err := s.db.check(); err != nil {
		return err
	}
	return wrap("heartbeat", s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		return cmp.Or(
			tx.exec(ctx, "heartbeat", owner, millis(now.Add(OwnerLapse)), millis(now)),
			tx.exec(ctx, "owners ahead", millis(now.Add(OwnerLapse)), millis(now.Add(2*OwnerLapse))))
	}))
}

// Leave gives up all claims of an owner.
func (s *Store) Leave(ctx context.Context, owner string) error {
	return wrap("leave", s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		return tx.exec(ctx, "leave", owner)
	}))
}

// Sweep deletes subscriptions whose lease ended a day ago, at most n, owners that died long
// ago, and old departures. It returns the number of subscriptions.
func (s *Store) Sweep(ctx context.Context, now time.Time, n int) (swept int, err error) {
	// An owner's row is deleted so long after its end: until then a hub that has just reconnected knows that the owner
	// may reconnect, too.
	const ownerForgotten = 10 * OwnerLapse
	// A subscription is kept so long after the end of its lease, and isn't delivered to: a hub whose clock is ahead would
	// otherwise delete subscriptions whose lease hasn't ended.
	const expiredKept = 24 * time.Hour
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		err := cmp.Or(
			tx.exec(ctx, "dead owners", millis(now.Add(-ownerForgotten))),
			tx.exec(ctx, "trim departed", millis(now.Add(-departedFor)), maxDeparted, maxUnverified))
		removed, sweepErr := depart(ctx, tx, now, CauseExpired, "sweep", millis(now.Add(-expiredKept)), n)
		swept = len(removed)
		return cmp.Or(err, sweepErr)
	})
	return swept, wrap("sweep", err)
}

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
func claim[T any](ctx context.Context, s *Store, now time.Time, c *claims, owner, query string, scan func(*sql.Rows, *T) error, args ...any) ([]T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous := c.last
	c.last = millis(now.Add(ClaimLapse))
	if c.last <= previous && previous < c.last+1000 { // unless the clock was set back
		c.last = previous + 1
	}
	args = append([]any{owner, c.last, millis(now), millis(now.Add(-OwnerLapse)), c.lostFrom, c.lostTo}, args...)
	var claimed []T
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		return tx.each(ctx, into(&claimed, scan), query, args...)
	})
	if err != nil {
		if c.lostTo != previous { // the claim before succeeded
			c.lostFrom = c.last
		}
		c.lostTo = c.last
		return nil, wrap(query, err)
	}
	return claimed, nil
}
