package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// An outage of our network is no failure of a subscriber, whatever its errors look like:
// afterwards all are subscribed, without failures, and get the newest content.
func TestOutageOfOurNetwork(t *testing.T) {
	roots(t)
	for name, broken := range map[string]func(ctx context.Context) error{
		"connections time out": func(ctx context.Context) error {
			select {
			case <-ctx.Done():
			case <-time.After(connectTimeout):
			}
			return &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
		},
		"connections are reset": func(context.Context) error {
			return &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		},
		"no route":       func(context.Context) error { return &net.OpError{Op: "dial", Err: syscall.ENETUNREACH} },
		"no descriptors": func(context.Context) error { return &net.OpError{Op: "dial", Err: syscall.EMFILE} },
		"the name server is silent": func(context.Context) error {
			return &net.OpError{Op: "dial", Err: &net.DNSError{Err: "i/o timeout", Name: "example.com", IsTimeout: true}}
		},
	} {
		for _, when := range []string{"at work", "after a restart"} {
			t.Run(name+" "+when, func(t *testing.T) {
				testOutage(t, broken, when == "after a restart")
			})
		}
	}
}

func testOutage(t *testing.T, broken func(ctx context.Context) error, restart bool) {
	t.Parallel()
	state := migratedState(t)
	synctest.Test(t, func(t *testing.T) {
		const n = 30
		pipes := &pipes{}
		l := pipes.listen("all").(*pipeListener)
		s := newSubscriber(t, l)
		var list []string
		for i := range n {
			callback, address := at(i)
			pipes.hosts[address] = l
			list = append(list, callback)
		}
		var away atomic.Bool
		start := func() *rig {
			return newRig(t, state, func(c *Config) {
				c.Retry = [2]time.Duration{2 * time.Second, 4 * time.Second}
				c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					if away.Load() {
						return nil, broken(ctx)
					}
					return pipes.dial(ctx, network, address)
				}
			})
		}
		r := start()
		enlist(t, r, list)
		served := func(body string) {
			r.until("all got "+body, func() bool {
				for _, l := range r.list() {
					if l.Behind || l.InFlight {
						return false
					}
				}
				return true
			})
		}
		r.publish(2, "second")
		for range n {
			s.notification()
		}
		served("second")
		if restart {
			r.stop()
			if err := r.state.Close(); err != nil {
				t.Fatal(err)
			}
		}
		away.Store(true)
		s.CloseClientConnections()
		if restart {
			r = start()
		}
		r.deliverClient.CloseIdleConnections()
		r.publish(3, "third")
		r.until("the change is stored", func() bool {
			topics, err := r.state.Topics(r.Context())
			return err == nil && topics[atom].Sequence == 3
		})
		late, _ := at(n)
		r.ask("subscribe", atom, late) // its verification waits for the network, too
		time.Sleep(51 * time.Second)
		away.Store(false)
		_, address := at(n)
		pipes.mu.Lock()
		pipes.hosts[address] = l
		pipes.mu.Unlock()
		served("third")
		r.settled()
		if got := len(r.list()); got != n+1 {
			t.Errorf("%d subscriptions are left, want %d", got, n+1)
		}
		for _, l := range r.list() {
			if l.Failures != 0 {
				t.Errorf("failures: %+v", l)
			}
		}
		r.stop()
	})
}

// Silent subscribers at many endpoints don't look like an outage while others answer:
// their failures count, and the others are served.
func TestSilentSubscribersAreNoOutage(t *testing.T) {
	short := func(c *Config) { c.Retry = [2]time.Duration{2 * time.Second, 4 * time.Second} }
	bubbleWith(t, short, func(t *testing.T, r *rig, net *pipes) {
		const silent, honest = 40, 5
		l := net.listen("all").(*pipeListener)
		s := newSubscriber(t, l)
		var list []string
		for i := range silent + honest {
			callback, address := at(i)
			net.hosts[address] = l
			if i < silent {
				callback += "/silent"
			}
			list = append(list, callback)
		}
		enlist(t, r, list)
		s.answers(func(w http.ResponseWriter, q *http.Request, c call) {
			if q.URL.Path == "/cb/silent" && c.method == http.MethodPost {
				hang(w, q, c)
			}
			good(w, q, c)
		})
		r.publish(2, "second")
		r.until("the silent ones are removed", func() bool { return len(r.list()) == honest })
		if r.network.isDown() {
			t.Error("the network is said to be down")
		}
		r.publish(3, "third")
		r.until("the others are served", func() bool {
			for _, l := range r.list() {
				if l.Behind {
					return false
				}
			}
			return true
		})
	})
}

