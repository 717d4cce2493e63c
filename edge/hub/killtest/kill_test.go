// Package killtest kills the real program with SIGKILL while it delivers changes to
// hundreds of subscribers, repeatedly, and counts: no delivery may be lost, no subscriber
// removed, and nothing delivered twice but what was in flight at a kill. Other tests take the
// state away from the real program, or give it subscribers with every fault. The package
// contains only tests, which CI runs and make test skips:
//
//	KILL_ROUNDS=30 go test -v ./edge/hub/killtest
package killtest

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/edgetest"
	"reviewcast/bench/snapshottest"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

const (
	subscribers = 500
	// killWithin is the time after a publish within which the kill comes: from before the
	// edge detects it until after the last delivery.
	killWithin = 600 * time.Millisecond
	// durableWithin is the longest time until an acknowledgement is durable. It takes
	// milliseconds, but this machine may be busy.
	durableWithin = 5 * time.Second
	// waitLimit bounds every wait.
	waitLimit = 4 * time.Minute
)

const topic = snapshottest.BaseURL + reviewcast.PathAtom

// killRounds returns the number of kills, from the variable KILL_ROUNDS. Without it the test
// is skipped: starting and killing programs takes minutes.
func killRounds(t *testing.T) int {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGKILL on Windows, and an open file can't be removed")
	}
	s := os.Getenv("KILL_ROUNDS")
	if s == "" {
		t.Skip("KILL_ROUNDS is not set")
	}
	rounds, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return rounds
}

// TestKill kills edges: one on SQLite, and one of two that share PostgreSQL.
func TestKill(t *testing.T) {
	rounds := killRounds(t)
	program := build(t)
	for name, c := range map[string]struct {
		edges int
		state func(testing.TB) string
		rest  time.Duration // between rounds, at most
	}{
		"sqlite": {1, storetest.SQLite, 0},
		// A dead edge's claims hold for ten seconds. Without a pause the living one would have
		// nothing to do.
		"postgres": {2, storetest.Postgres, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each mostly waits
			(&killRun{T: t, program: program, state: c.state(t), public: t.TempDir()}).run(c.edges, rounds, c.rest)
		})
	}
}

// build builds the program.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "reviewcast")
	if out, err := exec.Command("go", "build", "-o", program, "reviewcast/cmd/reviewcast").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// receipt is a notification that a subscriber has read.
type receipt struct {
	version int
	at      time.Time
	on      *connection
}

// connection is one that an edge has opened. With HTTP/1.1 the next request is sent after
// the last was answered.
type connection struct {
	opened time.Time
	read   []time.Time // when its notifications were
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// death is the kill of an edge.
type death struct {
	at time.Time // the process is gone
	// unacknowledged are the subscribers whose deliveries aren't acknowledged in the state:
	// claimed, and without the newest content.
	unacknowledged map[string]bool
}

// cut reports whether a kill may have ended the connection of a notification. At most one
// request can be in flight on a connection, and a busy server may read it after its sender
// died. If more are read after the kill, their sender is alive.
func (d death) cut(r receipt) bool {
	after := 0
	for _, at := range r.on.read {
		if at.After(d.at) {
			after++
		}
	}
	return r.on.opened.Before(d.at) && after <= 1
}

// killRun is the state of a test.
type killRun struct {
	*testing.T
	program, state, public, cert string
	flags                        []string // more flags of edges
	resolver                     string   // the resolv.conf of edges; empty: the machine's

	mu       sync.Mutex
	receipts [subscribers][]receipt
	deaths   []death
}

func (s *killRun) run(edges, rounds int, rest time.Duration) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.callback))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, &connection{opened: time.Now()})
	}
	server.StartTLS()
	defer server.Close()
	s.trust(server.Certificate())
	s.publish(1)
	running := make([]*edge, edges)
	for i := range running {
		running[i] = s.start()
	}
	for i := range subscribers {
		s.post(running[i%edges], url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {fmt.Sprintf("%s/%d", server.URL, i)}})
	}
	s.until("all are subscribed", func() bool { return len(s.list()) == subscribers })

	version, moments := 1, edgetest.Rand(s)
	pause := func(most time.Duration) { time.Sleep(time.Duration(moments.Int64N(int64(most)))) }
	for round := range rounds {
		version++
		s.publish(version)
		victim := moments.IntN(edges)
		s.post(running[moments.IntN(edges)], url.Values{"hub.mode": {"publish"}, "hub.url": {topic}})
		pause(killWithin) // the random point
		running[victim].kill()
		died := time.Now()
		s.deaths = append(s.deaths, death{died, s.unacknowledged()})
		if round%3 == 0 { // sometimes a version is published while it is down
			version++
			s.publish(version)
		}
		running[victim] = s.start()
		if rest > 0 {
			pause(rest)
		}
	}
	s.until("all have the newest content", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, got := range s.receipts {
			if !slices.ContainsFunc(got, func(r receipt) bool { return r.version == version }) {
				return false
			}
		}
		return true
	})
	s.until("all deliveries are acknowledged", func() bool {
		for _, r := range s.list() {
			if r.Behind || r.InFlight {
				return false
			}
		}
		return true
	})
	s.check()
	for _, e := range running {
		e.kill()
	}
}

// trust has edges trust the certificate of callbacks.
func (s *killRun) trust(c *x509.Certificate) {
	s.cert = filepath.Join(s.TempDir(), "ca.pem")
	if err := os.WriteFile(s.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), 0o600); err != nil {
		s.Fatal(err)
	}
}

