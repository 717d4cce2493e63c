package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
	"time"

	"github.com/pressly/goose/v3"
)

// database is what SQLite and PostgreSQL do differently, apart from the texts of
// queries.sql. Queries are given by name.
type database interface {
	// write runs f in a transaction that is durable when write returns nil.
	write(ctx context.Context, f func(context.Context, transaction) error) error
	// read runs a query outside of transactions.
	read(ctx context.Context, scan scanner, query string, args ...any) error
	// check returns an error for problems that queries don't detect.
	check() error
	// announce notifies other processes, when tx commits: without a payload that there is work.
	announce(ctx context.Context, tx transaction, payload string) error
	close() error
}

// scanner reads one row of a result.
type scanner func(*sql.Rows) error

// transaction runs queries by their names.
type transaction struct {
	*sql.Tx
	sql      map[string]string
	prepared map[string]*sql.Stmt // nil where the driver caches prepared statements itself
}

// transact runs f in a transaction.
func transact(ctx context.Context, db *sql.DB, tx transaction, f func(context.Context, transaction) error) (err error) {
	if tx.Tx, err = db.BeginTx(ctx, nil); err != nil {
		return err
	}
	if err := f(ctx, tx); err != nil {
		_ = tx.Rollback() // the error of f matters
		return err
	}
	return tx.Commit()
}

func (tx transaction) each(ctx context.Context, scan scanner, query string, args ...any) error {
	if tx.prepared != nil {
		return scanAll(scan)(tx.StmtContext(ctx, tx.prepared[query]).QueryContext(ctx, args...))
	}
	return scanAll(scan)(tx.QueryContext(ctx, tx.sql[query], args...))
}

func (tx transaction) exec(ctx context.Context, query string, args ...any) error {
	return tx.each(ctx, func(*sql.Rows) error { return nil }, query, args...)
}

// row scans the only row of a result, and reports whether there is one.
func (tx transaction) row(ctx context.Context, into []any, query string, args ...any) (found bool, err error) {
	err = tx.each(ctx, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(into...)
	}, query, args...)
	return found, err
}

func scanAll(scan scanner) func(*sql.Rows, error) error {
	return func(rows *sql.Rows, err error) error {
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
}

// into returns a scanner that appends to a list.
func into[T any](list *[]T, scan func(*sql.Rows, *T) error) scanner {
	return func(rows *sql.Rows) error {
		var row T
		err := scan(rows, &row)
		*list = append(*list, row)
		return err
	}
}

// byKey returns a scanner that puts values into a map.
func byKey[K comparable, V any](to map[K]V, scan func(*sql.Rows, *K, *V) error) scanner {
	return func(rows *sql.Rows) error {
		var key K
		var value V
		err := scan(rows, &key, &value)
		to[key] = value
		return err
	}
}

// scanValue scans a row of one column.
func scanValue[T any](rows *sql.Rows, v *T) error { return rows.Scan(v) }

// stamp scans a time: Unix milliseconds, 0 is never.
type stamp time.Time

// Scan implements [sql.Scanner].
func (s *stamp) Scan(v any) error {
	ms, ok := v.(int64)
	if *s = (stamp{}); !ok {
		return fmt.Errorf("a time is %T", v)
	} else if ms != 0 {
		*s = stamp(time.UnixMilli(ms).UTC())
	}
	return nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

//go:embed queries.sql
var queriesSQL string

// queries reads queries.sql for a database. It returns the texts by name.
func queries(postgres bool) map[string]string {
	parts := strings.Split(queriesSQL, "-- name: ")
	templates := template.Must(template.New("").Funcs(template.FuncMap{
		"postgres": func() bool { return postgres },
		"names":    func(names ...string) []string { return names },
	}).Parse(parts[0]))
	all := map[string]string{}
	for _, block := range parts[1:] {
		name, text, _ := strings.Cut(block, "\n")
		query := &strings.Builder{}
		if err := template.Must(templates.New(name).Parse(text)).Execute(query, nil); err != nil {
			panic(err)
		}
		all[name] = strings.TrimSpace(query.String())
	}
	return all
}

const versions = "hub_schema" // the table in which goose keeps the schema version

//go:embed migrations
var migrations embed.FS

// migrate migrates the tables or, without up, only checks their version. Tables of a newer program are rejected: their
// meaning may have changed. Callers ensure that only one of several processes runs it at a time. Without up, the query
// hasTables is asked first: goose would create its own table in a database that belongs to another program.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, dir string, up bool, hasTables string) error {
	files, _ := fs.Sub(migrations, "migrations/"+dir) // fails for invalid paths only
	p, err := goose.NewProvider(dialect, db, files, goose.WithTableName(versions))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	exist := up
	if !up {
		if err := db.QueryRowContext(ctx, hasTables, versions).Scan(&exist); err != nil {
			return fmt.Errorf("find the tables: %w", err)
		}
	}
	var current int64
	if exist {
		current, err = p.GetDBVersion(ctx)
	}
	if err != nil {
		return fmt.Errorf("read the version of the tables: %w", err)
	}
	sources := p.ListSources()
	switch known := sources[len(sources)-1].Version; {
	case current > known:
		return fmt.Errorf("%w: %d, which is newer than %d; use the newer reviewcast", ErrSchema, current, known)
	case current < known && !up:
		return fmt.Errorf("%w: %d, which is older than %d; an edge of this version migrates them", ErrSchema, current, known)
	}
	_, err = p.Up(ctx)
	return wrap("migrate", err)
}
