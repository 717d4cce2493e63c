package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ownerForgotten is how long after its end an owner's row is dropped. Until then
// those that have just come back know that it may, too.
const ownerForgotten = 10 * OwnerLapse

// database is what differs between the two beyond the words of queries.sql.
type database interface {
	// write runs f in a transaction that is durable when write returns nil.
	write(ctx context.Context, f func(context.Context, transaction) error) error
	// single runs one statement, which is durable when it returns, in fewer messages
	// than a transaction takes. SingleEach is for one that gives rows.
	single(ctx context.Context, query string, args ...any) (sql.Result, error)
	singleEach(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error
	// reader is for queries outside of transactions, within a limit.
	reader() *sql.DB
	limit(ctx context.Context) (context.Context, context.CancelFunc)
	// check tells of trouble that queries don't meet.
	check() error
	// announce tells other processes, when tx commits, that there is work.
	announce(ctx context.Context, tx transaction) error
	wake() <-chan struct{}
	close() error
}

// transaction runs queries by their names.
type transaction struct {
	*sql.Tx
	sql      map[string]string
	prepared map[string]*sql.Stmt // nil where the driver keeps them prepared by itself
}

func (tx transaction) row(ctx context.Context, query string, args ...any) *sql.Row {
	if tx.prepared != nil {
		return tx.StmtContext(ctx, tx.prepared[query]).QueryRowContext(ctx, args...)
	}
	return tx.QueryRowContext(ctx, tx.sql[query], args...)
}

func (tx transaction) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if tx.prepared != nil {
		return tx.StmtContext(ctx, tx.prepared[query]).ExecContext(ctx, args...)
	}
	return tx.ExecContext(ctx, tx.sql[query], args...)
}

func (tx transaction) each(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	var rows *sql.Rows
	var err error
	if tx.prepared != nil {
		rows, err = tx.StmtContext(ctx, tx.prepared[query]).QueryContext(ctx, args...)
	} else {
		rows, err = tx.QueryContext(ctx, tx.sql[query], args...)
	}
	return scanAll(rows, err, scan)
}

// sqlStore is the Store over either database.
type sqlStore struct {
	db  database
	sql map[string]string
}

var _ Store = (*sqlStore)(nil)

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// array makes the JSON array that the queries take as a list.
func array(list []string) string {
	if len(list) == 0 {
		return "[]"
	}
	return marshal(list)
}

// numbers makes the JSON array that the queries take as numbers.
func numbers(list []int64) string {
	if len(list) == 0 {
		return "[]"
	}
	return marshal(list)
}

func ids(list []int64) string {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return array(texts)
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return string(b)
}

func (s *sqlStore) Publish(ctx context.Context, now time.Time, p Publication) (moved bool, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var version int64
		err := tx.row(ctx, "publish", p.Topic, p.SHA256, p.Sequence, millis(now)).Scan(&version)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = tx.exec(ctx, "same content", p.Topic, p.SHA256, p.Sequence)
			return err
		} else if err != nil {
			return err
		}
		moved = version > 1
		return s.db.announce(ctx, tx)
	})
	if err != nil {
		return false, fmt.Errorf("publish %s: %w", p.Topic, err)
	}
	return moved, nil
}

func (s *sqlStore) Topics(ctx context.Context) (map[string]Publication, error) {
	topics := map[string]Publication{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var p Publication
		var changed int64
		err := rows.Scan(&p.Topic, &p.Version, &p.SHA256, &p.Sequence, &changed)
		p.ChangedAt = moment(changed)
		topics[p.Topic] = p
		return err
	}, "topics")
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	return topics, nil
}

func (s *sqlStore) Request(ctx context.Context, now time.Time, r Request, served Publication, caps Caps) error {
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
	if err != nil {
		return fmt.Errorf("note request: %w", err)
	}
	return nil
}

// admit holds a request against the caps.
func admit(ctx context.Context, tx transaction, now time.Time, r Request, caps Caps) error {
	var ofHost, all, there int
	if err := tx.row(ctx, "pending of host", r.Host, r.Topic, r.Callback).Scan(&ofHost); err != nil {
		return err
	}
	if err := tx.row(ctx, "pending").Scan(&all); err != nil {
		return err
	}
	busy, crowded := ofHost >= caps.PendingPerHost, caps.Pending > 0 && all >= caps.Pending
	full := caps.Full && r.Mode == ModeSubscribe
	if !busy && !crowded && !full {
		return nil
	}
	if err := tx.row(ctx, "subscribed", r.Topic, r.Callback, millis(now)).Scan(&there); err != nil {
		return err
	}
	switch {
	case there > 0:
		return nil
	case busy:
		return ErrHostBusy
	case crowded:
		return ErrBusy
	default:
		return ErrFull
	}
}

