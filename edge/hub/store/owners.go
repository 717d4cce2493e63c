package store

import (
	"context"
	"time"
)

// ownerForgotten is how long after its end an owner's row is deleted. Until then a
// hub that has just reconnected knows that the owner may reconnect, too.
const ownerForgotten = 10 * OwnerLapse

// expiredKept is how long a subscription is kept after the end of its lease. It isn't delivered to. A hub whose clock
// is ahead would otherwise delete subscriptions whose lease hasn't ended.
const expiredKept = 24 * time.Hour

// Heartbeat records that an owner is alive. One whose clock was far ahead lapses as others do from then on: it may be
// dead, and if it isn't, its next heartbeat says so.
func (s *Store) Heartbeat(ctx context.Context, now time.Time, owner string) error {
	if err := s.db.check(); err != nil {
		return err
	}
	return wrap("heartbeat", s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if err := tx.exec(ctx, "heartbeat", owner, millis(now.Add(OwnerLapse)), millis(now)); err != nil {
			return err
		}
		return tx.exec(ctx, "owners ahead", millis(now.Add(OwnerLapse)), millis(now.Add(2*OwnerLapse)))
	}))
}

// Leave gives up all claims of an owner.
func (s *Store) Leave(ctx context.Context, owner string) error { return s.exec(ctx, "leave", owner) }

// Sweep deletes subscriptions whose lease ended a day ago, at most n, owners that died long
// ago, and old departures. It returns the number of subscriptions.
func (s *Store) Sweep(ctx context.Context, now time.Time, n int) (swept int, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if err := tx.exec(ctx, "dead owners", millis(now.Add(-ownerForgotten))); err != nil {
			return err
		}
		if err := tx.exec(ctx, "trim departed", millis(now.Add(-departedFor)), maxDeparted, maxUnverified); err != nil {
			return err
		}
		removed, err := depart(ctx, tx, now, CauseExpired, nil, "sweep", millis(now.Add(-expiredKept)), n)
		swept = len(removed)
		return err
	})
	return swept, wrap("sweep", err)
}
