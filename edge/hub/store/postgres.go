package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

const (
	channel       = "reviewcast_hub"   // the LISTEN channel on which hubs notify each other of work
	pingPayload   = "ping "            // begins the payload of a ping that is passed on; others have none
	migrationLock = 0x7265766965776361 // the key of the advisory lock, an arbitrary number
	// callTimeout ends a query when the database doesn't respond, so that callers can
	// postpone their work and reject requests.
	callTimeout = 10 * time.Second
	// maxConns is the number of connections of a hub, not counting the one for LISTEN, and
	// maxMany how many of them requests and verifications may use.
	maxConns = 12
	maxMany  = 8
)

// settings keep the planner from reading and sorting everything that is due for each claim, and the whole table for
// each acknowledgement. It would do so whenever its statistics are older than the last publish, because they say that
// almost nothing is due. All queries except the counts are index look-ups in index order. Compiling them takes longer
// than running them.
const settings = "SET enable_sort = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off"

// postgres is a database that several hubs share.
type postgres struct {
	db     *sql.DB
	sql    map[string]string
	config *pgx.ConnConfig
	woken  chan struct{}
	pinged chan []string
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

func openPostgres(ctx context.Context, address string, o Options) (*Store, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err) // pgx omits the password
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, settings)
		return err
	}))
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	if err := migrateLocked(ctx, db, o.Exclusive); err != nil {
		return nil, errors.Join(fmt.Errorf("open state in database %s on %s: %w", config.Database, config.Host, err), db.Close())
	}
	listening, cancel := context.WithCancel(context.Background())
	p := &postgres{db: db, sql: queries(true), config: config, woken: make(chan struct{}, 1), pinged: make(chan []string, 16), cancel: cancel}
	p.wg.Go(func() { p.listen(listening) })
	return &Store{db: p, many: make(chan struct{}, maxMany), woken: p.woken, pinged: p.pinged}, nil
}

// migrateLocked migrates under an advisory lock, because edges are often started together.
func migrateLocked(ctx context.Context, db *sql.DB, up bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // ends the lock; migrations have transactions of their own

	if up { // reading the version needs no lock
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return fmt.Errorf("lock migrations: %w", err)
		}
	}
	return migrate(ctx, db, goose.DialectPostgres, "postgres", up, "SELECT to_regclass($1) IS NOT NULL")
}

func (p *postgres) write(ctx context.Context, f func(context.Context, transaction) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return transact(ctx, p.db, transaction{sql: p.sql}, f)
}

func (p *postgres) read(ctx context.Context, scan scanner, query string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return scanAll(scan)(p.db.QueryContext(ctx, p.sql[query], args...))
}

func (p *postgres) check() error { return nil }

func (p *postgres) announce(ctx context.Context, tx transaction, payload string) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_notify($1, $2)", channel, payload)
	return err
}

// listen waits for announcements of other hubs until ctx is done. While it has no
// connection, hubs find their work by polling.
func (p *postgres) listen(ctx context.Context) {
	for ctx.Err() == nil {
		p.listenOnce(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (p *postgres) listenOnce(ctx context.Context) {
	conn, err := pgx.ConnectConfig(ctx, p.config.Copy())
	if err != nil {
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return
		}
		if manifests, ok := strings.CutPrefix(n.Payload, pingPayload); ok {
			select {
			case p.pinged <- strings.Fields(manifests):
			default: // enough pings are pending
			}
			continue
		}
		select {
		case p.woken <- struct{}{}:
		default: // a wake-up is pending
		}
	}
}

func (p *postgres) close() error {
	p.cancel()
	p.wg.Wait()
	return p.db.Close()
}
