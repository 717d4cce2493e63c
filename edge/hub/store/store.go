package store

import (
	"cmp"
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

// Errors of [Store.Request], for a request above one of the [Caps].
var (
	ErrHostBusy    = errors.New("too many verifications are pending for this host")
	ErrNetworkBusy = errors.New("too many verifications are pending for this network") // of the client
	ErrBusy        = errors.New("too many verifications are pending")
	ErrHostFull    = errors.New("the host has the maximum number of subscriptions")
	ErrFull        = errors.New("the maximum number of subscriptions is reached")
)

// Errors of [Open], and of [Store.Settle] where a newer request or another hub has ended a verification.
var (
	ErrSchema = errors.New("the state has tables of another version")
	ErrInUse  = errors.New("another hub has this state open; several edges share one state in PostgreSQL")
	ErrStale  = errors.New("the request was replaced or has ended")
)

// Options configure [Open].
type Options struct {
	// Exclusive is for the hub itself: it migrates the tables, and on SQLite it takes the only lock and frees the
	// claims of the previous owner. Operators' commands open the state without it, beside a hub that may be older.
	Exclusive bool
}

// Store is the hub's durable state. What a method has changed is durable when it returns; a method that fails changes
// nothing, unless PostgreSQL's answer to a commit was lost. Methods are safe for concurrent use.
type Store struct {
	db                                 database
	many                               chan struct{}   // holds a value for each transaction of writeOneOfMany
	waiting                            chan *oneOfMany // what may share one; nil on PostgreSQL
	woken                              <-chan struct{} // nil where nobody shares the state, as pinged
	pinged                             <-chan []string
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
func (s *Store) Wake() <-chan struct{} { return s.woken }

// Ping passes a publish ping, with the hashes of the manifests that it names, on to the
// processes that share the state. Pings receives it there, and here.
func (s *Store) Ping(ctx context.Context, manifests []string) error {
	if s.pinged == nil {
		return nil
	}
	return s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		return s.db.announce(ctx, tx, pingPayload+strings.Join(manifests, " "))
	})
}

// Pings returns the channel of passed-on pings; nil where nobody shares the state. It may miss some.
func (s *Store) Pings() <-chan []string { return s.pinged }

type oneOfMany struct {
	write func(context.Context, transaction) error
	err   error
	ended chan error
}

const maxTogether = 32 // writes share a transaction

// writeOneOfMany runs f in a transaction, for requests and verifications: claims, acknowledgements and heartbeats don't
// wait behind thousands of them. On SQLite, where a commit takes longer than f, those that wait share one.
func (s *Store) writeOneOfMany(ctx context.Context, f func(context.Context, transaction) error) error {
	own := &oneOfMany{write: f, ended: make(chan error, 1)}
	if s.waiting != nil {
		select {
		case s.waiting <- own:
			ctx = context.WithoutCancel(ctx) // another's transaction may run it
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case err := <-own.ended:
		return err
	case s.many <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.many }()
	if s.waiting == nil {
		return s.db.write(ctx, f)
	}
	var list []*oneOfMany // own is among them, unless it has ended
	for len(s.waiting) > 0 && len(list) < maxTogether {
		list = append(list, <-s.waiting)
	}
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) (err error) {
		for _, one := range list { // one that fails changes nothing
			if _, err = tx.ExecContext(ctx, "SAVEPOINT one"); err != nil {
				return err
			}
			end := "RELEASE one"
			if one.err = one.write(ctx, tx); one.err != nil {
				end = "ROLLBACK TO one; RELEASE one"
			}
			if _, err = tx.ExecContext(ctx, end); err != nil {
				return err
			}
		}
		return nil
	})
	for _, one := range list {
		one.ended <- cmp.Or(err, one.err)
	}
	return <-own.ended
}

func wrap(doing string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// marshal returns the JSON that queries take as a list.
func marshal[T any](list []T) string {
	b, _ := json.Marshal(append([]T{}, list...)) // not null; strings and numbers always marshal
	return string(b)
}
