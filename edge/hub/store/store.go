package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// OwnerLapse is how long after its last heartbeat an owner counts as alive.
	OwnerLapse = 10 * time.Second
	// ClaimLapse ends a claim that a living owner doesn't know of, as when the
	// database's answer to the claim was lost. It is longer than any delivery takes.
	ClaimLapse = 10 * time.Minute
)

var (
	// ErrHostBusy rejects a request: too many verifications are pending for its host.
	ErrHostBusy = errors.New("too many verifications are pending for this host")
	// ErrBusy rejects a request: too many verifications are pending in all.
	ErrBusy = errors.New("too many verifications are pending")
	// ErrNetworkBusy rejects a request: too many verifications are pending that its network has requested.
	ErrNetworkBusy = errors.New("too many verifications are pending for this network")
	// ErrHostFull rejects a new subscription: its host has the maximum number.
	ErrHostFull = errors.New("the host has the maximum number of subscriptions")
	// ErrFull rejects a new subscription: the maximum number is reached.
	ErrFull = errors.New("the maximum number of subscriptions is reached")
	// ErrStale reports that a newer request, or another hub, has replaced or ended a verification.
	ErrStale = errors.New("the request was replaced or has ended")
	// ErrSchema rejects a database whose tables have another version.
	ErrSchema = errors.New("the state has tables of another version")
	// ErrInUse rejects a SQLite file that another hub has open.
	ErrInUse = errors.New("another hub has this state open; several edges share one state in PostgreSQL")
)

// Options configure [Open].
type Options struct {
	// Exclusive is for the hub itself: it migrates the tables, and on SQLite it takes the only lock and frees the
	// claims of the previous owner. Operators' commands open the state without it, beside a hub that may be older.
	Exclusive bool
}

// Store is the hub's durable state. What a method has changed is durable when it
// returns; a method that fails changes nothing, unless PostgreSQL's answer to a commit
// was lost. Methods are safe for concurrent use.
type Store struct {
	db                                 database
	many                               chan struct{} // holds a value for each transaction of writeOneOfMany
	deliveryClaims, verificationClaims claims
}

// IsPostgres reports whether a state is the address of a PostgreSQL database.
func IsPostgres(state string) bool {
	return strings.HasPrefix(state, "postgres://") || strings.HasPrefix(state, "postgresql://")
}

// Open opens the state. With [Options.Exclusive] it creates what is missing and
// migrates older tables. Newer tables are rejected with [ErrSchema].
func Open(ctx context.Context, state string, o Options) (*Store, error) {
	if IsPostgres(state) {
		return openPostgres(ctx, state, o)
	}
	return openSQLite(ctx, state, o)
}

// Close closes the database. It waits for writes that have begun.
func (s *Store) Close() error { return s.db.close() }

// Wake returns a channel that receives a value when another process has created work. It may miss some: poll as well.
func (s *Store) Wake() <-chan struct{} { return s.db.wake() }

// Ping passes a publish ping, with the hashes of the manifests that it names, on to the
// processes that share the state. Pings receives it there, and here.
func (s *Store) Ping(ctx context.Context, manifests []string) error { return s.db.ping(ctx, manifests) }

// Pings returns the channel of passed-on pings; nil where nobody shares the state. It may miss some.
func (s *Store) Pings() <-chan []string { return s.db.pings() }

// writeOneOfMany runs f in a transaction, for requests and verifications: claims, acknowledgements
// and heartbeats don't wait behind thousands of them.
func (s *Store) writeOneOfMany(ctx context.Context, f func(context.Context, transaction) error) error {
	select {
	case s.many <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.many }()
	return s.db.write(ctx, f)
}

// each runs one statement in a transaction, and scans the rows that it returns.
func (s *Store) each(ctx context.Context, scan scanner, query string, args ...any) error {
	return s.db.write(ctx, func(ctx context.Context, tx transaction) error { return tx.each(ctx, scan, query, args...) })
}

func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	return wrap(query, s.each(ctx, nil, query, args...))
}

func wrap(doing string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// marshal returns the JSON that queries take as a list.
func marshal[T any](list []T) string {
	if list == nil {
		return "[]"
	}
	b, _ := json.Marshal(list) // strings and numbers always marshal
	return string(b)
}
