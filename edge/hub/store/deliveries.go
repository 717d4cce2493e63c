package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"time"
)

// Publication is the content of a topic.
type Publication struct {
	Topic    string    // the whole URL, base URL included
	SHA256   string    // hex, of the body
	Sequence int64     // of the manifest that lists it
	Modified time.Time // when the content last changed, as it is published
}

// Publish makes p the newest content of its topic if the hash differs and p is newer: the sequence of its manifest is
// higher or, at an equal sequence, it was modified later. It reports whether it did. The first content of a topic
// changes nothing. For equal content the highest sequence is kept.
func (s *Store) Publish(ctx context.Context, now time.Time, p Publication) (changed bool, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var version int64
		published, err := tx.row(ctx, []any{&version}, "publish", p.Topic, p.SHA256, p.Sequence, millis(now), millis(p.Modified))
		switch {
		case err != nil:
			return err
		case !published:
			return tx.exec(ctx, "same content", p.Topic, p.SHA256, p.Sequence, millis(p.Modified))
		}
		changed = version > 1
		return s.db.announce(ctx, tx, "")
	})
	return changed, wrap("publish "+p.Topic, err)
}

// Topics returns the newest publications by topic.
func (s *Store) Topics(ctx context.Context) (map[string]Publication, error) {
	topics := map[string]Publication{}
	err := s.db.read(ctx, byKey(topics, func(rows *sql.Rows, topic *string, p *Publication) error {
		err := rows.Scan(topic, &p.SHA256, &p.Sequence, (*stamp)(&p.Modified))
		p.Topic = *topic
		return err
	}), "topics")
	return topics, wrap("read topics", err)
}

// Pace is what is known of how quickly a subscriber answers. Each pace is claimed
// separately, so that many slow subscribers don't delay the others.
type Pace int

// The paces, as they are stored.
const (
	New   Pace = 1 // has answered nothing yet, or one delivery quickly since it was slow
	Quick Pace = 2
	Slow  Pace = 3
)

// WorkKey names a part of the work: the subscribers of a topic that have one pace.
type WorkKey struct {
	Topic string
	Pace  Pace
}

// Claim selects deliveries to claim.
type Claim struct {
	Owner string
	WorkKey
	// SHA256 is the content that the owner can deliver. If the topic has changed since, there is nothing to claim.
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

// Due returns the work keys with deliveries that are due or claimed, those of quick
// subscribers first. A claim for any other finds nothing.
func (s *Store) Due(ctx context.Context, now time.Time) (due []WorkKey, err error) {
	err = s.db.read(ctx, into(&due, func(rows *sql.Rows, k *WorkKey) error { return rows.Scan(&k.Topic, &k.Pace) }), "due", millis(now))
	return due, wrap("read what is due", err)
}

// ClaimDeliveries claims deliveries that are due.
func (s *Store) ClaimDeliveries(ctx context.Context, now time.Time, c Claim) ([]Delivery, error) {
	return claim(ctx, s, now, &s.deliveryClaims, c.Owner, "claim deliveries", func(rows *sql.Rows, d *Delivery) error {
		d.ClaimedAt, d.Pace = now, c.Pace
		return rows.Scan(&d.ID, &d.Topic, &d.Callback, &d.Endpoint, &d.Secret, (*stamp)(&d.ExpiresAt), &d.Failures, &d.Version)
	}, marshal(c.Except), c.Limit, c.Topic, c.SHA256, int64(c.Pace))
}

// Revalidate reads a claimed delivery again: the current secret, lease and failures of its
// subscription. It reports whether the owner still holds it and its version is the newest.
func (s *Store) Revalidate(ctx context.Context, owner string, d *Delivery) (valid bool, err error) {
	err = s.db.read(ctx, func(rows *sql.Rows) error {
		valid = true
		d.Secret = nil
		return rows.Scan(&d.Secret, (*stamp)(&d.ExpiresAt), &d.Failures)
	}, "revalidate", d.ID, owner, d.Version)
	return valid && err == nil, wrap("revalidate delivery", err)
}

// Acknowledge ends deliveries of an owner.
func (s *Store) Acknowledge(ctx context.Context, now time.Time, owner string, outcomes []Outcome) error {
	var by [Denied + 1][]map[string]any
	for _, o := range outcomes {
		by[o.Verdict] = append(by[o.Verdict], o.row(now))
	}
	doing := fmt.Sprintf("acknowledge %d deliveries", len(outcomes))
	return wrap(doing, s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		// Gone and Denied take two steps. Subscriptions that were renewed since the delivery
		// began, or whose failures were reset, are not removed but released.
		for _, step := range []struct {
			query string
			rows  []map[string]any
			cause string // of the removal
		}{
			{"delivered", by[Delivered], ""}, {"failed", by[Failed], ""}, {"released", by[Released], ""},
			{"removed", by[Gone], CauseGone}, {"released", by[Gone], ""},
			{"deny", by[Denied], ""}, {"removed", by[Denied], CauseFailed}, {"released", by[Denied], ""},
		} {
			var err error
			switch {
			case len(step.rows) == 0:
			case step.cause == "":
				err = tx.exec(ctx, step.query, marshal(step.rows), owner)
			default:
				_, err = depart(ctx, tx, now, step.cause, step.query, marshal(step.rows), owner)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", step.query, err)
			}
		}
		return nil
	}))
}

// row returns the outcome in the form that queries read. Its failures are those before this one, if the verdict
// depends on them; else -1.
func (o Outcome) row(now time.Time) map[string]any {
	d := o.Delivery
	row := map[string]any{"id": d.ID, "version": d.Version, "at": millis(now), "started": millis(d.ClaimedAt), "failures": -1,
		"next": millis(o.Next), "slow": 0, "error": o.Error, "reason": o.Reason}
	if o.Slow {
		row["slow"] = 1
	}
	if o.Verdict == Denied {
		host, _, _ := net.SplitHostPort(d.Endpoint)
		row["token"], row["host"], row["failures"] = rand.Text(), host, d.Failures
	}
	return row
}
