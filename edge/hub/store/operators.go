package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"
)

// Counts are numbers of the whole state.
type Counts struct {
	Topics  map[string]TopicCounts
	Total   int            // subscriptions, including expired ones that are still stored
	Pending map[string]int // verifications by mode
}

// TopicCounts are numbers of a topic, without expired subscriptions.
type TopicCounts struct {
	Active  int       // without a failure since the last acknowledgement
	Failing int       // with one
	Behind  int       // without the newest content
	Due     time.Time // since when one of those could have had it; zero if all of them wait for a retry
}

// Subscription is what operators are shown. It never holds the secret.
type Subscription struct {
	ID          int64         `json:"id"`
	Topic       string        `json:"topic"`
	Callback    string        `json:"callback"`
	Secret      bool          `json:"secret"`
	Lease       time.Duration `json:"-"`
	CreatedAt   time.Time     `json:"created_at"`
	RenewedAt   time.Time     `json:"renewed_at"`
	ExpiresAt   time.Time     `json:"expires_at"`
	DeliveredAt time.Time     `json:"delivered_at,omitzero"`
	Behind      bool          `json:"behind"`
	Failures    int           `json:"failures"`
	NextAttempt time.Time     `json:"next_attempt,omitzero"`
	LastError   string        `json:"last_error,omitempty"`
	Slow        bool          `json:"slow"`
	InFlight    bool          `json:"in_flight"`
}

// Filter selects subscriptions. The zero value selects all.
type Filter struct {
	IDs     []int64 // these only
	Topic   string
	Failing bool      // with failures only
	At      time.Time // when a claim must hold for its delivery to be in flight; zero: any claim
}

// Counts counts for metrics and caps.
func (s *Store) Counts(ctx context.Context, now time.Time) (Counts, error) {
	pending, err := s.CountPending(ctx)
	c := Counts{Topics: map[string]TopicCounts{}, Pending: pending}
	err = errors.Join(err,
		s.db.read(ctx, byKey(c.Topics, func(rows *sql.Rows, topic *string, t *TopicCounts) error {
			return rows.Scan(topic, &t.Active, &t.Failing, &t.Behind, (*stamp)(&t.Due))
		}), "count topics", millis(now)),
		s.db.read(ctx, func(rows *sql.Rows) error { return rows.Scan(&c.Total) }, "count subscriptions"))
	return c, wrap("count", err)
}

// CountPending returns the numbers of verifications by mode.
func (s *Store) CountPending(ctx context.Context) (map[string]int, error) {
	pending := map[string]int{}
	scan := func(rows *sql.Rows, mode *string, n *int) error { return rows.Scan(mode, n) }
	err := s.db.read(ctx, byKey(pending, scan), "count verifications")
	return pending, wrap("count verifications", err)
}

// Answered returns up to n endpoints that answered last, the last first.
func (s *Store) Answered(ctx context.Context, n int) (endpoints []string, err error) {
	err = s.db.read(ctx, into(&endpoints, scanValue[string]), "answered", n)
	return endpoints, wrap("read endpoints", err)
}

// List returns subscriptions by ascending id.
func (s *Store) List(ctx context.Context, f Filter) (list []Subscription, err error) {
	scan := func(rows *sql.Rows, r *Subscription) error { return scanSubscription(rows, r, new([]byte)) }
	err = s.db.read(ctx, into(&list, scan), "list", millis(f.At), f.Topic, f.Failing, marshal(f.IDs))
	return list, wrap("list subscriptions", err)
}

func scanSubscription(rows *sql.Rows, r *Subscription, secret *[]byte) error {
	var pace Pace
	err := rows.Scan(&r.ID, &r.Topic, &r.Callback, secret, &r.Lease, (*stamp)(&r.CreatedAt), (*stamp)(&r.RenewedAt), (*stamp)(&r.ExpiresAt),
		(*stamp)(&r.DeliveredAt), &r.Behind, &r.Failures, (*stamp)(&r.NextAttempt), &r.LastError, &pace, &r.InFlight)
	r.Lease *= time.Second // it is stored in seconds
	r.Secret, r.Slow = *secret != nil, pace == Slow
	return err
}

// Retry makes waiting subscriptions due at once and resets their failures: those of the list, or without a list all
// with failures. It returns the ids of those that exist, in no order.
func (s *Store) Retry(ctx context.Context, list []int64) ([]int64, error) {
	return s.change(ctx, "retry", func(ctx context.Context, tx transaction) (done []int64, err error) {
		err = tx.each(ctx, into(&done, scanValue[int64]), "retry", marshal(list))
		return done, err
	})
}

// Remove deletes subscriptions without notice: those of the list, and unless host is empty all of a host. It returns
// the ids of those that existed, in no order.
func (s *Store) Remove(ctx context.Context, now time.Time, list []int64, host string) ([]int64, error) {
	return s.change(ctx, "remove", func(ctx context.Context, tx transaction) ([]int64, error) {
		return depart(ctx, tx, now, CauseRemoved, "remove", marshal(list), host)
	})
}

// change makes an operator's change, which running hubs are to notice at once.
func (s *Store) change(ctx context.Context, what string, f func(context.Context, transaction) ([]int64, error)) (done []int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) (err error) {
		done, err = f(ctx, tx)
		return cmp.Or(err, s.db.announce(ctx, tx, ""))
	})
	return done, wrap(what, err)
}