// check compares what subscribers received with what they were promised.
func (s *killRun) check() {
	list := s.list()
	if len(list) != subscribers {
		s.Errorf("%d subscriptions are left of %d", len(list), subscribers)
	}
	for _, r := range list {
		if r.Failures != 0 {
			s.Errorf("subscription %d has %d failures (%s), though its callback never failed", r.ID, r.Failures, r.LastError)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all, twice, late, longest := 0, 0, 0, time.Duration(0)
	for i, got := range s.receipts {
		all += len(got)
		for j, r := range got {
			for _, before := range got[:j] {
				switch {
				case before.version > r.version:
					late++
					if !s.late(r, before) {
						s.Errorf("subscriber %d got version %d after %d, and no kill explains it: %s", i, r.version, before.version, s.times(before, r))
					}
				case before.version == r.version:
					twice++
					gap, ok := s.repeated(i, before, r)
					if !ok {
						s.Errorf("subscriber %d got version %d twice, and no kill explains it: %s", i, r.version, s.times(before, r))
					}
					longest = max(longest, gap)
				}
			}
		}
	}
	s.Logf("%d kills, %d deliveries, %d of them repeated after a kill in flight, answered at most %s before, %d read late, after newer content",
		len(s.deaths), all, twice, longest.Round(time.Millisecond), late)
}

// late reports whether a notification was sent before a newer one and read after it: by an
// edge that was killed meanwhile, as the last request on its connection.
func (s *killRun) late(r, newer receipt) bool {
	return slices.ContainsFunc(s.deaths, func(d death) bool { return d.cut(r) && newer.at.After(d.at) })
}

// repeated reports whether one of two copies was in flight at a kill without an
// acknowledgement in the state, so that the other was sent. It returns how long before the
// kill the first was answered.
func (s *killRun) repeated(subscriber int, a, b receipt) (gap time.Duration, ok bool) {
	for _, d := range s.deaths {
		if !d.unacknowledged[strconv.Itoa(subscriber)] {
			continue
		}
		for _, c := range [][2]receipt{{a, b}, {b, a}} { // in the order of reading, or with the first read late
			if first, second := c[0], c[1]; d.cut(first) && second.at.After(d.at) && d.at.Sub(first.at) <= durableWithin {
				return d.at.Sub(first.at), true
			}
		}
	}
	return 0, false
}

// times shows two receipts and the kills beside them.
func (s *killRun) times(a, b receipt) string {
	var said strings.Builder
	began := min(a.on.opened.UnixNano(), b.on.opened.UnixNano())
	since := func(t time.Time) time.Duration { return time.Duration(t.UnixNano() - began).Round(time.Millisecond) }
	for _, r := range []receipt{a, b} {
		fmt.Fprintf(&said, "%d read at %s on a connection opened at %s, which brought %d, the last at %s; ",
			r.version, since(r.at), since(r.on.opened), len(r.on.read), since(r.on.read[len(r.on.read)-1]))
	}
	said.WriteString("kills at")
	for _, d := range s.deaths {
		fmt.Fprintf(&said, " %s", since(d.at))
	}
	return said.String()
}

// unacknowledged reads the state after a kill. It reads a copy of a SQLite file, so that
// the edge finds the original with its journal.
func (s *killRun) unacknowledged() map[string]bool {
	s.Helper()
	state := s.state
	if !store.IsPostgres(state) {
		state = filepath.Join(s.TempDir(), "copy.sqlite")
		for _, part := range []string{"", "-journal"} {
			data, err := os.ReadFile(s.state + part)
			if err == nil {
				err = os.WriteFile(state+part, data, 0o600)
			}
			if err != nil {
				s.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	left, err := store.Open(ctx, state, store.Options{})
	if err != nil {
		s.Fatal(err)
	}
	list, err := left.List(ctx, store.Filter{})
	if err := errors.Join(err, left.Close()); err != nil {
		s.Fatal(err)
	}
	found := map[string]bool{}
	for _, r := range list {
		if r.InFlight && r.Behind {
			found[r.Callback[strings.LastIndexByte(r.Callback, '/')+1:]] = true
		}
	}
	return found
}

// callback is every subscriber's server.
func (s *killRun) callback(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // cut off by a kill: not received
	}
	version, err := strconv.Atoi(versionOf.FindStringSubmatch(string(body))[1])
	if err != nil {
		s.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	on, now := r.Context().Value(connectionKey{}).(*connection), time.Now()
	on.read = append(on.read, now)
	s.receipts[i] = append(s.receipts[i], receipt{version, now, on})
}

var versionOf = regexp.MustCompile(`<title>Version (\d+)</title>`)

// publish writes a new set of files.
func (s *killRun) publish(version int) {
	p := snapshottest.Publish(s, reviewcast.Dataset{Version: 1, Reviews: []reviewcast.Review{}})
	p[reviewcast.PathAtom] = fmt.Appendf(nil, "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Version %d</title>%s</feed>\n",
		version, strings.Repeat("<!-- kind words -->", 1000))
	p.Write(s, s.public, int64(version))
}

// list returns what operators see.
func (s *killRun) list() (list []store.Subscription) {
	s.Helper()
	out, err := exec.Command(s.program, "hub", "list", "--json", "--state", s.state).Output()
	if err != nil {
		s.Fatalf("list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var r store.Subscription
		if err := d.Decode(&r); err != nil {
			s.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func (s *killRun) until(what string, ok func() bool) {
	s.Helper()
	for deadline := time.Now().Add(waitLimit); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("not within %s: %s", waitLimit, what)
		}
	}
}
