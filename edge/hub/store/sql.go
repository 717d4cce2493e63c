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
	"time"
)

// database is what differs between the two beyond the words of queries.sql.
type database interface {
	// write runs f in a transaction that is durable when write returns nil.
	write(ctx context.Context, f func(context.Context, transaction) error) error
	// reader is for queries outside of transactions.
	reader() *sql.DB
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
			return nil
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
	err := each(ctx, s.db.reader(), func(rows *sql.Rows) error {
		var p Publication
		var changed int64
		err := rows.Scan(&p.Topic, &p.Version, &p.SHA256, &p.Sequence, &changed)
		p.ChangedAt = moment(changed)
		topics[p.Topic] = p
		return err
	}, s.sql["topics"])
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	return topics, nil
}

func (s *sqlStore) Request(ctx context.Context, now time.Time, r Request, caps Caps) error {
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var n int
		if err := tx.row(ctx, "pending of host", r.Host, r.Topic, r.Callback).Scan(&n); err != nil {
			return err
		}
		if n >= caps.PendingPerHost {
			return ErrHostBusy
		}
		if caps.Full && r.Mode == ModeSubscribe {
			if err := tx.row(ctx, "subscribed", r.Topic, r.Callback, millis(now)).Scan(&n); err != nil {
				return err
			}
			if n == 0 {
				return ErrFull
			}
		}
		var version int64
		if err := tx.row(ctx, "version", r.Topic).Scan(&version); err != nil {
			return err
		}
		_, err := tx.exec(ctx, "request", rand.Text(), r.Topic, r.Callback, r.Endpoint, r.Host, r.Mode,
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

func (s *sqlStore) ClaimHandshakes(ctx context.Context, now time.Time, owner string, except []string, n int) (claimed []Handshake, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		claimed = nil
		return tx.each(ctx, scanHandshake(&claimed), "claim handshakes",
			owner, millis(now.Add(ClaimLapse)), millis(now), array(except), n)
	})
	if err != nil {
		return nil, fmt.Errorf("claim handshakes: %w", err)
	}
	return claimed, nil
}

func scanHandshake(into *[]Handshake) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var h Handshake
		var lease, requested, next int64
		err := rows.Scan(&h.Token, &h.Topic, &h.Callback, &h.Endpoint, &h.Host, &h.Mode, &lease, &h.Secret, &h.Reason,
			&h.Attempts, &requested, &next)
		h.Lease, h.RequestedAt, h.NextAttempt = time.Duration(lease)*time.Second, moment(requested), moment(next)
		*into = append(*into, h)
		return err
	}
}

func (s *sqlStore) Settle(ctx context.Context, now time.Time, h Handshake, apply bool) (subscription int64, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var version int64
		err := tx.row(ctx, "end handshake", h.Token).Scan(&version)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrStale
		case err != nil || !apply:
			return err
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

func (s *sqlStore) ClaimDeliveries(ctx context.Context, now time.Time, c Claim) (claimed []Delivery, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		claimed = nil
		return tx.each(ctx, func(rows *sql.Rows) error {
			d := Delivery{ClaimedAt: now}
			var expires int64
			err := rows.Scan(&d.ID, &d.Topic, &d.Callback, &d.Endpoint, &d.Secret, &expires, &d.Failures, &d.Version)
			d.ExpiresAt = moment(expires)
			claimed = append(claimed, d)
			return err
		}, "claim deliveries", c.Owner, millis(now.Add(ClaimLapse)), c.Topic, c.SHA256, millis(now), array(c.Except), c.Limit)
	})
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return claimed, nil
}

// outcome is an Outcome as the queries read it.
type outcome struct {
	ID       int64  `json:"id"`
	Version  int64  `json:"version"`
	At       int64  `json:"at"`
	Started  int64  `json:"started"`
	Failures int    `json:"failures"`
	Next     int64  `json:"next"`
	Error    string `json:"error"`
	Reason   string `json:"reason"`
	Token    string `json:"token"`
	Host     string `json:"host"`
}

