package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"strings"
	"time"
)

// Pace is what is known of how quickly a subscriber answers. Each pace is claimed
// separately, so that many slow subscribers don't delay the others.
type Pace int

// The paces, as they are stored.
const (
	New   Pace = 1 // has answered nothing yet, or one delivery quickly since it was slow
	Quick Pace = 2
	Slow  Pace = 3
)

func (p Pace) String() string { return [...]string{"none", "new", "quick", "slow"}[p] }

// WorkKey names a part of the work: the subscribers of a topic that have one pace.
type WorkKey struct {
	Topic string
	Pace  Pace
}

// Claim selects deliveries to claim.
type Claim struct {
	Owner string
	WorkKey
	// SHA256 is the content that the owner can deliver. If the topic has changed since,
	// there is nothing to claim.
	SHA256 string
	Except []string // endpoints
	Limit  int
}

// Delivery is a claimed delivery.
type Delivery struct {
	ID        int64 // of the subscription
	Topic     string
	Callback  string
	Endpoint  string
	Secret    []byte
	ExpiresAt time.Time
	Failures  int   // consecutive ones before this delivery
	Version   int64 // what is delivered
	Pace      Pace
	ClaimedAt time.Time
}

// Verdict is the result of a delivery.
type Verdict int

// The verdicts.
const (
	Delivered Verdict = iota // acknowledged by the subscriber
	Failed                   // retried at Next
	Released                 // not attempted; due again at Next, or at once when that is zero
	Gone                     // 410: the subscription is removed
	Denied                   // the last failure: removed, and a denial is sent
)

// Outcome is the end of a delivery.
type Outcome struct {
	Delivery Delivery
	Verdict  Verdict
	Next     time.Time // Failed, Released; also Gone and Denied, in case the subscription was renewed meanwhile
	Slow     bool      // Delivered, Failed: it took long
	Error    string    // for operators
	Reason   string    // Denied: hub.reason
}

// Due returns the work keys with deliveries that are due or claimed: a claim for any
// other finds nothing.
func (s *Store) Due(ctx context.Context, now time.Time) (due []WorkKey, err error) {
	err = s.each(ctx, func(rows *sql.Rows) error {
		var k WorkKey
		err := rows.Scan(&k.Topic, &k.Pace)
		due = append(due, k)
		return err
	}, "due", millis(now))
	return due, wrap("read what is due", err)
}

