package hub

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"reviewcast/bench/storetest"
)

// An answer that switches protocols is a failure. It keeps no slot and doesn't keep the hub
// from stopping.
func TestSwitchingProtocols(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		s.answers(func(w http.ResponseWriter, _ *http.Request, _ call) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"))
			t.Cleanup(func() { conn.Close() }) // and nothing more
		})
		r.publish(2, "second")
		s.notification()
		r.until("it has failed", func() bool {
			list := r.list()
			return list[0].Failures == 1 && list[0].LastError == "answered 101 Switching Protocols" && !list[0].InFlight
		})
	})
}

// rejecting runs a test in a bubble with a function that makes the state reject some writes,
// by a trigger, and returns the function that ends it. Heartbeats succeed meanwhile.
func rejecting(t *testing.T, change func(*Config), f func(t *testing.T, r *rig, net *pipes, reject func(when string) (end func()))) {
	t.Parallel()
	state := migratedState(t)
	roots(t)
	synctest.Test(t, func(t *testing.T) {
		net := &pipes{}
		r := newRig(t, state, func(c *Config) { c.Dial = net.dial }, change)
		f(t, r, net, func(when string) (end func()) {
			storetest.Exec(t, state, "CREATE TRIGGER reject BEFORE "+when+" BEGIN SELECT RAISE(ABORT, 'rejected'); END")
			return func() { storetest.Exec(t, state, "DROP TRIGGER reject") }
		})
		r.stop()
	})
}

// A state that rejects a denial doesn't remove its reason, however long it does.
func TestRejectionKeepsReason(t *testing.T) {
	for _, pause := range []time.Duration{2 * storeRetry, 2 * maxRejections * storeRetry} {
		t.Run(pause.String(), func(t *testing.T) {
			short := func(c *Config) { slowly(c); c.Retry = [2]time.Duration{30 * time.Second, time.Minute} }
			rejecting(t, short, func(t *testing.T, r *rig, net *pipes, reject func(string) func()) {
				s, callback := net.subscriber(t, 0)
				r.subscribe(s, atom, callback)
				s.answers(status(http.StatusTeapot))
				end := reject("INSERT ON handshakes WHEN new.mode = 'denied'")
				r.publish(2, "second")
				for range 3 {
					s.notification()
				}
				time.Sleep(pause)
				end()
				c := s.next()
				if c.method == http.MethodPost { // the outcome was given up, and the delivery repeated
					c = s.verification()
				}
				if !strings.HasSuffix(c.query.Get("hub.reason"), "answered 418 I'm a teapot") {
					t.Errorf("the reason is %q", c.query.Get("hub.reason"))
				}
			})
		})
	}
}

// An outcome that the state rejects doesn't keep others from being acknowledged. It is given
// up: the delivery is repeated when its claim lapses.
func TestRejectedOutcome(t *testing.T) {
	lines := &counter{words: "delivery not acknowledged; it will be repeated"}
	log := func(c *Config) { slowly(c); c.Logger = slog.New(slog.NewTextHandler(lines, nil)) }
	rejecting(t, log, func(t *testing.T, r *rig, net *pipes, reject func(string) func()) {
		s, callback := net.subscriber(t, 0)
		for i := range 3 {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i))
		}
		end := reject("UPDATE OF delivered_version ON subscriptions WHEN old.callback LIKE '%?1'")
		behind := func() (list []string) {
			for _, l := range r.list() {
				if l.Behind {
					list = append(list, l.Callback)
				}
			}
			return list
		}
		r.publish(2, "second")
		for range 3 {
			s.notification()
		}
		time.Sleep((maxRejections + 1) * storeRetry)
		if list := behind(); len(list) != 1 || list[0] != callback+"?1" || lines.n.Load() != 1 {
			t.Errorf("not acknowledged: %v, logged %d times", list, lines.n.Load())
		}
		end()
		if c := s.notification(); c.uri != "/cb?1" {
			t.Errorf("repeated for %s", c.uri)
		}
		r.until("all are acknowledged", func() bool { return len(behind()) == 0 })
		s.quiet()
	})
}