// servedVersion is the version that a topic has where it is served: what a
// subscriber can fetch, so that any higher one is news to him.
func servedVersion(ctx context.Context, tx transaction, now time.Time, topic string, served Publication) (int64, error) {
	var version, sequence int64
	var hash string
	read := func() error { return tx.row(ctx, "version", topic).Scan(&version, &hash, &sequence) }
	err := read()
	if errors.Is(err, sql.ErrNoRows) && served.SHA256 != "" {
		// Nobody has published it yet. Without its row a change would look like the
		// first content, should the hub stop before it writes that.
		if _, err = tx.exec(ctx, "first content", topic, served.SHA256, served.Sequence, millis(now)); err == nil {
			err = read()
		}
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil // there is nothing to fetch: all that comes is news
	case err != nil:
		return 0, err
	case served.SHA256 != "" && served.SHA256 != hash && served.Sequence < sequence:
		return version - 1, nil // an edge that lags has shown him older content
	default:
		return version, nil
	}
}

func (s *sqlStore) ClaimHandshakes(ctx context.Context, now time.Time, owner string, except []string, n int) (claimed []Handshake, err error) {
	err = s.db.singleEach(ctx, scanHandshake(&claimed), "claim handshakes",
		owner, millis(now.Add(ClaimLapse)), millis(now), array(except), n, millis(now.Add(-OwnerLapse)))
	if err != nil {
		return nil, fmt.Errorf("claim handshakes: %w", err)
	}
	return claimed, nil
}

func scanHandshake(into *[]Handshake) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var h Handshake
		var lease, requested, next int64
		err := rows.Scan(&h.Token, &h.Topic, &h.Callback, &h.Endpoint, &h.Host, &h.Mode, &lease, &h.Secret, &h.Reason, &h.Version,
			&h.Attempts, &requested, &next)
		h.Lease, h.RequestedAt, h.NextAttempt = time.Duration(lease)*time.Second, moment(requested), moment(next)
		*into = append(*into, h)
		return err
	}
}

func (s *sqlStore) Settle(ctx context.Context, now time.Time, h Handshake, apply bool) (subscription int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var version int64
		var denial, mode string
		err := tx.row(ctx, "end handshake", h.Token).Scan(&version, &denial, &mode)
		if errors.Is(err, sql.ErrNoRows) && apply {
			// A newer request has taken its place. What was confirmed counts all the same, as
			// long as the newer is still to be settled, and will have the last word: or
			// whoever knows a callback could keep it from ever subscribing.
			var newer int
			if err := tx.row(ctx, "newer request", h.Topic, h.Callback).Scan(&newer); err != nil {
				return err
			}
			if newer > 0 {
				version, err = h.Version, nil
			}
		}
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrStale
		case err != nil:
			return err
		case !apply && denial != "" && mode != ModeDenied:
			_, err := tx.exec(ctx, "deny after all", rand.Text(), h.Topic, h.Callback, h.Endpoint, h.Host, denial, millis(now))
			return err
		case !apply:
			return nil
		case h.Mode == ModeSubscribe:
			return tx.row(ctx, "subscribe", h.Topic, h.Callback, h.Endpoint, h.Secret,
				int64(h.Lease/time.Second), millis(now), millis(now.Add(h.Lease)), version).Scan(&subscription)
		case h.Mode == ModeUnsubscribe:
			err := tx.row(ctx, "unsubscribe", h.Topic, h.Callback).Scan(&subscription)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			return err
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("settle %s: %w", h.Mode, err)
	}
	return subscription, nil
}

func (s *sqlStore) Postpone(ctx context.Context, h Handshake, attempts int, next time.Time) error {
	return s.exec(ctx, "postpone", h.Token, attempts, millis(next))
}

