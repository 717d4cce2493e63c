package hub

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

// A name that resolves to a private address is refused when it is dialled, for
// verifications, notifications and denials.
func TestServerSideRequestForgery(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t), func(c *Config) { c.AllowCIDR = nil })
	s := newSubscriber(t, nil)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	callback := "https://localhost:" + u.Port() + "/cb"
	for _, mode := range []string{store.ModeSubscribe, store.ModeUnsubscribe, store.ModeDenied} {
		hs := store.Verification{Request: store.Request{Topic: atom, Callback: callback, Mode: mode}}
		if err := r.Hub.ask(t.Context(), hs); err == nil || !strings.Contains(err.Error(), "prohibited IP") {
			t.Errorf("%s: %v", mode, err)
		}
	}
	d := &delivery{Delivery: store.Delivery{Callback: callback, Topic: atom}, file: &snapshot.File{Body: []byte("x")}, host: &host{}, slot: &slot{}}
	if _, _, err := r.Hub.post(t.Context(), d); err == nil || !strings.Contains(err.Error(), "prohibited IP") {
		t.Errorf("delivery: %v", err)
	}
	s.quiet()
}

func TestGuard(t *testing.T) {
	g := newGuard(nil)
	open := newGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")})
	for _, c := range []struct {
		address        string
		public, opened bool
	}{
		{"93.184.215.14:443", true, true},
		{"93.184.215.14:8443", true, true},
		{"93.184.215.14:1024", true, true},
		{"93.184.215.14:80", false, false},
		{"93.184.215.14:22", false, false},
		{"93.184.215.14:1023", false, false},
		{"[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443", true, true},
		{"127.0.0.1:443", false, true},
		{"127.0.0.1:25", false, false},
		{"[::1]:443", false, true},
		{"0.0.0.0:443", false, false},
		{"10.1.2.3:443", false, false},
		{"172.16.0.1:443", false, false},
		{"192.168.1.1:443", false, false},
		{"169.254.169.254:443", false, false},
		{"100.64.0.1:443", false, false},
		{"224.0.0.1:443", false, false},
		{"255.255.255.255:443", false, false},
		{"[fd00::1]:443", false, false},
		{"[fe80::1%eth0]:443", false, false},
		{"[::ffff:10.0.0.1]:443", false, false},
		{"[::ffff:127.0.0.1]:443", false, false},
		{"[64:ff9b::7f00:1]:443", false, false},
		{"[2002:7f00:1::]:443", false, false},
		{"nonsense", false, false},
	} {
		network := "tcp4"
		if strings.HasPrefix(c.address, "[") {
			network = "tcp6"
		}
		if err := g.control(network, c.address, nil); (err == nil) != c.public {
			t.Errorf("%s: %v", c.address, err)
		}
		if err := open.control(network, c.address, nil); (err == nil) != c.opened {
			t.Errorf("%s, with loopback open: %v", c.address, err)
		}
	}
	if err := g.control("udp4", "93.184.215.14:443", nil); err == nil {
		t.Error("UDP is allowed")
	}
}

// A server with an untrusted certificate gets no request.
func TestCertificates(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t), func(c *Config) { c.RootCAs = nil })
	s := newSubscriber(t, nil)
	hs := store.Verification{Request: store.Request{Topic: atom, Callback: s.URL, Mode: store.ModeSubscribe}}
	if err := r.Hub.ask(t.Context(), hs); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
	s.quiet()
}

// The client uses no proxy of the environment and no cookies.
func TestNoProxyNoCookies(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	r := newRig(t, migratedState(t))
	s := newSubscriber(t, nil)
	s.answers(func(w http.ResponseWriter, q *http.Request, c call) {
		http.SetCookie(w, &http.Cookie{Name: "track", Value: "me"})
		good(w, q, c)
	})
	r.subscribe(s, atom, s.URL)
	r.publish(2, "second")
	if c := s.notification(); c.header["Cookie"] != nil {
		t.Errorf("sent a cookie: %v", c.header)
	}
	if tr := r.deliverClient.Transport.(*http.Transport); tr.Proxy != nil || r.deliverClient.Jar != nil {
		t.Error("the client has a proxy or a jar")
	}
}

// Errors don't contain a callback's query, which may hold a secret.
func TestSecretsInErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	hs := store.Verification{Request: store.Request{Topic: atom, Callback: "https://127.0.0.1:1/cb?token=hunter2", Mode: store.ModeSubscribe}}
	if err := r.Hub.ask(t.Context(), hs); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

