package hub

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
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
		t.Run(name, func(t *testing.T) { testOutage(t, broken, false) })
		if name == "connections time out" {
			t.Run("after a restart", func(t *testing.T) { testOutage(t, broken, true) })
		}
	}
}

func testOutage(t *testing.T, broken func(ctx context.Context) error, restart bool) {
	t.Parallel()
	state := migratedState(t)
	synctest.Test(t, func(t *testing.T) {
		const n = 6
		pipes := &pipes{}
		l := pipes.listen("all").(*pipeListener)
		s := newSubscriber(t, l)
		var list []string
		for i := range n {
			callback, address := at(i)
			pipes.share(address, l)
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
		pipes.share(address, l)
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

// If the only subscriber doesn't answer, the site's own address shows whether it is an
// outage, provided that it could be connected to before.
func TestOutageWithOneSubscriber(t *testing.T) {
	for name, c := range map[string]struct{ before, during, kept bool }{
		"the site is away, too":         {before: true, during: false, kept: true},
		"the site can be reached":       {before: true, during: true, kept: false},
		"the site was never reached":    {before: false, during: false, kept: false},
		"the site wasn't reached first": {before: false, during: true, kept: false},
	} {
		t.Run(name, func(t *testing.T) {
			var away atomic.Bool
			change := func(config *Config) {
				config.Retry = [2]time.Duration{2 * time.Second, 4 * time.Second}
				dial := config.Dial
				config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					site := address == "reviews.example.com:443"
					switch reached := !away.Load() && c.before || away.Load() && c.during; {
					case site && reached:
						conn, _ := net.Pipe()
						return conn, nil
					case site || away.Load():
						return nil, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
					}
					return dial(ctx, network, address)
				}
			}
			bubbleWith(t, change, func(t *testing.T, r *rig, net *pipes) {
				s, callback := net.subscriber(t, 0)
				r.subscribe(s, atom, callback)
				away.Store(true)
				r.publish(2, "second")
				time.Sleep(51 * time.Second)
				away.Store(false)
				if !c.kept {
					r.until("it is removed", func() bool { return len(r.list()) == 0 })
					return
				}
				if got := s.notification(); got.body != "second" {
					t.Errorf("sent %q", got.body)
				}
				r.until("that is stored", func() bool { return !r.list()[0].Behind })
				if list := r.list(); len(list) != 1 || list[0].Failures != 0 || r.network.isDown() {
					t.Errorf("%+v, down %t", list, r.network.isDown())
				}
			})
		})
	}
}

// Silent subscribers at many endpoints don't look like an outage while others answer:
// their failures count, and the others are served.
func TestSilentSubscribersAreNoOutage(t *testing.T) {
	short := func(c *Config) { c.Retry = [2]time.Duration{2 * time.Second, 4 * time.Second} }
	bubbleWith(t, short, func(t *testing.T, r *rig, net *pipes) {
		const silent, honest = 20, 5
		l := net.listen("all").(*pipeListener)
		s := newSubscriber(t, l)
		var list []string
		for i := range silent + honest {
			callback, address := at(i)
			net.share(address, l)
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

// Without another endpoint that answered, an exchange without an answer is a failure. One
// that has failed excuses no other.
func TestIsOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		n := &network{log: slog.New(slog.DiscardHandler), checking: make(chan struct{}, 1), dial: func(context.Context, string, string) (net.Conn, error) {
			if c, _ := net.Pipe(); up.Load() {
				return c, nil
			}
			return nil, errors.New("refused")
		}}
		isOutage := func(endpoint string) bool {
			time.Sleep(2 * checkFor)
			return n.isOutage(t.Context(), endpoint, time.Now())
		}
		n.answered("a.example:443")
		if isOutage("a.example:443") {
			t.Error("an outage, though nobody else is known")
		}
		n.answered("a.example:443")
		n.answered("b.example:443")
		up.Store(true)
		if isOutage("a.example:443") {
			t.Error("an outage, though another endpoint can be connected to")
		}
		up.Store(false)
		if isOutage("b.example:443") {
			t.Error("an outage, because of an endpoint that had failed")
		}
		n.answered("a.example:443")
		n.answered("b.example:443")
		if !isOutage("b.example:443") || !n.isDown() {
			t.Error("no outage, though nobody can be connected to")
		}
		if n.allow(time.Now(), &n.nextDelivery) {
			t.Error("a delivery is attempted at once")
		}
		time.Sleep(probeEvery)
		if !n.allow(time.Now(), &n.nextDelivery) || n.allow(time.Now(), &n.nextDelivery) || !n.allow(time.Now(), &n.nextVerification) || n.allow(time.Now(), &n.nextVerification) {
			t.Error("not one probe of each kind")
		}
		n.answered("")
		if !n.allow(time.Now(), &n.nextDelivery) {
			t.Error("deliveries are not allowed after an answer")
		}
	})
}

// If all subscribers are gone for good, which looks like an outage, new ones are verified and
// end it.
func TestAllSubscribersGone(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		var gone []*subscriber
		for i := range 2 {
			s, callback := net.subscriber(t, i)
			r.subscribe(s, atom, callback)
			gone = append(gone, s)
		}
		for i, s := range gone {
			s.Close()
			_, address := at(i)
			net.mu.Lock()
			delete(net.hosts, address)
			net.mu.Unlock()
		}
		r.deliverClient.CloseIdleConnections()
		r.publish(2, "second")
		r.until("it looks like an outage", r.network.isDown)
		time.Sleep(time.Minute)
		if n := len(r.list()); n != 2 {
			t.Errorf("%d subscriptions are left", n)
		}
		s, callback := net.subscriber(t, 2)
		r.subscribe(s, atom, callback)
		r.publish(3, "third")
		if c := s.notification(); c.body != "third" {
			t.Errorf("sent %q", c.body)
		}
		// A retry to a dead host may say it once more between the two answers.
		r.until("the network is no longer said to be down", func() bool { return !r.network.isDown() })
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

// A certificate that isn't valid yet says that our clock may be behind, one that has expired doesn't.
func TestCertificateOfTomorrow(t *testing.T) {
	for from, local := range map[time.Duration]bool{time.Hour: true, -48 * time.Hour: false} {
		now := time.Now()
		err := error(&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired,
			Cert: &x509.Certificate{NotBefore: now.Add(from), NotAfter: now.Add(from + 24*time.Hour)}}})
		if isLocal(err) != local {
			t.Errorf("valid from %s: ours is %t, want %t", from, !local, local)
		}
	}
}
