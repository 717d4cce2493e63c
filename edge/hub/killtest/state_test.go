package killtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reviewcast/bench/storetest"
)

// migrationLock is the key of the advisory lock under which hubs migrate.
const migrationLock = 0x7265766965776361

// TestState damages the state of a running edge, or of one that starts. The files are
// served all the time, the hub rejects requests and says so, and it works as soon as the
// state does.
func TestState(t *testing.T) {
	killRounds(t)
	program := build(t)
	start := func(t *testing.T, state string) (*killRun, *edge) {
		s := &killRun{T: t, program: program, state: state, public: t.TempDir()}
		s.publish(1)
		e := s.start()
		s.served(e)
		return s, e
	}
	t.Run("file removed", func(t *testing.T) {
		s, e := start(t, storetest.SQLite(t))
		s.expect(e, true)
		if err := os.Remove(s.state); err != nil {
			t.Fatal(err)
		}
		s.expect(e, false)
	})
	t.Run("file damaged at the start", func(t *testing.T) {
		state := storetest.SQLite(t)
		if err := os.WriteFile(state, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, e := start(t, state)
		s.expect(e, false)
		if err := os.Remove(state); err != nil {
			t.Fatal(err)
		}
		s.expect(e, true)
	})
	t.Run("file can't be opened at the start", func(t *testing.T) {
		state := storetest.SQLite(t)
		lock := state + ".lock"
		if err := errors.Join(os.WriteFile(state, nil, 0o600), os.Mkdir(lock, 0o700)); err != nil {
			t.Fatal(err)
		}
		s, e := start(t, state)
		s.expect(e, false)
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
		s.expect(e, true)
	})
	t.Run("database hangs at the start", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0") // it accepts and never answers
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		s, e := start(t, "postgres://user@"+l.Addr().String()+"/test?sslmode=disable")
		s.expect(e, false)
	})
	t.Run("migrations are locked", func(t *testing.T) {
		state := storetest.Postgres(t)
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, state)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
			t.Fatal(err)
		}
		s, e := start(t, state)
		s.expect(e, false)
		out, err := exec.Command(program, "hub", "list", "--state", state).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "another version") {
			t.Errorf("hub list while migrations are locked: %v %s", err, out)
		}
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", int64(migrationLock)); err != nil {
			t.Fatal(err)
		}
		s.expect(e, true)
	})
}

// expect waits until the hub is up or down, as metrics, /readyz and an answer to a request
// say. The files are served in any case.
func (s *killRun) expect(e *edge, up bool) {
	s.Helper()
	metric, ready, accepted := "reviewcast_hub_state_up 0", `"status":"degraded"`, http.StatusServiceUnavailable
	if up {
		metric, ready, accepted = "reviewcast_hub_state_up 1", `"status":"ready"`, http.StatusAccepted
	}
	began := time.Now()
	s.until("the hub is as expected", func() bool {
		if status, _ := s.status(e.addr, "/feed.xml"); status != http.StatusOK {
			s.Fatalf("/feed.xml: %d", status)
		}
		_, metrics := s.status(e.admin, "/metrics")
		_, readyz := s.status(e.admin, "/readyz")
		answer, _ := s.tryPost(e, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {"https://127.0.0.1:8443/"}})
		return strings.Contains(metrics, metric) && strings.Contains(readyz, ready) && answer == accepted
	})
	s.Logf("up %t after %s", up, time.Since(began).Round(time.Millisecond))
}