func (s *sqlStore) Due(ctx context.Context, now time.Time) (due []Vein, err error) {
	err = s.each(ctx, func(rows *sql.Rows) error {
		var v Vein
		err := rows.Scan(&v.Topic, &v.Pace)
		due = append(due, v)
		return err
	}, "due", millis(now))
	if err != nil {
		return nil, fmt.Errorf("look what is due: %w", err)
	}
	return due, nil
}

func (s *sqlStore) ClaimDeliveries(ctx context.Context, now time.Time, c Claim) (claimed []Delivery, err error) {
	if c.Pace == AnyPace {
		left := c
		for left.Pace = New; left.Pace <= Slow && left.Limit > 0; left.Pace++ {
			some, err := s.ClaimDeliveries(ctx, now, left)
			if claimed = append(claimed, some...); err != nil {
				return claimed, err
			}
			left.Limit -= len(some)
		}
		return claimed, nil
	}
	err = s.db.singleEach(ctx, func(rows *sql.Rows) error {
		d := Delivery{ClaimedAt: now, Pace: c.Pace}
		var expires int64
		err := rows.Scan(&d.ID, &d.Topic, &d.Callback, &d.Endpoint, &d.Secret, &expires, &d.Failures, &d.Version)
		d.ExpiresAt = moment(expires)
		claimed = append(claimed, d)
		return err
	}, "claim deliveries", c.Owner, millis(now.Add(ClaimLapse)), c.Topic, c.SHA256, millis(now), array(c.Except), c.Limit, millis(now.Add(-OwnerLapse)), int64(c.Pace))
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return claimed, nil
}

// text is what both databases keep: PostgreSQL has no NUL.
func text(s string) string { return strings.ReplaceAll(s, "\x00", "") }

func (s *sqlStore) Confirm(ctx context.Context, owner string, list []int64) (map[int64]Delivery, error) {
	found := make(map[int64]Delivery, len(list))
	err := s.each(ctx, func(rows *sql.Rows) error {
		var d Delivery
		var expires int64
		err := rows.Scan(&d.ID, &d.Secret, &expires, &d.Failures, &d.Version)
		d.ExpiresAt = moment(expires)
		found[d.ID] = d
		return err
	}, "confirm", numbers(list), owner)
	if err != nil {
		return nil, fmt.Errorf("confirm deliveries: %w", err)
	}
	return found, nil
}

// outcome is an Outcome as the queries read it.
type outcome struct {
	ID       int64  `json:"id"`
	Version  int64  `json:"version"`
	At       int64  `json:"at"`
	Started  int64  `json:"started"`
	Failures int    `json:"failures"` // before this one, as far as its verdict depends on them; else -1
	Next     int64  `json:"next"`
	Slow     int    `json:"slow"`
	Error    string `json:"error"`
	Reason   string `json:"reason"`
	Token    string `json:"token"`
	Host     string `json:"host"`
}

func (s *sqlStore) Acknowledge(ctx context.Context, now time.Time, owner string, outcomes []Outcome) error {
	var by [Denied + 1][]outcome
	for _, o := range outcomes {
		d := o.Delivery
		row := outcome{ID: d.ID, Version: d.Version, At: millis(now), Started: millis(d.ClaimedAt), Failures: -1,
			Next: millis(o.Next), Error: text(o.Error), Reason: text(o.Reason)}
		if o.Slow {
			row.Slow = 1
		}
		if o.Verdict == Denied {
			row.Token, row.Host, row.Failures = rand.Text(), hostOf(d.Endpoint), d.Failures
		}
		by[o.Verdict] = append(by[o.Verdict], row)
	}
	if len(by[Delivered]) == len(outcomes) { // as most are
		_, err := s.db.single(ctx, "delivered", marshal(by[Delivered]), owner)
		return wrap(fmt.Sprintf("acknowledge %d deliveries", len(outcomes)), err)
	}
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		run := func(query string, rows []outcome) error {
			if len(rows) == 0 {
				return nil
			}
			_, err := tx.exec(ctx, query, marshal(rows), owner)
			return err
		}
		// Gone and Denied come in two steps: those that were renewed since the delivery
		// began, or whose failures were forgotten, are not removed, and are given back like
		// Released ones.
		for _, step := range []struct {
			query string
			rows  []outcome
		}{
			{"delivered", by[Delivered]}, {"failed", by[Failed]}, {"released", by[Released]},
			{"removed", by[Gone]}, {"released", by[Gone]},
			{"deny", by[Denied]}, {"removed", by[Denied]}, {"released", by[Denied]},
		} {
			if err := run(step.query, step.rows); err != nil {
				return fmt.Errorf("%s: %w", step.query, err)
			}
		}
		if len(by[Denied]) > 0 {
			return s.db.announce(ctx, tx)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("acknowledge %d deliveries: %w", len(outcomes), err)
	}
	return nil
}

