package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Modes of a verification, the values of hub.mode.
const (
	ModeSubscribe   = "subscribe"
	ModeUnsubscribe = "unsubscribe"
	ModeDenied      = "denied"
)

// Request is a request of a subscriber.
type Request struct {
	Topic    string
	Callback string
	Endpoint string // host:port of the callback
	Host     string // the host alone
	Mode     string
	Lease    time.Duration
	Secret   []byte // nil: none
}

// Caps bound what the store accepts. Requests for existing subscriptions pass the
// first two: their number is limited anyway.
type Caps struct {
	PendingPerHost int // requests
	Pending        int // requests in all; 0: no cap
	// Full rejects requests for new subscriptions.
	Full bool
}

// Verification is a GET request that a callback is to be sent: a verification of
// intent or, with ModeDenied, a denial.
type Verification struct {
	Request
	Token       string // identifies this very request
	Reason      string // of a denial
	Version     int64  // of the topic when it was requested; higher ones are delivered
	Attempts    int    // made so far, without an answer
	RequestedAt time.Time
	NextAttempt time.Time
}

// Endpoint returns the host:port that a callback's connections go to, in one
// spelling, and the host alone.
func Endpoint(callback *url.URL) (endpoint, host string) {
	host = strings.TrimSuffix(strings.ToLower(callback.Hostname()), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		host = a.Unmap().String()
	}
	port := callback.Port()
	if port == "" {
		port = "443"
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]:" + port, host
	}
	return host + ":" + port, host
}

// Request stores that a callback is to be verified. It replaces an older request for
// the same topic and callback. Served is the topic's content where the request was
// made, zero if there is none: the subscriber will be sent whatever differs from it,
// even if the hub stops before Publish.
func (s *Store) Request(ctx context.Context, now time.Time, r Request, served Publication, caps Caps) error {
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if err := admit(ctx, tx, now, r, caps); err != nil {
			return err
		}
		version, err := servedVersion(ctx, tx, now, r.Topic, served)
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, "request", rand.Text(), r.Topic, r.Callback, r.Endpoint, r.Host, r.Mode,
			int64(r.Lease/time.Second), r.Secret, version, millis(now))
		if err != nil {
			return err
		}
		return s.db.announce(ctx, tx)
	})
	return wrap("store request", err)
}

// admit checks a request against the caps.
func admit(ctx context.Context, tx transaction, now time.Time, r Request, caps Caps) error {
	var ofHost, all, existing int
	if err := tx.row(ctx, "pending of host", r.Host, r.Topic, r.Callback).Scan(&ofHost); err != nil {
		return err
	}
	if err := tx.row(ctx, "pending").Scan(&all); err != nil {
		return err
	}
	hostBusy, busy := ofHost >= caps.PendingPerHost, caps.Pending > 0 && all >= caps.Pending
	full := caps.Full && r.Mode == ModeSubscribe
	if !hostBusy && !busy && !full {
		return nil
	}
	if err := tx.row(ctx, "subscribed", r.Topic, r.Callback, millis(now)).Scan(&existing); err != nil {
		return err
	}
	switch {
	case existing > 0:
		return nil
	case hostBusy:
		return ErrHostBusy
	case busy:
		return ErrBusy
	default:
		return ErrFull
	}
}

// ClaimVerifications claims up to n that are due, except those of some endpoints.
func (s *Store) ClaimVerifications(ctx context.Context, now time.Time, owner string, except []string, n int) (claimed []Verification, err error) {
	err = s.db.singleEach(ctx, scanVerification(&claimed), "claim verifications",
		owner, millis(now.Add(ClaimLapse)), millis(now), array(except), n, millis(now.Add(-OwnerLapse)))
	if err != nil {
		return nil, fmt.Errorf("claim verifications: %w", err)
	}
	return claimed, nil
}

func scanVerification(into *[]Verification) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var v Verification
		var lease, requested, next int64
		err := rows.Scan(&v.Token, &v.Topic, &v.Callback, &v.Endpoint, &v.Host, &v.Mode, &lease, &v.Secret, &v.Reason, &v.Version,
			&v.Attempts, &requested, &next)
		v.Lease, v.RequestedAt, v.NextAttempt = time.Duration(lease)*time.Second, moment(requested), moment(next)
		*into = append(*into, v)
		return err
	}
}

// Settle ends a verification. If confirmed, it creates, renews or removes the
// subscription and returns its id, 0 if there was none. A verification that a newer
// request has replaced still counts until the newer one is settled. Otherwise Settle
// returns [ErrStale] and changes nothing.
func (s *Store) Settle(ctx context.Context, now time.Time, v Verification, confirmed bool) (subscription int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		version, denial, err := endVerification(ctx, tx, v, confirmed)
		switch {
		case err != nil:
			return err
		case !confirmed && denial != "":
			_, err := tx.exec(ctx, "deny later", rand.Text(), v.Topic, v.Callback, v.Endpoint, v.Host, denial, millis(now))
			return err
		case !confirmed:
			return nil
		case v.Mode == ModeSubscribe:
			return tx.row(ctx, "subscribe", v.Topic, v.Callback, v.Endpoint, v.Secret,
				int64(v.Lease/time.Second), millis(now), millis(now.Add(v.Lease)), version).Scan(&subscription)
		case v.Mode == ModeUnsubscribe:
			err := tx.row(ctx, "unsubscribe", v.Topic, v.Callback).Scan(&subscription)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			return err
		}
		return nil
	})
	return subscription, wrap("settle "+v.Mode, err)
}

// endVerification deletes the row of a verification. It returns the version of its
// topic at the request and the reason of a denial that waited for its end.
func endVerification(ctx context.Context, tx transaction, v Verification, confirmed bool) (version int64, denial string, err error) {
	var mode string
	err = tx.row(ctx, "end verification", v.Token).Scan(&version, &denial, &mode)
	switch {
	case err == nil && mode == ModeDenied:
		return version, "", nil
	case errors.Is(err, sql.ErrNoRows) && confirmed:
		// A newer request has replaced it. The confirmation still counts until the newer
		// request is settled. Otherwise anyone who knows a callback could keep it from ever
		// subscribing.
		var newer int
		if err := tx.row(ctx, "newer request", v.Topic, v.Callback).Scan(&newer); err != nil {
			return 0, "", err
		}
		if newer > 0 {
			return v.Version, "", nil
		}
		return 0, "", ErrStale
	case errors.Is(err, sql.ErrNoRows):
		return 0, "", ErrStale
	}
	return version, denial, err
}

// Postpone releases a verification, to be tried again at a time.
func (s *Store) Postpone(ctx context.Context, v Verification, attempts int, next time.Time) error {
	return s.exec(ctx, "postpone", v.Token, attempts, millis(next))
}

// Pending returns verifications, the oldest request first, at most n.
func (s *Store) Pending(ctx context.Context, n int) (list []Verification, err error) {
	if err := s.each(ctx, scanVerification(&list), "list verifications", n); err != nil {
		return nil, fmt.Errorf("list verifications: %w", err)
	}
	return list, nil
}
