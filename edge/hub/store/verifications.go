package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
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
	Network  string // of the client, such as 192.0.2.0/24; stored for the caps only
}

// Caps bound what the store accepts; 0 is no cap. Requests for existing subscriptions,
// and those that replace a pending request, pass all caps: their number is limited anyway.
type Caps struct {
	PendingPerHost    int // requests for callbacks of one host
	PendingPerNetwork int // requests from one network
	Pending           int // requests in all
	PerHost           int // subscriptions of one host
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
	LastError   string // of the last attempt, for operators
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
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		port = strconv.FormatUint(n, 10) // leading zeros are another spelling
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
	if err := s.db.check(); err != nil {
		return fmt.Errorf("store request: %w", err)
	}
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if err := admit(ctx, tx, now, r, caps); err != nil {
			return err
		}
		version, err := servedVersion(ctx, tx, now, r.Topic, served)
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, "request", rand.Text(), r.Topic, r.Callback, r.Endpoint, r.Host, r.Mode,
			int64(r.Lease/time.Second), r.Secret, version, millis(now), r.Network)
		if err != nil {
			return err
		}
		return s.db.announce(ctx, tx)
	})
	return wrap("store request", err)
}

// admit checks a request against the caps.
func admit(ctx context.Context, tx transaction, now time.Time, r Request, caps Caps) error {
	pending := map[string]int{} // by scope
	err := tx.each(ctx, func(rows *sql.Rows) error {
		var scope string
		var n int
		err := rows.Scan(&scope, &n)
		pending[scope] = n
		return err
	}, "pending", r.Host, r.Network)
	if err != nil {
		return err
	}
	if pending, err = addSubscriptions(ctx, tx, pending, r, caps); err != nil {
		return err
	}
	refused := caps.check(pending, r)
	if refused == nil {
		return nil
	}
	var subscribed, replaced int
	if err := tx.row(ctx, "known", r.Topic, r.Callback, millis(now)).Scan(&subscribed, &replaced); err != nil {
		return err
	}
	if subscribed > 0 || replaced > 0 && !errors.Is(refused, ErrFull) && !errors.Is(refused, ErrHostFull) {
		return nil
	}
	return refused
}

// addSubscriptions adds the number of a host's subscriptions to counts, if it is capped.
func addSubscriptions(ctx context.Context, tx transaction, counts map[string]int, r Request, caps Caps) (map[string]int, error) {
	if caps.PerHost == 0 || r.Mode != ModeSubscribe {
		return counts, nil
	}
	var n int
	err := tx.row(ctx, "subscriptions of host", r.Host, caps.PerHost).Scan(&n)
	counts["subscriptions"] = n
	return counts, err
}

// check returns the error of the first cap that is reached.
func (c Caps) check(counts map[string]int, r Request) error {
	reached := func(scope string, limit int) bool { return limit > 0 && counts[scope] >= limit }
	switch {
	case reached("host", c.PendingPerHost):
		return ErrHostBusy
	case r.Network != "" && reached("network", c.PendingPerNetwork):
		return ErrNetworkBusy
	case reached("all", c.Pending):
		return ErrBusy
	case reached("subscriptions", c.PerHost):
		return ErrHostFull
	case c.Full && r.Mode == ModeSubscribe:
		return ErrFull
	}
	return nil
}

// ClaimVerifications claims up to n that are due, except those of some endpoints.
func (s *Store) ClaimVerifications(ctx context.Context, now time.Time, owner string, except []string, n int) (claimed []Verification, err error) {
	until := s.claims.until(now)
	s.releaseLost(ctx, now)
	err = s.db.singleEach(ctx, scanVerification(&claimed), "claim verifications",
		owner, until, millis(now), array(except), n, millis(now.Add(-OwnerLapse)))
	if err != nil {
		s.claims.lost(lostClaim{"release lost verifications", owner, until, now})
		return nil, fmt.Errorf("claim verifications: %w", err)
	}
	return claimed, nil
}

func scanVerification(into *[]Verification) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var v Verification
		var lease, requested, next int64
		err := rows.Scan(&v.Token, &v.Topic, &v.Callback, &v.Endpoint, &v.Host, &v.Mode, &lease, &v.Secret, &v.Reason, &v.Version,
			&v.Attempts, &requested, &next, &v.LastError)
		v.Lease, v.RequestedAt, v.NextAttempt = time.Duration(lease)*time.Second, moment(requested), moment(next)
		*into = append(*into, v)
		return err
	}
}

// Settle ends a verification. If confirmed, it creates, renews or removes the
// subscription and returns its id, 0 if there was none. A verification that a newer
// request has replaced still counts until the newer one is settled. Otherwise Settle
// returns [ErrStale] and changes nothing.
// Why is the error of a verification that isn't confirmed.
func (s *Store) Settle(ctx context.Context, now time.Time, v Verification, confirmed bool, why string) (subscription int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		version, denial, err := endVerification(ctx, tx, v, confirmed)
		if err == nil && !confirmed && v.Mode == ModeSubscribe {
			err = recordDeparture(ctx, tx, now, departure{v.Topic, v.Callback, v.Secret, CauseUnverified, text(why)})
		}
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
				int64(v.Lease/time.Second), millis(now), millis(now.Add(v.Lease)), version, v.Host).Scan(&subscription)
		case v.Mode == ModeUnsubscribe:
			removed, err := depart(ctx, tx, now, CauseUnsubscribed, "unsubscribe", v.Topic, v.Callback)
			if len(removed) > 0 {
				subscription = removed[0]
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

// Postpone releases a verification, to be tried again at a time. Why is the error of the
// last attempt.
func (s *Store) Postpone(ctx context.Context, v Verification, attempts int, next time.Time, why string) error {
	return s.exec(ctx, "postpone", v.Token, attempts, millis(next), text(why))
}

// Pending returns verifications, the oldest request first, at most n.
func (s *Store) Pending(ctx context.Context, n int) (list []Verification, err error) {
	if err := s.each(ctx, scanVerification(&list), "list verifications", n); err != nil {
		return nil, fmt.Errorf("list verifications: %w", err)
	}
	return list, nil
}
