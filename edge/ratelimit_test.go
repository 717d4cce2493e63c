package edge

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// TestRates: ten seconds' worth at once, then so many a second, for each client.
func TestRates(t *testing.T) {
	h := newEdge(t, 10, Config{RateSearch: 2})
	synctest.Test(t, func(t *testing.T) {
		ask := func(client, path string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("GET", path, nil)
			r.RemoteAddr = client
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		const search, since = "/api/reviews/search", "/api/reviews/since/2026-01-01"
		for i := range 20 {
			if w := ask("192.0.2.1:1", []string{search, since}[i%2]); w.Code != 200 {
				t.Fatalf("request %d: %d", i, w.Code)
			}
		}
		w := ask("192.0.2.1:2", search)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" ||
			w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("request 21: %d %v", w.Code, w.Header())
		}
		if w := ask("192.0.2.1:3", "/reviews.json"); w.Code != 200 {
			t.Errorf("files are limited: %d", w.Code)
		}
		if w := ask("192.0.2.2:1", search); w.Code != 200 {
			t.Errorf("another client: %d", w.Code)
		}
		time.Sleep(time.Second) // of the bubble's clock
		for i, want := range []int{200, 200, 429} {
			if w := ask("192.0.2.1:1", search); w.Code != want {
				t.Errorf("request %d a second later: %d, want %d", i, w.Code, want)
			}
		}
	})
}

