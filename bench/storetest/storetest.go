// Package storetest opens stores for tests: a SQLite file in a temporary directory, and
// a separate schema in the PostgreSQL database that TEST_POSTGRES_URL names. Without the
// variable, tests on PostgreSQL are skipped; with it they fail if there is no database.
package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"reviewcast/edge/hub/store"
)

// Variable is the environment variable that names the test database.
const Variable = "TEST_POSTGRES_URL"

// Each runs a test on an empty state in each of the two databases.
func Each(t *testing.T, f func(t *testing.T, state string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, Memory(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
}

// SQLite returns the name of a file that doesn't exist yet.
func SQLite(t testing.TB) string { return filepath.Join(t.TempDir(), "hub.sqlite") }

// Memory is like [SQLite], but in the system's directory that is memory, if it has one: a sync
// takes most of a commit's time on a disk.
func Memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "storetest-")
	if err != nil {
		return SQLite(t)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "hub.sqlite")
}

// Postgres creates a schema that is dropped after the test, and returns its address.
func Postgres(t testing.TB) string {
	t.Helper()
	address := os.Getenv(Variable)
	if address == "" {
		t.Skipf("%s is not set: not tested on PostgreSQL", Variable)
	}
	schema := "reviewcast_test_" + strings.ToLower(rand.Text())
	run(t, address, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { run(t, address, "DROP SCHEMA "+schema+" CASCADE") })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("%s: %s", Variable, err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

func run(t testing.TB, address, query string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatalf("%s: %s", Variable, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, query); err != nil {
		t.Fatal(err)
	}
}

// Exec runs one statement on a state.
func Exec(t testing.TB, state, query string) {
	t.Helper()
	if store.IsPostgres(state) {
		run(t, state, query)
		return
	}
	db, err := sql.Open("sqlite", "file:"+state+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), query); err != nil {
		t.Fatal(err)
	}
}

// Open opens a state as a hub does. It closes it after the test.
func Open(t testing.TB, state string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), state, store.Options{Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
