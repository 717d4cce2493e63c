package hub

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"reviewcast/edge/hub/store"
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

// Errors of the database don't remove the reason of a denial.
func TestStoreErrorKeepsReason(t *testing.T) {
	for _, failing := range []string{"11", "111", "1101011", "1111111111"} {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			state := migratedState(t)
			roots(t)
			synctest.Test(t, func(t *testing.T) {
				net := &pipes{}
				r := newRig(t, state, slowly, func(c *Config) {
					c.Dial, c.Store = net.dial, &flakyStore{Store: c.Store, deny: failing}
					c.Retry = [2]time.Duration{30 * time.Second, time.Minute}
				})
				s, callback := net.subscriber(t, 0)
				r.subscribe(s, atom, callback)
				s.answers(status(http.StatusTeapot))
				r.publish(2, "second")
				for range 3 {
					s.notification()
				}
				if c := s.verification(); !strings.HasSuffix(c.query.Get("hub.reason"), "answered 418 I'm a teapot") {
					t.Errorf("told %q", c.query.Get("hub.reason"))
				}
				r.stop()
			})
		})
	}
}

// flakyStore fails writes of denials, settlements and postponements: each digit of a field
// is one write, 1 for a failure.
type flakyStore struct {
	Store
	mu                     sync.Mutex
	deny, settle, postpone string
}

func (s *flakyStore) fails(left *string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *left == "" {
		return false
	}
	first := (*left)[0]
	*left = (*left)[1:]
	return first == '1'
}

func (s *flakyStore) Settle(ctx context.Context, now time.Time, v store.Verification, confirmed bool, why string) (int64, error) {
	if s.fails(&s.settle) {
		return 0, errors.New("database error")
	}
	return s.Store.Settle(ctx, now, v, confirmed, why)
}

func (s *flakyStore) Postpone(ctx context.Context, v store.Verification, attempts int, next time.Time, why string) error {
	if s.fails(&s.postpone) {
		return errors.New("database error")
	}
	return s.Store.Postpone(ctx, v, attempts, next, why)
}

func (s *flakyStore) Acknowledge(ctx context.Context, now time.Time, owner string, outcomes []store.Outcome) error {
	if outcomes[0].Verdict == store.Denied && s.fails(&s.deny) {
		return errors.New("database error")
	}
	return s.Store.Acknowledge(ctx, now, owner, outcomes)
}

// A database error while a callback answers delays the verification by seconds, not until
// the claim lapses.
func TestStoreErrorWhileVerifying(t *testing.T) {
	t.Parallel()
	state := migratedState(t)
	roots(t)
	synctest.Test(t, func(t *testing.T) {
		net := &pipes{}
		r := newRig(t, state, func(c *Config) {
			c.Dial, c.Store = net.dial, &flakyStore{Store: c.Store, settle: "1111", postpone: "11"}
		})
		s, callback := net.subscriber(t, 0)
		began := time.Now()
		r.subscribe(s, atom, callback)
		if took := time.Since(began); took > 4*storeRetry+2*DefaultPollInterval || len(r.list()) != 1 {
			t.Errorf("%d subscribed after %s", len(r.list()), took)
		}
		other, dead := at(1)
		r.ask("subscribe", atom, other) // nobody answers
		time.Sleep(DefaultPollInterval)
		newSubscriber(t, net.listen(dead)).verification()
		r.settled()
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the other is subscribed after %s", took)
		}
		s.quiet() // it wasn't asked twice
		r.stop()
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