// Without other endpoints that answered, an exchange without an answer is a failure. A name
// that doesn't exist is a failure while another name was resolved within the hour.
func TestIsOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") }, slog.New(slog.DiscardHandler))
		refused := errors.New("refused")
		for i := range canaries {
			time.Sleep(time.Second)
			if n.isOutage(t.Context(), "a.example:443", time.Now(), refused) {
				t.Errorf("an outage, with %d endpoints that answered", i)
			}
			n.answered(fmt.Sprintf("%d.example:443", i))
		}
		missing := &net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}
		time.Sleep(namesFor - time.Minute)
		if n.isOutage(t.Context(), "a.example:443", time.Now(), missing) {
			t.Error("an outage, though other names are resolved")
		}
		time.Sleep(time.Minute)
		if !n.isOutage(t.Context(), "a.example:443", time.Now(), missing) || !n.isDown() {
			t.Error("no outage, though no name was resolved for an hour and nobody can be connected to")
		}
		if n.allow(time.Now()) {
			t.Error("a delivery is attempted at once")
		}
		time.Sleep(probeEvery)
		if !n.allow(time.Now()) || n.allow(time.Now()) {
			t.Error("not one probe")
		}
		n.answered("")
		if !n.allow(time.Now()) {
			t.Error("deliveries are not allowed after an answer")
		}
	})
}

// A denial waits for a network that works.
func TestDenialWaitsForNetwork(t *testing.T) {
	var away atomic.Bool
	change := func(c *Config) {
		c.Retry = [2]time.Duration{2 * time.Second, 4 * time.Second}
		dial := c.Dial
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if away.Load() {
				return nil, &net.OpError{Op: "dial", Err: syscall.ENETUNREACH}
			}
			return dial(ctx, network, address)
		}
	}
	bubbleWith(t, change, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		failures := 0
		s.answers(func(w http.ResponseWriter, _ *http.Request, c call) {
			if c.method == http.MethodPost {
				failures++
				away.Store(failures == 3)
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		r.publish(2, "second")
		for range 3 {
			s.notification()
		}
		time.Sleep(5 * time.Minute)
		s.quiet()
		away.Store(false)
		if c := s.verification(); c.query.Get("hub.mode") != "denied" {
			t.Errorf("called with %s, want a denial", c.uri)
		}
	})
}

// A verified renewal ends the wait after a failure: the delivery is made at once.
func TestRenewalEndsWait(t *testing.T) {
	change := func(c *Config) { c.Retry = [2]time.Duration{time.Hour, time.Hour} }
	bubbleWith(t, change, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		s.answers(status(http.StatusInternalServerError))
		r.publish(2, "second")
		s.notification()
		r.until("it waits", func() bool { return r.list()[0].Failures == 1 })
		s.answers(nil)
		began := time.Now()
		r.subscribe(s, atom, callback)
		s.notification()
		if took := time.Since(began); took > 2*DefaultPollInterval {
			t.Errorf("delivered %s after the renewal", took)
		}
	})
}

// A callback whose name server doesn't answer isn't pending for ever.
func TestSilentNameServer(t *testing.T) {
	change := func(c *Config) {
		slowly(c)
		c.Dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "server misbehaving", Name: "example.com", IsTemporary: true}
		}
	}
	bubbleWith(t, change, func(t *testing.T, r *rig, _ *pipes) {
		callback, _ := at(0)
		began := time.Now()
		r.ask("subscribe", atom, callback)
		time.Sleep(maxPostponed - time.Minute)
		r.settled()
		if took := time.Since(began); took < maxPostponed || took > 2*maxPostponed {
			t.Errorf("given up after %s", took)
		}
	})
}