// A state that rejects a settlement delays the verification by seconds, not until the claim
// lapses.
func TestRejectionWhileVerifying(t *testing.T) {
	rejecting(t, func(*Config) {}, func(t *testing.T, r *rig, net *pipes, reject func(string) func()) {
		s, callback := net.subscriber(t, 0)
		end := reject("DELETE ON handshakes")
		began := time.Now()
		r.ask("subscribe", atom, callback)
		s.verification()
		time.Sleep(4 * storeRetry)
		end()
		r.settled()
		if took := time.Since(began); took > 5*storeRetry+2*DefaultPollInterval || len(r.list()) != 1 {
			t.Errorf("%d subscribed after %s", len(r.list()), took)
		}
		other, dead := at(1)
		end = reject("UPDATE OF attempts ON handshakes WHEN new.attempts > 0")
		r.ask("subscribe", atom, other) // nobody answers
		time.Sleep(2 * storeRetry)
		end()
		newSubscriber(t, net.listen(dead)).verification()
		r.settled()
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the other is subscribed after %s", took)
		}
		s.quiet() // it wasn't asked twice
	})
}

// Errors that quote subscribers are stripped of control characters and shortened, and the
// reasons for subscribers don't describe our network.
func TestUntrustedText(t *testing.T) {
	for said, want := range map[string]string{
		"a\x00b\x1b[31mc\r\nd\u202ee": "ab[31mc  de",
		"caf\xe9":                     "caf",
		"Grüße":                       "Grüße",
	} {
		if got := plain(said); got != want {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
	for _, said := range []string{strings.Repeat("x", 1<<16), strings.Repeat("€", 1<<10)} {
		if got := plain(said); len(got) > maxText || !utf8.ValidString(got) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errNoAnswer, "no answer within 30 s"},
		{&net.OpError{Op: "read", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, Err: errors.New("connection reset by peer")}, "no answer"},
		{&net.DNSError{Err: "no such host", Name: "x", Server: "10.0.0.2:53"}, "the host name was not found"},
		{context.DeadlineExceeded, "no connection in time"},
		{&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}}, "the certificate is not valid"},
		{fmt.Errorf("dial: %w", errPort), "the address is not allowed"},
	} {
		if got := publicReason(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// Callbacks that accept connections and don't answer don't delay the verifications of
// others.
func TestSilentVerifications(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		const n = 256 + 50 // more than there are normal slots
		for i := range n {
			callback, address := at(1 + i)
			silent := net.listen(address)
			go func() {
				for {
					if _, err := silent.Accept(); err != nil {
						return
					}
				}
			}()
			t.Cleanup(func() { silent.Close() })
			r.ask("subscribe", atom, callback)
		}
		synctest.Wait() // all slots are taken
		s, callback := net.subscriber(t, 0)
		asked := time.Now()
		r.ask("subscribe", atom, callback)
		s.verification()
		if took := time.Since(asked); took > maxSilence+2*DefaultPollInterval {
			t.Errorf("verified after %s", took)
		}
		r.stop()
		time.Sleep(connectTimeout) // of the last handshakes
	})
}

// Callbacks that refuse connections are asked three times and given up, however many they
// are.
func TestDeadVerifications(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, _ *pipes) {
		callback, _ := at(0)
		asked := time.Now()
		for i := range 64 {
			r.ask("subscribe", atom, fmt.Sprintf("%s?%d", callback, i))
		}
		r.until("all are given up", func() bool {
			pending, err := r.state.Pending(t.Context(), 1)
			return err == nil && len(pending) == 0
		})
		within(t, "giving up", time.Since(asked), verifyWaits[0]+verifyWaits[1])
		if r.scheduler.load().openBreakers != 0 {
			t.Error("verifications opened a breaker")
		}
	})
}