func (s *sqlStore) Beat(ctx context.Context, now time.Time, owner string) error {
	if err := s.db.check(); err != nil {
		return err
	}
	return s.exec(ctx, "beat", owner, millis(now.Add(OwnerLapse)), millis(now))
}

func (s *sqlStore) Leave(ctx context.Context, owner string) error {
	return s.exec(ctx, "leave", owner)
}

func (s *sqlStore) Sweep(ctx context.Context, now time.Time, n int) (swept int, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if _, err := tx.exec(ctx, "dead owners", millis(now.Add(-ownerForgotten))); err != nil {
			return err
		}
		swept, err = affected(tx.exec(ctx, "sweep", millis(now), n))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sweep: %w", err)
	}
	return swept, nil
}

func (s *sqlStore) Wake() <-chan struct{} { return s.db.wake() }

func (s *sqlStore) Counts(ctx context.Context, now time.Time) (Counts, error) {
	c := Counts{Topics: map[string]TopicCounts{}, Pending: map[string]int{}}
	topics, err := s.Topics(ctx)
	if err != nil {
		return Counts{}, fmt.Errorf("count: %w", err)
	}
	for topic, p := range topics {
		c.Topics[topic] = TopicCounts{Changed: p.ChangedAt}
	}
	err = errors.Join(
		s.each(ctx, func(rows *sql.Rows) error {
			var topic string
			var version, next int64
			var all, failing, due int
			if err := rows.Scan(&topic, &version, &all, &failing, &due, &next); err != nil {
				return err
			}
			p, known := topics[topic]
			if !known {
				return nil // nothing was ever published of it
			}
			t := c.Topics[topic]
			t.Active += all - failing
			t.Failing += failing
			if version < p.Version {
				t.Behind += all
				if since := later(p.ChangedAt, moment(next)); due > 0 && (t.Due.IsZero() || since.Before(t.Due)) {
					t.Due = since
				}
			}
			c.Topics[topic] = t
			return nil
		}, "count versions", millis(now)),
		s.each(ctx, func(rows *sql.Rows) error { return rows.Scan(&c.Total) }, "count subscriptions"),
		s.each(ctx, func(rows *sql.Rows) error {
			var mode string
			var n int
			err := rows.Scan(&mode, &n)
			c.Pending[mode] = n
			return err
		}, "count handshakes"),
	)
	if err != nil {
		return Counts{}, fmt.Errorf("count: %w", err)
	}
	return c, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (s *sqlStore) List(ctx context.Context, f Filter) (list []Subscription, err error) {
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

func (s *sqlStore) Pending(ctx context.Context, n int) (list []Handshake, err error) {
	if err := s.each(ctx, scanHandshake(&list), "list handshakes", n); err != nil {
		return nil, fmt.Errorf("list handshakes: %w", err)
	}
	return list, nil
}

func (s *sqlStore) Retry(ctx context.Context, list []int64) (done []int64, err error) {
	return s.change(ctx, "retry", list)
}

func (s *sqlStore) Remove(ctx context.Context, list []int64) (done []int64, err error) {
	return s.change(ctx, "remove", list)
}

// change does something to subscriptions for an operator.
func (s *sqlStore) change(ctx context.Context, query string, list []int64) (done []int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		err := tx.each(ctx, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			done = append(done, id)
			return err
		}, query, numbers(list))
		if err != nil {
			return err
		}
		return s.db.announce(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	return done, nil
}

func (s *sqlStore) Close() error { return s.db.close() }

func (s *sqlStore) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.db.single(ctx, query, args...)
	return wrap(query, err)
}

func wrap(doing string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

func affected(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

func (s *sqlStore) each(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	ctx, cancel := s.db.limit(ctx)
	defer cancel()
	return each(ctx, s.db.reader(), scan, s.sql[query], args...)
}

func each(ctx context.Context, db *sql.DB, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	return scanAll(rows, err, scan)
}

func scanAll(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
