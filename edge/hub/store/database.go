package store

import (
	"context"
	"database/sql"
)

// database is what SQLite and PostgreSQL do differently, apart from the words of
// queries.sql.
type database interface {
	// write runs f in a transaction that is durable when write returns nil.
	write(ctx context.Context, f func(context.Context, transaction) error) error
	// single runs one statement that is durable when it returns, with fewer round
	// trips than a transaction needs. singleEach is for a statement that returns rows.
	single(ctx context.Context, query string, args ...any) (sql.Result, error)
	singleEach(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error
	// reader is for queries outside of transactions, within limit.
	reader() *sql.DB
	limit(ctx context.Context) (context.Context, context.CancelFunc)
	// check returns an error for problems that queries don't detect.
	check() error
	// announce notifies other processes, when tx commits, that there is work.
	announce(ctx context.Context, tx transaction) error
	wake() <-chan struct{}
	// ping passes a publish ping on to the processes that share the state.
	ping(ctx context.Context, manifests []string) error
	pings() <-chan []string
	close() error
}

// transaction runs queries by their names.
type transaction struct {
	*sql.Tx
	sql      map[string]string
	prepared map[string]*sql.Stmt // nil where the driver caches prepared statements itself
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

func affected(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}
