package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

// Tables of another version are rejected, and only a hub creates tables.
func TestSchema(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		if _, err := store.Open(t.Context(), state, store.Options{}); !errors.Is(err, store.ErrSchema) {
			t.Errorf("an operator's command on an empty state: %v, want ErrSchema", err)
		}
		s := storetest.Open(t, state)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		storetest.Exec(t, state, "INSERT INTO hub_schema (version_id, is_applied) VALUES (999, true)")
		for _, exclusive := range []bool{true, false} {
			if _, err := store.Open(t.Context(), state, store.Options{Exclusive: exclusive}); !errors.Is(err, store.ErrSchema) {
				t.Errorf("newer tables: %v, want ErrSchema", err)
			}
		}
	})
}

// An operator's command that is given the wrong database doesn't change it.
func TestForeignDatabase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		storetest.Exec(t, state, "CREATE TABLE theirs (id integer)")
		before, _ := os.ReadFile(state) // of PostgreSQL there is none
		if _, err := store.Open(t.Context(), state, store.Options{}); !errors.Is(err, store.ErrSchema) {
			t.Errorf("%v, want ErrSchema", err)
		}
		if after, _ := os.ReadFile(state); !bytes.Equal(before, after) {
			t.Error("the file has changed")
		}
		storetest.Exec(t, state, "CREATE TABLE hub_schema (id integer)") // fails if it is there
	})
}

// A state file that was created by hand is made private, too.
func TestReadableState(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its files have no such modes")
	}
	state := storetest.SQLite(t)
	if err := os.WriteFile(state, nil, 0o644); err != nil { //nolint:gosec
		t.Fatal(err)
	}
	if err := os.Chmod(state, 0o644); err != nil { //nolint:gosec // whatever the umask
		t.Fatal(err)
	}
	s := storetest.Open(t, state)
	if err := s.Heartbeat(t.Context(), noon, "me"); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-journal"} {
		if info, err := os.Stat(state + suffix); err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v", suffix, info.Mode())
		}
	}
}

// A file of an older edge, which was killed in WAL mode, gets a rollback journal: see sqlite.
func TestStateOfWAL(t *testing.T) {
	state := storetest.SQLite(t)
	rig{t, storetest.Open(t, state)}.publish(1, "a")
	db, err := sql.Open("sqlite", "file:"+state+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE topics SET sequence = 7"); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "hub.sqlite") // what is left after a kill
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(state + suffix)
		if err != nil || os.WriteFile(copied+suffix, data, 0o600) != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t, copied)
	topics, err := s.Topics(t.Context())
	if err != nil || len(topics) != 1 {
		t.Fatalf("topics: %v, %v", topics, err)
	}
	for _, topic := range topics {
		if topic.Sequence != 7 {
			t.Errorf("sequence %d: the write-ahead log is lost", topic.Sequence)
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(copied + suffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", suffix, err)
		}
	}
}

// Writes to a file that was removed or replaced are lost: the heartbeat reports it.
func TestFileReplaced(t *testing.T) {
	state := storetest.SQLite(t)
	s := storetest.Open(t, state)
	if err := s.Heartbeat(t.Context(), noon, "me"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(state); err != nil {
		t.Skip("an open file can't be removed here: ", err) // Windows
	}
	if err := s.Heartbeat(t.Context(), noon, "me"); err == nil {
		t.Error("a removed file is not reported")
	}
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Heartbeat(t.Context(), noon, "me"); err == nil {
		t.Error("a replaced file is not reported")
	}
}

// Hubs that start concurrently on an empty database migrate it once.
func TestOpenConcurrently(t *testing.T) {
	state := storetest.Postgres(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := store.Open(context.Background(), state, store.Options{Exclusive: true})
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
}

func TestOpenErrors(t *testing.T) {
	_, err := store.Open(t.Context(), "postgres://user:hunter2@127.0.0.1:1/test?connect_timeout=1", store.Options{})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v: want an error without the password", err)
	}
	if _, err := store.Open(t.Context(), t.TempDir(), store.Options{}); err == nil {
		t.Error("a directory was opened as a file")
	}
}