func (s *sqlStore) Acknowledge(ctx context.Context, now time.Time, owner string, outcomes []Outcome) error {
	var by [Denied + 1][]outcome
	for _, o := range outcomes {
		d := o.Delivery
		row := outcome{ID: d.ID, Version: d.Version, At: millis(now), Started: millis(d.ClaimedAt), Failures: d.Failures + 1,
			Next: millis(o.Next), Error: o.Error, Reason: o.Reason}
		if o.Verdict == Denied {
			row.Token, row.Host = rand.Text(), hostOf(d.Endpoint)
		}
		by[o.Verdict] = append(by[o.Verdict], row)
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
		// began are not removed, and are given back like Released ones.
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
	return s.exec(ctx, "beat", owner, millis(now.Add(OwnerLapse)))
}

func (s *sqlStore) Leave(ctx context.Context, owner string) error {
	return s.exec(ctx, "leave", owner)
}

func (s *sqlStore) Sweep(ctx context.Context, now time.Time, n int) (swept int, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if _, err := tx.exec(ctx, "dead owners", millis(now)); err != nil {
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
	db := s.db.reader()
	err := errors.Join(
		each(ctx, db, func(rows *sql.Rows) error {
			var topic string
			var t TopicCounts
			var changed int64
			err := rows.Scan(&topic, &changed, &t.Active, &t.Failing, &t.Behind)
			t.Changed, t.Active = moment(changed), t.Active-t.Failing
			c.Topics[topic] = t
			return err
		}, s.sql["count topics"], millis(now)),
		db.QueryRowContext(ctx, s.sql["count subscriptions"]).Scan(&c.Total),
		each(ctx, db, func(rows *sql.Rows) error {
			var mode string
			var n int
			err := rows.Scan(&mode, &n)
			c.Pending[mode] = n
			return err
		}, s.sql["count handshakes"]),
	)
	if err != nil {
		return Counts{}, fmt.Errorf("count: %w", err)
	}
	return c, nil
}

func (s *sqlStore) List(ctx context.Context, f Filter) (list []Subscription, err error) {
	limit, failing := int64(math.MaxInt64), 0
	if f.Limit > 0 {
		limit = int64(f.Limit)
	}
	if f.Failing {
		failing = 1
	}
	err = each(ctx, s.db.reader(), func(rows *sql.Rows) error {
		var r Subscription
		var lease, created, renewed, expires, delivered, next int64
		err := rows.Scan(&r.ID, &r.Topic, &r.Callback, &r.Secret, &lease, &created, &renewed, &expires, &delivered,
			&r.Behind, &r.Failures, &next, &r.LastError, &r.InFlight)
		r.Lease = time.Duration(lease) * time.Second
		r.CreatedAt, r.RenewedAt, r.ExpiresAt = moment(created), moment(renewed), moment(expires)
		r.DeliveredAt, r.NextAttempt = moment(delivered), moment(next)
		list = append(list, r)
		return err
	}, s.sql["list"], f.After, f.Topic, f.Callback, failing, ids(f.IDs), limit)
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	return list, nil
}

func (s *sqlStore) Pending(ctx context.Context, n int) (list []Handshake, err error) {
	if err := each(ctx, s.db.reader(), scanHandshake(&list), s.sql["pending"], n); err != nil {
		return nil, fmt.Errorf("list handshakes: %w", err)
	}
	return list, nil
}

func (s *sqlStore) Retry(ctx context.Context, list []int64) (n int, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if n, err = affected(tx.exec(ctx, "retry", ids(list))); err != nil {
			return err
		}
		return s.db.announce(ctx, tx)
	})
	return n, wrap("retry", err)
}

func (s *sqlStore) Remove(ctx context.Context, list []int64) (n int, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		n, err = affected(tx.exec(ctx, "remove", ids(list)))
		return err
	})
	return n, wrap("remove", err)
}

func (s *sqlStore) Close() error { return s.db.close() }

func (s *sqlStore) exec(ctx context.Context, query string, args ...any) error {
	return wrap(query, s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		_, err := tx.exec(ctx, query, args...)
		return err
	}))
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
