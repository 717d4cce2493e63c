package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
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
	Network  string // of the client, such as 192.0.2.0/24; stored for the caps only
}

// Caps bound what the store accepts; 0 is no cap. Requests for existing subscriptions,
// and those that replace a pending request, pass all caps: their number is limited anyway.
type Caps struct {
	PendingPerHost    int // requests for callbacks of one host
	PendingPerNetwork int // requests from one network
	PerHost           int // subscriptions of one host
	// Busy rejects requests that would be pending, and Full requests for new subscriptions:
	// there are too many in all, as [Store.CountPending] and [Store.Counts] have shown.
	Busy, Full bool
}

// Verification is a GET request that a callback is to be sent: a verification of intent or, with ModeDenied, a denial.
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

// Endpoint returns the host:port that a callback's connections go to, in one spelling, and the host alone.
func Endpoint(callback *url.URL) (endpoint, host string) {
	host = strings.TrimSuffix(strings.ToLower(callback.Hostname()), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		host = a.Unmap().String()
	}
	port := strings.TrimLeft(callback.Port(), "0") // leading zeros are another spelling
	return net.JoinHostPort(host, cmp.Or(port, "443")), host
}

// Request stores that a callback is to be verified. It replaces an older request for the same topic and callback.
// Served is the topic's content where the request was made, without a hash if there is none: the subscriber will be sent whatever
// differs from it, even if the hub stops before Publish.
func (s *Store) Request(ctx context.Context, now time.Time, r Request, served Publication, caps Caps) error {
	if err := s.db.check(); err != nil {
		return fmt.Errorf("store request: %w", err)
	}
	return wrap("store request", s.writeOneOfMany(ctx, func(ctx context.Context, tx transaction) error {
		refused := 0
		_, err := tx.row(ctx, []any{&refused}, "admit", r.Topic, r.Callback, millis(now), r.Mode, r.Host, caps.PendingPerHost, r.Network,
			caps.PendingPerNetwork, caps.PerHost, caps.Busy, caps.Full)
		if err = cmp.Or(err, refusals[refused]); err != nil {
			return err
		}
		if served.SHA256 != "" {
			// The topic may have no row yet. If the hub stopped before it wrote one, the next
			// change would look like the first content.
			if err := tx.exec(ctx, "first content", r.Topic, served.SHA256, served.Sequence, millis(now), millis(served.Modified)); err != nil {
				return err
			}
		}
		// It isn't announced: this hub asks the callback, and on PostgreSQL announcements
		// would have all requests committed one after another.
		return tx.exec(ctx, "request", rand.Text(), r.Topic, r.Callback, r.Endpoint, r.Host, r.Mode,
			int64(r.Lease/time.Second), r.Secret, served.SHA256, served.Sequence, millis(now), r.Network)
	}))
}

// refusals are the caps by their numbers in the query "admit".
var refusals = [...]error{nil, ErrHostBusy, ErrNetworkBusy, ErrBusy, ErrHostFull, ErrFull}

// ClaimVerifications claims up to n that are due, except those of some endpoints.
func (s *Store) ClaimVerifications(ctx context.Context, now time.Time, owner string, except []string, n int) ([]Verification, error) {
	return claim(ctx, s, now, &s.verificationClaims, owner, "claim verifications", scanVerification, marshal(except), n)
}

func scanVerification(rows *sql.Rows, v *Verification) error {
	err := rows.Scan(&v.Token, &v.Topic, &v.Callback, &v.Endpoint, &v.Host, &v.Mode, &v.Lease, &v.Secret, &v.Reason, &v.Version,
		&v.Attempts, (*stamp)(&v.RequestedAt), (*stamp)(&v.NextAttempt), &v.LastError)
	v.Lease *= time.Second // it is stored in seconds
	return err
}

