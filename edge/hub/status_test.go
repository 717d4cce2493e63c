package hub

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"reviewcast"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

const secret = "a long random string"

// askStatus asks for the status of a subscription as its subscriber does.
func (r *rig) askStatus(topic, callback, signature string) (code int, body string) {
	request := httptest.NewRequest(http.MethodGet, reviewcast.PathHub+"?"+url.Values{"hub.topic": {topic}, "hub.callback": {callback}}.Encode(), nil)
	request.Header.Set("X-Hub-Signature", signature)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request)
	return w.Code, w.Body.String()
}

// Every fault of a subscriber, and an outage of ours, is explained by the status, and its
// remedy is named.
func TestFaultsAreExplained(t *testing.T) {
	fails := func(err error) func(*faulty) { return func(f *faulty) { f.dial.Store(&err) } }
	answers := func(code int) func(*faulty) {
		return func(f *faulty) { f.s.answers(status(code, "Location", "https://example.com:8001/")) }
	}
	for name, c := range map[string]struct {
		verified     bool // before the fault
		fault        func(f *faulty)
		state        string
		says, remedy string
	}{
		"name gone":         {true, fails(&net.DNSError{Err: "no such host", Server: "10.0.0.2:53", IsNotFound: true}), "ended", "the host name was not found", "DNS"},
		"TLS":               {true, func(f *faulty) { f.noTLS.Store(true) }, "ended", "no TLS connection", "TLS 1.2"},
		"redirect":          {true, answers(302), "ended", "answered 302 Found", "redirects"},
		"wrong challenge":   {false, answers(200), "rejected", "the body is not the challenge", "hub.challenge"},
		"404 to challenge":  {false, answers(404), "rejected", "answered 404", "path"},
		"5xx":               {true, answers(503), "ended", "three consecutive failures, the last with: answered 503", "server"},
		"slow":              {true, func(f *faulty) { f.s.answers(hang) }, "ended", "no answer within 30 s", "30 seconds"},
		"410":               {true, answers(410), "ended", "410 Gone", "2xx"},
		"lease ended":       {true, func(*faulty) { time.Sleep(5 * time.Minute) }, "ended", "The lease ended", "renew"},
		"private address":   {false, fails(ssrf.ErrProhibitedIP), "rejected", "the address is not allowed", "public address"},
		"body refused":      {true, answers(413), "ended", "answered 413", "smaller topic"},
		"operator":          {true, func(f *faulty) { f.remove() }, "ended", "An operator", "operator"},
		"outage of ours":    {true, fails(&net.OpError{Op: "dial", Err: syscall.ENETUNREACH}), "waiting", "the hub could not call", "Nothing"},
		"pending":           {false, fails(&net.OpError{Op: "dial", Err: syscall.ENETUNREACH}), "pending", "the hub could not call", "Nothing"},
		"failing":           {true, func(f *faulty) { f.s.answers(status(500)); f.Retry[0] = time.Hour }, "failing", "1 consecutive delivery failed", "tries again"},
		"nothing":           {true, func(*faulty) {}, "active", "active", "Nothing"},
		"just unsubscribed": {true, func(f *faulty) { f.ask("unsubscribe", atom, f.callback) }, "ended", "unsubscribe request", "Subscribe again"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &faulty{}
			change := func(c *Config) {
				slowly(c)
				c.Retry = [2]time.Duration{20 * time.Second, 40 * time.Second}
				dial := c.Dial
				c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					if err := f.dial.Load(); err != nil {
						return nil, *err
					}
					if f.noTLS.Load() {
						return f.other.dial(ctx, network, "other:443")
					}
					return dial(ctx, network, address)
				}
			}
			bubbleWith(t, change, func(t *testing.T, r *rig, net *pipes) {
				f.rig = r
				f.s, f.callback = net.subscriber(t, 0)
				f.callback += "?token=hunter2"
				f.other.plaintext(t, "other:443")
				if c.verified {
					lease := "3600"
					if name == "lease ended" {
						lease = "300"
					}
					r.subscribe(f.s, atom, f.callback, "hub.secret", secret, "hub.lease_seconds", lease)
				}
				f.s.CloseClientConnections()
				r.deliverClient.CloseIdleConnections()
				c.fault(f)
				if c.verified {
					r.publish(2, "second")
				} else {
					r.ask("subscribe", atom, f.callback, "hub.secret", secret)
				}
				time.Sleep(5 * time.Minute)
				f.check(c.state, c.says, c.remedy)
			})
		})
	}
}

