package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver
)

// sqlite is one file in WAL mode with synchronous=FULL: a commit is synced. Writes go
// through one connection and one goroutine, which runs all waiting writes in one
// transaction, so that they share a sync.
type sqlite struct {
	lock     *flock.Flock // held if exclusive
	file     string
	opened   os.FileInfo
	writer   *sql.DB
	prepared map[string]*sql.Stmt // on writer's one connection
	reader   *sql.DB
	sql      map[string]string
	jobs     chan *job
	done     chan struct{} // closed when commits has ended

	mu     sync.RWMutex // against sending jobs to a closed channel
	closed bool
}

// maxJobs is the number of writes that share a transaction.
const maxJobs = 256

var errClosed = errors.New("the store is closed")

func openSQLite(ctx context.Context, file string, o Options) (*Store, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	// The file holds subscribers' secrets. Only its owner may read it and the journals,
	// which inherit its mode.
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	opened, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	s := &sqlite{
		file: file, opened: opened, lock: flock.New(file+".lock", flock.SetPermissions(0o600)),
		sql: sqliteDialect.queries(), jobs: make(chan *job, maxJobs), done: make(chan struct{}),
	}
	if s.writer, err = sql.Open("sqlite", address(file)); err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if s.reader, err = sql.Open("sqlite", address(file)); err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	s.writer.SetMaxOpenConns(1)
	s.reader.SetMaxOpenConns(2)
	if err := s.open(ctx, o.Exclusive); err != nil {
		return nil, errors.Join(fmt.Errorf("open state %s: %w", file, err), s.release())
	}
	go s.commits()
	return &Store{db: s}, nil
}

func (s *sqlite) open(ctx context.Context, exclusive bool) error {
	if exclusive {
		if ok, err := s.lock.TryLock(); err != nil {
			return fmt.Errorf("lock: %w", err)
		} else if !ok {
			return ErrInUse
		}
		restrict(s.file)
	}
	err := migrate(ctx, s.writer, goose.DialectSQLite3, "sqlite", exclusive, func(ctx context.Context) (bool, error) { return hasTables(ctx, s.file) })
	if err != nil {
		return err
	}
	if exclusive { // all owners in the table are dead: the lock was free
		if _, err := s.writer.ExecContext(ctx, "DELETE FROM owners"); err != nil {
			return err
		}
	}
	s.prepared = make(map[string]*sql.Stmt, len(s.sql))
	for name, text := range s.sql {
		if s.prepared[name], err = s.writer.PrepareContext(ctx, text); err != nil {
			return fmt.Errorf("prepare %s: %w", name, err)
		}
	}
	return nil
}

// release closes what openSQLite has opened.
func (s *sqlite) release() error {
	return errors.Join(s.reader.Close(), s.writer.Close(), s.lock.Close())
}

// restrict makes a file that was created or copied by hand, and its journals,
// readable by its owner only. Where that isn't permitted, another user owns the file
// and decides.
func restrict(file string) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(file + suffix); err == nil && info.Mode().Perm()&0o077 != 0 {
			_ = os.Chmod(file+suffix, 0o600)
		}
	}
}

// hasTables reports whether a file has goose's table. It doesn't change the file; a
// connection with our settings would switch it to WAL mode.
func hasTables(ctx context.Context, file string) (exist bool, err error) {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: "mode=ro&_pragma=busy_timeout(5000)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return false, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = ?", versions).Scan(&exist)
	return exist, err
}

// address returns the address of a file for connections that read and write.
func address(file string) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)", // operators' commands write as well
		"journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-16000)",
	}}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: q.Encode()}
	return u.String()
}

// job is a write that waits for a transaction.
type job struct {
	f      func(context.Context, transaction) error
	err    error
	result chan error
}

func (s *sqlite) write(ctx context.Context, f func(context.Context, transaction) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{f: f, result: make(chan error, 1)}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return errClosed
	}
	s.jobs <- j
	s.mu.RUnlock()
	// This doesn't wait for ctx: the caller must know whether f ran, and f runs soon.
	return <-j.result
}

func (s *sqlite) single(ctx context.Context, scan scanner, query string, args ...any) error {
	return s.write(ctx, func(ctx context.Context, tx transaction) error { return tx.each(ctx, scan, query, args...) })
}

func (s *sqlite) read(ctx context.Context, scan scanner, query string, args ...any) error {
	return scanAll(scan)(s.reader.QueryContext(ctx, s.sql[query], args...))
}

// commits runs jobs until the channel is closed.
func (s *sqlite) commits() {
	defer close(s.done)
	for first := range s.jobs {
		batch := []*job{first}
		for len(batch) < maxJobs && len(s.jobs) > 0 {
			batch = append(batch, <-s.jobs)
		}
		err := s.commit(batch)
		for _, j := range batch {
			if j.err == nil {
				j.err = err
			}
			j.result <- j.err
		}
	}
}

// commit runs jobs in one transaction. A job that fails is rolled back alone.
func (s *sqlite) commit(batch []*job) error {
	ctx := context.Background()
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	by := transaction{Tx: tx, prepared: s.prepared}
	if len(batch) == 1 {
		if err := batch[0].f(ctx, by); err != nil {
			batch[0].err = err
			return tx.Rollback()
		}
		return tx.Commit()
	}
	for _, j := range batch {
		if _, err := tx.ExecContext(ctx, "SAVEPOINT job"); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if j.err = j.f(ctx, by); j.err != nil {
			if _, err := tx.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
		if _, err := tx.ExecContext(ctx, "RELEASE job"); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// check returns an error when the open file no longer has its name, so that what is
// written is lost at the next start, or when it can't be written.
func (s *sqlite) check() error {
	now, err := os.Stat(s.file)
	if err == nil && !os.SameFile(now, s.opened) {
		err = fmt.Errorf("%s is a different file", s.file)
	}
	if err != nil {
		return fmt.Errorf("the state was removed or replaced while open: %w", err)
	}
	if err := writable(s.file); err != nil {
		return fmt.Errorf("the state can't be written: %w", err)
	}
	return nil
}

func (s *sqlite) announce(context.Context, transaction) error { return nil }
func (s *sqlite) wake() <-chan struct{}                       { return nil }

func (s *sqlite) close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.jobs)
	s.mu.Unlock()
	<-s.done
	return s.release()
}