// ClaimDeliveries claims deliveries that are due.
func (s *Store) ClaimDeliveries(ctx context.Context, now time.Time, c Claim) (claimed []Delivery, err error) {
	until := s.claims.until(now)
	s.releaseLost(ctx, now)
	err = s.db.singleEach(ctx, func(rows *sql.Rows) error {
		d := Delivery{ClaimedAt: now, Pace: c.Pace}
		var expires int64
		err := rows.Scan(&d.ID, &d.Topic, &d.Callback, &d.Endpoint, &d.Secret, &expires, &d.Failures, &d.Version)
		d.ExpiresAt = moment(expires)
		claimed = append(claimed, d)
		return err
	}, "claim deliveries", c.Owner, until, c.Topic, c.SHA256, millis(now), array(c.Except), c.Limit, millis(now.Add(-OwnerLapse)), int64(c.Pace))
	if err != nil {
		s.claims.lost(lostClaim{"release lost deliveries", c.Owner, until, now})
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return claimed, nil
}

// Revalidate reads claimed deliveries of an owner again. It returns those that the
// owner still holds, by the subscription's id, with their current secret, lease and
// failures and the topic's newest version. Topic, callback and the time of the claim
// are not set.
func (s *Store) Revalidate(ctx context.Context, owner string, list []int64) (map[int64]Delivery, error) {
	found := make(map[int64]Delivery, len(list))
	err := s.each(ctx, func(rows *sql.Rows) error {
		var d Delivery
		var expires int64
		err := rows.Scan(&d.ID, &d.Secret, &expires, &d.Failures, &d.Version)
		d.ExpiresAt = moment(expires)
		found[d.ID] = d
		return err
	}, "revalidate", numbers(list), owner)
	if err != nil {
		return nil, fmt.Errorf("revalidate deliveries: %w", err)
	}
	return found, nil
}

// outcome is an Outcome in the form that queries read.
type outcome struct {
	ID       int64  `json:"id"`
	Version  int64  `json:"version"`
	At       int64  `json:"at"`
	Started  int64  `json:"started"`
	Failures int    `json:"failures"` // before this one, if the verdict depends on them; else -1
	Next     int64  `json:"next"`
	Slow     int    `json:"slow"`
	Error    string `json:"error"`
	Reason   string `json:"reason"`
	Token    string `json:"token"`
	Host     string `json:"host"`
}

// Acknowledge ends deliveries of an owner.
func (s *Store) Acknowledge(ctx context.Context, now time.Time, owner string, outcomes []Outcome) error {
	var by [Denied + 1][]outcome
	for _, o := range outcomes {
		by[o.Verdict] = append(by[o.Verdict], o.row(now))
	}
	if len(by[Delivered]) == len(outcomes) { // the usual case, without a transaction
		_, err := s.db.single(ctx, "delivered", marshal(by[Delivered]), owner)
		return wrap(fmt.Sprintf("acknowledge %d deliveries", len(outcomes)), err)
	}
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		// Gone and Denied take two steps. Subscriptions that were renewed since the delivery
		// began, or whose failures were reset, are not removed but released.
		for _, step := range []struct {
			query string
			rows  []outcome
			cause string // of the removal
		}{
			{"delivered", by[Delivered], ""}, {"failed", by[Failed], ""}, {"released", by[Released], ""},
			{"removed", by[Gone], CauseGone}, {"released", by[Gone], ""},
			{"deny", by[Denied], ""}, {"removed", by[Denied], CauseFailed}, {"released", by[Denied], ""},
		} {
			if err := runStep(ctx, tx, now, owner, step.query, step.cause, step.rows); err != nil {
				return fmt.Errorf("%s: %w", step.query, err)
			}
		}
		if len(by[Denied]) > 0 {
			return s.db.announce(ctx, tx)
		}
		return nil
	})
	return wrap(fmt.Sprintf("acknowledge %d deliveries", len(outcomes)), err)
}

// runStep runs a query on outcomes. Rows that it removes for a cause are recorded as
// departures with the error of their outcome.
func runStep(ctx context.Context, tx transaction, now time.Time, owner, query, cause string, rows []outcome) error {
	if len(rows) == 0 {
		return nil
	}
	if cause == "" {
		_, err := tx.exec(ctx, query, marshal(rows), owner)
		return err
	}
	removed, err := deleted(ctx, tx, query, marshal(rows), owner)
	if err != nil {
		return err
	}
	for _, r := range removed {
		for _, o := range rows {
			if o.ID == r.id && o.Error != "" {
				r.why = o.Error
			}
		}
		r.cause = cause
		if err := recordDeparture(ctx, tx, now, r.departure); err != nil {
			return err
		}
	}
	return nil
}

func (o Outcome) row(now time.Time) outcome {
	d := o.Delivery
	row := outcome{ID: d.ID, Version: d.Version, At: millis(now), Started: millis(d.ClaimedAt), Failures: -1,
		Next: millis(o.Next), Error: text(o.Error), Reason: text(o.Reason)}
	if o.Slow {
		row.Slow = 1
	}
	if o.Verdict == Denied {
		row.Token, row.Host, row.Failures = rand.Text(), hostOf(d.Endpoint), d.Failures
	}
	return row
}

// text removes NUL characters, which PostgreSQL can't store.
func text(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// hostOf returns the host of a host:port.
func hostOf(endpoint string) string {
	host, _, err := net.SplitHostPort(endpoint)
	if err != nil {
		return strings.Trim(endpoint, "[]")
	}
	return host
}
