package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"time"

	"reviewcast"
)

const (
	departedFor = 30 * 24 * time.Hour // how long a departure is kept
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
	Callback string // without its query in [Store.History]
	Cause    string
	Error    string // for operators
	At       time.Time
}

// Record is what is known of a callback and a topic: one of its members is set.
type Record struct {
	Subscription *Subscription
	Verification *Verification
	Departure    *Departure
	ProofKey     []byte // [ProofKey] of the secret, nil without a secret
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

// depart runs a query that deletes subscriptions, records the departures, and returns the ids.
func depart(ctx context.Context, tx transaction, now time.Time, cause, query string, args ...any) (ids []int64, err error) {
	type ended struct {
		Departure
		id     int64
		secret []byte
	}
	var list []ended
	err = tx.each(ctx, into(&list, func(rows *sql.Rows, d *ended) error {
		d.Cause, d.At = cause, now
		return rows.Scan(&d.id, &d.Topic, &d.Callback, &d.secret, &d.Error)
	}), query, args...)
	for _, d := range list {
		ids = append(ids, d.id)
		err = errors.Join(err, recordDeparture(ctx, tx, d.Departure, d.secret))
	}
	return ids, err
}

// recordDeparture stores a departure, of whose callback it keeps the query as part of a hash only.
func recordDeparture(ctx context.Context, tx transaction, d Departure, secret []byte) error {
	bare, _, _ := strings.Cut(d.Callback, "?")
	return tx.exec(ctx, "departed", d.Topic, bare, reviewcast.SHA256([]byte(d.Callback)), ProofKey(secret), d.Cause, d.Error, millis(d.At))
}

// History returns what is known of a callback for a topic, or for all topics if topic is empty: per topic the pending
// verification, the subscription, and departures, the newest first.
func (s *Store) History(ctx context.Context, now time.Time, topic, callback string) (list []Record, err error) {
	topics := []string{topic}
	if topic == "" {
		topics = nil
		err = s.db.read(ctx, into(&topics, scanValue[string]), "topic names")
	}
	for _, t := range topics {
		// In this order a request that is confirmed meanwhile is found.
		err = errors.Join(err,
			s.db.read(ctx, into(&list, func(rows *sql.Rows, r *Record) error {
				r.Verification = &Verification{}
				err := scanVerification(rows, r.Verification)
				r.ProofKey = ProofKey(r.Verification.Secret)
				return err
			}), "verification of callback", t, callback),
			s.db.read(ctx, into(&list, func(rows *sql.Rows, r *Record) error {
				var secret []byte
				r.Subscription = &Subscription{}
				err := scanSubscription(rows, r.Subscription, &secret)
				r.ProofKey = ProofKey(secret)
				return err
			}), "subscription of callback", millis(now), t, callback),
			s.db.read(ctx, into(&list, func(rows *sql.Rows, r *Record) error {
				d := &Departure{}
				r.Departure = d
				return rows.Scan(&d.Topic, &d.Callback, &r.ProofKey, &d.Cause, &d.Error, (*stamp)(&d.At))
			}), "list departed", reviewcast.SHA256([]byte(callback)), t))
	}
	return list, wrap("read history", err)
}