// TestRatesNetwork: one subscriber's IPv6 addresses are one client.
func TestRatesNetwork(t *testing.T) {
	for _, tt := range []struct{ addr, want string }{
		{"192.0.2.1", "192.0.2.1/32"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
	} {
		if got := network(netip.MustParseAddr(tt.addr)).String(); got != tt.want {
			t.Errorf("network(%s) = %s, want %s", tt.addr, got, tt.want)
		}
	}
	if got := network(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address: %v", got)
	}
}

// TestRatesBounded comes from more addresses than the table knows. One who keeps
// coming is not forgotten.
func TestRatesBounded(t *testing.T) {
	r := &rates{perSecond: 1, burst: 1, young: map[netip.Prefix]*rate.Limiter{}}
	now := time.Unix(0, 0)
	busy := netip.MustParseAddr("192.0.2.1")
	if r.take(busy, unlimited, 1, now) != 0 {
		t.Fatal("the first request has to wait")
	}
	a := netip.MustParseAddr("10.0.0.0")
	for i := range 3 * maxClients / 2 {
		r.take(a, unlimited, 1, now)
		a = a.Next()
		if i%1000 == 0 && r.take(busy, unlimited, 1, now) == 0 {
			t.Fatalf("after %d others the busy client is forgotten", i)
		}
	}
	if n := len(r.young) + len(r.old); n > maxClients {
		t.Errorf("%d clients are known, the cap is %d", n, maxClients)
	}
}

func TestClient(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, tt := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:1234", nil, "192.0.2.1"},
		{"192.0.2.1:1234", []string{"198.51.100.7"}, "192.0.2.1"}, // not a proxy of ours
		{"10.0.0.1:1234", nil, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"}, // the client wrote the first
		{"10.0.0.1:1234", []string{"198.51.100.7, 10.2.3.4"}, "198.51.100.7"},
		{"10.0.0.1:1234", []string{"203.0.113.9", "198.51.100.7", "10.2.3.4"}, "198.51.100.7"},
		{"10.0.0.1:1234", []string{"10.9.9.9, 10.2.3.4"}, "10.9.9.9"}, // all trusted: the farthest
		{"10.0.0.1:1234", []string{"198.51.100.7, unknown"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{""}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.7:4711"}, "198.51.100.7"},
		{"10.0.0.1:1234", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		{"10.0.0.1:1234", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"10.0.0.1:1234", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"[::ffff:10.0.0.1]:1234", []string{"198.51.100.7"}, "198.51.100.7"},
		{"[fd00::1%eth0]:1234", []string{"198.51.100.7"}, "198.51.100.7"},
		{"@", []string{"198.51.100.7"}, "invalid IP"},
	} {
		p := &Proxies{Trusted: proxies}
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
		if got := p.Client(r).String(); got != tt.want {
			t.Errorf("%s forwarded for %s: %s, want %s", tt.peer, strconv.Quote(http.Header{"": tt.forwarded}.Get("")), got, tt.want)
		}
	}
}

// TestClientBySecret: a CDN without addresses of its own shows a secret.
func TestClientBySecret(t *testing.T) {
	for _, tt := range []struct{ secret, sent, header, want string }{
		{"s3cret", "s3cret", "", "198.51.100.7"},
		{"s3cret", "s3cret", "cf-connecting-ip", "203.0.113.5"},
		{"s3cret", "wrong", "", "192.0.2.1"},
		{"s3cret", "", "", "192.0.2.1"},
		{"", "", "", "192.0.2.1"},
	} {
		p := &Proxies{Secret: tt.secret, Header: tt.header}
		r := &http.Request{RemoteAddr: "192.0.2.1:1234", Header: http.Header{
			"X-Forwarded-For": {"203.0.113.9, 198.51.100.7"}, "Cf-Connecting-Ip": {"203.0.113.5"}}}
		r.Header.Set(ProxySecretHeader, tt.sent)
		if got := p.Client(r).String(); got != tt.want {
			t.Errorf("secret %q, sent %q, header %q: %s, want %s", tt.secret, tt.sent, tt.header, got, tt.want)
		}
	}
}

// TestCost: a costly search counts for more, and only costly ones are refused for what
// others have used up.
func TestCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &edge{all: rate.NewLimiter(10, 20), searches: newRates(5)}
		ask := func(client string, cost int) (status, retryAfter int) {
			r := httptest.NewRequest("GET", "/api/reviews/search", nil)
			r.RemoteAddr = client + ":1"
			err := e.allow(e.searches, r)
			if err == nil {
				err = e.admit(r, cost)
			}
			if f := (*failure)(nil); errors.As(err, &f) {
				return f.Status, int(f.retryAfter / time.Second)
			}
			return 200, 0
		}
		for _, tt := range []struct {
			client       string
			cost         int
			status, wait int
		}{
			{"192.0.2.1", 15, 200, 0},
			{"192.0.2.1", 0, 200, 0},
			{"192.0.2.1", 40, 429, 1}, // 50 less 15 and three requests leave 32, and then 31
			{"192.0.2.1", 40, 429, 1}, // which takes nothing from the share of all
			{"192.0.2.2", 5, 200, 0},
			{"192.0.2.3", 5, 429, 0}, // the share of all is used up, for half a second
			{"192.0.2.3", 0, 200, 0},
		} {
			if status, wait := ask(tt.client, tt.cost); status != tt.status || wait != tt.wait {
				t.Errorf("%s asks for %d: %d after %d s, want %d after %d s", tt.client, tt.cost, status, wait, tt.status, tt.wait)
			}
		}
		time.Sleep(time.Second)
		if status, _ := ask("192.0.2.3", 10); status != 200 {
			t.Errorf("a second later: %d, want 200", status)
		}
	})
}

// TestBytesCost: the bytes of large responses count.
func TestBytesCost(t *testing.T) {
	d := corpus.Dataset(20) // few and long reviews
	long := strings.Repeat("x", bytesPerUnit/len(d.Reviews))
	for i := range d.Reviews {
		d.Reviews[i].Text = &long
	}
	snapshots := &snapshot.Holder{}
	snapshottest.Swap(snapshots, snapshottest.Publish(t, d).Open(t, 1))
	t.Run("since", func(t *testing.T) { testSinceCost(t, snapshots) })
	t.Run("file", func(t *testing.T) { testFileCost(t, snapshots) })
}

// costs asks an edge that grants each client so many units at once, and counts the bytes of the answers.
type costs struct{ http.Handler }

const units = 20

func newCosts(t *testing.T, snapshots *snapshot.Holder) costs {
	return costs{newEdge(t, 0, Config{RateSearch: units / burst, Snapshots: snapshots})}
}

func (c costs) ask(client, method, path string, header ...string) *discard {
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr = client + ":1"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := &discard{header: http.Header{}}
	c.ServeHTTP(w, r)
	return w
}

// testSinceCost: sending many reviews counts for more, in both codings and by the slow path, too; a 304 doesn't.
func testSinceCost(t *testing.T, snapshots *snapshot.Holder) {
	const since = "/api/reviews/since/2000-01-01"
	c := newCosts(t, snapshots)
	synctest.Test(t, func(t *testing.T) {
		first := c.ask("192.0.2.1", "GET", since)
		each := 1 + int(first.bytes/bytesPerUnit)
		if each == 1 {
			t.Fatalf("%d bytes cost nothing", first.bytes)
		}
		for i, header := range [][]string{{}, {"Accept-Encoding", "gzip"}, {"If-None-Match", `"other"`}, {"Range", "bytes=0-9"}} {
			client := fmt.Sprintf("192.0.2.%d", 2+i)
			answered := 0
			for c.ask(client, "GET", since, header...).status < 300 {
				answered++
			}
			if answered != units/each {
				t.Errorf("%v: %d answers, want %d", header, answered, units/each)
			}
			if w := c.ask(client, "GET", since, header...); w.status != http.StatusTooManyRequests || w.header.Get("Retry-After") == "" || w.header.Get("Content-Range") != "" {
				t.Errorf("%v: %d %v", header, w.status, w.header)
			}
		}
		for range units {
			if w := c.ask("192.0.2.9", "GET", since, "If-None-Match", first.header.Get("ETag")); w.status != http.StatusNotModified {
				t.Fatalf("a conditional request: %d", w.status)
			}
		}
	})
}

// testFileCost: the bytes of large files count, in ranges, too; small files, a HEAD and a 304 don't.
func testFileCost(t *testing.T, snapshots *snapshot.Holder) {
	c := newCosts(t, snapshots)
	synctest.Test(t, func(t *testing.T) {
		first := c.ask("192.0.2.1", "GET", "/reviews.json")
		each := int(first.bytes / bytesPerUnit)
		if each == 0 {
			t.Fatalf("%d bytes cost nothing", first.bytes)
		}
		for i, tt := range []struct {
			header []string
			want   int
		}{
			{nil, units / each},
			{[]string{"If-None-Match", `"other"`}, units / each},
			{[]string{"Range", "bytes=1-"}, units / each},
			{[]string{"Range", "bytes=0-999999"}, 100},
			{[]string{"If-None-Match", first.header.Get("ETag")}, 100},
		} {
			client := fmt.Sprintf("192.0.2.%d", 2+i)
			answered := 0
			for answered < 100 && c.ask(client, "GET", "/reviews.json", tt.header...).status < 400 {
				answered++
			}
			if answered != tt.want {
				t.Errorf("%v: %d answers, want %d", tt.header, answered, tt.want)
			}
			if answered == 100 {
				continue
			}
			w := c.ask(client, "GET", "/reviews.json", tt.header...)
			if w.status != http.StatusTooManyRequests || w.header.Get("Retry-After") == "" || w.header.Get("Content-Encoding") != "" || w.bytes > 1000 {
				t.Errorf("%v: %d %v, %d bytes", tt.header, w.status, w.header, w.bytes)
			}
			for _, cheap := range []struct{ method, path string }{{"HEAD", "/reviews.json"}, {"GET", "/manifest.json"}} {
				if w := c.ask(client, cheap.method, cheap.path); w.status != http.StatusOK {
					t.Errorf("%s %s: %d", cheap.method, cheap.path, w.status)
				}
			}
		}
	})
}