// Settle ends a verification. If confirmed, it creates, renews or removes the subscription and returns its id, 0 if
// there was none. A verification that a newer request has replaced still counts until the newer one is settled.
// Otherwise Settle returns [ErrStale] and changes nothing. Why is the error of a verification that isn't confirmed.
func (s *Store) Settle(ctx context.Context, now time.Time, v Verification, confirmed bool, why string) (subscription int64, err error) {
	err = s.writeOneOfMany(ctx, func(ctx context.Context, tx transaction) error {
		version, denial, err := endVerification(ctx, tx, v, confirmed)
		if err == nil && !confirmed && v.Mode == ModeSubscribe {
			err = recordDeparture(ctx, tx, Departure{Topic: v.Topic, Callback: v.Callback, Cause: CauseUnverified, Error: why, At: now}, v.Secret)
		}
		switch {
		case err != nil:
		case !confirmed && denial != "":
			err = tx.exec(ctx, "deny later", rand.Text(), v.Topic, v.Callback, v.Endpoint, v.Host, denial, millis(now))
		case !confirmed:
		case v.Mode == ModeSubscribe:
			_, err = tx.row(ctx, []any{&subscription}, "subscribe", v.Topic, v.Callback, v.Endpoint, v.Secret,
				int64(v.Lease/time.Second), millis(now), millis(now.Add(v.Lease)), version, v.Host)
		case v.Mode == ModeUnsubscribe:
			var removed []int64
			removed, err = depart(ctx, tx, now, CauseUnsubscribed, "unsubscribe", v.Topic, v.Callback)
			if len(removed) > 0 {
				subscription = removed[0]
			}
		}
		return err
	})
	return subscription, wrap("settle "+v.Mode, err)
}

// endVerification deletes the row of a verification. It returns the version of its
// topic at the request and the reason of a denial that waited for its end.
func endVerification(ctx context.Context, tx transaction, v Verification, confirmed bool) (version int64, denial string, err error) {
	found, err := tx.row(ctx, []any{&version, &denial}, "end verification", v.Token)
	if err != nil || found {
		return version, denial, err
	}
	// A newer request has replaced it. The confirmation still counts until the newer request is settled. Otherwise
	// anyone who knows a callback could keep it from ever subscribing.
	if confirmed {
		found, err = tx.row(ctx, []any{new(int)}, "newer request", v.Topic, v.Callback)
	}
	if err == nil && !found {
		err = ErrStale
	}
	return v.Version, "", err
}

// Postpone releases a verification, to be tried again at a time. Why is the error of the last attempt.
func (s *Store) Postpone(ctx context.Context, v Verification, attempts int, next time.Time, why string) error {
	return wrap("postpone", s.writeOneOfMany(ctx, func(ctx context.Context, tx transaction) error {
		return tx.exec(ctx, "postpone", v.Token, attempts, millis(next), why)
	}))
}

// Pending returns verifications, the oldest request first, at most n.
func (s *Store) Pending(ctx context.Context, n int) (list []Verification, err error) {
	err = s.db.read(ctx, into(&list, scanVerification), "list verifications", n)
	return list, wrap("list verifications", err)
}

// SessionKey returns the key that seals the ids of MCP sessions. The first call creates
// it; all edges that share the state get the same.
func (s *Store) SessionKey(ctx context.Context) (key []byte, err error) {
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		_, err := tx.row(ctx, []any{&key}, "secret", "mcp session ids", fresh)
		return err
	})
	return key, wrap("session key", err)
}

// EndSession records that an MCP session has ended, until its id expires. It deletes
// the records of those that have expired.
func (s *Store) EndSession(ctx context.Context, id string, now, expires time.Time) error {
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		return cmp.Or(tx.exec(ctx, "expired sessions", millis(now)), tx.exec(ctx, "end session", id, millis(expires)))
	})
	return wrap("end session", err)
}

// EndedSessions returns the MCP sessions that have ended, and when their ids expire.
func (s *Store) EndedSessions(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	ended := map[string]time.Time{}
	scan := func(rows *sql.Rows, id *string, expires *time.Time) error { return rows.Scan(id, (*stamp)(expires)) }
	err := s.db.read(ctx, byKey(ended, scan), "ended sessions", millis(now))
	return ended, wrap("read ended sessions", err)
}