// faulty is a subscriber with a fault.
type faulty struct {
	*rig
	s        *subscriber
	callback string
	dial     atomic.Pointer[error]
	noTLS    atomic.Bool
	other    pipes
}

func (f *faulty) remove() {
	if _, err := f.state.Remove(f.Context(), time.Now(), []int64{f.list()[0].ID}, ""); err != nil {
		f.Fatal(err)
	}
}

// check compares the status with what the operator and the subscriber are shown.
func (f *faulty) check(state, says, remedy string) {
	f.Helper()
	now := time.Now()
	records, err := f.state.History(f.Context(), now, "", f.callback)
	if err != nil || len(records) == 0 {
		f.Fatalf("%d records, %v", len(records), err)
	}
	want := Explain(records[0], now)
	if want.State != state || !strings.Contains(want.Explanation, says) || !strings.Contains(want.Remedy, remedy) {
		f.Errorf("explained as %+v", want)
	}
	code, body := f.askStatus(atom, f.callback, StatusSignature(store.ProofKey([]byte(secret)), atom, f.callback, now))
	var answer struct {
		Status []Status `json:"status"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK {
		f.Fatalf("status: %d %s", code, body)
	}
	if got := answer.Status[0]; got.State != state || got.Explanation != want.Explanation || got.Remedy != want.Remedy {
		f.Errorf("the subscriber is shown %+v", got)
	}
	if strings.Contains(body, "10.0.0.2") {
		f.Errorf("the subscriber learns of our network: %s", body)
	}
	if _, err := f.state.Sweep(f.Context(), now, 1); err != nil {
		f.Error(err)
	}
}

// plaintext listens without TLS.
func (p *pipes) plaintext(t *testing.T, address string) {
	l := p.listen(address)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096)) // the hello, in one write
				_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			}()
		}
	}()
	t.Cleanup(func() { l.Close() })
}

// Without a proof all answers are alike, whether the subscription exists or not.
func TestStatusNeedsProof(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		r := newRig(t, state)
		s := newSubscriber(t, nil)
		r.subscribe(s, atom, s.URL+"/signed", "hub.secret", secret)
		r.subscribe(s, atom, s.URL+"/unsigned")
		now := time.Now()
		sign := func(key, topic, path string, at time.Time) string {
			return StatusSignature(store.ProofKey([]byte(key)), topic, s.URL+path, at)
		}
		refused := map[string]bool{}
		for _, c := range []struct{ name, topic, path, signature string }{
			{"no signature", atom, "/signed", ""},
			{"wrong secret", atom, "/signed", sign("other", atom, "/signed", now)},
			{"of another callback", atom, "/signed", sign(secret, atom, "/unsigned", now)},
			{"of another topic", atom, "/signed", sign(secret, feed, "/signed", now)},
			{"too old", atom, "/signed", sign(secret, atom, "/signed", now.Add(-3*time.Hour))},
			{"no secret", atom, "/unsigned", sign("", atom, "/unsigned", now)},
			{"not subscribed", atom, "/unknown", sign(secret, atom, "/unknown", now)},
			{"not subscribed to this topic", feed, "/signed", sign(secret, feed, "/signed", now)},
			{"unknown topic", "x", "/signed", sign(secret, "x", "/signed", now)},
			{"no topic", "", "/signed", sign(secret, "", "/signed", now)},
			{"no HMAC", atom, "/signed", "sha256=00"},
		} {
			code, body := r.askStatus(c.topic, s.URL+c.path, c.signature)
			refused[body] = true
			if code != http.StatusForbidden || len(refused) != 1 {
				t.Errorf("%s: %d %s", c.name, code, body)
			}
		}
		for _, at := range []time.Time{now, now.Add(-time.Hour), now.Add(time.Hour)} {
			if code, body := r.askStatus(atom, s.URL+"/signed", sign(secret, atom, "/signed", at)); code != http.StatusOK {
				t.Errorf("signed for %s: %d %s", at, code, body)
			}
		}
	})
}