// Rates and caps are answered with 429 and 503 and Retry-After.
func TestFloods(t *testing.T) {
	t.Parallel()
	wait := time.Duration(0)
	r := newRig(t, migratedState(t), func(c *Config) { c.Limit = func(*http.Request) time.Duration { return wait } })
	form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {atom}, "hub.callback": {"https://127.0.0.1:8443/"}}
	wait = 1500 * time.Millisecond
	if w := r.post(form); w.Code != 429 || w.Header().Get("Retry-After") != "2" {
		t.Errorf("too fast: %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	if w := r.post(url.Values{"hub.mode": {"publish"}, "hub.url": {atom}}); w.Code != 202 {
		t.Errorf("a ping is limited: %d", w.Code)
	}
	wait = 0
	r.full.Store(true)
	if w := r.post(form); w.Code != 503 || w.Header().Get("Retry-After") != "3600" {
		t.Errorf("full: %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	if refusal := asRejection(store.ErrHostBusy); refusal.status != 429 || refusal.retryAfter == 0 {
		t.Errorf("busy host: %+v", refusal)
	}
}

// Without a writable state requests are rejected.
func TestStoreDown(t *testing.T) {
	s := storetest.Open(t, migratedState(t))
	h, err := New(testConfig(s, &snapshot.Current[snapshot.Files]{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, Hub: h}
	w := r.post(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {atom}, "hub.callback": {"https://example.com/"}})
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "closed") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if err := h.Run(context.Background()); err == nil {
		t.Error("a hub runs without its state")
	}
}

// A breaker opens after twenty consecutive exchanges without an answer, allows a probe
// after thirty seconds, and closes with any answer.
func TestBreakerByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breaker
		for i := range breakerTrips {
			if b.wait(time.Now()) > 0 {
				t.Fatalf("open after %d", i)
			}
			if opened := b.unanswered(time.Now()); opened != (i == breakerTrips-1) {
				t.Fatalf("opened after %d: %t", i+1, opened)
			}
		}
		if wait := b.wait(time.Now()); wait != breakerOpen {
			t.Fatalf("open, but the wait is %s", wait)
		}
		time.Sleep(breakerOpen / 2)
		if b.unanswered(time.Now()) { // one that began before
			t.Error("opened while open")
		}
		time.Sleep(breakerOpen / 2)
		if b.wait(time.Now()) > 0 {
			t.Fatal("no probe after the time is up")
		}
		b.probing = true
		// Others wait a shorter time than after a failed probe.
		if wait := b.wait(time.Now()); wait != breakerProbe {
			t.Errorf("beside a probe: %s", wait)
		}
		if !b.unanswered(time.Now()) {
			t.Error("a probe without an answer doesn't open it again")
		}
		time.Sleep(breakerOpen)
		if b.wait(time.Now()) > 0 {
			t.Fatal("no second probe")
		}
		b = breaker{} // any answer
		for range breakerTrips - 1 {
			b.unanswered(time.Now())
		}
		if b.wait(time.Now()) > 0 {
			t.Error("an answer doesn't begin the count anew")
		}
	})
}

// A callback that closes a connection is asked once: net/http doesn't repeat the request
// with the same challenge.
func TestChallengeReplayed(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	s := newSubscriber(t, nil)
	hs := store.Verification{Request: store.Request{Topic: atom, Callback: s.URL + "/cb", Mode: store.ModeSubscribe}}
	if err := r.Hub.ask(t.Context(), hs); err != nil {
		t.Fatal(err)
	}
	s.next()
	s.answers(func(http.ResponseWriter, *http.Request, call) { panic(http.ErrAbortHandler) })
	if err := r.Hub.ask(t.Context(), hs); err == nil {
		t.Error("no answer is taken for one")
	}
	s.next()
	s.quiet()
}

// Counters start at zero, so that rates include the first event.
func TestCountersBeginAtZero(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	newRig(t, migratedState(t), func(c *Config) { c.Metrics = registry })
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, f := range families {
		got[f.GetName()] = len(f.GetMetric())
	}
	for name, want := range map[string]int{"requests_total": 2, "handshakes_total": 12, "deliveries_total": 6, "changes_total": len(reviewcast.Topics)} {
		if n := got["reviewcast_hub_"+name]; n != want {
			t.Errorf("%s: %d series, want %d", name, n, want)
		}
	}
}

// While the state doesn't answer, a scrape doesn't wait for it.
func TestScrapeOfSilentState(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	r.stop() // no heartbeat follows
	r.setHealth(errStateSlow)
	r.Hub.Store = nil // nothing may ask it
	registry := prometheus.NewRegistry()
	registry.MustRegister(state{r.Hub})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	up := -1.0
	for _, f := range families {
		if f.GetName() == "reviewcast_hub_state_up" {
			up = f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	if up != 0 {
		t.Errorf("state_up is %g", up)
	}
}

// An error of a ping names the field that the publisher used.
func TestPingOfNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	for _, field := range []string{"hub.url", "hub.topic"} {
		w := r.post(url.Values{"hub.mode": {"publish"}, field: {""}})
		if w.Code != 400 || !strings.HasPrefix(w.Body.String(), field+" is not a topic") {
			t.Errorf("%s is empty: %d %s", field, w.Code, w.Body)
		}
	}
}

// The caps of a client count for its network.
func TestNetworkOf(t *testing.T) {
	for client, want := range map[string]string{
		"192.0.2.7": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48", "": "",
	} {
		address, _ := netip.ParseAddr(client) // the zero address for none
		if got := networkOf(address); got != want {
			t.Errorf("%q is in %q, want %q", client, got, want)
		}
	}
}
