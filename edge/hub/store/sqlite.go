package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver

	"reviewcast/internal/durable"
)

// sqlite is one file with a rollback journal and synchronous=FULL: a commit is synced. Not in
// WAL mode, which maps its index into memory: a write to such a page waits for a disk that hangs
// outside of system calls, and Go's garbage collector and then all goroutines wait for it. Each
// write is a transaction, since the hub acknowledges deliveries in batches.
type sqlite struct {
	lock     *flock.Flock // held if exclusive
	file     string
	opened   os.FileInfo
	writer   *sql.DB
	prepared map[string]*sql.Stmt // on writer's one connection
	reader   *sql.DB
	sql      map[string]string
}

func openSQLite(ctx context.Context, file string, o Options) (*Store, error) {
	s := &sqlite{sql: queries(false)}
	err := s.create(file)
	if err == nil {
		err = s.open(ctx, o.Exclusive)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open state %s: %w", file, err), s.close())
	}
	return &Store{db: s, many: make(chan struct{}, 1), waiting: make(chan *oneOfMany, maxTogether)}, nil
}

// create creates the file if there is none. It holds subscribers' secrets: only its owner may
// read it and the journals, which inherit its mode.
func (s *sqlite) create(file string) (err error) {
	if s.file, err = filepath.Abs(file); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	s.opened, err = f.Stat()
	return err
}

func (s *sqlite) open(ctx context.Context, exclusive bool) (err error) {
	s.lock = flock.New(s.file+".lock", flock.SetPermissions(0o600))
	s.writer, _ = sql.Open("sqlite", address(s.file, exclusive)) // fails without the driver only
	s.reader, _ = sql.Open("sqlite", address(s.file, exclusive))
	s.writer.SetMaxOpenConns(1)
	s.reader.SetMaxOpenConns(2)
	if exclusive {
		if ok, err := s.lock.TryLock(); err != nil {
			return fmt.Errorf("lock: %w", err)
		} else if !ok {
			return ErrInUse
		}
		// A file that was created or copied by hand, and its journals, are made readable by its owner only. Where that
		// isn't permitted, another user owns the file and decides.
		for _, name := range []string{s.file, s.file + "-journal"} {
			if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 {
				_ = os.Chmod(name, 0o600)
			}
		}
	}
	const hasTables = "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = $1"
	if err := migrate(ctx, s.writer, goose.DialectSQLite3, "sqlite", exclusive, hasTables); err != nil {
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

func (s *sqlite) close() error {
	if s.reader == nil {
		return nil
	}
	return errors.Join(s.reader.Close(), s.writer.Close(), s.lock.Close())
}

// address returns the address of a file for connections that read and write. Operators' commands
// take the journal as it is: an older edge, which may have it open, uses WAL.
func address(file string, exclusive bool) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)", // operators' commands write as well
		"synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-16000)",
	}}
	if exclusive { // PERSIST would be faster, and not notice a full disk before something new is to be stored
		q.Add("_pragma", "journal_mode(TRUNCATE)")
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: q.Encode()}
	return u.String()
}

// write isn't interrupted: callers must know whether it ran, and it runs soon.
func (s *sqlite) write(ctx context.Context, f func(context.Context, transaction) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return transact(context.WithoutCancel(ctx), s.writer, transaction{prepared: s.prepared}, f)
}

func (s *sqlite) read(ctx context.Context, scan scanner, query string, args ...any) error {
	return scanAll(scan)(s.reader.QueryContext(ctx, s.sql[query], args...))
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
	// Opening the file instead would, when it is closed, drop the locks that SQLite holds on it.
	return wrap(s.file, durable.Access(s.file, 2)) // W_OK
}

func (s *sqlite) announce(context.Context, transaction, string) error { return nil } // one process has the file
