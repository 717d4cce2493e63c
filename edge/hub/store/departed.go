package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

const (
	// departedFor is how long a departure is kept.
	departedFor = 30 * 24 * time.Hour
	// maxDeparted is the number of departures that are kept, and maxUnverified that of the
	// newest rows among which failed verifications are kept.
	maxDeparted   = 10_000
	maxUnverified = 5_000
)

// Causes of a departure.
const (
	CauseUnverified   = "unverified"   // the verification failed
	CauseUnsubscribed = "unsubscribed" // by the subscriber
	CauseGone         = "gone"         // answered 410
	CauseFailed       = "failed"       // the third consecutive failure
	CauseExpired      = "expired"      // the lease ended
	CauseRemoved      = "removed"      // by an operator
)

// Departure is a subscription that has ended, or a verification that has failed.
type Departure struct {
	Topic    string
	Callback string // without its query
	Cause    string
	Error    string // for operators
	At       time.Time
}

// Record is what is known of a callback and a topic: one of its members is set.
type Record struct {
	Subscription *Subscription
	Verification *Verification
	Departure    *Departure
	// ProofKey is [ProofKey] of the secret, nil without a secret.
	ProofKey []byte
}

// ProofKey derives the key with which a subscriber proves that it knows a secret. It is
// stored after the subscription has ended, when the secret isn't.
func ProofKey(secret []byte) []byte {
	if secret == nil {
		return nil
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("reviewcast hub status"))
	return mac.Sum(nil)
}

// departure is a row of departed before it is stored.
type departure struct {
	topic, callback string
	secret          []byte
	cause, why      string
}

// departedRow is a subscription that a query has deleted.
type departedRow struct {
	departure
	id int64
}

// depart runs a query that deletes subscriptions, records the departures, and returns
// the ids.
func depart(ctx context.Context, tx transaction, now time.Time, cause, query string, args ...any) (ids []int64, err error) {
	rows, err := deleted(ctx, tx, query, args...)
	for _, r := range rows {
		r.cause = cause
		if err := recordDeparture(ctx, tx, now, r.departure); err != nil {
			return nil, err
		}
		ids = append(ids, r.id)
	}
	return ids, err
}

func deleted(ctx context.Context, tx transaction, query string, args ...any) (list []departedRow, err error) {
	err = tx.each(ctx, func(rows *sql.Rows) error {
		var r departedRow
		err := rows.Scan(&r.id, &r.topic, &r.callback, &r.secret, &r.why)
		list = append(list, r)
		return err
	}, query, args...)
	return list, err
}

func recordDeparture(ctx context.Context, tx transaction, now time.Time, d departure) error {
	bare, _, _ := strings.Cut(d.callback, "?")
	_, err := tx.exec(ctx, "departed", d.topic, bare, callbackHash(d.callback), ProofKey(d.secret), d.cause, d.why, millis(now))
	return err
}

func trimDepartures(ctx context.Context, tx transaction, now time.Time) error {
	_, err := tx.exec(ctx, "trim departed", millis(now.Add(-departedFor)), maxDeparted, maxUnverified)
	return err
}

func callbackHash(callback string) string {
	sum := sha256.Sum256([]byte(callback))
	return hex.EncodeToString(sum[:])
}

// History returns what is known of a callback for a topic, or for all topics if topic is
// empty: per topic the subscription, the pending verification, and departures, the newest
// first.
func (s *Store) History(ctx context.Context, now time.Time, topic, callback string) (list []Record, err error) {
	topics := []string{topic}
	if topic == "" {
		topics = nil
		err = s.each(ctx, func(rows *sql.Rows) error {
			var t string
			err := rows.Scan(&t)
			topics = append(topics, t)
			return err
		}, "topic names")
	}
	for _, t := range topics {
		if err == nil {
			list, err = s.appendHistory(ctx, now, list, t, callback)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return list, nil
}

func (s *Store) appendHistory(ctx context.Context, now time.Time, list []Record, topic, callback string) ([]Record, error) {
	var id int64
	var secret []byte
	err := s.each(ctx, func(rows *sql.Rows) error { return rows.Scan(&id, &secret) }, "subscription of callback", topic, callback)
	if err != nil {
		return nil, err
	}
	if id > 0 {
		subscriptions, err := s.List(ctx, Filter{IDs: []int64{id}, After: id - 1, Limit: 1, At: now})
		if err != nil {
			return nil, err
		}
		for _, r := range subscriptions {
			list = append(list, Record{Subscription: &r, ProofKey: ProofKey(secret)})
		}
	}
	var pending []Verification
	if err := s.each(ctx, scanVerification(&pending), "verification of callback", topic, callback); err != nil {
		return nil, err
	}
	for _, v := range pending {
		list = append(list, Record{Verification: &v, ProofKey: ProofKey(v.Secret)})
	}
	err = s.each(ctx, func(rows *sql.Rows) error {
		var d Departure
		var key []byte
		var at int64
		err := rows.Scan(&d.Topic, &d.Callback, &key, &d.Cause, &d.Error, &at)
		d.At = moment(at)
		list = append(list, Record{Departure: &d, ProofKey: key})
		return err
	}, "list departed", callbackHash(callback), topic)
	return list, err
}
