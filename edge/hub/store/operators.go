package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
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
	Changed time.Time // when the newest content was published
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
	IDs      []int64 // these only
	Callback string  // exactly this
	Topic    string
	Failing  bool  // with failures only
	After    int64 // ids above
	Limit    int   // 0: no limit
	// At is when a claim must hold for its delivery to be in flight; zero: any claim.
	At time.Time
}

// Counts counts for metrics and caps.
func (s *Store) Counts(ctx context.Context, now time.Time) (Counts, error) {
	c := Counts{Topics: map[string]TopicCounts{}, Pending: map[string]int{}}
	topics, err := s.Topics(ctx)
	if err != nil {
		return Counts{}, fmt.Errorf("count: %w", err)
	}
	for topic, p := range topics {
		c.Topics[topic] = TopicCounts{Changed: p.ChangedAt}
	}
	err = errors.Join(
		s.each(ctx, func(rows *sql.Rows) error { return c.addVersion(rows, topics) }, "count versions", millis(now)),
		s.each(ctx, func(rows *sql.Rows) error { return rows.Scan(&c.Total) }, "count subscriptions"),
		s.each(ctx, func(rows *sql.Rows) error {
			var mode string
			var n int
			err := rows.Scan(&mode, &n)
			c.Pending[mode] = n
			return err
		}, "count verifications"),
	)
	if err != nil {
		return Counts{}, fmt.Errorf("count: %w", err)
	}
	return c, nil
}

// addVersion adds the subscriptions of a topic that were delivered one version.
func (c *Counts) addVersion(rows *sql.Rows, topics map[string]Publication) error {
	var topic string
	var version, next int64
	var all, failing, due int
	if err := rows.Scan(&topic, &version, &all, &failing, &due, &next); err != nil {
		return err
	}
	p, known := topics[topic]
	if !known {
		return nil // it was never published
	}
	t := c.Topics[topic]
	t.Active += all - failing
	t.Failing += failing
	if version < p.Version {
		t.Behind += all
		since := p.ChangedAt
		if wait := moment(next); wait.After(since) {
			since = wait
		}
		if due > 0 && (t.Due.IsZero() || since.Before(t.Due)) {
			t.Due = since
		}
	}
	c.Topics[topic] = t
	return nil
}

// List returns subscriptions by ascending id.
func (s *Store) List(ctx context.Context, f Filter) (list []Subscription, err error) {
	limit, failing := int64(math.MaxInt64), 0
	if f.Limit > 0 {
		limit = int64(f.Limit)
	}
	if f.Failing {
		failing = 1
	}
	err = s.each(ctx, func(rows *sql.Rows) error {
		var r Subscription
		var pace Pace
		var lease, created, renewed, expires, delivered, next int64
		err := rows.Scan(&r.ID, &r.Topic, &r.Callback, &r.Secret, &lease, &created, &renewed, &expires, &delivered,
			&r.Behind, &r.Failures, &next, &r.LastError, &pace, &r.InFlight)
		r.Slow = pace == Slow
		r.Lease = time.Duration(lease) * time.Second
		r.CreatedAt, r.RenewedAt, r.ExpiresAt = moment(created), moment(renewed), moment(expires)
		r.DeliveredAt, r.NextAttempt = moment(delivered), moment(next)
		list = append(list, r)
		return err
	}, "list", f.After, f.Topic, f.Callback, failing, ids(f.IDs), limit, millis(f.At))
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	return list, nil
}

// Retry makes waiting subscriptions due at once and resets their failures. It returns
// the ids of those that exist, in no order.
func (s *Store) Retry(ctx context.Context, list []int64) (done []int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		err := tx.each(ctx, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			done = append(done, id)
			return err
		}, "retry", numbers(list))
		if err != nil {
			return err
		}
		return s.db.announce(ctx, tx)
	})
	return done, wrap("retry", err)
}

// Remove deletes subscriptions without notice. It returns the ids of those that
// existed, in no order.
func (s *Store) Remove(ctx context.Context, now time.Time, list []int64) (done []int64, err error) {
	return s.remove(ctx, now, "remove", numbers(list))
}

// RemoveHost deletes all subscriptions of a host without notice. It returns their ids.
func (s *Store) RemoveHost(ctx context.Context, now time.Time, host string) (done []int64, err error) {
	return s.remove(ctx, now, "remove host", host)
}

func (s *Store) remove(ctx context.Context, now time.Time, query string, arg any) (done []int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		done, err = depart(ctx, tx, now, CauseRemoved, query, arg)
		if err != nil {
			return err
		}
		return s.db.announce(ctx, tx)
	})
	return done, wrap(query, err)
}
